/* market_files: recorded spot prices and stock that pools and the virtual node name. */
#include "scenarios/run/market_files.h"

#include "models/capacity/catalog.h"
#include "models/capacity/spot_trace.h"
#include "models/capacity/virtual_node.h"
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

static const struct spot_traces *load(struct scenario *s, const char *base_dir,
                                      const struct spot_trace_buyer *buyer, struct digest *files,
                                      struct err *e)
{
    struct spot_trace_frame frame = {base_dir,   s->catalog, s->currency,
                                     s->horizon, s->epoch_s, &s->exchange_rates};
    const struct spot_traces *traces = spot_trace_load(s->arena, buyer, &frame, e);
    if (!traces || digest_list(s, base_dir, buyer->price_traces, files, e) ||
        digest_list(s, base_dir, buyer->stock_traces, files, e))
        return NULL;
    return traces;
}

/* Instance types of container instances: the sizes that ECI documents, and those that an item
 * names. */
static int list_types(struct scenario *s, const struct virtual_node_config *v,
                      struct knob_texts *out, struct err *e)
{
    const struct spot_trace_config *items = v->price_traces.items;
    size_t n = 0, most = v->price_traces.count + 1;
    for (size_t p = 0; p < s->catalog->n_parts; p++)
        most += s->catalog->parts[p].eci_specs.count;
    const char **types = arena_take(s->arena, most, sizeof *types, e);
    if (!types)
        return -1;
    for (size_t p = 0; p < s->catalog->n_parts; p++) {
        const struct catalog_eci_spec *specs = s->catalog->parts[p].eci_specs.items;
        for (size_t i = 0; i < s->catalog->parts[p].eci_specs.count; i++)
            types[n++] = specs[i].type;
    }
    for (size_t i = 0; i < v->price_traces.count; i++)
        if (items[i].type && catalog_instance(s->catalog, items[i].type))
            types[n++] = items[i].type;
    *out = (struct knob_texts){types, n};
    return 0;
}

static int load_virtual_node(struct scenario *s, const char *base_dir, struct digest *files,
                             struct err *e)
{
    static const char *nowhere[] = {""};
    const struct virtual_node_config *v = s->cluster.virtual_node;
    struct spot_trace_buyer buyer = {.path = "virtualNode", .what = "virtual node"};
    if (!v || v->price_traces.count + v->stock_traces.count == 0)
        return 0;
    buyer.region = v->region;
    buyer.zones = v->zones.count > 0 ? v->zones : (struct knob_texts){nowhere, 1};
    buyer.price_traces = &v->price_traces;
    buyer.stock_traces = &v->stock_traces;
    if (list_types(s, v, &buyer.types, e))
        return -1;
    s->cluster.eci_traces = load(s, base_dir, &buyer, files, e);
    return s->cluster.eci_traces ? 0 : -1;
}

int market_files_load(struct scenario *s, const char *base_dir, struct digest *files, struct err *e)
{
    const struct pool_config *pools = s->cluster.pools.items;
    size_t n = s->cluster.pools.count;
    const struct spot_traces **traces = arena_take(s->arena, n, sizeof *traces, e);
    if (!traces)
        return -1;
    for (size_t i = 0; i < n; i++) {
        char path[160];
        struct spot_trace_buyer buyer = spot_trace_pool(&pools[i], path, sizeof path);
        traces[i] = load(s, base_dir, &buyer, files, e);
        if (!traces[i])
            return -1;
    }
    s->cluster.traces = traces;
    return load_virtual_node(s, base_dir, files, e);
}
