/* unplaced: pods without a place at the end. */
#include "models/capacity/unplaced.h"

#include "models/capacity/catalog.h"
#include "models/capacity/cluster_config.h"
#include "models/capacity/instance.h"
#include "models/capacity/nodes.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/pods.h"
#include "models/capacity/sale.h"
#include "models/capacity/scheduler.h"
#include "sim/recorder.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define WORDS 400
#define GROUPS_MAX 16 /* refusals that are told apart in findings */

static struct sale sale_of(const struct unplaced *u)
{
    return (struct sale){u->config, u->catalog, u->horizon};
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
    const struct sale sale = sale_of(u);
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
};

static void reason(const struct unplaced *u, uint32_t owner, const struct why *w, char *buf,
                   size_t size)
{
    const char *other = u->refusal(u->self, owner);
    buf[0] = '\0';
    if (w->nodes.nodes > 0 || (!other && w->sold.nodes == 0))
        scheduler_words(&w->nodes, buf, size);
    size_t at = strlen(buf);
    if (w->never && w->sold.nodes > 0) {
        snprintf(buf + at, size - at, "%sof %u machines for sale none is enough: ", at ? "; " : "",
                 (unsigned)w->sold.nodes);
        scheduler_list(&w->sold, buf, size);
    }
    at = strlen(buf);
    const struct sale sale = sale_of(u);
    char bar[200];
    if (!w->never && u->config->autoscaler &&
        sale_barred(&sale, &u->shapes[owner], bar, sizeof bar))
        snprintf(buf + at, size - at, "%sno machine can be bought: %s", at ? "; " : "", bar);
    at = strlen(buf);
    if (other)
        snprintf(buf + at, size - at, "%s%s", at ? "; " : "", other);
}

static int64_t waiting(const struct unplaced *u, uint32_t owner)
{
    int64_t n = 0;
    for (uint32_t i = pods_first(u->pods, owner); i != PODS_NONE;) {
        n += !pods_view(u->pods, i)->placed;
        i = pods_view(u->pods, i)->owner_next;
    }
    return n;
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
    struct group g = {.pods = waiting(u, owner), .owner = owner};
    struct why w;
    if (g.pods == 0 || s->placeholder)
        return;
    w.never = !could_be_placed(u, s, &w.sold);
    g.never = w.never;
    scheduler_refuse(s, u->nodes, &w.nodes);
    reason(u, owner, &w, g.words, sizeof g.words);
    if (w.never && (!u->config->virtual_node || u->refusal(u->self, owner)))
        u->never[owner] = g.pods;
    log_each(u, owner, end, g.words);
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
                         (long long)g->pods, g->pods == 1 ? "" : "s", s->name ? s->name : "-", asks,
                         g->pods == 1 ? "has" : "have", g->words,
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
    for (int k = 0; k < SCHEDULER_REASONS; k++)
        figure(u, scheduler_reason_name((enum scheduler_reason)k), sum.by_reason[k]);
    say(u, &sum);
}
