/* bench_setting: the choices of a setup as texts. */
#include "scenarios/cli/bench_setting.h"

#include "sim/digest.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *const bench_setting_keys[] = {"model",      "precision",  "scenario",   "sequence",
                                          "tokens",     "isolated",   "variant",    "weights",
                                          "seed",       "vocabulary", "qps",        "latencyBound",
                                          "percentile", "graphBatch", "algorithms", NULL};

struct list {
    struct bench_setting *items;
    size_t n;
};

static void add(struct list *l, const char *key, const char *fmt, ...) ERR_PRINTF(3, 4);
static void add(struct list *l, const char *key, const char *fmt, ...)
{
    va_list args;
    assert(l->n < BENCH_SETTINGS);
    struct bench_setting *s = &l->items[l->n++];
    s->key = key;
    va_start(args, fmt);
    vsnprintf(s->value, sizeof s->value, fmt, args);
    va_end(args);
}

static int digest_file(const char *path, uint64_t *out, struct err *e)
{
    static const size_t size = 1 << 16;
    unsigned char part[1 << 16];
    struct digest d = {0};
    FILE *f = fopen(path, "rb");
    if (!f)
        return err_set(e, ERR_INPUT, path, "cannot be read");
    for (size_t n; (n = fread(part, 1, size, f)) > 0;)
        digest_bytes(&d, part, n);
    fclose(f);
    *out = digest_value(&d);
    return 0;
}

static int add_weights(struct list *l, const struct network_choice *m, struct err *e)
{
    uint64_t digest;
    if (!m->weights)
        add(l, "weights", "random");
    else if (digest_file(m->weights, &digest, e))
        return -1;
    else
        add(l, "weights", "file %016" PRIx64, digest);
    return 0;
}

static void add_network(struct list *l, const struct network_choice *m,
                        const struct network_bench *first)
{
    static const char *const variants[] = {"torchvision", "keras", "2015"};
    add(l, "model", "%s", m->name);
    add(l, "precision", "fp32");
    if (first->sequence)
        add(l, "sequence", "%d", (int)first->sequence);
    if (first->tokens)
        add(l, "tokens", "%d", (int)first->tokens);
    if (m->vocabulary)
        add(l, "vocabulary", "%d", (int)m->vocabulary);
    else if (first->sequence)
        add(l, "vocabulary", "the model's own");
    if (strcmp(m->name, "inception_v3") == 0)
        add(l, "variant", "%s", variants[m->variant]);
}

/* The rate that was looked for is a result. */
static void add_load(struct list *l, const struct network_bench_setup *n)
{
    add(l, "scenario", "%s", load_names[n->load.scenario]);
    add(l, "isolated", "%s", n->isolated ? "true" : "false");
    add(l, "seed", "%" PRIu64, n->load.seed);
    if (n->load.scenario != LOAD_SERVER)
        return;
    if (!n->find_peak)
        add(l, "qps", "%.6g", n->load.qps);
    add(l, "latencyBound", "%.6g", n->load.bound_s);
    add(l, "percentile", "%.6g", n->load.percentile * 100);
}

static void add_backend(struct list *l, const struct backend *b)
{
    const struct backend_cuda_config *c = b->config;
    if (strcmp(b->name, "cuda") != 0)
        return;
    add(l, "graphBatch", "%d", (int)c->graph_batch);
    add(l, "algorithms", c->algorithms ? "searched" : "of the library");
}

size_t bench_setting_list(const struct bench_setup *s, const struct network_bench *first,
                          struct bench_setting out[BENCH_SETTINGS], struct err *e)
{
    struct list l = {out, 0};
    add_network(&l, &s->network.model, first);
    if (add_weights(&l, &s->network.model, e))
        return 0;
    add_load(&l, &s->network);
    add_backend(&l, s->network.backend);
    return l.n;
}
