/* backend_cuda: every step in float on one GPU, as one recorded graph for small batches. */
#include "kernels/backend.h"
#include "kernels/batched_gemm.h"
#include "kernels/device.h"
#include "kernels/device_blas.h"
#include "kernels/gemm_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Values that are rounded to float together on their way to the GPU. */
#define BACKEND_CUDA_STAGE ((size_t)1 << 18)

const struct backend_cuda_config backend_cuda_usual = {
    .device = 0, .graph_batch = 8, .algorithms = NULL};

struct own {
    const struct backend_cuda_config *config;
    float *stage;
    struct device_graph *graph; /* of the whole plan; NULL: steps are queued one by one */
    size_t plan_steps;
    struct gemm_table *algorithms;
    int32_t *lengths;         /* of each sequence, in this process */
    int32_t *starts, *places; /* of the packing, on the device */
};

static size_t scratch_of(const struct network *plan)
{
    size_t most = 0;
    for (size_t i = 0; i < plan->n_steps; i++) {
        const struct network_step *s = &plan->steps[i];
        size_t n = s->kind == STEP_CONV        ? conv_cuda_scratch(&s->as.conv)
                   : s->kind == STEP_ATTENTION ? attention_cuda_scratch(&s->as.attention)
                                               : 0;
        size_t first_rows =
            packing_reads_first_tokens(s) ? (size_t)s->as.linear.rows * s->as.linear.inputs : 0;
        n = n > first_rows ? n : first_rows;
        most = n > most ? n : most;
    }
    return most;
}

static int embed(const struct network_step *s, const struct backend_memory *m, struct err *e)
{
    const float *p = m->parameters;
    const struct own *own = m->own;
    struct embedding_cuda_data d = {{m->words, m->kinds, m->packing.rows > 0 ? own->places : NULL},
                                    {p + s->weight, p + s->bias, p + s->kinds},
                                    (float *)m->activations + s->y};
    return embedding_cuda(&s->as.embedding, &d, m->device, e);
}

static int attend(const struct network_step *s, const struct backend_memory *m, const float *x,
                  struct err *e)
{
    const struct own *own = m->own;
    bool packed = m->packing.rows > 0;
    struct attention_data d = {x, packed ? own->lengths : m->lengths,
                               (float *)m->activations + s->y, (float *)m->scratch,
                               packed ? m->packing.starts : NULL};
    return attention_cuda(&s->as.attention, &d, m->device, e);
}

/* inputs: what x is a place in. */
static int run(const struct network_step *s, const struct backend_memory *m, const float *inputs,
               struct err *e)
{
    const float *weight = (float *)m->parameters + s->weight,
                *bias = (float *)m->parameters + s->bias;
    float *base = m->activations, *scratch = m->scratch, *y = base + s->y;
    const float *x = s->kind == STEP_EMBEDDING ? NULL : inputs + s->x;
    const float *residual = s->residual == NETWORK_NONE ? NULL : base + s->residual;
    switch (s->kind) {
    case STEP_CONV:
        return conv_cuda(&s->as.conv, &(struct conv_data){x, weight, bias, y, scratch}, m->device,
                         e);
    case STEP_POOL:
        return pool_cuda(&s->as.pool, &(struct pool_cuda_data){x, y}, m->device, e);
    case STEP_LINEAR:
        return linear_cuda(&s->as.linear, &(struct linear_data){x, weight, bias, y}, m->device, e);
    case STEP_EMBEDDING:
        return embed(s, m, e);
    case STEP_LAYER_NORM:
        return layer_norm_cuda(&s->as.layer_norm,
                               &(struct layer_norm_data){x, residual, weight, bias, y}, m->device,
                               e);
    case STEP_ATTENTION:
        return attend(s, m, x, e);
    }
    return -1;
}

/* The pooler's input is gathered into scratch, which no linear step uses. */
static int run_packed(const struct network *plan, const struct network_step *s,
                      const struct backend_memory *m, struct err *e)
{
    struct network_step packed = packing_step(&m->packing, plan, s);
    const struct own *own = m->own;
    if (!packing_reads_first_tokens(s))
        return run(&packed, m, m->activations, e);
    struct packing_cuda_data first = {own->starts, (float *)m->activations + s->x, m->scratch};
    packed.x = 0;
    return packing_gather_cuda(plan->batch, s->as.linear.inputs, &first, m->device, e) ||
                   run(&packed, m, m->scratch, e)
               ? -1
               : 0;
}

static int queue_steps(const struct network *plan, const struct backend_memory *m, struct err *e)
{
    for (size_t i = 0; i < plan->n_steps; i++)
        if (m->packing.rows > 0 ? run_packed(plan, &plan->steps[i], m, e)
                                : run(&plan->steps[i], m, m->activations, e))
            return -1;
    return 0;
}

static int set_lengths(const struct network *plan, const struct backend_memory *m,
                       const int32_t *lengths, struct err *e)
{
    const struct own *own = m->own;
    size_t n = (size_t)plan->batch;
    for (size_t i = 0; i < n; i++)
        own->lengths[i] = lengths ? lengths[i] : plan->sequence;
    return device_put(m->device, m->lengths, own->lengths, n * sizeof *own->lengths, e);
}

/* One run, in which every product that the table does not hold is searched for. */
static int search(const struct network *plan, const struct backend_memory *m, struct err *e)
{
    device_blas_search(m->device, true);
    int rc = queue_steps(plan, m, e);
    device_blas_search(m->device, false);
    return rc || device_wait(m->device, e) ? -1 : 0;
}

static int open_algorithms(struct backend_memory *m, struct err *e)
{
    struct own *own = m->own;
    const char *path = own->config->algorithms;
    const struct device_info *i = device_info(m->device);
    own->algorithms = gemm_table_create(i->name, i->blas, e);
    if (!own->algorithms || (access(path, F_OK) == 0 && gemm_table_load(own->algorithms, path, e)))
        return -1;
    device_blas_algorithms(m->device, own->algorithms);
    return 0;
}

static int choose_algorithms(const struct network *plan, const struct backend_memory *m,
                             struct err *e)
{
    const struct own *own = m->own;
    size_t known = own->algorithms->count;
    if (search(plan, m, e))
        return -1;
    return own->algorithms->count > known
               ? gemm_table_save(own->algorithms, own->config->algorithms, e)
               : 0;
}

/* The first run loads kernels and the library's own; then the steps are recorded. */
static int record(const struct network *plan, struct backend_memory *m, struct err *e)
{
    struct own *own = m->own;
    if (queue_steps(plan, m, e) || device_wait(m->device, e) || device_record(m->device, e))
        return -1;
    queue_steps(plan, m, e); /* a failure is in e and spoils the graph */
    own->graph = device_recorded(m->device, e);
    return own->graph ? 0 : -1;
}

/* What depends on how many rows the products have. */
static int prepare(const struct network *plan, struct backend_memory *m, struct err *e)
{
    struct own *own = m->own;
    device_graph_destroy(own->graph);
    own->graph = NULL;
    if (own->algorithms && choose_algorithms(plan, m, e))
        return -1;
    return plan->batch <= own->config->graph_batch ? record(plan, m, e) : 0;
}

static int take_memory(const struct network *plan, struct backend_memory *m, struct err *e)
{
    struct own *own = m->own;
    struct device *d = m->device;
    size_t tokens = (size_t)plan->tokens, batch = (size_t)plan->batch;
    own->plan_steps = plan->n_steps;
    own->stage = malloc(BACKEND_CUDA_STAGE * sizeof *own->stage);
    own->lengths = malloc(batch * sizeof *own->lengths);
    if (!own->stage || !own->lengths)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %s", plan->model);
    if (!(m->parameters = device_take(d, plan->parameters * sizeof(float), e)) ||
        !(m->activations = device_take(d, plan->activations * sizeof(float), e)) ||
        !(m->scratch = device_take(d, scratch_of(plan) * sizeof(float), e)) ||
        !(m->words = device_take(d, tokens * sizeof *m->words, e)) ||
        !(own->places = device_take(d, tokens * sizeof *own->places, e)) ||
        !(own->starts = device_take(d, batch * sizeof *own->starts, e)) ||
        !(m->lengths = device_take(d, batch * sizeof *m->lengths, e)) ||
        packing_init(&m->packing, plan, e))
        return -1;
    return set_lengths(plan, m, NULL, e);
}

static int open(const struct backend *b, const struct network *plan, struct backend_memory *m,
                struct err *e)
{
    const struct backend_cuda_config *c = b->config;
    struct own *own = m->own = calloc(1, sizeof *own);
    if (!own)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %s", plan->model);
    own->config = c;
    if (!(m->device = device_create(c->device, e)) || take_memory(plan, m, e) ||
        (c->algorithms && open_algorithms(m, e)))
        return -1;
    return prepare(plan, m, e);
}

static void close_all(struct backend_memory *m)
{
    struct own *own = m->own;
    if (m->device) {
        device_graph_destroy(own->graph);
        device_give(m->device, m->parameters);
        device_give(m->device, m->activations);
        device_give(m->device, m->scratch);
        device_give(m->device, m->words);
        device_give(m->device, m->lengths);
        device_give(m->device, own->places);
        device_give(m->device, own->starts);
        device_destroy(m->device);
    }
    if (own) {
        gemm_table_destroy(own->algorithms);
        free(own->stage);
        free(own->lengths);
    }
    packing_fini(&m->packing);
    free(own);
    *m = (struct backend_memory){0};
}

static int store(const struct backend_memory *m, const struct backend_span *to, const double *from,
                 struct err *e)
{
    float *stage = ((struct own *)m->own)->stage, *at = (float *)to->base + to->at;
    for (size_t i = 0; i < to->n; i += BACKEND_CUDA_STAGE) {
        size_t n = to->n - i < BACKEND_CUDA_STAGE ? to->n - i : BACKEND_CUDA_STAGE;
        for (size_t j = 0; j < n; j++)
            stage[j] = (float)from[i + j];
        if (device_put(m->device, at + i, stage, n * sizeof *stage, e))
            return -1;
    }
    return 0;
}

static int load(const struct backend_memory *m, const struct backend_span *from, double *to,
                struct err *e)
{
    float *stage = ((struct own *)m->own)->stage;
    const float *at = (const float *)from->base + from->at;
    for (size_t i = 0; i < from->n; i += BACKEND_CUDA_STAGE) {
        size_t n = from->n - i < BACKEND_CUDA_STAGE ? from->n - i : BACKEND_CUDA_STAGE;
        if (device_get(m->device, stage, at + i, n * sizeof *stage, e))
            return -1;
        for (size_t j = 0; j < n; j++)
            to[i + j] = (double)stage[j];
    }
    return 0;
}

static int put_packing(const struct network *plan, const struct backend_memory *m, struct err *e)
{
    const struct own *own = m->own;
    const struct packing *p = &m->packing;
    size_t rows = (size_t)p->rows, batch = (size_t)plan->batch;
    return device_put(m->device, m->words, p->words, rows * sizeof *p->words, e) ||
                   device_put(m->device, own->places, p->places, rows * sizeof *p->places, e) ||
                   device_put(m->device, own->starts, p->starts, batch * sizeof *p->starts, e)
               ? -1
               : 0;
}

/* Every packing has products of its own, and so a graph of its own. */
static int tokens(const struct network *plan, struct backend_memory *m,
                  const struct backend_tokens *t, struct err *e)
{
    bool packed = t->lengths && t->drop_padding, was_packed = m->packing.rows > 0;
    if (set_lengths(plan, m, t->lengths, e))
        return -1;
    m->packing.rows = 0;
    if (packed)
        packing_set(&m->packing, plan, t->words, t->lengths);
    size_t all = (size_t)plan->tokens;
    if (packed ? put_packing(plan, m, e)
               : device_put(m->device, m->words, t->words, all * sizeof *t->words, e))
        return -1;
    return packed || was_packed ? prepare(plan, m, e) : 0;
}

static int forward(const struct network *plan, struct backend_memory *m, struct err *e)
{
    const struct own *own = m->own;
    bool whole = own->graph && plan->n_steps == own->plan_steps; /* or a single step of it */
    if (whole ? device_replay(m->device, own->graph, e) : queue_steps(plan, m, e))
        return -1;
    return device_wait(m->device, e);
}

/* By events in the stream; a GPU that waits for the next launch is timed as it is. */
static int timed(const struct network *plan, struct backend_memory *m, int32_t runs,
                 double *seconds, struct err *e)
{
    if (device_wait(m->device, e) || device_mark(m->device, 0, e))
        return -1;
    for (int32_t i = 0; i < runs; i++)
        if (queue_steps(plan, m, e))
            return -1;
    return device_mark(m->device, 1, e) || device_between(m->device, seconds, e) ? -1 : 0;
}

/* FP32 additions and multiplications of a multiprocessor in one cycle: two a core. Cores from
 * NVIDIA's programming guide, "Arithmetic Instructions": 64 in 6.0, 7.x and 8.0, 128 in the others
 * from 5.0 on. */
static double flop_per_cycle(const struct device_info *i)
{
    bool half = i->compute_major == 7 || (i->compute_major == 6 && i->compute_minor == 0) ||
                (i->compute_major == 8 && i->compute_minor == 0);
    return 2.0 * (half ? 64 : 128);
}

static void describe(const struct backend_memory *m, struct backend_device *out)
{
    const struct device_info *i = device_info(m->device);
    *out = (struct backend_device){.cache_bytes = i->l2_bytes,
                                   .refused = batched_gemm_refused(m->device)};
    snprintf(out->name, sizeof out->name, "%s", i->name);
    snprintf(out->bus, sizeof out->bus, "%s", i->bus);
    snprintf(out->software, sizeof out->software, "CUDA %d.%d, driver for %d.%d, cuBLAS %d",
             i->runtime / 1000, i->runtime % 1000 / 10, i->driver / 1000, i->driver % 1000 / 10,
             i->blas);
    out->peak_flop_per_s = flop_per_cycle(i) * i->multiprocessors * i->clock_mhz * 1e6;
    out->peak_bytes_per_s = 2 * i->memory_clock_mhz * 1e6 * i->memory_bus_bits / 8;
}

static int flush(const struct backend_memory *m, struct err *e)
{
    return device_flush(m->device, e);
}

const struct backend backend_cuda = {.name = "cuda",
                                     .config = &backend_cuda_usual,
                                     .open = open,
                                     .close = close_all,
                                     .store = store,
                                     .load = load,
                                     .tokens = tokens,
                                     .forward = forward,
                                     .timed = timed,
                                     .describe = describe,
                                     .flush = flush};
