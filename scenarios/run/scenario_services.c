/* scenario_services: the times of services, the GPUs that their pods may run on, and the owners of
 * all pods. */
#include "models/capacity/catalog.h"
#include "models/capacity/instance.h"
#include "models/capacity/pool.h"
#include "scenarios/run/owners.h"
#include "scenarios/run/scenario_inside.h"
#include "scenarios/run/service_time.h"
#include "sim/arena.h"

#include <stdio.h>
#include <string.h>

#define SERVICES "services"
/* Requests that a server runs side by side; source: the knob. */
#define SERVER_THREADS 32

bool scenario_services_instant(const struct scenario *s)
{
    return s->cluster.pools.count == 0 && !s->cluster.node_list && !s->cluster.virtual_node;
}

static struct scenario_item at_times(size_t service)
{
    return (struct scenario_item){SERVICES, service, "serving.serviceTime"};
}

static int resolve_time(struct scenario_loading *l, size_t service, struct service_time *t,
                        struct err *e)
{
    struct service_time_frame f = {&l->calibration, l->base_dir, l->arena};
    struct result_assumption item;
    int found = service_time_resolve(&f, service, t, &item, e);
    if (found > 0)
        l->s->assumptions[l->s->n_assumptions++] = item; /* note_origins took the room */
    return found < 0 ? -1 : 0;
}

/* The service times of a service and the GPU kinds its pods may run on are one list, in one order:
 * the index that the cluster hands over is the index of the time. */
static int match_gpus(struct scenario_loading *l, size_t i, struct service_config *c, struct err *e)
{
    struct service_time *times = c->serving.times.items;
    size_t n = c->serving.times.count;
    if (times[0].gpu[0] == '\0') {
        if (c->pod.gpu_types.count <= 1)
            return 0;
        return scenario_place_fail(l, at_times(i), e,
                                   "pod.gpuTypes names %zu kinds of GPU; give a time for each, by "
                                   "kind",
                                   c->pod.gpu_types.count);
    }
    if (c->pod.gpus == 0)
        return scenario_place_fail(l, at_times(i), e,
                                   "a time for a %s, and the pods have no GPU (pod.gpus is 0, or "
                                   "their manifest asks for CPU and memory alone); give one time "
                                   "without a kind",
                                   times[0].gpu);
    if (c->pod.gpu_types.count == 0) {
        const char **kinds = arena_take(l->arena, n, sizeof *kinds, e);
        for (size_t k = 0; kinds && k < n; k++)
            kinds[k] = times[k].gpu;
        c->pod.gpu_types = (struct knob_texts){kinds, kinds ? n : 0};
        return kinds ? 0 : -1;
    }
    for (size_t k = 0; k < c->pod.gpu_types.count; k++) {
        size_t at = k;
        while (at < n && strcmp(times[at].gpu, c->pod.gpu_types.items[k]) != 0)
            at++;
        if (at == n)
            return scenario_place_fail(l, at_times(i), e,
                                       "no time for a %s, which pod.gpuTypes allows",
                                       c->pod.gpu_types.items[k]);
        struct service_time swap = times[k];
        times[k] = times[at];
        times[at] = swap;
    }
    return 0;
}

/* Whether a pool can buy this kind of GPU; also true when the catalogue does not know a type, which
 * the cluster reports by its name. The last kind that is for sale goes to *other. */
static bool is_for_sale(const struct scenario *s, const char *gpu, const char **other)
{
    const struct pool_config *pools = s->cluster.pools.items;
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        for (size_t k = 0; k < pools[i].instance_types.count; k++) {
            const struct instance_type *t =
                catalog_instance(s->catalog, pools[i].instance_types.items[k]);
            if (!t || instance_has_gpu(t, gpu))
                return true;
            *other = t->gpu ? t->gpu : *other;
        }
    return false;
}

/* With a time for none of the GPUs that can be bought, no pod would ever be placed. */
static int check_gpus(struct scenario_loading *l, size_t i, const struct service_config *c,
                      struct err *e)
{
    const char *other = "none";
    if (l->s->cluster.pools.count == 0 || l->s->cluster.virtual_node || l->s->cluster.node_list ||
        c->pod.gpu_types.count == 0)
        return 0;
    for (size_t k = 0; k < c->pod.gpu_types.count; k++)
        if (is_for_sale(l->s, c->pod.gpu_types.items[k], &other))
            return 0;
    return scenario_place_fail(l, at_times(i), e, "the pods need a %s, but the node pools buy: %s",
                               c->pod.gpu_types.items[0], other);
}

static const char *pod_path(struct scenario *s, const char *list, size_t i, struct err *e)
{
    char path[40];
    int length = snprintf(path, sizeof path, "%s[%zu].pod", list, i);
    return arena_text(s->arena, path, (size_t)length, e);
}

static int finish_service(struct scenario_loading *l, size_t i, struct service_config *c,
                          struct err *e)
{
    struct service_time *times = c->serving.times.items;
    for (size_t k = 0; k < c->serving.times.count; k++)
        if (resolve_time(l, i, &times[k], e))
            return -1;
    if (match_gpus(l, i, c, e) || check_gpus(l, i, c, e))
        return -1;
    if (c->serving.concurrency == 0)
        c->serving.concurrency = c->serving.discipline == DISCIPLINE_FIFO ? 1 : SERVER_THREADS;
    if (c->serving.balance == BALANCE_CENTRAL && c->serving.discipline == DISCIPLINE_SHARED)
        return scenario_place_fail(l, (struct scenario_item){SERVICES, i, "serving.discipline"}, e,
                                   "central_fifo hands out one request at a time; use fifo");
    if (c->initial_replicas > l->s->limits.replicas)
        return scenario_place_fail(l, (struct scenario_item){SERVICES, i, "initialReplicas"}, e,
                                   "%lld is above limits.replicas, %lld; raise it",
                                   (long long)c->initial_replicas,
                                   (long long)l->s->limits.replicas);
    c->pod.name = c->name;
    c->pod.path = pod_path(l->s, SERVICES, i, e);
    c->startup.instant = scenario_services_instant(l->s);
    return c->pod.path ? 0 : -1;
}

static int finish_job(struct scenario *s, size_t i, struct err *e)
{
    struct job_config *c = (struct job_config *)s->jobs.items + i;
    c->pod.name = c->name;
    c->pod.path = pod_path(s, "jobs", i, e);
    c->startup.instant = scenario_services_instant(s);
    /* Nobody asks a job for its health before it runs. */
    c->startup.readiness = c->startup.liveness = NULL;
    return c->pod.path ? 0 : -1;
}

int scenario_services_finish(struct scenario_loading *l, struct err *e)
{
    struct scenario *s = l->s;
    struct service_config *c = s->services.items;
    for (size_t i = 0; i < s->services.count; i++)
        if (finish_service(l, i, &c[i], e))
            return -1;
    for (size_t i = 0; i < s->jobs.count; i++)
        if (finish_job(s, i, e))
            return -1;
    struct err cause = {0};
    if (owners_make(s, l->base_dir, &cause) == 0)
        return 0;
    s->root = l->root;
    s->path = l->source->path;
    scenario_place(s, &cause);
    return err_set(e, cause.code, cause.where[0] ? cause.where : NULL, "%s", cause.msg);
}
