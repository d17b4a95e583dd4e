/* cmd_bench: `sluice bench`: how fast this machine runs kernels and networks. */
#include "kernels/load.h"
#include "scenarios/cli/bench.h"
#include "scenarios/cli/blas_core.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

struct part {
    const char *name;
    size_t operands; /* behind the name */
    int (*run)(const struct bench_arguments *a, struct err *e);
};

static const struct part parts[] = {
    {"kernels", 0, bench_kernels}, {"network", 0, bench_network}, {"compare", 2, bench_against}};

static const struct part *find(const char *name, struct err *e)
{
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strcmp(parts[i].name, name) == 0)
            return &parts[i];
    err_set(e, ERR_INPUT, NULL, "bench: '%.*s' is unknown; allowed is: kernels, network, compare",
            text_cut(name, 80), name);
    return NULL;
}

static int one_of(const char *option, const char *found, const char *const allowed[], struct err *e)
{
    struct text list = {0};
    for (const char *const *a = allowed; *a; a++) {
        if (strcmp(*a, found) == 0) {
            text_fini(&list);
            return 0;
        }
        text_printf(&list, "%s%s", list.length ? ", " : "", *a);
    }
    if (text_end(&list, e) == 0)
        err_set(e, ERR_INPUT, NULL, "%s: '%.*s' is none of %s", option, text_cut(found, 80), found,
                list.s);
    text_fini(&list);
    return -1;
}

/* Counts that stand at -1 until they are given; 0 is none that anybody means. */
static int check_counts(struct bench_arguments *a, struct err *e)
{
    const struct {
        const char *option;
        int64_t *count;
        long most;
    } rows[] = {{"--threads", &a->threads, 1024},
                {"--sequence", &a->sequence, 65536},
                {"--tokens", &a->tokens, 65536},
                {"--queries", &a->queries, LOAD_MAX_CALLS},
                {"--vocabulary", &a->vocabulary, 1000000}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (*rows[i].count == 0 || *rows[i].count > rows[i].most)
            return err_set(e, ERR_INPUT, NULL, "%s: %lld: allowed is 1 to %ld", rows[i].option,
                           (long long)*rows[i].count, rows[i].most);
        *rows[i].count = *rows[i].count < 0 ? 0 : *rows[i].count;
    }
    return 0;
}

static int start(struct bench_arguments *a, const struct option_texts *operands, struct err *e)
{
    static const char *const formats[] = {"text", "json", NULL};
    static const char *const backends[] = {"cpu", "cuda", "auto", NULL};
    const struct part *p = find(operands->items[0], e);
    if (!p || one_of("--format", a->format, formats, e) ||
        one_of("--backend", a->backend, backends, e))
        return e->code;
    if (operands->count != 1 + p->operands)
        return err_set(e, ERR_INPUT, NULL, "bench %s takes %zu more; %zu were given", p->name,
                       p->operands, operands->count - 1),
               e->code;
    if (check_counts(a, e))
        return e->code;
    a->before = operands->count > 1 ? operands->items[1] : NULL;
    a->now = operands->count > 2 ? operands->items[2] : NULL;
    if (p->operands == 0)
        blas_core_choose();
    int rc = p->run(a, e);
    return rc < 0 ? (int)e->code : rc;
}

static int run(int argc, char **argv, struct err *e)
{
    struct bench_arguments a = {.format = "text",
                                .backend = "auto",
                                .graph_batch = -1,
                                .threads = -1,
                                .sequence = -1,
                                .tokens = -1,
                                .queries = -1,
                                .vocabulary = -1,
                                .batch = 1};
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--format", NULL, OPTION_TEXT, &a.format, "FORMAT", "text or json"},
        {"--threads", NULL, OPTION_COUNT, &a.threads, "N", "threads of OpenBLAS"},
        {"--model", NULL, OPTION_TEXT, &a.model, "NAME",
         "inception_v3, bert_base or bert_tiny; kernels: its operators, on the processor too"},
        {"--batch", NULL, OPTION_COUNT, &a.batch, "N", "items in one batch; 1 when not given"},
        {"--batches", NULL, OPTION_TEXT, &a.batches, "LIST", "several, one after the other: 1,2,4"},
        {"--sequence", NULL, OPTION_COUNT, &a.sequence, "N", "tokens of BERT; 128 when not given"},
        {"--tokens", NULL, OPTION_COUNT, &a.tokens, "N",
         "BERT: true tokens of each sequence, whose padding is left out of the work"},
        {"--backend", NULL, OPTION_TEXT, &a.backend, "NAME", "cpu, cuda or auto"},
        {"--scenario", NULL, OPTION_TEXT, &a.scenario, "NAME",
         "single_stream, multi_stream, server or offline"},
        {"--qps", NULL, OPTION_TEXT, &a.qps, "N",
         "server: queries a second; without it, the most that hold the bound"},
        {"--latency-bound", NULL, OPTION_TEXT, &a.bound, "TIME", "server: 130ms"},
        {"--percentile", NULL, OPTION_TEXT, &a.percentile, "P", "server: that holds it; 99"},
        {"--min-duration", NULL, OPTION_TEXT, &a.least, "TIME", "at least so long; 10s"},
        {"--max-duration", NULL, OPTION_TEXT, &a.most, "TIME",
         "all that is measured takes no longer, the batches share it; 60s a batch"},
        {"--queries", NULL, OPTION_COUNT, &a.queries, "N", "at least so many; 100"},
        {"--seed", NULL, OPTION_TEXT, &a.seed, "N", "of the arrivals; 1"},
        {"--accuracy", NULL, OPTION_FLAG, &a.accuracy, NULL,
         "compare the output with the double reference too"},
        {"--isolated", NULL, OPTION_FLAG, &a.isolated, NULL,
         "empty the device's cache before each query of a closed loop"},
        {"--algorithms", NULL, OPTION_TEXT, &a.algorithms, "FILE",
         "GPU: products searched for, kept in this file"},
        {"--graph-batch", NULL, OPTION_COUNT, &a.graph_batch, "N",
         "GPU: batches up to N run as one recorded graph; 8"},
        {"--chart", NULL, OPTION_TEXT, &a.chart, "FILE",
         "network: its steps one by one, and their roofline as .svg or .png"},
        {"--db", NULL, OPTION_TEXT, &a.db, "FILE", "store (default sluice.db)"},
        {"--no-store", NULL, OPTION_FLAG, &a.no_store, NULL, "do not store the raw samples"},
        {"--against", NULL, OPTION_TEXT, &a.against, "RUN",
         "compare with a stored measurement or a JSON file; exit 1 when slower"},
        {"--tolerance", NULL, OPTION_TEXT, &a.tolerance, "PERCENT",
         "what is as good as the same, beside the noise; 1"},
        {"--image", NULL, OPTION_TEXT, &a.image, "FILE",
         "inception_v3: the five likeliest classes of a PNG or JPEG picture"},
        {"--labels", NULL, OPTION_TEXT, &a.labels, "FILE", "names of the classes, one a line"},
        {"--weights", NULL, OPTION_TEXT, &a.weights, "FILE",
         "trained weights as safetensors, with the names of torchvision or Hugging Face"},
        {"--variant", NULL, OPTION_TEXT, &a.variant, "NAME",
         "of inception_v3: torchvision, keras or 2015"},
        {"--vocabulary", NULL, OPTION_COUNT, &a.vocabulary, "N", "of a BERT; 30522"},
        {"--force", NULL, OPTION_FLAG, &a.force, NULL, "compare across different environments"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = 3,
        .usage = "sluice bench [options] kernels|network|compare A B",
        .doc =
            "kernels: checks the matrix products of BERT-base and Inception-v3, or on a GPU every\n"
            "operator of both, against a double reference, then measures them.\n"
            "network: measures whole networks, with random weights or --weights, under one of "
            "LoadGen's\n"
            "loads; with --image, says what a picture shows.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e))
        return e->code;
    return start(&a, &operands, e);
}

const struct command cmd_bench = {"bench", "measure kernels and networks on this machine", run};
