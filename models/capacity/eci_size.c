/* eci_size: container instances without GPUs. */
#include "models/capacity/eci_size.h"

#include "models/capacity/catalog.h"
#include "models/capacity/eci.h"
#include "models/capacity/virtual_node.h"
#include "sim/text.h"
#include "sim/wide.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define GIB (INT64_C(1) << 30)
#define DEFAULT_CPU_MILLI 2000
#define DEFAULT_MEMORY (4 * GIB)
#define SPOT_LEAST_CPU_MILLI 2000

bool eci_size_parse(const char *text, struct eci_size *out)
{
    char cpu[32];
    const char *dash = strchr(text, '-');
    size_t n = dash ? (size_t)(dash - text) : 0;
    if (n == 0 || n >= sizeof cpu)
        return false;
    snprintf(cpu, sizeof cpu, "%.*s", (int)n, text);
    return text_parse_quantity(cpu, &out->cpu_milli) && out->cpu_milli > 0 &&
           text_parse_bytes(dash + 1, &out->memory) && out->memory > 0;
}

char *eci_size_name(char *buf, size_t size, const struct eci_size *s)
{
    double cpu = (double)s->cpu_milli / 1000;
    if (s->memory % GIB == 0)
        snprintf(buf, size, "%.4g-%lldGi", cpu, (long long)(s->memory / GIB));
    else
        snprintf(buf, size, "%.4g-%lldMi", cpu, (long long)(s->memory >> 20));
    return buf;
}

static bool is_sold(const struct catalog_eci_size *row, const struct eci_size_wish *w)
{
    if (w->spot && (row->regions.count > 0 || row->cpu_milli < SPOT_LEAST_CPU_MILLI))
        return false;
    for (size_t i = 0; i < row->regions.count && w->region; i++)
        if (strcmp(row->regions.items[i], w->region) == 0)
            return true;
    return row->regions.count == 0;
}

static bool smaller(const struct eci_size *a, const struct eci_size *b)
{
    return a->cpu_milli != b->cpu_milli ? a->cpu_milli < b->cpu_milli : a->memory < b->memory;
}

/* Sizes of one row of the catalogue: one number of vCPUs with several amounts of memory. */
static size_t try_row(const struct catalog_eci_size *row, const struct eci_size_wish *w,
                      struct eci_size *best)
{
    size_t matching = 0;
    if (row->cpu_milli < w->cpu_milli || !is_sold(row, w))
        return 0;
    for (size_t i = 0; i < row->memory.count; i++) {
        struct eci_size s = {row->cpu_milli, 0};
        bool read = text_parse_bytes(row->memory.items[i], &s.memory);
        assert(read); /* as the catalogue checks */
        if (s.memory < w->memory)
            continue;
        matching++;
        if (best->cpu_milli == 0 || smaller(&s, best))
            *best = s;
    }
    return matching;
}

bool eci_size_find(const struct catalog *c, const struct eci_size_wish *wish, struct eci_size *out,
                   size_t *matching)
{
    struct eci_size_wish w = *wish;
    if (w.cpu_milli == 0 && w.memory == 0) {
        w.cpu_milli = DEFAULT_CPU_MILLI;
        w.memory = DEFAULT_MEMORY;
    }
    *out = (struct eci_size){0};
    *matching = 0;
    for (size_t p = 0; c && p < c->n_parts; p++) {
        const struct catalog_eci_size *rows = c->parts[p].eci_sizes.items;
        for (size_t i = 0; i < c->parts[p].eci_sizes.count; i++)
            *matching += try_row(&rows[i], &w, out);
    }
    return *matching > 0;
}

/* Amount x price / unit, half up. */
static int64_t part(int64_t amount, int64_t micro, int64_t unit)
{
    return (int64_t)(((wide_u128)amount * (uint64_t)micro + (uint64_t)unit / 2) / (uint64_t)unit);
}

int eci_size_price(const struct eci_market *m, const struct eci_size *s, int64_t *micro_per_hour,
                   struct err *e)
{
    static const char *const keys[] = {"vcpuPrice", "memoryPrice"};
    const struct money *prices[] = {m->node ? &m->node->vcpu_price : NULL,
                                    m->node ? &m->node->memory_price : NULL};
    for (size_t i = 0; i < 2; i++)
        if (!prices[i] || strcmp(prices[i]->currency, m->currency) != 0)
            return err_set(e, ERR_INPUT, NULL,
                           "no price in %s of instances without GPUs; give virtualNode.%s in %s",
                           m->currency, keys[i], m->currency);
    *micro_per_hour =
        part(s->cpu_milli, prices[0]->micro, 1000) + part(s->memory, prices[1]->micro, GIB);
    return 0;
}
