/* drill_effect: one walk over two series. */
#include "scenarios/run/drill_effect.h"

#include <math.h>
#include <stdio.h>

/* Half a replica over a bin is a restart, not a loss. */
#define NOTICEABLE 0.5

static const struct result_series *find(const struct result *r, const char *prefix,
                                        const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%.200s%s", prefix, name);
    return result_find_series(r, path);
}

static sim_ns last_begin(const struct drill *d)
{
    sim_ns end = drill_end(d);
    return end > d->at + SIM_HOUR ? end : d->at + SIM_HOUR;
}

struct drill_effect drill_effect_of(const struct result *r, const char *prefix,
                                    const struct drill *d)
{
    struct drill_effect x = {.known = false};
    const struct result_series *ready = find(r, prefix, "replicas.ready");
    const struct result_series *want = find(r, prefix, "replicas.want");
    if (!ready || !want || ready->step <= 0 || want->step != ready->step)
        return x;
    size_t first = (size_t)(d->at / ready->step), n = ready->n < want->n ? ready->n : want->n;
    x.known = first < n;
    x.bin = ready->step;
    for (size_t i = first; i < n && !x.back; i++) {
        sim_ns at = (sim_ns)i * x.bin;
        double missing = want->mean[i] - ready->mean[i];
        if (isnan(missing) || (!x.short_of && at > last_begin(d)))
            continue;
        x.back = x.short_of && missing < NOTICEABLE;
        x.after = x.back ? at - d->at : 0;
        if (missing >= NOTICEABLE && (!x.short_of || missing > x.wanted - x.ready)) {
            x.short_of = true;
            x.ready = ready->mean[i];
            x.wanted = want->mean[i];
        }
    }
    return x;
}
