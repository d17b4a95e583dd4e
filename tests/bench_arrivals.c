/* bench_arrivals: what a request costs before it reaches a queue, in CPU nanoseconds. */
#include "sim/arena.h"
#include "sim/err.h"
#include "workloads/traffic.h"
#include "workloads/traffic_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CAP = 512, TRIES = 5 };

static double cpu_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A month at 55 QPS, fetched as a service does: up to each pass, every 15 s. */
static double once(const struct traffic *t, sim_ns horizon, sim_ns *last)
{
    struct err e = {0};
    struct arrivals *a = arrivals_open(t, 1, 0, 0, &e);
    if (a == NULL) {
        exit(3);
    }
    sim_ns out[CAP];
    size_t n, total = 0;
    double start = cpu_ns();
    for (sim_ns pass = 15 * SIM_SECOND; pass <= horizon; pass += 15 * SIM_SECOND) {
        do {
            n = arrivals_fill(a, pass, out, CAP);
            total += n;
            *last = n > 0 ? out[n - 1] : *last;
        } while (n == CAP);
    }
    double ns = (cpu_ns() - start) / (double)total;
    arrivals_close(a);
    return ns;
}

int main(void)
{
    static const struct knob_option *const how[] = {&traffic_knobs_evenly, &traffic_knobs_poisson,
                                                    &traffic_knobs_gamma, &traffic_knobs_weibull};
    struct traffic_renewal renewal = {.cv = 2};
    struct traffic_frame frame = {.horizon = 30 * SIM_DAY, .time_zone = "UTC", .base_dir = ""};
    struct err e = {0};
    struct arena *a = arena_create(&e);
    sim_ns last = 0;
    for (size_t i = 0; a != NULL && i < sizeof how / sizeof *how; i++) {
        struct traffic_config c = {.qps = {.source = TRAFFIC_CONSTANT, .constant = 55},
                                   .arrivals = {how[i], &renewal}};
        struct traffic *t = traffic_load(a, &c, &frame, &e);
        double best = 1e300;
        for (int k = 0; t != NULL && k < TRIES; k++) {
            double ns = once(t, frame.horizon, &last);
            best = ns < best ? ns : best;
        }
        printf("%-10s %6.2f ns\n", how[i]->name, best);
    }
    arena_destroy(a);
    return last == 1; /* the times are used, so the work is done */
}
