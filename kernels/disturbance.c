/* disturbance: counters of the system, and a chain of instructions of known length. */
#include "kernels/disturbance.h"

#include "kernels/stopwatch.h"

#include <stdio.h>
#include <sys/resource.h>

/* A product and a sum that wait for each other take 3 + 1 cycles on x86-64 processors since 2008;
 * elsewhere the figure is only good for comparing. */
#define LINKS 25000
#define CYCLES_A_LINK 4.0
#define CHAINS 3

static double chain_ghz(void)
{
    volatile uint64_t sink = 1;
    double best = 0;
    for (int i = 0; i < CHAINS; i++) {
        uint64_t x = sink;
        double before = stopwatch_now_s();
        for (int k = 0; k < LINKS; k++)
            x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        sink = x;
        double ghz = CYCLES_A_LINK * LINKS / (stopwatch_now_s() - before) * 1e-9;
        best = ghz > best ? ghz : best;
    }
    return best;
}

/* Ticks of all processors since the system started: those stolen, and all. */
static void read_ticks(double *steal, double *total)
{
    double v[8] = {0};
    FILE *f = fopen("/proc/stat", "r");
    *steal = *total = 0;
    if (f && fscanf(f, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &v[0], &v[1], &v[2], &v[3], &v[4],
                    &v[5], &v[6], &v[7]) == 8) {
        *steal = v[7];
        for (int i = 0; i < 8; i++)
            *total += v[i];
    }
    if (f)
        fclose(f);
}

static int64_t read_throttles(void)
{
    long long n = -1;
    FILE *f = fopen("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "r");
    if (f && fscanf(f, "%lld", &n) != 1)
        n = -1;
    if (f)
        fclose(f);
    return n;
}

static int64_t read_preempted(void)
{
    struct rusage u;
    return getrusage(RUSAGE_SELF, &u) == 0 ? u.ru_nivcsw : 0;
}

void disturbance_begin(struct disturbance_watch *w)
{
    *w = (struct disturbance_watch){.preempted = read_preempted(), .throttles = read_throttles()};
    read_ticks(&w->steal, &w->total);
    disturbance_probe(w);
}

bool disturbance_probe(struct disturbance_watch *w)
{
    double ghz = chain_ghz();
    w->clock_ghz = ghz > w->clock_ghz ? ghz : w->clock_ghz;
    w->clock_low_ghz = w->clock_low_ghz > 0 && w->clock_low_ghz < ghz ? w->clock_low_ghz : ghz;
    return ghz < DISTURBANCE_THROTTLED * w->clock_ghz;
}

void disturbance_end(const struct disturbance_watch *w, struct disturbance *out)
{
    double steal, total;
    int64_t throttles = read_throttles();
    read_ticks(&steal, &total);
    *out = (struct disturbance){.clock_ghz = w->clock_ghz,
                                .clock_low_ghz = w->clock_low_ghz,
                                .steal_share =
                                    total > w->total ? (steal - w->steal) / (total - w->total) : 0,
                                .preempted = read_preempted() - w->preempted,
                                .throttles = throttles < 0 ? -1 : throttles - w->throttles};
}
