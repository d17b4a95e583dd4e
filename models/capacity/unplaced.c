/* unplaced: pods without a place at the end. */
#include "models/capacity/unplaced.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/eci_room.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/route.h"
#include "models/capacity/sale.h"
#include "models/capacity/scheduler.h"
#include "sim/recorder.h"
#include "sim/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORDS 400
#define GROUPS_MAX 16 /* refusals that are told apart in findings */

static struct sale sale_of(const struct unplaced *u, sim_ns since)
{
    return (struct sale){u->config, u->catalog, u->horizon, since};
}

static bool node_would_do(const struct unplaced *u, const struct pod_shape *s)
{
    for (uint32_t i = nodes_next(u->nodes, NODES_NONE); i != NODES_NONE;
         i = nodes_next(u->nodes, i)) {
        struct node n = *nodes_view(u->nodes, i);
        n.gpus_used = n.gpus_shared = n.shared_milli = 0;
        n.cpu_used = n.memory_used = 0;
        n.kept.held = false;
        memset(n.shared, 0, sizeof n.shared);
        if (scheduler_fits(s, &n))
            return true;
    }
    return false;
}

/* sold: what the machines for sale say when none would. */
static bool could_be_placed(const struct unplaced *u, const struct pod_shape *s,
                            struct scheduler_refusal *sold)
{
    const struct pool_config *pools = u->config->pools.items;
    *sold = (struct scheduler_refusal){0};
    const struct sale sale = sale_of(u, 0);
    for (size_t i = 0; i < u->config->pools.count && u->config->autoscaler; i++)
        if (sale_takes(&sale, &pools[i], s, sold))
            return true;
    return node_would_do(u, s);
}

static void describe(const struct pod_shape *s, char *buf, size_t size)
{
    char kinds[80] = "";
    for (size_t i = 0; i < s->gpu_types.count; i++) {
        size_t at = strlen(kinds);
        snprintf(kinds + at, sizeof kinds - at, "%s%s", i ? "|" : " ", s->gpu_types.items[i]);
    }
    snprintf(buf, size, "%.3g%s GPU, %.4g CPU, %.4g GiB", (double)pod_shape_gpu_milli(s) / 1e3,
             kinds, (double)s->cpu_milli / 1e3, (double)s->memory_bytes / (double)(1 << 30));
}

/* Why pods of an owner wait. */
struct why {
    struct scheduler_refusal nodes, sold; /* nodes that are there; machines for sale */
    bool never;                           /* none of them could take one, empty as it may be */
    bool waits_on_eci;                    /* the virtual node would, if it could */
    char bar[200];                        /* what forbids the purchase or the instance */
};

/* Does the virtual node take pods of this owner, now or once there is room? */
static bool eci_wants(const struct unplaced *u, uint32_t owner)
{
    struct route route;
    struct err ignored = {0}; /* the run itself has refused what is wrong */
    return u->config->virtual_node && !u->refusal(u->self, owner) &&
           route_of(u->config->virtual_node, &u->shapes[owner], &route, &ignored) == 0 &&
           route.to != ROUTE_NODES;
}

static enum unplaced_cause barred_on_eci(const struct unplaced *u, uint32_t owner, sim_ns since,
                                         struct why *w)
{
    struct eci_room room;
    const struct eci_room_ask ask = {u->config, u->catalog, &u->shapes[owner],
                                     since,     u->horizon, true};
    eci_room_of(&ask, &room);
    if (room.pods > 0)
        return UNPLACED_QUEUED;
    snprintf(w->bar, sizeof w->bar, "%s", room.words);
    return room.by_quota ? UNPLACED_NO_QUOTA : UNPLACED_NO_STOCK;
}

/* Of a pod that was asked for at `since`; what is said of all of the owner's is in w already. */
static enum unplaced_cause cause_of(const struct unplaced *u, uint32_t owner, sim_ns since,
                                    struct why *w)
{
    const struct sale sale = sale_of(u, since);
    w->bar[0] = '\0';
    if (w->waits_on_eci)
        return barred_on_eci(u, owner, since, w);
    if (w->never)
        return UNPLACED_NO_MACHINE;
    if (!u->config->autoscaler || node_would_do(u, &u->shapes[owner]))
        return UNPLACED_QUEUED;
    switch (sale_barred(&sale, &u->shapes[owner], w->bar, sizeof w->bar)) {
    case SALE_NO_STOCK:
        return UNPLACED_NO_STOCK;
    case SALE_NO_QUOTA:
        return UNPLACED_NO_QUOTA;
    case SALE_OPEN:
        break;
    }
    return UNPLACED_QUEUED;
}

static void reason(const struct unplaced *u, uint32_t owner, const struct why *w, char *buf,
                   size_t size)
{
    const char *other = u->refusal(u->self, owner), *waits = u->waits(u->self, owner);
    buf[0] = '\0';
    if (waits) {
        snprintf(buf, size, "no container instance: %s", waits);
        return;
    }
    if (w->nodes.nodes > 0 || (!other && w->sold.nodes == 0))
        scheduler_words(&w->nodes, buf, size);
    size_t at = strlen(buf);
    if (w->never && w->sold.nodes > 0) {
        snprintf(buf + at, size - at, "%sof %u machines for sale none is enough: ", at ? "; " : "",
                 (unsigned)w->sold.nodes);
        scheduler_list(&w->sold, buf, size);
    }
    at = strlen(buf);
    if (w->bar[0])
        snprintf(buf + at, size - at, "%sno %s: %s", at ? "; " : "",
                 w->waits_on_eci ? "instance can be created" : "machine can be bought", w->bar);
    at = strlen(buf);
    if (other)
        snprintf(buf + at, size - at, "%s%s", at ? "; " : "", other);
}

/* How many of the owner's pods wait, by cause; w->bar is left as of the last, which had the least
 * time to be placed. */
static int64_t count_waiting(const struct unplaced *u, uint32_t owner, struct why *w)
{
    int64_t n = 0;
    for (uint32_t i = pods_first(u->pods, owner); i != PODS_NONE;) {
        const struct pod *p = pods_view(u->pods, i);
        if (!p->placed) {
            u->counts[owner].pods[cause_of(u, owner, p->created, w)]++;
            n++;
        }
        i = p->owner_next;
    }
    return n;
}

static bool some_wait(const struct unplaced *u, uint32_t owner)
{
    for (uint32_t i = pods_first(u->pods, owner); i != PODS_NONE;
         i = pods_view(u->pods, i)->owner_next)
        if (!pods_view(u->pods, i)->placed)
            return true;
    return false;
}

static void log_each(const struct unplaced *u, uint32_t owner, sim_ns end, const char *words)
{
    for (uint32_t i = pods_first(u->pods, owner); i != PODS_NONE;) {
        const struct pod *p = pods_view(u->pods, i);
        if (!p->placed)
            recorder_log(u->recorder, end, true, p->name, "unplaced", "%s", words);
        i = p->owner_next;
    }
}

/* Pods of all owners with one refusal. */
struct group {
    int64_t pods;
    uint32_t owner; /* the first of them */
    bool never;
    char words[WORDS];
};

/* What is counted of all owners. */
struct count {
    int64_t all, no_machine, by_reason[SCHEDULER_REASONS];
    struct unplaced_count causes;
    struct group groups[GROUPS_MAX];
    size_t n_groups;
    int64_t others; /* pods beyond these */
};

static void join(struct count *c, const struct group *g)
{
    for (size_t i = 0; i < c->n_groups; i++)
        if (c->groups[i].never == g->never && strcmp(c->groups[i].words, g->words) == 0) {
            c->groups[i].pods += g->pods;
            return;
        }
    if (c->n_groups == GROUPS_MAX)
        c->others += g->pods;
    else
        c->groups[c->n_groups++] = *g;
}

static void close_owner(const struct unplaced *u, uint32_t owner, sim_ns end, struct count *sum)
{
    const struct pod_shape *s = &u->shapes[owner];
    struct group g = {.owner = owner};
    struct why w = {.waits_on_eci = false};
    bool told = u->waits(u->self, owner);
    if (s->placeholder || !some_wait(u, owner))
        return;
    w.never = !could_be_placed(u, s, &w.sold);
    w.waits_on_eci = w.never && eci_wants(u, owner);
    g.pods = count_waiting(u, owner, &w);
    g.never = w.never && !w.waits_on_eci && !told;
    scheduler_refuse(s, u->nodes, &w.nodes);
    reason(u, owner, &w, g.words, sizeof g.words);
    for (int k = 0; k < UNPLACED_CAUSES; k++)
        sum->causes.pods[k] += u->counts[owner].pods[k];
    log_each(u, owner, end, g.words);
    if (!told)
        join(sum, &g);
    sum->all += g.pods;
    sum->no_machine += g.never ? g.pods : 0;
    for (int k = 0; k < SCHEDULER_REASONS; k++)
        sum->by_reason[k] +=
            w.nodes.by_reason[k] > 0 || (w.never && w.sold.by_reason[k] > 0) ? g.pods : 0;
}

static void say(const struct unplaced *u, const struct count *c)
{
    char asks[160];
    for (size_t i = 0; i < c->n_groups; i++) {
        const struct group *g = &c->groups[i];
        const struct pod_shape *s = &u->shapes[g->owner];
        describe(s, asks, sizeof asks);
        recorder_finding(u->recorder, "warning", "unplaced",
                         "%lld pod%s, such as those of %s (%s), %s no place at the end: %s%s",
                         (long long)g->pods, text_plural(g->pods, "", "s"), s->name ? s->name : "-",
                         asks, text_plural(g->pods, "has", "have"), g->words,
                         g->never ? "; no node that is there or for sale could take it" : "");
    }
    if (c->others > 0)
        recorder_finding(u->recorder, "warning", "unplaced",
                         "%lld more pods have no place at the end, for other reasons; the log has "
                         "them",
                         (long long)c->others);
}

static void figure(const struct unplaced *u, const char *reason, int64_t value)
{
    char path[96];
    snprintf(path, sizeof path, "pods.unplaced.%s", reason);
    if (value > 0)
        recorder_figure(u->recorder, path, "pods", FIGURE_SUM, (double)value);
}

void unplaced_write(const struct unplaced *u)
{
    const sim_ns end = u->horizon;
    struct count sum = {0};
    for (uint32_t o = 0; o < u->n_owners; o++)
        close_owner(u, o, end, &sum);
    recorder_figure(u->recorder, "pods.unplaced.total", "pods", FIGURE_SUM, (double)sum.all);
    figure(u, "noMachine", sum.no_machine);
    figure(u, "noStock", sum.causes.pods[UNPLACED_NO_STOCK]);
    figure(u, "noQuota", sum.causes.pods[UNPLACED_NO_QUOTA]);
    for (int k = 0; k < SCHEDULER_REASONS; k++)
        figure(u, scheduler_reason_name((enum scheduler_reason)k), sum.by_reason[k]);
    say(u, &sum);
}
