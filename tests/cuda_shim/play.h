/* play: a network played once by a backend, for tests of the CUDA one. */
#ifndef SLUICE_TESTS_CUDA_SHIM_PLAY_H
#define SLUICE_TESTS_CUDA_SHIM_PLAY_H

#include "kernels/backend.h"
#include "kernels/bert.h"
#include "kernels/engine.h"
#include "kernels/weight_random.h"
#include "tests/cuda_shim/rig.h"

#define PLAY_MANY 1024 /* values of an output, and tokens */

/* The network's output by a backend; nothing is left of the device afterwards. */
static inline void play_network(const struct network *n, const struct backend *b,
                                const int32_t *lengths, double *out)
{
    uint64_t seed = 7;
    struct err e = {0};
    struct weight_source source = weight_random(&seed);
    struct engine *g = engine_create(n, b, &source, &e);
    cr_assert(g, "%s", e.msg);
    int rc = engine_random_input(g, 3, &e);
    if (lengths) {
        int32_t words[PLAY_MANY];
        for (int32_t i = 0; i < n->tokens; i++)
            words[i] = i * 37 % n->vocabulary;
        rc = rc || engine_tokens(g, words, lengths, &e);
    }
    rc = rc || engine_forward(g, &e) || engine_output(g, out, &e);
    cr_assert_eq(rc, 0, "%s %s", e.msg, shim_fault());
    engine_destroy(g);
    const char *fault = shim_fault();
    cr_assert_str_empty(fault, "%s", fault);
    cr_assert_eq(shim_live(), 0, "%lld things were not given back", (long long)shim_live());
}

static inline struct backend play_with(const struct backend_cuda_config *c)
{
    struct backend b = backend_cuda;
    b.config = c;
    return b;
}

static const struct backend_cuda_config play_steps = {.graph_batch = 0},
                                        play_recorded = {.graph_batch = 8};

static const struct bert_config play_bert = {.batch = 3,
                                             .sequence = 21,
                                             .layers = 1,
                                             .hidden = 60,
                                             .heads = 5,
                                             .inner = 77,
                                             .vocabulary = 101,
                                             .positions = 40,
                                             .segments = 2};

#endif
