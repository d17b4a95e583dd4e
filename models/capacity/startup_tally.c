/* startup_tally: what starts took, phase by phase. */
#include "models/capacity/startup_tally.h"

#include "sim/recorder.h"

#include <assert.h>
#include <stdio.h>

enum startup_phase startup_tally_longest(const sim_ns spent[STARTUP_PHASES])
{
    enum startup_phase best = startup_phase_order(0);
    for (int i = 1; i < STARTUP_PHASES; i++)
        if (spent[startup_phase_order(i)] > spent[best])
            best = startup_phase_order(i);
    return best;
}

void startup_tally_add(struct startup_tally *t, const sim_ns spent[STARTUP_PHASES], sim_ns total)
{
    double seconds = (double)total / (double)SIM_SECOND;
    sim_ns sum = 0;
    for (int p = 0; p < STARTUP_PHASES; p++) {
        double s = (double)spent[p] / (double)SIM_SECOND;
        t->sum_s[p] += s;
        t->max_s[p] = s > t->max_s[p] ? s : t->max_s[p];
        sum += spent[p];
    }
    assert(sum == total);
    if (total > 0)
        t->longest[startup_tally_longest(spent)]++;
    t->total_s += seconds;
    t->total_max_s = seconds > t->total_max_s ? seconds : t->total_max_s;
    t->ready++;
}

static void write_phase(const struct startup_tally *t, struct recorder *r, enum startup_phase p)
{
    const char *name = startup_phase_name(p);
    double n = t->ready ? (double)t->ready : 1;
    char path[64];
    snprintf(path, sizeof path, "startup.%s.mean", name);
    recorder_figure(r, path, "s", FIGURE_MEAN, t->sum_s[p] / n);
    snprintf(path, sizeof path, "startup.%s.max", name);
    recorder_figure(r, path, "s", FIGURE_MAX, t->max_s[p]);
    if (t->max_s[p] <= 0)
        return;
    snprintf(path, sizeof path, "startup.%s.share", name);
    recorder_figure(r, path, "1", FIGURE_MEAN, t->sum_s[p] / t->total_s);
    snprintf(path, sizeof path, "startup.%s.longest", name);
    recorder_figure(r, path, "pods", FIGURE_SUM, (double)t->longest[p]);
}

/* Phases that only some ways to a pod have are left out where none took them. */
static bool is_rare(enum startup_phase p)
{
    return p == STARTUP_CREATE || p == STARTUP_NODE_BOOT || p == STARTUP_GPU_READY ||
           p == STARTUP_FIRST_USE;
}

/* Three digits or more, and never an exponent. */
static int decimals(double v)
{
    return v >= 100 ? 0 : v >= 10 ? 1 : 2;
}

static void say_critical(const struct startup_tally *t, struct recorder *r)
{
    enum startup_phase most = startup_phase_order(0), often = most;
    for (int i = 1; i < STARTUP_PHASES; i++) {
        enum startup_phase p = startup_phase_order(i);
        most = t->sum_s[p] > t->sum_s[most] ? p : most;
        often = t->longest[p] > t->longest[often] ? p : often;
    }
    if (t->total_s <= 0)
        return;
    recorder_finding(
        r, "note", "startup-critical",
        "%s is %.0f %% of all starting time, %.*f s of %.*f s a pod; the longest phase "
        "of most pods (%llu of %llu) is %s.",
        startup_phase_name(most), 100 * t->sum_s[most] / t->total_s,
        decimals(t->sum_s[most] / (double)t->ready), t->sum_s[most] / (double)t->ready,
        decimals(t->total_s / (double)t->ready), t->total_s / (double)t->ready,
        (unsigned long long)t->longest[often], (unsigned long long)t->ready,
        startup_phase_name(often));
}

void startup_tally_write(const struct startup_tally *t, struct recorder *r)
{
    double n = t->ready ? (double)t->ready : 1;
    for (int i = 0; i < STARTUP_PHASES; i++) {
        enum startup_phase p = startup_phase_order(i);
        if (!is_rare(p) || t->max_s[p] > 0)
            write_phase(t, r, p);
    }
    recorder_figure(r, "startup.total.mean", "s", FIGURE_MEAN, t->total_s / n);
    recorder_figure(r, "startup.total.max", "s", FIGURE_MAX, t->total_max_s);
    recorder_figure(r, "startup.pods", "pods", FIGURE_SUM, (double)t->ready);
    recorder_figure(r, "startup.restarts", "restarts", FIGURE_SUM, (double)t->restarts);
    say_critical(t, r);
}
