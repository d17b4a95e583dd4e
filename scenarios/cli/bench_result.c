/* bench_result: figures, samples and environment of a measurement. */
#include "scenarios/cli/bench_result.h"

#include "reports/store.h"
#include "sim/arena.h"
#include "sim/digest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_FIGURES 1024
#define MOST_SAMPLES 128
#define MOST_ASSUMPTIONS 64

static void *take(struct bench_result *b, size_t n, size_t size)
{
    void *p = arena_take(b->r.arena, n, size, b->e);
    b->failed |= !p;
    return p;
}

static const char *keep(struct bench_result *b, const char *s)
{
    const char *kept = arena_text(b->r.arena, s, strlen(s), b->e);
    b->failed |= !kept;
    return kept ? kept : "";
}

void bench_result_begin(struct bench_result *b, struct arena *a, const char *name, struct err *e)
{
    *b = (struct bench_result){.r = {.arena = a,
                                     .engine = "bench",
                                     .currency = "",
                                     .time_zone = "UTC",
                                     .replications = 1,
                                     .holds = true},
                               .e = e};
    b->r.name = keep(b, name);
    b->r.figures = take(b, MOST_FIGURES, sizeof *b->r.figures);
    b->r.samples = take(b, MOST_SAMPLES, sizeof *b->r.samples);
    b->r.assumptions = take(b, MOST_ASSUMPTIONS, sizeof *b->r.assumptions);
}

static void assume(struct bench_result *b, const char *group, const char *name, const char *value)
{
    char path[128];
    if (b->failed || b->r.n_assumptions == MOST_ASSUMPTIONS)
        return;
    snprintf(path, sizeof path, "%s.%s", group, name);
    b->r.assumptions[b->r.n_assumptions++] =
        (struct result_assumption){keep(b, path), keep(b, value), "measured", "this machine"};
}

void bench_result_environment(struct bench_result *b, const struct environment *env)
{
    struct environment_field fields[ENVIRONMENT_FIELDS];
    char scratch[16];
    environment_fields(env, fields, scratch);
    for (size_t i = 0; i < ENVIRONMENT_FIELDS; i++)
        assume(b, "environment", fields[i].name, fields[i].value);
}

void bench_result_setting(struct bench_result *b, const char *name, const char *value)
{
    assume(b, "setting", name, value);
}

void bench_result_figure(struct bench_result *b, const char *group, const char *path,
                         const struct figure *f)
{
    char full[160];
    if (b->failed || b->r.n_figures == MOST_FIGURES)
        return;
    snprintf(full, sizeof full, "%s%s%s", group, group[0] ? "." : "", path);
    struct figure *to = &b->r.figures[b->r.n_figures++];
    *to = *f;
    to->path = keep(b, full);
}

void bench_result_samples(struct bench_result *b, const char *group, const char *path,
                          const double *seconds, size_t n)
{
    char full[160];
    if (b->failed || b->r.n_samples == MOST_SAMPLES)
        return;
    snprintf(full, sizeof full, "%s.%s", group, path);
    b->r.samples[b->r.n_samples++] = (struct result_samples){keep(b, full), "s", n, seconds};
}

/* ---- a network ---- */

static void percentile(struct bench_result *b, const char *group, const char *path,
                       struct latency_percentile p)
{
    bench_result_figure(b, group, path,
                        &(struct figure){.unit = "s",
                                         .value = p.value_s,
                                         .has_interval = true,
                                         .low = p.low_s,
                                         .high = p.high_s});
}

static void plain(struct bench_result *b, const char *group, const char *path, const char *unit,
                  double value)
{
    bench_result_figure(b, group, path, &(struct figure){.unit = unit, .value = value});
}

static void put_latency(struct bench_result *b, const char *group, const char *name,
                        const struct latency *l)
{
    static const char *const parts[] = {"p50", "p90", "p99"};
    const struct latency_percentile *const p[] = {&l->p50, &l->p90, &l->p99};
    char path[64];
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s.%s", name, parts[i]);
        percentile(b, group, path, *p[i]);
    }
    snprintf(path, sizeof path, "%s.mean", name);
    plain(b, group, path, "s", l->mean_s);
}

void bench_result_network(struct bench_result *b, int32_t batch, const struct network_bench *n)
{
    char group[32];
    snprintf(group, sizeof group, "batch%d", (int)batch);
    put_latency(b, group, "latency", &n->latency);
    put_latency(b, group, "service", &n->service);
    plain(b, group, "itemsPerSecond", "1/s", n->load.items_per_s);
    plain(b, group, "gflops", "GFLOP/s", n->gflops);
    if (n->qps > 0)
        plain(b, group, "qps", "1/s", n->qps);
    plain(b, group, "clock", "GHz", n->disturbance.clock_ghz);
    plain(b, group, "stealShare", "1", n->disturbance.steal_share);
    bench_result_samples(b, group, "latency", n->load.latency_s, n->load.queries);
    bench_result_samples(b, group, "service", n->load.service_s, n->load.queries);
    bench_result_samples(b, group, "scheduled", n->load.scheduled_s, n->load.queries);
    b->r.horizon += (sim_ns)(n->load.elapsed_s * 1e9);
}

/* ---- the end ---- */

static void fingerprint(struct bench_result *b)
{
    char key[STORE_KEY];
    uint64_t half[2];
    for (uint64_t h = 0; h < 2; h++) {
        struct digest d = {0};
        digest_u64(&d, h);
        digest_text(&d, b->r.name);
        for (size_t i = 0; i < b->r.n_assumptions; i++)
            digest_text(&d, b->r.assumptions[i].value);
        for (size_t i = 0; i < b->r.n_samples; i++)
            digest_bytes(&d, b->r.samples[i].values,
                         b->r.samples[i].n * sizeof *b->r.samples[i].values);
        half[h] = digest_value(&d);
    }
    snprintf(key, sizeof key, "%016llx%016llx", (unsigned long long)half[0],
             (unsigned long long)half[1]);
    b->r.run_key = keep(b, key);
}

int bench_result_end(struct bench_result *b, const char *command, const char *verdict)
{
    b->r.command = keep(b, command);
    b->r.verdict = keep(b, verdict);
    fingerprint(b);
    return b->failed ? -1 : 0;
}

int bench_result_store(const struct result *r, const char *db, double started_s, struct err *e)
{
    static const char usual[] = "sluice.db";
    char started[32];
    struct tm utc;
    time_t at = (time_t)started_s;
    if (!db && access(access(usual, F_OK) == 0 ? usual : ".", W_OK) != 0) {
        fprintf(stderr, "not stored: %s cannot be written here; --db names another file\n", usual);
        return 0;
    }
    gmtime_r(&at, &utc);
    strftime(started, sizeof started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    struct store_wall wall = {.started = started, .seconds = (double)r->horizon * 1e-9};
    struct store *store = store_open(db ? db : usual, STORE_WRITE, e);
    int rc = store ? store_put(store, r, &wall, e) : -1;
    store_close(store);
    return rc;
}
