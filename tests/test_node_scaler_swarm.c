/* test_node_scaler_swarm: random clusters that obey the plan; only laws are checked. */
#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"
#include "tests/dice.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTERS = 300, SCANS = 400, GROUPS = 4, OWNERS = 4, NODES = 60, PODS = 240, PENDING = 60 };

static const char *const names[GROUPS] = {"a", "b", "c", "d"};

/* A node of the toy cluster. */
struct toy_node {
    struct node_scaler_node node;
    sim_ns ready_at, gpus_at, gone_at;
    uint32_t pods[PODS / 8];
};

struct toy {
    struct dice dice;
    struct node_scaler_config config;
    struct node_scaler_owner owners[OWNERS];
    bool fits[OWNERS * GROUPS];
    struct node_scaler_group groups[GROUPS];
    struct toy_node nodes[NODES];
    size_t n_nodes;
    struct node_scaler_pending pending[PENDING];
    size_t n_pending;
    struct node_scaler_node view_nodes[NODES];
    struct node_scaler_pod view_pods[PODS];
    struct node_scaler_memory *memory;
    uint64_t next_id;
};

static void toy_init(struct toy *t, uint64_t seed)
{
    memset(t, 0, sizeof *t);
    t->dice = dice_of(1000 + seed);
    struct dice *d = &t->dice;
    node_settings_upstream(&t->config);
    t->config.expanders[0] = (enum node_expander_kind)dice_int(d, 0, 3);
    t->config.gpu_ready_patched = dice_flag(d);
    t->config.balance_similar = dice_flag(d);
    t->config.delay_local = dice_flag(d);
    t->config.gpu_rule = (enum node_gpu_rule)dice_int(d, 0, 2);
    t->config.max_nodes_total = dice_flag(d) ? (int32_t)dice_int(d, 3, 30) : 0;
    t->config.unneeded_time = dice_int(d, 0, 10) * SIM_MINUTE;
    t->config.delay_after_add = dice_int(d, 0, 10) * SIM_MINUTE;
    t->config.max_node_provision = dice_int(d, 1, 5) * SIM_MINUTE;
    t->config.max_deletions = (int32_t)dice_int(d, 1, 10);
    t->config.max_drains = (int32_t)dice_int(d, 1, 3);
    for (int g = 0; g < GROUPS; g++) {
        int32_t min = (int32_t)dice_int(d, 0, 2);
        t->groups[g] = (struct node_scaler_group){
            .shape = {1000 * dice_int(d, 2, 16), 1000 * dice_int(d, 4, 32),
                      (int32_t)dice_int(d, 0, 4), (int32_t)dice_int(d, 3, 20)},
            .label_class = (uint32_t)dice_int(d, 0, 1),
            .min = min,
            .max = min + (int32_t)dice_int(d, 0, 10),
            .autoscaled = dice_int(d, 0, 5) > 0};
    }
    for (int o = 0; o < OWNERS; o++)
        t->owners[o] = (struct node_scaler_owner){
            .cpu_milli = 500 * dice_int(d, 0, 6),
            .memory_bytes = 500 * dice_int(d, 0, 6),
            .gpus = (int32_t)dice_int(d, 0, 2),
            .priority = (int32_t)dice_int(d, -11, 1),
            .kind = dice_int(d, 0, 5) == 0 ? NODE_POD_BARE : NODE_POD_REPLICATED,
            .disruptions_allowed = (int32_t)dice_int(d, -1, 2)};
    for (int i = 0; i < OWNERS * GROUPS; i++)
        t->fits[i] = dice_int(d, 0, 4) > 0;
}

/* Places a pending pod where it fits, as a scheduler does. */
static bool schedule(struct toy *t, uint32_t owner, sim_ns now)
{
    const struct node_scaler_owner *o = &t->owners[owner];
    for (size_t i = 0; i < t->n_nodes; i++) {
        struct toy_node *n = &t->nodes[i];
        int64_t cpu = n->node.shape.cpu_milli, memory = n->node.shape.memory_bytes;
        int64_t gpus = now >= n->gpus_at ? n->node.shape.gpus : 0;
        if (now < n->ready_at || n->node.deleting || !t->fits[owner * GROUPS + n->node.group] ||
            n->node.n_pods >= (uint32_t)n->node.shape.max_pods)
            continue;
        for (uint32_t k = 0; k < n->node.n_pods; k++) {
            cpu -= t->owners[n->pods[k]].cpu_milli;
            memory -= t->owners[n->pods[k]].memory_bytes;
            gpus -= t->owners[n->pods[k]].gpus;
        }
        if (cpu < o->cpu_milli || memory < o->memory_bytes || gpus < o->gpus)
            continue;
        n->pods[n->node.n_pods++] = owner;
        return true;
    }
    return false;
}

static void pod_events(struct toy *t, sim_ns now)
{
    struct dice *d = &t->dice;
    size_t kept = 0;
    bool busy = now / (15 * SIM_MINUTE) % 2 == 0; /* quiet quarters let nodes fall empty */
    for (int64_t k = busy ? dice_int(d, 0, 3) : 0; k > 0 && t->n_pending < PENDING; k--)
        t->pending[t->n_pending++] =
            (struct node_scaler_pending){(uint32_t)dice_int(d, 0, OWNERS - 1), now};
    for (size_t i = 0; i < t->n_pending; i++)
        if (dice_int(d, 0, 30) > 0 && !schedule(t, t->pending[i].owner, now))
            t->pending[kept++] = t->pending[i];
    t->n_pending = kept;
    for (size_t i = 0; i < t->n_nodes; i++) /* some pods end */
        if (t->nodes[i].node.n_pods > 0 && dice_int(d, 0, 6) == 0)
            t->nodes[i].node.n_pods--;
}

static void node_events(struct toy *t, sim_ns now)
{
    size_t kept = 0;
    for (size_t i = 0; i < t->n_nodes; i++) {
        struct toy_node *n = &t->nodes[i];
        bool lost = dice_int(&t->dice, 0, 200) == 0;
        if (now >= n->gone_at || lost)
            t->groups[n->node.group].target--;
        else
            t->nodes[kept++] = *n;
    }
    t->n_nodes = kept;
    for (uint32_t g = 0; g < GROUPS; g++) {
        int32_t have = 0;
        for (size_t i = 0; i < t->n_nodes; i++)
            have += t->nodes[i].node.group == g;
        t->groups[g].failed_creations = 0;
        if (t->groups[g].target <= have || t->n_nodes == NODES)
            continue;
        int64_t fate = dice_int(&t->dice, 0, 5);
        t->groups[g].failed_creations = fate == 0;
        if (fate < 2)
            continue;
        sim_ns ready_at = now + dice_int(&t->dice, 0, 60) * SIM_SECOND;
        t->nodes[t->n_nodes++] =
            (struct toy_node){.node = {.id = ++t->next_id,
                                       .group = g,
                                       .shape = t->groups[g].shape,
                                       .created = now,
                                       .deleting_since = SIM_NEVER,
                                       .schedulable = true},
                              .ready_at = ready_at,
                              .gpus_at = ready_at + dice_int(&t->dice, 0, 60) * SIM_SECOND,
                              .gone_at = SIM_NEVER};
    }
}

static struct node_scaler_view view_of(struct toy *t, sim_ns now)
{
    struct node_scaler_view v = {.now = now,
                                 .owners = t->owners,
                                 .n_owners = OWNERS,
                                 .fits = t->fits,
                                 .groups = t->groups,
                                 .n_groups = GROUPS,
                                 .nodes = t->view_nodes,
                                 .n_nodes = t->n_nodes,
                                 .pods = t->view_pods,
                                 .pending = t->pending,
                                 .n_pending = t->n_pending};
    for (size_t i = 0; i < t->n_nodes; i++) {
        const struct toy_node *n = &t->nodes[i];
        struct node_scaler_node *to = &t->view_nodes[i];
        *to = n->node;
        to->ready = now >= n->ready_at;
        to->shape.gpus = now >= n->gpus_at ? n->node.shape.gpus : 0;
        to->first_pod = (uint32_t)v.n_pods;
        for (uint32_t k = 0; k < n->node.n_pods; k++)
            t->view_pods[v.n_pods++] =
                (struct node_scaler_pod){n->pods[k], SIM_NEVER, 30 * SIM_SECOND};
    }
    return v;
}

/* What must hold for every plan. */
static void check_plan(const struct toy *t, const struct node_scaler_view *v,
                       const struct node_scaler_plan *p, uint64_t seed)
{
    int32_t target[GROUPS], deleting[GROUPS] = {0}, drains = 0, all = 0;
    for (int g = 0; g < GROUPS; g++)
        target[g] = t->groups[g].target;
    for (size_t i = 0; i < v->n_nodes; i++) {
        deleting[v->nodes[i].group] += v->nodes[i].deleting != NODE_DELETION_NONE;
        all += v->nodes[i].deleting != NODE_DELETION_NONE;
        drains += v->nodes[i].deleting == NODE_DELETION_DRAIN;
    }
    for (size_t i = 0; i < p->n_cuts; i++) {
        cr_assert_gt(p->cuts[i].count, 0);
        target[p->cuts[i].group] -= p->cuts[i].count;
    }
    for (size_t i = 0; i < p->n_scale_ups; i++) {
        uint32_t g = p->scale_ups[i].group;
        cr_assert_gt(p->scale_ups[i].count, 0);
        cr_assert(t->groups[g].autoscaled, "seed %lu", (unsigned long)seed);
        cr_assert_leq(target[g] + p->scale_ups[i].count, t->groups[g].max, "seed %lu: %s",
                      (unsigned long)seed, p->words);
    }
    cr_assert(p->n_scale_ups == 0 || (p->up_reason == NODE_UP_DONE && p->pods_helped > 0));
    cr_assert(p->n_scale_ups == 0 || p->n_deletions == 0, "seed %lu: %s", (unsigned long)seed,
              p->words);
    for (size_t i = 0; i < p->n_deletions; i++) {
        const struct node_scaler_node *n = &v->nodes[p->deletions[i].node];
        cr_assert_eq(n->deleting, NODE_DELETION_NONE);
        cr_assert(t->groups[n->group].autoscaled);
        cr_assert_gt(v->now - p->deletions[i].unneeded_since, t->config.unneeded_time);
        cr_assert(p->deletions[i].how == NODE_DELETION_DRAIN || i == 0 ||
                      p->deletions[i - 1].how == NODE_DELETION_EMPTY,
                  "empty nodes first");
        for (uint32_t k = 0; k < n->n_pods; k++)
            cr_assert(p->deletions[i].how == NODE_DELETION_DRAIN ||
                          t->owners[v->pods[n->first_pod + k].owner].priority < -10,
                      "an empty node has no pod that counts");
        deleting[n->group]++;
        all++;
        drains += p->deletions[i].how == NODE_DELETION_DRAIN;
        cr_assert_geq(target[n->group] - deleting[n->group], t->groups[n->group].min,
                      "seed %lu: below the minimum", (unsigned long)seed);
    }
    cr_assert(p->n_deletions == 0 || all <= t->config.max_deletions);
    cr_assert(p->n_deletions == 0 || drains <= t->config.max_drains ||
              p->deletions[p->n_deletions - 1].how == NODE_DELETION_EMPTY);
    cr_assert_gt(p->next_scan, v->now);
    cr_assert_lt(strlen(p->words), sizeof p->words);
    for (size_t i = 0; i < p->n_unneeded; i++)
        cr_assert_leq(p->unneeded[i].since, v->now);
}

static void obey(struct toy *t, const struct node_scaler_plan *p, sim_ns now)
{
    for (size_t i = 0; i < p->n_cuts; i++) {
        int32_t have = 0;
        struct node_scaler_group *g = &t->groups[p->cuts[i].group];
        for (size_t k = 0; k < t->n_nodes; k++)
            have += t->nodes[k].node.group == p->cuts[i].group;
        g->target -= p->cuts[i].count;
        g->target = g->target < have ? have : g->target;
    }
    for (size_t i = 0; i < p->n_scale_ups; i++)
        t->groups[p->scale_ups[i].group].target += p->scale_ups[i].count;
    for (size_t i = 0; i < p->n_deletions; i++) {
        struct toy_node *n = &t->nodes[p->deletions[i].node];
        n->node.deleting = p->deletions[i].how;
        n->node.deleting_since = now;
        n->gone_at = now + dice_int(&t->dice, 5, 60) * SIM_SECOND;
    }
}

struct tally {
    size_t scans, bought, emptied, drained, cuts;
    uint64_t hash; /* of the order in which it happened */
};

/* One cluster's life. */
static struct tally live(uint64_t seed)
{
    struct toy t;
    struct tally sum = {0};
    toy_init(&t, seed);
    struct node_scaler_setup s = {.config = &t.config,
                                  .group_names = names,
                                  .n_groups = GROUPS,
                                  .max_nodes = NODES,
                                  .max_pods = PODS,
                                  .max_pending = PENDING,
                                  .n_owners = OWNERS,
                                  .chance = chance_stream(seed, 0, CHANCE_TEST, 0)};
    void *storage = malloc(node_scaler_memory_size(&s));
    t.memory = node_scaler_init(&s, storage);
    sim_ns now = 0;
    for (int k = 0; k < SCANS; k++) {
        struct node_scaler_plan plan;
        node_events(&t, now);
        pod_events(&t, now);
        size_t pods = 0;
        for (size_t i = 0; i < t.n_nodes; i++)
            pods += t.nodes[i].node.n_pods;
        if (pods > PODS)
            break;
        struct node_scaler_view v = view_of(&t, now);
        node_scaler_scan(&t.config, t.memory, &v, &plan);
        check_plan(&t, &v, &plan, seed);
        sum.scans++;
        sum.bought += plan.n_scale_ups;
        sum.cuts += plan.n_cuts;
        for (size_t i = 0; i < plan.n_deletions; i++)
            *(plan.deletions[i].how == NODE_DELETION_EMPTY ? &sum.emptied : &sum.drained) += 1;
        sum.hash = sum.hash * 31 + plan.n_scale_ups * 7 + plan.n_deletions;
        obey(&t, &plan, now);
        now = plan.next_scan + dice_int(&t.dice, 0, 5) * SIM_SECOND;
    }
    free(storage);
    return sum;
}

Test(node_scaler_swarm, keeps_its_laws_in_random_clusters)
{
    struct tally all = {0};
    for (uint64_t seed = 0; seed < CLUSTERS; seed++) {
        struct tally one = live(seed);
        all.scans += one.scans;
        all.bought += one.bought;
        all.emptied += one.emptied;
        all.drained += one.drained;
        all.cuts += one.cuts;
    }
    /* The laws mean something only when things happen. */
    cr_expect_gt(all.scans, 40000);
    cr_expect(all.bought > 1000 && all.emptied > 500 && all.drained > 50 && all.cuts > 500,
              "%zu scans: %zu bought, %zu emptied, %zu drained, %zu cuts", all.scans, all.bought,
              all.emptied, all.drained, all.cuts);
}

Test(node_scaler_swarm, repeats_itself)
{
    for (uint64_t seed = 0; seed < 20; seed++)
        cr_expect_eq(live(seed).hash, live(seed).hash);
}
