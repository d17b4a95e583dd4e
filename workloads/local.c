/* local: wall time of the run's time zone over simulated time. */
#include "workloads/local.h"

#include "sim/arena.h"
#include "sim/err.h"
#include "sim/zone.h"
#include "workloads/traffic.h"

#include <assert.h>

/* Two changes within a day and back would be missed; no zone has that. */
#define STEP_S INT64_C(86400)
#define LAST_S INT64_C(7258118400) /* 2200-01-01: sums of two times still fit */

/* The first second in (low, high] with the offset of high, which differs from that of low. */
static int64_t change_between(const struct zone *z, int64_t low, int64_t high)
{
    int32_t after = zone_offset_s(z, high);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (zone_offset_s(z, middle) == after) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return high;
}

/* Writes the spans to out (NULL: only counts them). */
static size_t find_spans(const struct zone *z, const struct traffic_frame *f,
                         struct local_span *out)
{
    int64_t first = f->epoch_s, end = first + f->horizon / SIM_SECOND + 1;
    size_t n = 0;
    for (int64_t at = first;;) {
        if (out != NULL) {
            out[n].from = (at - first) * SIM_SECOND;
            out[n].offset_ns = zone_offset_s(z, at) * SIM_SECOND;
        }
        n++;
        int64_t next = at;
        while (next < end && zone_offset_s(z, next) == zone_offset_s(z, at)) {
            next = end - next > STEP_S ? next + STEP_S : end;
        }
        if (zone_offset_s(z, next) == zone_offset_s(z, at)) {
            return n;
        }
        at = change_between(z, next - STEP_S > at ? next - STEP_S : at, next);
    }
}

int local_init(struct local *l, struct arena *a, const struct traffic_frame *frame, struct err *e)
{
    if (frame->epoch_s < 0 || frame->epoch_s > LAST_S ||
        frame->horizon / SIM_SECOND > LAST_S - frame->epoch_s) {
        return err_set(e, ERR_INPUT, NULL, "the run must lie in the years 1970 to 2199");
    }
    struct zone *z = zone_load(frame->time_zone != NULL ? frame->time_zone : "UTC", e);
    if (z == NULL) {
        return -1;
    }
    size_t n = find_spans(z, frame, NULL);
    struct local_span *spans = arena_take(a, n, sizeof *spans, e);
    if (spans != NULL) {
        find_spans(z, frame, spans);
        *l = (struct local){frame->epoch_s * SIM_SECOND, spans, n};
    }
    zone_free(z);
    return spans != NULL ? 0 : -1;
}

sim_ns local_wall(const struct local *l, sim_ns t, sim_ns *left)
{
    assert(t >= 0 && l->count > 0);
    size_t low = 0, high = l->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (l->spans[middle].from <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    *left = low + 1 < l->count ? l->spans[low + 1].from - t : SIM_NEVER;
    return l->epoch_ns + t + l->spans[low].offset_ns;
}
