/* bench_setup: from the words of the command line to what is measured. */
#include "scenarios/cli/bench_setup.h"

#include "kernels/gemm.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct backend *bench_setup_backend(const char *name, struct err *e)
{
    struct err why;
    const struct backend *found = backend_find(name, &why, e);
    if (found && why.code)
        fprintf(stderr, "no GPU (%s): the processor is measured\n", why.msg);
    return found;
}

int bench_setup_batches(const char *option, const char *list, int32_t out[BENCH_SETUP_BATCHES],
                        size_t *n, struct err *e)
{
    char copy[512];
    *n = 0;
    if (strlen(list) >= sizeof copy)
        return err_set(e, ERR_INPUT, NULL, "%s: too long", option);
    if (list[0] == '\0')
        return err_set(e, ERR_INPUT, NULL, "%s: a list such as 1,2,4,8 is needed", option);
    strcpy(copy, list);
    for (char *word = copy, *next; word; word = next) {
        int64_t batch;
        next = strchr(word, ',');
        if (next)
            *next++ = '\0';
        if (!text_parse_int64(word, &batch) || batch < 1 || batch > 1024)
            return err_set(e, ERR_INPUT, NULL, "%s: '%.*s' is no size of 1 to 1024", option,
                           text_cut(word, 40), word);
        if (*n > 0 && batch <= out[*n - 1])
            return err_set(e, ERR_INPUT, NULL, "%s: %lld does not ascend", option,
                           (long long)batch);
        if (*n == BENCH_SETUP_BATCHES)
            return err_set(e, ERR_INPUT, NULL, "%s: more than %d", option, BENCH_SETUP_BATCHES);
        out[(*n)++] = (int32_t)batch;
    }
    return 0;
}

int bench_setup_seconds(const char *option, const char *value, double *out, struct err *e)
{
    int64_t ns;
    if (!value)
        return 0;
    if (!text_parse_duration(value, &ns) || ns <= 0 || ns > INT64_C(86400000000000))
        return err_set(e, ERR_INPUT, NULL,
                       "%s: '%.*s' is no duration above 0 and up to a day, such as 10s or 130ms",
                       option, text_cut(value, 40), value);
    *out = (double)ns * 1e-9;
    return 0;
}

double bench_setup_share(double left_s, size_t left)
{
    assert(left >= 1);
    return isfinite(left_s) ? fmax(left_s / (double)left, 1e-9) : 0;
}

bool bench_setup_fits(double left_s, int32_t batch, int32_t earlier, double time_s)
{
    assert(batch >= 1 && earlier >= 1);
    return left_s > 3 * time_s * batch / earlier;
}

static int number(const char *option, const char *value, double most, double *out, struct err *e)
{
    if (!value)
        return 0;
    if (!text_parse_double(value, out) || !(*out > 0) || *out > most)
        return err_set(e, ERR_INPUT, NULL, "%s: '%.*s' is no number above 0 and up to %g", option,
                       text_cut(value, 40), value, most);
    return 0;
}

static int read_scenario(const struct bench_arguments *a, struct load_rule *rule, struct err *e)
{
    for (int i = 0; i < LOAD_SCENARIOS; i++)
        if (strcmp(a->scenario, load_names[i]) == 0) {
            rule->scenario = (enum load_scenario)i;
            return 0;
        }
    const char *near = text_nearest(a->scenario, load_names, LOAD_SCENARIOS);
    return err_set(
        e, ERR_INPUT, NULL,
        "--scenario: '%.*s' is none of single_stream, multi_stream, server, offline%s%s%s",
        text_cut(a->scenario, 40), a->scenario, near ? "; did you mean '" : "", near ? near : "",
        near ? "'?" : "");
}

static int read_seed(const char *text, uint64_t *out, struct err *e)
{
    int64_t seed;
    if (!text)
        return 0;
    if (!text_parse_int64(text, &seed) || seed < 0 || seed > INT64_C(1) << 53)
        return err_set(e, ERR_INPUT, NULL, "--seed: '%.*s' is no whole number of 0 to 2^53",
                       text_cut(text, 40), text);
    *out = (uint64_t)seed;
    return 0;
}

static int read_load(const struct bench_arguments *a, struct load_rule *rule, struct err *e)
{
    double percent = rule->percentile * 100;
    *rule = load_usual;
    percent = rule->percentile * 100;
    if (read_scenario(a, rule, e) ||
        bench_setup_seconds("--min-duration", a->least, &rule->min_s, e))
        return -1;
    if (rule->max_s < rule->min_s)
        rule->max_s = rule->min_s * 2;
    if (rule->scenario == LOAD_SERVER && !a->qps) /* as many runs as the search needs */
        rule->max_s = fmax(rule->max_s, 10 * rule->min_s);
    if (bench_setup_seconds("--max-duration", a->most, &rule->max_s, e) ||
        bench_setup_seconds("--latency-bound", a->bound, &rule->bound_s, e) ||
        number("--percentile", a->percentile, 99.99, &percent, e) ||
        number("--qps", a->qps, 1e6, &rule->qps, e) || read_seed(a->seed, &rule->seed, e))
        return -1;
    rule->percentile = percent / 100;
    if (a->queries > 0)
        rule->min_queries = (size_t)a->queries;
    if (rule->max_s < rule->min_s)
        return err_set(e, ERR_INPUT, NULL, "--max-duration: %g s is below --min-duration, %g s",
                       rule->max_s, rule->min_s);
    if (rule->min_queries > LOAD_MAX_CALLS)
        return err_set(e, ERR_INPUT, NULL, "--queries: %zu; allowed is 1 to %d", rule->min_queries,
                       LOAD_MAX_CALLS);
    if (rule->scenario != LOAD_SERVER && (a->qps || a->bound || a->percentile))
        return err_set(e, ERR_INPUT, NULL,
                       "--qps, --latency-bound and --percentile belong to "
                       "--scenario server");
    return 0;
}

int bench_setup_model(const struct bench_arguments *a, const char *model, struct err *e)
{
    if (a->batch < 1 || a->batch > 1024)
        return err_set(e, ERR_INPUT, NULL, "--batch: %lld: allowed is 1 to 1024",
                       (long long)a->batch);
    if (a->sequence > 65536)
        return err_set(e, ERR_INPUT, NULL, "--sequence: %lld: allowed is 1 to 512",
                       (long long)a->sequence);
    if (a->sequence > 0 && strncmp(model, "bert_", 5) != 0)
        return err_set(e, ERR_INPUT, NULL, "--sequence: only a BERT has one");
    int64_t sequence = a->sequence ? a->sequence : 128;
    if (a->tokens > 0 && strncmp(model, "bert_", 5) != 0)
        return err_set(e, ERR_INPUT, NULL, "--tokens: only a BERT has padding");
    if (a->tokens > sequence)
        return err_set(e, ERR_INPUT, NULL, "--tokens: %lld; allowed is 1 to the sequence, %lld",
                       (long long)a->tokens, (long long)sequence);
    return 0;
}

int bench_setup_variant(const struct bench_arguments *a, struct network_choice *out, struct err *e)
{
    static const char *const names[] = {"torchvision", "keras", "2015"};
    if (!a->variant)
        return 0;
    for (int i = 0; i < 3; i++)
        if (strcmp(a->variant, names[i]) == 0) {
            out->variant = (enum inception_variant)i;
            return strcmp(out->name, "inception_v3") == 0
                       ? 0
                       : err_set(e, ERR_INPUT, NULL, "--variant: only inception_v3 has one");
        }
    return err_set(e, ERR_INPUT, NULL, "--variant: '%.*s' is none of torchvision, keras, 2015",
                   text_cut(a->variant, 40), a->variant);
}

static int read_choice(const struct bench_arguments *a, struct network_choice *out, struct err *e)
{
    if (a->vocabulary > 1000000)
        return err_set(e, ERR_INPUT, NULL, "--vocabulary: %lld: allowed is 1 to 1000000",
                       (long long)a->vocabulary);
    if (a->vocabulary > 0 && strncmp(a->model, "bert_", 5) != 0)
        return err_set(e, ERR_INPUT, NULL, "--vocabulary: only a BERT has one");
    out->weights = a->weights;
    out->vocabulary = (int32_t)a->vocabulary;
    return bench_setup_variant(a, out, e);
}

/* OpenBLAS takes fewer than it is asked for when it was built for fewer. */
int bench_setup_threads(const struct bench_arguments *a, struct err *e)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (a->threads == 0)
        return 0;
    int32_t taken = gemm_blas_threads((int32_t)a->threads);
    if (taken != a->threads)
        return err_set(e, ERR_INPUT, NULL, "--threads: %lld: this OpenBLAS runs %d at most",
                       (long long)a->threads, (int)taken);
    if (a->threads > processors)
        fprintf(stderr, "--threads: %lld share %ld processor(s): each waits for the others\n",
                (long long)a->threads, processors);
    return 0;
}

/* A GPU's own settings; on the processor they would say nothing. */
static int read_cuda(const struct bench_arguments *a, struct bench_setup *out, struct err *e)
{
    struct network_bench_setup *n = &out->network;
    if (a->graph_batch < -1 || a->graph_batch > 1024)
        return err_set(e, ERR_INPUT, NULL, "--graph-batch: %lld: allowed is 0 to 1024",
                       (long long)a->graph_batch);
    if (strcmp(n->backend->name, "cuda") != 0)
        return a->algorithms || a->graph_batch >= 0
                   ? err_set(e, ERR_INPUT, NULL, "%s: only a GPU has it; this is --backend cpu",
                             a->algorithms ? "--algorithms" : "--graph-batch")
                   : 0;
    out->cuda = *n->backend;
    out->cuda_config = *(const struct backend_cuda_config *)n->backend->config;
    out->cuda.config = &out->cuda_config;
    out->cuda_config.algorithms = a->algorithms;
    if (a->graph_batch >= 0)
        out->cuda_config.graph_batch = (int32_t)a->graph_batch;
    n->backend = &out->cuda;
    return 0;
}

int bench_setup(const struct bench_arguments *a, struct bench_setup *out, struct err *e)
{
    struct network_bench_setup *n = &out->network;
    *out = (struct bench_setup){.batches = {(int32_t)a->batch}, .n_batches = 1};
    if (bench_setup_model(a, a->model, e) || read_load(a, &n->load, e))
        return -1;
    if (a->batches &&
        bench_setup_batches("--batches", a->batches, out->batches, &out->n_batches, e))
        return -1;
    n->backend = bench_setup_backend(a->backend, e);
    n->model = (struct network_choice){.name = a->model,
                                       .batch = out->batches[0],
                                       .sequence = (int32_t)a->sequence,
                                       .tokens = (int32_t)a->tokens,
                                       .seed = 1};
    out->most_s = a->most ? n->load.max_s : (double)INFINITY;
    if (read_choice(a, &n->model, e))
        return -1;
    n->find_peak = n->load.scenario == LOAD_SERVER && !a->qps;
    n->logged_share = 0.125;
    n->accuracy = a->accuracy;
    n->isolated = a->isolated;
    if (n->isolated && n->load.scenario != LOAD_SINGLE_STREAM &&
        n->load.scenario != LOAD_MULTI_STREAM)
        return err_set(
            e, ERR_INPUT, NULL,
            "--isolated: only single_stream and multi_stream leave time between queries");
    n->peak = true;
    return n->backend ? read_cuda(a, out, e) : -1;
}

int bench_setup_tolerance(const char *value, double *out, struct err *e)
{
    double percent = 1;
    if (value && (!text_parse_double(value, &percent) || percent < 0 || percent > 100))
        return err_set(e, ERR_INPUT, NULL, "--tolerance: '%.*s' is no percentage of 0 to 100",
                       text_cut(value, 40), value);
    *out = percent / 100;
    return 0;
}
