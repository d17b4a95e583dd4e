/* cmd_decide: `sluice decide`: conformance cases, and what the HPA of a manifest does. */
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/show.h"
#include "scenarios/run/decide.h"
#include "scenarios/run/decide_manifest.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FAILED 1

static unsigned processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > 64 ? 64 : (unsigned)n;
}

/* ---- cases ---- */

static void print(void *self, const char *lines, size_t length, bool complaint)
{
    (void)self;
    if (complaint)
        fflush(stdout);
    fwrite(lines, 1, length, complaint ? stderr : stdout);
}

/* A file that cannot be read is told at once, so that the others still run. */
static void run_file(const char *path, unsigned threads, struct decide_tally *tally, bool *wrong)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    size_t length = 0;
    char *text = a ? file_read(a, path, JSON_MAX_BYTES, &length, &e) : NULL;
    const struct decide_source source = {path, text, length, threads};
    if (!text || decide_text(&source, print, NULL, tally, &e)) {
        fflush(stdout);
        fprintf(stderr, "%s%s%s\n", e.where, e.where[0] ? ": " : "", e.msg);
        *wrong = true;
    }
    arena_destroy(a);
}

static int run_cases(const struct option_texts *files, unsigned threads, struct err *e)
{
    struct decide_tally t = {0};
    bool wrong = false;
    for (size_t i = 0; i < files->count; i++)
        run_file(files->items[i], threads, &t, &wrong);
    fflush(stdout);
    if (wrong || t.bad > 0) {
        err_set(e, ERR_INPUT, NULL, "%zu of %zu %s wrong%s", t.bad, t.cases,
                text_plural(t.cases, "case is", "cases are"),
                wrong ? "; a whole file is wrong" : "");
        return e->code;
    }
    if (t.failed > 0)
        fprintf(stderr, "%zu of %zu %s\n", t.failed, t.cases,
                text_plural(t.cases, "case fails", "cases fail"));
    return t.failed > 0 ? FAILED : 0;
}

/* ---- an HPA ---- */

struct hpa_arguments {
    const char *manifest, *name, *version, *format;
    int64_t replicas, status, ready;
    struct option_texts metrics;
};

static int run_hpa(const struct hpa_arguments *a, struct err *e)
{
    struct text t = {0};
    struct decide_question q = {.path = a->manifest,
                                .name = a->name,
                                .kubernetes_version = a->version,
                                .replicas = a->replicas,
                                .status = a->status,
                                .ready = a->ready,
                                .n_metrics = a->metrics.count,
                                .json = strcmp(a->format, "json") == 0};
    if (!a->manifest)
        return err_set(e, ERR_INPUT, NULL, "decide hpa needs --manifest FILE"), e->code;
    if (a->replicas < 0)
        return err_set(e, ERR_INPUT, NULL, "decide hpa needs --replicas N"), e->code;
    if (!q.json && strcmp(a->format, "text") != 0)
        return err_set(e, ERR_INPUT, "--format", "'%s' is unknown, allowed are text and json",
                       a->format),
               e->code;
    if (a->metrics.count > DECIDE_MANIFEST_METRICS)
        return err_set(e, ERR_INPUT, "--metric", "at most %d values", DECIDE_MANIFEST_METRICS),
               e->code;
    for (size_t i = 0; i < a->metrics.count; i++)
        q.metrics[i] = a->metrics.items[i];
    if (decide_manifest(&q, &t, e) == 0)
        show_print(&t, e);
    text_fini(&t);
    return e->code;
}

static int run(int argc, char **argv, struct err *e)
{
    struct hpa_arguments hpa = {.format = "text", .replicas = -1, .status = -1, .ready = -1};
    struct option_texts operands = {0};
    int64_t threads = 0;
    const struct option rows[] = {
        {"--manifest", NULL, OPTION_TEXT, &hpa.manifest, "FILE",
         "hpa: a HorizontalPodAutoscaler, or a folder with one"},
        {"--replicas", NULL, OPTION_COUNT, &hpa.replicas, "N", "hpa: size as it is"},
        {"--metric", NULL, OPTION_TEXTS, &hpa.metrics, "VALUE",
         "hpa: value of each metric in order, or none"},
        {"--status", NULL, OPTION_COUNT, &hpa.status, "N", "hpa: pods that exist (default: all)"},
        {"--ready", NULL, OPTION_COUNT, &hpa.ready, "N", "hpa: pods that are ready (default: all)"},
        {"--kubernetes", NULL, OPTION_TEXT, &hpa.version, "VERSION", "hpa: rules, such as 1.20"},
        {"--name", NULL, OPTION_TEXT, &hpa.name, "NAME", "hpa: which one, when there are several"},
        {"--format", NULL, OPTION_TEXT, &hpa.format, "FORMAT", "hpa: text or json"},
        {"--threads", NULL, OPTION_COUNT, &threads, "N", "threads (default: processors)"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = OPTIONS_MAX_TEXTS,
        .usage = "sluice decide FILE...\n"
                 "       sluice decide hpa --manifest hpa.yaml --replicas 5 --metric 54",
        .doc =
            "Runs controller cases (JSON; - is standard input) and prints a line for each: what\n"
            "was decided, why, and whether it is as expected. Or tells what the HPA of a\n"
            "manifest does at a size and a metric, and in which band each size holds.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e))
        return e->code;
    if (operands.count == 1 && strcmp(operands.items[0], "hpa") == 0)
        return run_hpa(&hpa, e);
    unsigned n = threads > 0 ? (unsigned)(threads > 64 ? 64 : threads) : processors();
    return run_cases(&operands, n, e);
}

const struct command cmd_decide = {"decide", "what a controller does, case by case, and why", run};
