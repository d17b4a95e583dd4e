/* pod_list: pods as a cluster trace lists them. */
#include "workloads/pod_list.h"

#include "sim/arena.h"
#include "workloads/table.h"

#include <stdlib.h>
#include <string.h>

enum column {
    NAME,
    CPU,
    MEMORY,
    GPUS,
    MILLI,
    SPEC,
    PHASE,
    CREATED,
    DELETED,
    SCHEDULED,
};

static const char *const columns[] = {
    [NAME] = "name",
    [CPU] = "cpu_milli",
    [MEMORY] = "memory_mib",
    [GPUS] = "num_gpu",
    [MILLI] = "gpu_milli",
    [SPEC] = "gpu_spec",
    [PHASE] = "pod_phase",
    [CREATED] = "creation_time",
    [DELETED] = "deletion_time",
    [SCHEDULED] = "scheduled_time",
    NULL,
};

#define MOST_SECONDS (INT64_C(10) * 366 * 86400)

/* What is read into before the arena gets it. */
struct growing {
    struct pod_list_item *items;
    size_t n, capacity;
};

static int grow(struct growing *g, struct err *e)
{
    if (g->n < g->capacity)
        return 0;
    size_t capacity = g->capacity ? 2 * g->capacity : 1024;
    struct pod_list_item *items = realloc(g->items, capacity * sizeof *items);
    if (!items)
        return err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", capacity);
    g->items = items;
    g->capacity = capacity;
    return 0;
}

static int read_times(const struct table *t, struct pod_list_item *p, struct err *e)
{
    int64_t created, deleted, started;
    if (table_count(t, CREATED, MOST_SECONDS, &created, e) ||
        table_count(t, DELETED, MOST_SECONDS, &deleted, e))
        return -1;
    p->scheduled = t->fields[SCHEDULED][0] != '\0';
    started = created;
    if (p->scheduled && table_count(t, SCHEDULED, MOST_SECONDS, &started, e))
        return -1;
    if (deleted < started || started < created)
        return table_fault(t, e,
                           "created at %lld, scheduled at %lld, deleted at %lld: a pod does "
                           "not end before it begins",
                           (long long)created, (long long)started, (long long)deleted);
    p->created = created * SIM_SECOND;
    p->run = (deleted - started) * SIM_SECOND;
    return 0;
}

static int read_pod(const struct table *t, struct arena *a, struct pod_list_item *p, struct err *e)
{
    int64_t memory, gpus, milli;
    if (table_count(t, CPU, 100000000, &p->cpu_milli, e) ||
        table_count(t, MEMORY, INT64_C(1) << 30, &memory, e) ||
        table_count(t, GPUS, 64, &gpus, e) || table_count(t, MILLI, 1000, &milli, e))
        return -1;
    if (gpus > 1 && milli != 1000)
        return table_fault(t, e, "gpu_milli: %lld of each of %lld GPUs; a share is of one GPU",
                           (long long)milli, (long long)gpus);
    p->memory_bytes = memory << 20;
    p->gpus = milli > 0 ? (int32_t)gpus : 0;
    p->share_milli = p->gpus == 1 && milli < 1000 ? (int32_t)milli : 0;
    p->failed = strcmp(t->fields[PHASE], "Failed") == 0;
    p->name = arena_text(a, t->fields[NAME], strlen(t->fields[NAME]), e);
    p->gpu_spec = arena_text(a, t->fields[SPEC], strlen(t->fields[SPEC]), e);
    return p->name && p->gpu_spec ? read_times(t, p, e) : -1;
}

static int read_all(struct growing *g, struct arena *a, struct table *t, struct err *e)
{
    int status;
    while ((status = table_next(t, e)) == 1) {
        if (grow(g, e) || read_pod(t, a, &g->items[g->n], e))
            return -1;
        g->n++;
    }
    if (status < 0)
        return -1;
    return g->n > 0 ? 0 : err_set(e, ERR_INPUT, trace_file_path(t->file), "no pod in this file");
}

/* Insertion: the lists at hand are in order but for a few rows; a merge sort would not keep the
 * code this short. Ties stay as in the file. */
static void sort_by_creation(struct pod_list_item *items, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct pod_list_item p = items[i];
        size_t k = i;
        for (; k > 0 && items[k - 1].created > p.created; k--)
            items[k] = items[k - 1];
        items[k] = p;
    }
}

int pod_list_load(struct pod_list *l, struct arena *a, const char *path, struct err *e)
{
    struct growing g = {0};
    struct table t;
    *l = (struct pod_list){0};
    int rc = table_open(&t, path, columns, e) || read_all(&g, a, &t, e) ? -1 : 0;
    struct pod_list_item *kept = rc ? NULL : arena_take(a, g.n, sizeof *kept, e);
    if (kept) {
        sort_by_creation(g.items, g.n);
        memcpy(kept, g.items, g.n * sizeof *kept);
        l->items = kept;
        l->n = g.n;
        for (size_t i = 0; i < g.n; i++)
            l->shared += kept[i].share_milli > 0;
    }
    table_close(&t);
    free(g.items);
    return kept ? 0 : -1;
}
