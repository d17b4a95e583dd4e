/* node_list: machines that are simply there. */
#include "models/capacity/node_list.h"

#include "models/capacity/nodes.h"
#include "sim/arena.h"
#include "workloads/table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum column {
    CPU,
    MEMORY,
    GPUS,
    MODEL,
};

static const char *const columns[] = {
    [CPU] = "cpu_milli", [MEMORY] = "memory_mib", [GPUS] = "gpu", [MODEL] = "model", NULL,
};

struct growing {
    uint32_t *items;
    size_t n, capacity;
};

static int add(struct growing *g, uint32_t type, struct err *e)
{
    if (g->n == g->capacity) {
        size_t capacity = g->capacity ? 2 * g->capacity : 1024;
        uint32_t *items = realloc(g->items, capacity * sizeof *items);
        if (!items)
            return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu nodes", capacity);
        g->items = items;
        g->capacity = capacity;
    }
    g->items[g->n++] = type;
    return 0;
}

static bool same(const struct instance_type *a, const struct instance_type *b)
{
    return a->vcpu == b->vcpu && a->memory == b->memory && a->gpus == b->gpus &&
           strcmp(a->gpu ? a->gpu : "", b->gpu ? b->gpu : "") == 0;
}

/* A model that tells its memory, V100M32, is a V100 too. */
static int keep_kind(struct arena *a, struct instance_type *t, struct err *e)
{
    const char *m = t->gpu ? strrchr(t->gpu, 'M') : NULL;
    if (!m || m == t->gpu || m[1] == '\0' || m[1 + strspn(m + 1, "0123456789")] != '\0')
        return 0;
    const char **kind = arena_take(a, 1, sizeof *kind, e);
    if (kind)
        *kind = arena_text(a, t->gpu, (size_t)(m - t->gpu), e);
    if (!kind || !*kind)
        return -1;
    t->gpu_variants = (struct knob_texts){kind, 1};
    return 0;
}

static int keep_type(struct node_list *l, struct arena *a, const struct instance_type *t,
                     struct err *e)
{
    char name[96];
    snprintf(name, sizeof name, "%d x %.40s, %d CPU, %lld GiB", (int)t->gpus,
             t->gpu ? t->gpu : "no GPU", (int)t->vcpu, (long long)(t->memory >> 30));
    struct instance_type *kept = &l->types[l->n_types];
    *kept = *t;
    kept->name = arena_text(a, name, strlen(name), e);
    kept->gpu = t->gpu ? arena_text(a, t->gpu, strlen(t->gpu), e) : NULL;
    kept->kubernetes_node = true;
    if (!kept->name || (t->gpu && !kept->gpu) || keep_kind(a, kept, e))
        return -1;
    l->n_types++;
    return 0;
}

static int read_type(const struct table *t, struct instance_type *type, struct err *e)
{
    int64_t cpu, memory, gpus;
    if (table_count(t, CPU, INT32_MAX, &cpu, e) ||
        table_count(t, MEMORY, INT64_C(1) << 30, &memory, e) ||
        table_count(t, GPUS, NODES_GPUS_MAX, &gpus, e))
        return -1;
    if (cpu % 1000 != 0)
        return table_fault(t, e, "cpu_milli: %lld is no whole number of CPUs", (long long)cpu);
    if ((gpus > 0) != (t->fields[MODEL][0] != '\0'))
        return table_fault(t, e, "gpu and model go together; found %lld and '%s'", (long long)gpus,
                           t->fields[MODEL]);
    *type = (struct instance_type){
        .gpu = gpus > 0 ? t->fields[MODEL] : NULL,
        .gpus = (int32_t)gpus,
        .vcpu = (int32_t)(cpu / 1000),
        .memory = memory << 20,
    };
    return 0;
}

static int read_node(struct node_list *l, struct growing *g, struct arena *a, const struct table *t,
                     struct err *e)
{
    struct instance_type type;
    size_t i = 0;
    if (read_type(t, &type, e))
        return -1;
    while (i < l->n_types && !same(&l->types[i], &type))
        i++;
    if (i == NODE_LIST_TYPES_MAX)
        return table_fault(t, e, "more than %d kinds of machines", NODE_LIST_TYPES_MAX);
    if (i == l->n_types && keep_type(l, a, &type, e))
        return -1;
    l->gpus += type.gpus;
    return add(g, (uint32_t)i, e);
}

static int read_all(struct node_list *l, struct growing *g, struct arena *a, struct table *t,
                    struct err *e)
{
    int status;
    while ((status = table_next(t, e)) == 1)
        if (read_node(l, g, a, t, e))
            return -1;
    if (status < 0)
        return -1;
    return g->n > 0 ? 0 : err_set(e, ERR_INPUT, trace_file_path(t->file), "no node in this file");
}

static void describe(struct node_list *l)
{
    static const char *zone = "";
    l->pool = (struct pool_config){
        .name = "nodes",
        .region = "",
        .zones = {&zone, 1},
        .billing_step = SIM_SECOND,
    };
}

int node_list_load(struct node_list *l, struct arena *a, const char *path, struct err *e)
{
    struct growing g = {0};
    struct table t;
    *l = (struct node_list){.types = arena_take(a, NODE_LIST_TYPES_MAX, sizeof *l->types, e)};
    if (!l->types)
        return -1;
    describe(l);
    int rc = table_open(&t, path, columns, e) || read_all(l, &g, a, &t, e) ? -1 : 0;
    uint32_t *kept = rc ? NULL : arena_take(a, g.n, sizeof *kept, e);
    if (kept) {
        memcpy(kept, g.items, g.n * sizeof *kept);
        l->type_of = kept;
        l->n = g.n;
    }
    table_close(&t);
    free(g.items);
    return kept ? 0 : -1;
}
