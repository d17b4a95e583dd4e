/* market_files: the recorded spot prices and stock that the pools of a scenario name. */
#include "scenarios/run/market_files.h"

#include "models/capacity/spot_trace.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"
#include "sim/digest.h"
#include "sim/file.h"
#include "sim/json.h"

static int digest_list(const struct scenario *s, const char *base_dir,
                       const struct knob_list *items, struct digest *files, struct err *e)
{
    const struct spot_trace_config *c = items->items;
    for (size_t i = 0; i < items->count; i++) {
        size_t length;
        const char *path = folder_join(s->arena, base_dir, c[i].file, e);
        char *text = path ? file_read(s->arena, path, JSON_MAX_BYTES, &length, e) : NULL;
        if (!text)
            return -1;
        digest_bytes(files, text, length);
    }
    return 0;
}

int market_files_load(struct scenario *s, const char *base_dir, struct digest *files, struct err *e)
{
    const struct pool_config *pools = s->cluster.pools.items;
    size_t n = s->cluster.pools.count;
    struct spot_trace_frame frame = {base_dir,   s->catalog, s->currency,
                                     s->horizon, s->epoch_s, &s->exchange_rates};
    const struct spot_traces **traces = arena_take(s->arena, n, sizeof *traces, e);
    if (!traces)
        return -1;
    for (size_t i = 0; i < n; i++) {
        traces[i] = spot_trace_load(s->arena, &pools[i], &frame, e);
        if (!traces[i] || digest_list(s, base_dir, &pools[i].price_traces, files, e) ||
            digest_list(s, base_dir, &pools[i].stock_traces, files, e))
            return -1;
    }
    s->cluster.traces = traces;
    return 0;
}
