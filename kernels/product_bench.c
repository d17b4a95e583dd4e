/* product_bench: alternates forward passes and lists of products. */
#include "kernels/product_bench.h"

#include "kernels/batched_gemm.h"
#include "kernels/latency.h"
#include "kernels/stopwatch.h"

#include <stdlib.h>

#define PRODUCT_BENCH_LEAST 5
#define PRODUCT_BENCH_MOST 200
#define PRODUCT_BENCH_WEIGHTS ((size_t)1 << 25) /* 128 MiB go around */

/* Matrices of the products: weights lie behind each other as the network's do. */
struct list {
    const struct network *plan;
    float *weights, *x, *y;
    size_t around, most;
};

/* The products of a step, all alike but for attention's second; their number. */
static size_t products_of(const struct network_step *s, struct batched_gemm_shape out[2])
{
    const struct conv_shape *c = &s->as.conv;
    const struct linear_shape *l = &s->as.linear;
    const struct attention_shape *t = &s->as.attention;
    struct batched_gemm_shape p = {.count = 1, .precision = PRECISION_FP32};
    size_t n = 1;
    if (s->kind == STEP_CONV) {
        p.count = c->batch;
        p.m = c->cout;
        p.n = conv_hout(c) * conv_wout(c);
        p.k = c->cin * c->kh * c->kw;
    } else if (s->kind == STEP_LINEAR) {
        p.m = l->rows;
        p.n = l->outputs;
        p.k = l->inputs;
        p.b_transposed = true;
    } else if (s->kind == STEP_ATTENTION) {
        p.count = t->batch * t->heads;
        p.m = p.n = t->sequence;
        p.k = t->size;
        p.b_transposed = true;
        n = 2;
    } else
        return 0;
    p.lda = p.k;
    p.ldb = p.b_transposed ? p.k : p.n;
    p.ldc = p.n;
    out[0] = out[1] = p;
    if (n == 2) {
        out[1].n = out[1].ldb = out[1].ldc = t->size;
        out[1].k = out[1].lda = t->sequence;
        out[1].b_transposed = false;
    }
    return n;
}

static size_t largest_of(const struct batched_gemm_shape *p)
{
    size_t m = (size_t)p->m, n = (size_t)p->n, k = (size_t)p->k;
    size_t inputs = m * k > k * n ? m * k : k * n;
    return inputs > m * n ? inputs : m * n;
}

static void fill(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(i % 251) * 0.008F - 1;
}

static int take(struct list *l, const struct network *plan, struct err *e)
{
    struct batched_gemm_shape p[2];
    *l = (struct list){.plan = plan};
    for (size_t i = 0; i < plan->n_steps; i++)
        for (size_t k = 0, n = products_of(&plan->steps[i], p); k < n; k++)
            l->most = largest_of(&p[k]) > l->most ? largest_of(&p[k]) : l->most;
    l->around = plan->parameters < PRODUCT_BENCH_WEIGHTS ? plan->parameters : PRODUCT_BENCH_WEIGHTS;
    l->weights = malloc((l->around + l->most + 1) * sizeof *l->weights);
    l->x = malloc((l->most + 1) * sizeof *l->x);
    l->y = malloc((l->most + 1) * sizeof *l->y);
    if (!l->weights || !l->x || !l->y)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for the products of %s", plan->model);
    fill(l->weights, l->around + l->most);
    fill(l->x, l->most);
    return 0;
}

static void give_back(struct list *l)
{
    free(l->weights);
    free(l->x);
    free(l->y);
}

/* A convolution's weights are the left matrix of its product, a dense layer's the right one. */
static void multiply_all(const struct list *l)
{
    struct batched_gemm_shape p[2];
    for (size_t i = 0; i < l->plan->n_steps; i++) {
        const struct network_step *s = &l->plan->steps[i];
        const float *w = l->weights + (s->kind == STEP_ATTENTION ? 0 : s->weight % l->around);
        for (size_t k = 0, n = products_of(s, p); k < n; k++)
            batched_gemm_blas(&p[k], &(struct batched_gemm_data){
                                         .a = s->kind == STEP_CONV ? w : l->x,
                                         .b = s->kind == STEP_CONV ? l->x : w,
                                         .c = l->y,
                                     });
    }
}

static int alternate(struct engine *g, const struct list *l, const struct product_bench_rule *rule,
                     struct product_bench *out, struct err *e)
{
    double network_s[PRODUCT_BENCH_MOST], products_s[PRODUCT_BENCH_MOST];
    struct latency summary;
    size_t n = 0;
    double start = stopwatch_now_s(), now = start;
    multiply_all(l);
    do {
        double before = stopwatch_now_s();
        if (engine_forward(g, e))
            return -1;
        double between = stopwatch_now_s();
        multiply_all(l);
        now = stopwatch_now_s();
        network_s[n] = between - before;
        products_s[n++] = now - between;
    } while (n < PRODUCT_BENCH_MOST && now - start < rule->most_s &&
             (n < PRODUCT_BENCH_LEAST || now - start < rule->enough_s));
    out->rounds = n;
    latency_summarize(network_s, n, &summary);
    out->network_s = summary.p50.value_s;
    latency_summarize(products_s, n, &summary);
    out->products_s = summary.p50.value_s;
    out->ratio = out->network_s / out->products_s;
    return 0;
}

int product_bench(struct engine *g, const struct network *plan,
                  const struct product_bench_rule *rule, struct product_bench *out, struct err *e)
{
    struct list l;
    int rc = take(&l, plan, e);
    if (rc == 0)
        rc = alternate(g, &l, rule, out, e);
    give_back(&l);
    return rc;
}
