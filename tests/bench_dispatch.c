/* bench_dispatch: what a request costs in each dispatcher, as ratios to a plain Lindley loop.
 *
 * A day at 55 requests a second with a mark each 7.5 s, in each dispatcher; build the target
 * bench_dispatch and run it, with a part of a row's name for these rows only. Every figure is the
 * least of several runs by processor time; compare ratios, since machines differ and are shared. */
#include "models/serving/dispatch.h"
#include "sim/arena.h"
#include "sim/chance.h"
#include "workloads/traffic.h"
#include "workloads/traffic_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define QPS 55.0
#define MARK_EVERY (15 * SIM_SECOND / 2)
#define RUNS 5
#define BLOCK 256

struct row {
    const char *name;
    struct dispatch_setup setup;
    uint32_t replicas;
    double load; /* offered work / slots */
    sim_ns horizon;
};

static struct traffic *traffic;
static double unit_ns;        /* a request in the Lindley loop */
static const char *only = ""; /* rows whose name has this in it */

static double cpu_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void die(const struct err *e)
{
    fprintf(stderr, "bench_dispatch: %s\n", e->msg);
    exit(3);
}

/* M/M/1 at 0.9: two exponentials, the recursion, the histogram. */
static double lindley(void)
{
    static struct hist latency;
    struct chance arrivals = chance_stream(1, 0, CHANCE_ARRIVAL, 0);
    struct chance services = chance_stream(1, 0, CHANCE_SERVICE, 0);
    double gap_ns = 1e9 / QPS, begin = cpu_s();
    sim_ns at = 0, free = 0;
    uint64_t n = 0;
    for (; at < SIM_DAY; n += BLOCK) {
        double a[BLOCK], s[BLOCK];
        chance_exponentials(arrivals, n, a, BLOCK);
        chance_exponentials(services, n, s, BLOCK);
        for (int i = 0; i < BLOCK; i++) {
            at += (sim_ns)(a[i] * gap_ns + 0.5);
            free = (free > at ? free : at) + (sim_ns)(s[i] * gap_ns * 0.9 + 0.5);
            hist_add(&latency, free - at);
        }
    }
    double ns = (cpu_s() - begin) * 1e9 / (double)n;
    if (hist_mean(&latency) < gap_ns)
        abort();
    return ns;
}

static double arrivals_only(void)
{
    struct err e = {0};
    struct arrivals *a = arrivals_open(traffic, 1, 0, 0, &e);
    if (!a)
        die(&e);
    double begin = cpu_s();
    sim_ns at[BLOCK];
    uint64_t n = 0, got;
    do
        n += got = arrivals_fill(a, SIM_DAY, at, BLOCK);
    while (got == BLOCK);
    double ns = (cpu_s() - begin) * 1e9 / (double)n;
    arrivals_close(a);
    return ns;
}

/* Nanoseconds of processor time for a request. */
static double play(const struct row *row, struct tally *out, const char **engine)
{
    struct err e = {0};
    struct dispatch_setup s = row->setup;
    double slots = row->replicas;
    if (s.discipline == DISCIPLINE_FIFO)
        slots *= (double)s.concurrency;
    struct dist service;
    dist_make(&service, DIST_EXPONENTIAL, row->load * slots / QPS * 1e9, 1, &e);
    s.service = &service;
    s.n_services = 1;
    s.max_replicas = row->replicas;
    s.arrivals = arrivals_open(traffic, 1, 0, 0, &e);
    struct dispatch *d = dispatch_create(&s, &e);
    if (!s.arrivals || !d)
        die(&e);
    *engine = dispatch_engine(d);
    for (uint32_t r = 0; r < row->replicas; r++)
        dispatch_add(d, 0, r, ENDPOINT_SERVING, 0);
    double begin = cpu_s();
    for (sim_ns t = MARK_EVERY; t <= row->horizon; t += MARK_EVERY) {
        dispatch_advance(d, t);
        dispatch_tally(d, t);
    }
    double spent = cpu_s() - begin;
    dispatch_mark(d, row->horizon, out);
    if (dispatch_failed(d, &e))
        die(&e);
    dispatch_destroy(d);
    arrivals_close(s.arrivals);
    return spent * 1e9 / (double)out->arrived;
}

static void report(const struct row *row)
{
    static struct tally t;
    const char *engine = "";
    double least = 1e99;
    if (!strstr(row->name, only))
        return;
    for (int i = 0; i < RUNS; i++) {
        double ns = play(row, &t, &engine);
        least = ns < least ? ns : least;
    }
    printf("%-34s %-18s %6.1f ns  %5.2f x  a day %.3f s  mean %.4f s\n", row->name, engine, least,
           least / unit_ns, least * QPS * 86400e-9, hist_mean(&t.latency) * 1e-9);
}

static struct row row(const char *name, enum balance balance, enum discipline discipline,
                      uint32_t replicas)
{
    return (struct row){.name = name,
                        .replicas = replicas,
                        .load = discipline == DISCIPLINE_SHARED ? 0.75 : 0.8,
                        .horizon = SIM_DAY,
                        .setup = {.balance = balance,
                                  .discipline = discipline,
                                  .concurrency = discipline == DISCIPLINE_SHARED ? INT64_MAX : 1,
                                  .max_queue = INT64_MAX,
                                  .timeout_ns = 60 * SIM_SECOND,
                                  .connect_timeout_ns = 5 * SIM_SECOND,
                                  .tries = 3,
                                  .workers = 1,
                                  .max_in_flight = 1000000,
                                  .seed = 1}};
}

static void report_all(void)
{
    static const uint32_t sizes[] = {1, 8, 16, 32, 64};
    char name[64];
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        snprintf(name, sizeof name, "central queue, %u servers", (unsigned)sizes[i]);
        struct row r = row(name, BALANCE_CENTRAL, DISCIPLINE_FIFO, sizes[i]);
        report(&r);
    }
    struct row bounded =
        row("central queue, 8 servers, bounded", BALANCE_CENTRAL, DISCIPLINE_FIFO, 8);
    bounded.setup.max_queue = 100;
    report(&bounded);
    struct row rr = row("round robin, 10 replicas", BALANCE_ROUND_ROBIN, DISCIPLINE_FIFO, 10);
    report(&rr);
    rr.name = "round robin, 4 workers";
    rr.setup.workers = 4;
    report(&rr);
    rr.name = "round robin, 4 workers, bounded";
    rr.setup.max_queue = 100;
    report(&rr);
    rr.name = "round robin, 4 slots each";
    rr.setup.max_queue = INT64_MAX;
    rr.setup.concurrency = 4;
    report(&rr);
    struct row ps = row("shared, 10 replicas", BALANCE_ROUND_ROBIN, DISCIPLINE_SHARED, 10);
    report(&ps);
    ps.name = "shared, at most 2 at once";
    ps.setup.concurrency = 2;
    report(&ps);
    for (int i = 0; i < 3; i++) {
        struct row ev = row("event engine", i ? BALANCE_ROUND_ROBIN : BALANCE_CENTRAL,
                            i == 2 ? DISCIPLINE_SHARED : DISCIPLINE_FIFO, 10);
        ev.setup.use_events = true;
        ev.horizon = SIM_DAY / 10;
        report(&ev);
    }
}

int main(int argc, char **argv)
{
    if (argc > 1)
        only = argv[1];
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct traffic_config c = {.qps = {.source = TRAFFIC_CONSTANT, .constant = QPS}};
    struct traffic_frame frame = {.horizon = SIM_DAY, .time_zone = "UTC", .base_dir = ""};
    traffic = a ? traffic_load(a, &c, &frame, &e) : NULL;
    if (!traffic)
        die(&e);
    double arrivals = 1e99;
    unit_ns = 1e99;
    for (int i = 0; i < RUNS; i++) {
        double ns = lindley(), alone = arrivals_only();
        unit_ns = ns < unit_ns ? ns : unit_ns;
        arrivals = alone < arrivals ? alone : arrivals;
    }
    printf("%-53s %6.1f ns  %5.2f x\n", "Lindley loop, M/M/1 with histogram", unit_ns, 1.0);
    printf("%-53s %6.1f ns  %5.2f x\n", "arrivals alone", arrivals, arrivals / unit_ns);
    report_all();
    arena_destroy(a);
    return 0;
}
