/* test_node_scaler: whole scans over small clusters, as an operator would tell them. */
#include "models/control/node_scaler.h"
#include "models/control/node_settings.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 3, OWNERS = 4, NODES = 40, PODS = 80, PENDING = 60 };

/* A cluster in the hand: change fields, scan, look at the plan. */
struct bed {
    struct node_scaler_config config;
    struct node_scaler_owner owners[OWNERS];
    bool fits[OWNERS * GROUPS];
    struct node_scaler_group groups[GROUPS];
    struct node_scaler_node nodes[NODES];
    struct node_scaler_pod pods[PODS];
    struct node_scaler_pending pending[PENDING];
    struct node_scaler_view view;
    struct node_scaler_memory *memory;
    struct node_scaler_plan plan;
    uint64_t next_id;
};

static const char *const names[GROUPS] = {"spot", "on-demand", "cpu"};

#define GIB (INT64_C(1) << 30)

/* Two GPU pools and a CPU pool; owner 0 wants one GPU, owner 1 only CPU, owner 2 is a DaemonSet,
 * owner 3 another GPU service. */
static void bed_init(struct bed *b, size_t n_groups)
{
    memset(b, 0, sizeof *b);
    node_settings_upstream(&b->config);
    for (size_t g = 0; g < GROUPS; g++)
        b->groups[g] = (struct node_scaler_group){
            .shape = {.cpu_milli = 8000, .memory_bytes = 32 * GIB, .gpus = g < 2, .max_pods = 110},
            .label_class = (uint32_t)g,
            .max = 10,
            .price_micro_per_hour = 1000000 * (int64_t)(g + 1),
            .autoscaled = true};
    b->owners[0] = (struct node_scaler_owner){.cpu_milli = 2000,
                                              .memory_bytes = 4 * GIB,
                                              .gpus = 1,
                                              .disruptions_allowed = -1,
                                              .replicas = 3};
    b->owners[1] = b->owners[0];
    b->owners[1].gpus = 0;
    b->owners[2] = (struct node_scaler_owner){
        .cpu_milli = 100, .kind = NODE_POD_DAEMON, .disruptions_allowed = -1};
    b->owners[3] = b->owners[0];
    memset(b->fits, true, sizeof b->fits);
    b->view = (struct node_scaler_view){.owners = b->owners,
                                        .n_owners = OWNERS,
                                        .fits = b->fits,
                                        .groups = b->groups,
                                        .n_groups = n_groups,
                                        .nodes = b->nodes,
                                        .pods = b->pods,
                                        .pending = b->pending};
}

static void bed_start(struct bed *b)
{
    struct node_scaler_setup s = {.config = &b->config,
                                  .group_names = names,
                                  .n_groups = b->view.n_groups,
                                  .max_nodes = NODES,
                                  .max_pods = PODS,
                                  .max_pending = PENDING,
                                  .n_owners = OWNERS,
                                  .chance = chance_stream(1, 0, CHANCE_TEST, 0)};
    size_t size = node_scaler_memory_size(&s);
    b->memory = node_scaler_init(&s, malloc(size));
}

static void bed_free(struct bed *b)
{
    free(b->memory);
}

static void scan(struct bed *b, sim_ns now)
{
    b->view.now = now;
    node_scaler_scan(&b->config, b->memory, &b->view, &b->plan);
}

static void pend(struct bed *b, uint32_t owner, sim_ns created)
{
    b->pending[b->view.n_pending++] =
        (struct node_scaler_pending){.owner = owner, .created = created};
}

/* A ready node with all of its group's shape; pods follow with put_pod. */
static struct node_scaler_node *add_node(struct bed *b, uint32_t group, sim_ns created)
{
    struct node_scaler_node *n = &b->nodes[b->view.n_nodes++];
    *n = (struct node_scaler_node){.id = ++b->next_id,
                                   .group = group,
                                   .shape = b->groups[group].shape,
                                   .created = created,
                                   .deleting_since = SIM_NEVER,
                                   .ready = true,
                                   .schedulable = true,
                                   .first_pod = (uint32_t)b->view.n_pods};
    b->groups[group].target++;
    return n;
}

/* On the node added last. */
static void put_pod(struct bed *b, uint32_t owner)
{
    b->nodes[b->view.n_nodes - 1].n_pods++;
    b->pods[b->view.n_pods++] = (struct node_scaler_pod){
        .owner = owner, .terminating_since = SIM_NEVER, .grace = 30 * SIM_SECOND};
}

static enum node_down_reason reason(const struct bed *b, size_t node)
{
    return b->plan.node_reasons[node];
}

Test(node_scaler, buys_one_node_for_one_gpu_pod)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    pend(&b, 0, 0);
    scan(&b, 30 * SIM_SECOND);
    cr_assert_eq(b.plan.up_reason, NODE_UP_DONE, "%s", b.plan.words);
    cr_assert_eq(b.plan.n_scale_ups, 1);
    cr_expect_eq(b.plan.scale_ups[0].count, 1);
    cr_expect_eq(b.plan.pods_helped, 1);
    cr_expect_eq(b.plan.cool_down, NODE_COOL_SCALED_UP);
    cr_expect_str_eq(b.plan.words,
                     "+1 spot for 1 of 1 waiting pods; 0 unneeded, none goes: scaled_up");
    /* It is coming: no second one. */
    b.groups[0].target = 1;
    scan(&b, 40 * SIM_SECOND);
    cr_expect_eq(b.plan.up_reason, NODE_UP_FITS_EXISTING, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, gives_an_empty_node_back_after_ten_minutes_strictly)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0);
    scan(&b, SIM_HOUR);
    cr_assert_eq(b.plan.n_unneeded, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.unneeded[0].since, SIM_HOUR);
    scan(&b, SIM_HOUR + 10 * SIM_MINUTE);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_NOT_UNNEEDED_LONG_ENOUGH);
    cr_expect_eq(b.plan.n_deletions, 0);
    scan(&b, SIM_HOUR + 10 * SIM_MINUTE + 1);
    cr_assert_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.deletions[0].how, NODE_DELETION_EMPTY);
    cr_expect_eq(b.plan.deletions[0].unneeded_since, SIM_HOUR);
    bed_free(&b);
}

Test(node_scaler, waits_for_more_pods_while_they_are_young)
{
    static const struct {
        uint32_t owner;
        sim_ns age;
        enum node_up_reason want;
        const char *why;
    } rows[] = {
        {1, 2 * SIM_SECOND - 1, NODE_UP_PODS_TOO_YOUNG, "a plain pod below 2 s"},
        {1, 2 * SIM_SECOND, NODE_UP_DONE, "a plain pod of 2 s"},
        {0, 2 * SIM_SECOND, NODE_UP_GPU_PODS_TOO_YOUNG, "a GPU pod of 2 s"},
        {0, 30 * SIM_SECOND - 1, NODE_UP_GPU_PODS_TOO_YOUNG, "a GPU pod below 30 s"},
        {0, 30 * SIM_SECOND, NODE_UP_DONE, "a GPU pod of 30 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bed b;
        bed_init(&b, 1);
        bed_start(&b);
        pend(&b, rows[i].owner, SIM_HOUR - rows[i].age);
        scan(&b, SIM_HOUR);
        cr_expect_eq(b.plan.up_reason, rows[i].want, "%s: %s", rows[i].why, b.plan.words);
        if (rows[i].want != NODE_UP_DONE)
            cr_expect_eq(b.plan.cool_down, NODE_COOL_PODS_WAIT, "%s", rows[i].why);
        bed_free(&b);
    }
}

Test(node_scaler, the_oldest_gpu_pod_decides_for_the_whole_set)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    pend(&b, 1, SIM_HOUR - 10 * SIM_MINUTE); /* an old plain pod does not help */
    pend(&b, 0, SIM_HOUR - 10 * SIM_SECOND);
    scan(&b, SIM_HOUR);
    cr_expect_eq(b.plan.up_reason, NODE_UP_GPU_PODS_TOO_YOUNG, "%s", b.plan.words);
    b.pending[1].created = SIM_HOUR - 30 * SIM_SECOND;
    pend(&b, 0, SIM_HOUR); /* a newer GPU pod goes along with the older one */
    scan(&b, SIM_HOUR);
    cr_expect_eq(b.plan.up_reason, NODE_UP_DONE, "%s", b.plan.words);
    cr_expect_eq(b.plan.pods_helped, 3);
    bed_free(&b);
}

/* One pending GPU pod; a bought node is Ready 60 s later and reports its GPU another 120 s later.
 * Returns the nodes bought until the pod runs. */
static int nodes_for_one_gpu_pod(bool patched)
{
    struct bed b;
    sim_ns bought_at[NODES];
    int bought = 0;
    bed_init(&b, 1);
    b.config.gpu_ready_patched = patched;
    bed_start(&b);
    pend(&b, 0, 0);
    for (sim_ns t = 0; t <= 10 * SIM_MINUTE && b.view.n_pending > 0; t += 10 * SIM_SECOND) {
        b.view.n_nodes = 0;
        for (int i = 0; i < bought; i++) {
            if (t < bought_at[i] + SIM_MINUTE)
                continue;
            struct node_scaler_node *n = add_node(&b, 0, bought_at[i] + SIM_MINUTE);
            n->id = (uint64_t)i + 1;
            n->shape.gpus = t >= bought_at[i] + 3 * SIM_MINUTE;
            if (n->shape.gpus > 0)
                b.view.n_pending = 0; /* the scheduler has bound it */
        }
        b.groups[0].target = bought;
        scan(&b, t);
        for (size_t i = 0; i < b.plan.n_scale_ups; i++)
            for (int k = 0; k < b.plan.scale_ups[i].count; k++)
                bought_at[bought++] = t;
    }
    cr_assert_eq(b.view.n_pending, 0, "the pod runs in the end");
    bed_free(&b);
    return bought;
}

Test(node_scaler, a_node_ready_before_its_gpus_buys_surplus_nodes_only_unpatched)
{
    cr_expect_eq(nodes_for_one_gpu_pod(true), 1);
    /* Bought at 30 s, Ready at 90 s without GPU: another one, Ready at 150 s, and so on until the
     * GPU shows at 210 s. */
    cr_expect_eq(nodes_for_one_gpu_pod(false), 3);
}

/* A 2 vCPU, 8 GiB, 1 GPU node with pods that ask for 1200m and no GPU. */
static bool idle_gpu_node_goes(enum node_gpu_rule rule, bool gpu_reported)
{
    struct bed b;
    bed_init(&b, 2);
    b.groups[0].shape = (struct node_scaler_shape){
        .cpu_milli = 2000, .memory_bytes = 8 * GIB, .gpus = 1, .max_pods = 64};
    b.config.gpu_rule = rule;
    b.config.gpu_ready_patched = false;
    b.owners[1].cpu_milli = 1200;
    b.owners[1].memory_bytes = GIB;
    bed_start(&b);
    struct node_scaler_node *n = add_node(&b, 0, 0);
    n->shape.gpus = gpu_reported;
    put_pod(&b, 1);
    add_node(&b, 1, 0); /* room elsewhere, with a pod that keeps it */
    put_pod(&b, 0);
    b.groups[1].min = 1;
    scan(&b, SIM_HOUR);
    scan(&b, SIM_HOUR + 10 * SIM_MINUTE + SIM_SECOND);
    bool goes = reason(&b, 0) == NODE_DOWN_DELETE;
    bed_free(&b);
    return goes;
}

Test(node_scaler, an_idle_gpu_node_goes_by_its_gpu_share_alone)
{
    cr_expect_not(idle_gpu_node_goes(NODE_GPU_IGNORE, true), "CPU at 0.6 keeps it for ever");
    cr_expect(idle_gpu_node_goes(NODE_GPU_ONLY, true), "no GPU in use");
    cr_expect_not(idle_gpu_node_goes(NODE_GPU_MAX, true), "the larger share, 0.6, keeps it");
    cr_expect(idle_gpu_node_goes(NODE_GPU_ONLY, false), "GPUs that do not show count as free");
}

/* A node with 4 GPUs and one of them in use; a second such node with room. */
static void stranded(struct bed *b)
{
    bed_init(b, 1);
    b->groups[0].shape.gpus = 4;
    bed_start(b);
    add_node(b, 0, 0);
    put_pod(b, 0);
    add_node(b, 0, 0);
    put_pod(b, 3);
    put_pod(b, 3);
    put_pod(b, 3);
}

Test(node_scaler, one_pod_strands_a_four_gpu_node_unless_it_may_move)
{
    struct bed b;
    stranded(&b);
    scan(&b, SIM_HOUR);
    scan(&b, SIM_HOUR + 11 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.deletions[0].node, 0);
    cr_expect_eq(b.plan.deletions[0].how, NODE_DELETION_DRAIN);
    bed_free(&b);

    static const struct {
        enum node_pod_block want;
        const char *why;
    } rows[] = {
        {NODE_BLOCK_NOT_REPLICATED, "no controller"},
        {NODE_BLOCK_KUBE_SYSTEM, "system pod without a budget"},
        {NODE_BLOCK_LOCAL_STORAGE, "local storage"},
        {NODE_BLOCK_NOT_SAFE_TO_EVICT, "annotation"},
        {NODE_BLOCK_DISRUPTION_BUDGET, "budget at its end"},
        {NODE_BLOCK_MIN_REPLICAS, "too few replicas"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        stranded(&b);
        struct node_scaler_owner *o = &b.owners[0];
        o->kind = rows[i].want == NODE_BLOCK_NOT_REPLICATED ? NODE_POD_BARE : o->kind;
        o->kube_system = rows[i].want == NODE_BLOCK_KUBE_SYSTEM;
        o->local_storage = rows[i].want == NODE_BLOCK_LOCAL_STORAGE;
        o->evict = rows[i].want == NODE_BLOCK_NOT_SAFE_TO_EVICT ? NODE_EVICT_NEVER : o->evict;
        o->disruptions_allowed = rows[i].want == NODE_BLOCK_DISRUPTION_BUDGET ? 0 : -1;
        b.config.min_replica_count = rows[i].want == NODE_BLOCK_MIN_REPLICAS ? 4 : 0;
        b.owners[3].replicas = 10;
        scan(&b, SIM_HOUR);
        cr_expect_eq(reason(&b, 0), NODE_DOWN_BLOCKED_BY_POD, "%s", rows[i].why);
        cr_expect_eq(b.plan.node_blocks[0], rows[i].want, "%s: %s", rows[i].why,
                     node_scaler_block_name(b.plan.node_blocks[0]));
        cr_expect_eq(b.plan.n_unneeded, 0, "%s", rows[i].why);
        bed_free(&b);
    }
}

Test(node_scaler, looks_again_at_an_unremovable_node_after_five_minutes)
{
    struct bed b;
    stranded(&b);
    b.owners[0].kind = NODE_POD_BARE;
    scan(&b, SIM_HOUR);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_BLOCKED_BY_POD);
    b.owners[0].kind = NODE_POD_REPLICATED;
    scan(&b, SIM_HOUR + 5 * SIM_MINUTE);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_RECENTLY_UNREMOVABLE);
    scan(&b, SIM_HOUR + 5 * SIM_MINUTE + 1);
    cr_expect_eq(b.plan.n_unneeded, 1, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, a_node_chosen_before_takes_no_pods_of_the_next_one)
{
    struct bed b;
    bed_init(&b, 1);
    b.groups[0].shape.gpus = 2; /* two half-empty nodes: one can take the other's pod, not both */
    bed_start(&b);
    add_node(&b, 0, 0);
    put_pod(&b, 0);
    add_node(&b, 0, 0);
    put_pod(&b, 0);
    scan(&b, SIM_HOUR);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_NOT_UNNEEDED_LONG_ENOUGH);
    cr_expect_eq(reason(&b, 1), NODE_DOWN_NO_PLACE);
    cr_expect_eq(b.plan.n_unneeded, 1, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, a_pending_pod_that_fits_keeps_the_node_it_will_land_on)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0);
    pend(&b, 0, SIM_HOUR);
    scan(&b, SIM_HOUR);
    cr_expect_eq(b.plan.up_reason, NODE_UP_FITS_EXISTING);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_NOT_UNDERUTILIZED, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, the_clock_of_a_node_starts_again_when_it_was_needed_meanwhile)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0);
    scan(&b, SIM_HOUR);
    pend(&b, 0, SIM_HOUR);
    scan(&b, SIM_HOUR + 5 * SIM_MINUTE);
    b.view.n_pending = 0;
    scan(&b, SIM_HOUR + 6 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_unneeded, 1);
    cr_expect_eq(b.plan.unneeded[0].since, SIM_HOUR + 6 * SIM_MINUTE);
    bed_free(&b);
}

Test(node_scaler, deletes_at_most_ten_at_once_and_keeps_the_minimum)
{
    static const struct {
        int nodes, min, deleting, want;
        enum node_down_reason rest;
        const char *why;
    } rows[] = {
        {14, 0, 0, 10, NODE_DOWN_MAX_PARALLELISM, "ten at once"},
        {14, 0, 3, 7, NODE_DOWN_MAX_PARALLELISM, "those under way count"},
        {5, 3, 0, 2, NODE_DOWN_MIN_SIZE_REACHED, "never below the minimum"},
        {5, 3, 1, 1, NODE_DOWN_MIN_SIZE_REACHED, "those under way are as good as gone"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct bed b;
        bed_init(&b, 1);
        b.groups[0].max = 20;
        bed_start(&b);
        for (int k = 0; k < rows[i].nodes; k++)
            add_node(&b, 0, 0);
        b.groups[0].min = rows[i].min;
        scan(&b, SIM_HOUR);
        for (int k = 0; k < rows[i].deleting; k++)
            b.nodes[k].deleting = NODE_DELETION_EMPTY;
        scan(&b, SIM_HOUR + 11 * SIM_MINUTE);
        cr_expect_eq(b.plan.n_deletions, (size_t)rows[i].want, "%s: %s", rows[i].why, b.plan.words);
        cr_expect_eq(reason(&b, (size_t)rows[i].nodes - 1), rows[i].rest, "%s: %s", rows[i].why,
                     node_scaler_down_name(reason(&b, (size_t)rows[i].nodes - 1)));
        bed_free(&b);
    }
}

/* Three nodes with one movable pod each and one roomy node. */
Test(node_scaler, drains_one_node_at_a_time_after_the_empty_ones)
{
    struct bed b;
    bed_init(&b, 2);
    b.groups[1].shape.gpus = 8;
    b.groups[1].shape.cpu_milli = 64000;
    b.groups[1].shape.memory_bytes = 256 * GIB;
    b.groups[0].shape.gpus = 2;
    bed_start(&b);
    for (int i = 0; i < 3; i++) {
        add_node(&b, 0, 0);
        put_pod(&b, 0);
    }
    add_node(&b, 0, 0); /* empty */
    add_node(&b, 1, 0);
    for (int i = 0; i < 5; i++)
        put_pod(&b, 3);
    scan(&b, SIM_HOUR);
    scan(&b, SIM_HOUR + 11 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_deletions, 2, "%s", b.plan.words);
    cr_expect_eq(b.plan.deletions[0].node, 3);
    cr_expect_eq(b.plan.deletions[0].how, NODE_DELETION_EMPTY);
    cr_expect_eq(b.plan.deletions[1].how, NODE_DELETION_DRAIN);
    cr_expect_eq(reason(&b, 2), NODE_DOWN_MAX_PARALLELISM);
    /* While it drains, its pod holds a place, the first that is free, and no other drain starts. */
    b.nodes[0].deleting = NODE_DELETION_DRAIN;
    b.nodes[3].deleting = NODE_DELETION_EMPTY;
    scan(&b, SIM_HOUR + 12 * SIM_MINUTE);
    cr_expect_eq(b.plan.n_deletions, 0, "%s", b.plan.words);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_BEING_DELETED);
    cr_expect_eq(reason(&b, 1), NODE_DOWN_NOT_UNDERUTILIZED);
    cr_expect_eq(reason(&b, 2), NODE_DOWN_MAX_PARALLELISM);
    bed_free(&b);
}

Test(node_scaler, nothing_goes_while_drained_pods_have_no_place)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0);
    put_pod(&b, 0);
    add_node(&b, 0, 0);
    put_pod(&b, 0);
    scan(&b, SIM_HOUR);
    b.nodes[0].deleting = NODE_DELETION_DRAIN;
    scan(&b, SIM_HOUR + SIM_MINUTE);
    cr_expect_eq(b.plan.cool_down, NODE_COOL_DRAIN_UNPLACED, "%s", b.plan.words);
    cr_expect_eq(b.plan.n_unneeded, 0);
    bed_free(&b);
}

Test(node_scaler, nothing_goes_for_ten_minutes_after_a_scale_up)
{
    struct bed b;
    bed_init(&b, 2);
    bed_start(&b);
    add_node(&b, 0, 0);
    for (uint32_t o = 0; o < OWNERS; o++)
        b.fits[o * 2 + 0] = false; /* pods go to the other pool only */
    pend(&b, 0, 0);
    scan(&b, SIM_HOUR);
    cr_assert_eq(b.plan.up_reason, NODE_UP_DONE, "%s", b.plan.words);
    b.view.n_pending = 0;
    b.groups[1].target = 1;
    b.config.unneeded_time = SIM_MINUTE;
    scan(&b, SIM_HOUR + 1);
    scan(&b, SIM_HOUR + 10 * SIM_MINUTE - 1);
    cr_expect_eq(b.plan.cool_down, NODE_COOL_AFTER_ADD, "%s", b.plan.words);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_COOL_DOWN);
    scan(&b, SIM_HOUR + 10 * SIM_MINUTE);
    cr_expect_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, nothing_goes_for_three_minutes_after_a_failed_removal)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0);
    scan(&b, SIM_HOUR);
    b.groups[0].failed_deletions = 1;
    scan(&b, SIM_HOUR + 11 * SIM_MINUTE);
    b.groups[0].failed_deletions = 0;
    cr_expect_eq(b.plan.cool_down, NODE_COOL_AFTER_FAILURE);
    scan(&b, SIM_HOUR + 14 * SIM_MINUTE - 1);
    cr_expect_eq(b.plan.n_deletions, 0);
    scan(&b, SIM_HOUR + 14 * SIM_MINUTE);
    cr_expect_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, with_local_delays_another_pool_may_shrink)
{
    struct bed b;
    bed_init(&b, 2);
    b.config.delay_local = true;
    b.config.unneeded_time = SIM_MINUTE;
    bed_start(&b);
    add_node(&b, 0, 0);
    add_node(&b, 1, 0);
    b.nodes[1].ready = true;
    b.groups[1].failed_deletions = 1;
    scan(&b, SIM_HOUR);
    b.groups[1].failed_deletions = 0;
    cr_expect_eq(reason(&b, 1), NODE_DOWN_COOL_DOWN);
    scan(&b, SIM_HOUR + 2 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.deletions[0].node, 0);
    scan(&b, SIM_HOUR + 3 * SIM_MINUTE);
    cr_assert_geq(b.plan.n_unneeded, 1);
    cr_expect_eq(b.plan.unneeded[b.plan.n_unneeded - 1].since, SIM_HOUR + 3 * SIM_MINUTE,
                 "the clock of the delayed pool starts when the delay ends");
    bed_free(&b);
}

Test(node_scaler, a_request_that_expires_backs_its_pool_off_and_the_next_pool_is_asked)
{
    struct bed b;
    bed_init(&b, 2);
    b.config.expanders[0] = NODE_EXPANDER_PRIORITY;
    static const struct node_priority_rule rules[] = {{20, "^spot$"}, {10, "demand"}};
    b.config.priorities = rules;
    b.config.n_priorities = 2;
    bed_start(&b);
    pend(&b, 0, 0);
    scan(&b, SIM_MINUTE);
    cr_assert_eq(b.plan.n_scale_ups, 1);
    cr_expect_eq(b.plan.scale_ups[0].group, 0, "spot first: %s", b.plan.words);
    b.groups[0].target = 1; /* and no node ever comes */
    for (int i = 0; i < 3; i++)
        pend(&b, 0, 0);
    scan(&b, SIM_MINUTE + 5 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_scale_ups, 1, "three more: %s", b.plan.words);
    cr_expect_eq(b.plan.scale_ups[0].count, 3);
    b.groups[0].target = 4;
    /* The deadline is the last increase + 15 min, strictly. */
    scan(&b, 21 * SIM_MINUTE);
    cr_expect_eq(b.plan.n_cuts, 0);
    cr_expect_eq(b.plan.up_reason, NODE_UP_FITS_EXISTING);
    scan(&b, 21 * SIM_MINUTE + 1);
    cr_assert_eq(b.plan.n_cuts, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.cuts[0].count, 4);
    cr_expect_eq(b.plan.cuts[0].why, NODE_CUT_TIMEOUT);
    cr_assert_eq(b.plan.n_scale_ups, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.scale_ups[0].group, 1, "on demand now");
    cr_expect_eq(b.plan.group_reasons[0], NODE_GROUP_BACKED_OFF);
    bed_free(&b);
}

Test(node_scaler, a_stock_out_of_every_spot_pool_costs_the_provision_time_each)
{
    struct bed b;
    bed_init(&b, 3);
    static const struct node_priority_rule rules[] = {{30, "spot"}, {20, "demand"}, {10, "cpu"}};
    b.groups[2].shape.gpus = 1;
    b.config.expanders[0] = NODE_EXPANDER_PRIORITY;
    b.config.priorities = rules;
    b.config.n_priorities = 3;
    b.config.max_node_provision = 5 * SIM_MINUTE;
    b.config.backoff_initial = b.config.backoff_max = SIM_HOUR;
    bed_start(&b);
    pend(&b, 0, 0);
    sim_ns first_third = SIM_NEVER;
    for (sim_ns t = 0; t < 30 * SIM_MINUTE && first_third == SIM_NEVER; t += 10 * SIM_SECOND) {
        scan(&b, t);
        for (size_t i = 0; i < b.plan.n_cuts; i++)
            b.groups[b.plan.cuts[i].group].target -= b.plan.cuts[i].count;
        for (size_t i = 0; i < b.plan.n_scale_ups; i++) {
            b.groups[b.plan.scale_ups[i].group].target += b.plan.scale_ups[i].count;
            if (b.plan.scale_ups[i].group == 2)
                first_third = t;
        }
    }
    /* Asked at 30 s; each of the two pools before costs 5 min and the rest of a scan. */
    cr_expect_geq(first_third, 30 * SIM_SECOND + 2 * 5 * SIM_MINUTE);
    cr_expect_eq(first_third, 30 * SIM_SECOND + 2 * (5 * SIM_MINUTE + 10 * SIM_SECOND));
    bed_free(&b);
}

Test(node_scaler, instances_that_the_cloud_refuses_are_cut_at_once)
{
    struct bed b;
    bed_init(&b, 2);
    bed_start(&b);
    for (int i = 0; i < 3; i++)
        pend(&b, 0, 0);
    for (uint32_t o = 0; o < OWNERS; o++)
        b.fits[o * 2 + 1] = o != 0;
    scan(&b, SIM_MINUTE);
    b.groups[0].target = 3;
    b.groups[0].failed_creations = 2;
    scan(&b, SIM_MINUTE + 10 * SIM_SECOND);
    cr_assert_eq(b.plan.n_cuts, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.cuts[0].count, 2);
    cr_expect_eq(b.plan.cuts[0].why, NODE_CUT_CLOUD_ERROR);
    cr_expect_eq(b.plan.group_reasons[0], NODE_GROUP_BACKED_OFF);
    cr_expect_eq(b.plan.up_reason, NODE_UP_NO_OPTION);
    cr_expect_eq(b.plan.pods_unhelped, 2);
    b.groups[0].target = 1;
    b.groups[0].failed_creations = 0;
    scan(&b, SIM_MINUTE + 10 * SIM_SECOND + 5 * SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_DONE, "the back-off is over: %s", b.plan.words);
    bed_free(&b);
}

/* The alicloud provider's instances carry no status. */
Test(node_scaler, without_such_reports_a_stock_out_shows_after_the_provision_time)
{
    struct bed b;
    bed_init(&b, 1);
    b.config.creation_errors_reported = false;
    bed_start(&b);
    pend(&b, 0, 0);
    scan(&b, SIM_MINUTE);
    b.groups[0].target = 1;
    b.groups[0].failed_creations = 1;
    scan(&b, 2 * SIM_MINUTE);
    b.groups[0].failed_creations = 0;
    cr_expect_eq(b.plan.n_cuts, 0);
    cr_expect_eq(b.plan.up_reason, NODE_UP_FITS_EXISTING, "it still waits: %s", b.plan.words);
    scan(&b, 16 * SIM_MINUTE + 1);
    cr_assert_eq(b.plan.n_cuts, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.cuts[0].why, NODE_CUT_TIMEOUT);
    cr_expect_eq(b.plan.group_reasons[0], NODE_GROUP_BACKED_OFF);
    bed_free(&b);
}

Test(node_scaler, corrects_a_target_that_nothing_explains)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0);
    b.groups[0].target = 3;
    scan(&b, SIM_HOUR);
    scan(&b, SIM_HOUR + 15 * SIM_MINUTE);
    cr_expect_eq(b.plan.n_cuts, 0);
    scan(&b, SIM_HOUR + 15 * SIM_MINUTE + 1);
    cr_assert_eq(b.plan.n_cuts, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.cuts[0].count, 2);
    cr_expect_eq(b.plan.cuts[0].why, NODE_CUT_UNREGISTERED);
    cr_expect_eq(b.plan.up_reason, NODE_UP_SIZE_FIXED);
    cr_expect_eq(b.plan.n_unneeded, 1, "the list keeps its clocks");
    bed_free(&b);
}

Test(node_scaler, stops_when_too_many_nodes_are_not_ready)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    for (int i = 0; i < 8; i++)
        add_node(&b, 0, 0);
    scan(&b, SIM_HOUR);
    cr_expect_eq(b.plan.n_unneeded, 8);
    for (int i = 0; i < 4; i++)
        b.nodes[i].ready = false;
    pend(&b, 0, 0);
    scan(&b, SIM_HOUR + SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_CLUSTER_UNHEALTHY, "4 of 8: %s", b.plan.words);
    cr_expect_eq(b.plan.n_unneeded, 0);
    b.nodes[0].ready = true;
    scan(&b, SIM_HOUR + 2 * SIM_MINUTE);
    cr_expect_neq(b.plan.up_reason, NODE_UP_CLUSTER_UNHEALTHY, "three are always accepted");
    bed_free(&b);
}

Test(node_scaler, an_unready_node_waits_twenty_minutes)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    add_node(&b, 0, 0)->ready = false;
    scan(&b, 10 * SIM_MINUTE);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_STARTING, "young: still coming");
    scan(&b, SIM_HOUR);
    cr_assert_eq(b.plan.n_unneeded, 1);
    cr_expect_eq(b.plan.unneeded[0].wait, 20 * SIM_MINUTE);
    scan(&b, SIM_HOUR + 20 * SIM_MINUTE);
    cr_expect_eq(reason(&b, 0), NODE_DOWN_NOT_UNREADY_LONG_ENOUGH);
    scan(&b, SIM_HOUR + 20 * SIM_MINUTE + 1);
    cr_expect_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, keeps_to_the_limits_of_pool_and_cluster)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    for (int i = 0; i < 20; i++)
        pend(&b, 0, 0);
    b.groups[0].max = 4;
    scan(&b, SIM_MINUTE);
    cr_expect_eq(b.plan.scale_ups[0].count, 4, "%s", b.plan.words);
    cr_expect_eq(b.plan.pods_helped, 4);
    cr_expect_eq(b.plan.pods_unhelped, 16);
    b.groups[0].target = 4;
    scan(&b, 2 * SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_NO_OPTION);
    cr_expect_eq(b.plan.group_reasons[0], NODE_GROUP_AT_MAX);
    b.groups[0].max = 40;
    b.config.max_nodes_total = 7;
    scan(&b, 3 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_scale_ups, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.scale_ups[0].count, 3);
    b.groups[0].target = 7;
    scan(&b, 4 * SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_MAX_NODES_TOTAL, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, spreads_over_similar_pools_only_when_asked)
{
    for (int balance = 0; balance <= 1; balance++) {
        struct bed b;
        bed_init(&b, 2);
        b.groups[0].label_class = b.groups[1].label_class = 7;
        b.config.balance_similar = balance != 0;
        b.config.expanders[0] = NODE_EXPANDER_PRIORITY;
        static const struct node_priority_rule rules[] = {{1, "spot"}};
        b.config.priorities = rules;
        b.config.n_priorities = 1;
        bed_start(&b);
        add_node(&b, 0, 0);
        put_pod(&b, 0);
        for (int i = 0; i < 6; i++)
            pend(&b, 0, 0);
        scan(&b, SIM_MINUTE);
        cr_assert_eq(b.plan.n_scale_ups, balance ? 2 : 1, "%s", b.plan.words);
        cr_expect_eq(b.plan.scale_ups[0].count, balance ? 3 : 6);
        if (balance)
            cr_expect_eq(b.plan.scale_ups[1].count, 3, "sizes 4 and 3: %s", b.plan.words);
        bed_free(&b);
    }
}

Test(node_scaler, pods_below_the_priority_cutoff_neither_buy_nor_keep_a_node)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    b.owners[0].priority = -11;
    pend(&b, 0, 0);
    scan(&b, SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_NOT_NEEDED);
    b.owners[0].priority = -10;
    scan(&b, 2 * SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_DONE);
    b.view.n_pending = 0;
    b.owners[0].priority = -11;
    add_node(&b, 0, 0);
    put_pod(&b, 0);
    scan(&b, SIM_HOUR);
    cr_expect_eq(b.plan.n_unneeded, 1, "%s", b.plan.words);
    bed_free(&b);
}

Test(node_scaler, daemon_pods_take_room_on_new_nodes_and_go_with_their_node)
{
    struct bed b;
    bed_init(&b, 1);
    b.groups[0].daemon_cpu_milli = 6500; /* leaves 1500m of 8000m: the pod wants 2000m */
    bed_start(&b);
    pend(&b, 0, 0);
    scan(&b, SIM_MINUTE);
    cr_expect_eq(b.plan.group_reasons[0], NODE_GROUP_NO_POD_FITS, "%s", b.plan.words);
    b.view.n_pending = 0;
    add_node(&b, 0, 0);
    put_pod(&b, 2);
    scan(&b, SIM_HOUR);
    scan(&b, SIM_HOUR + 11 * SIM_MINUTE);
    cr_assert_eq(b.plan.n_deletions, 1, "%s", b.plan.words);
    cr_expect_eq(b.plan.deletions[0].how, NODE_DELETION_EMPTY);
    bed_free(&b);
}

Test(node_scaler, without_scale_up_from_zero_a_cluster_without_ready_nodes_stays_empty)
{
    struct bed b;
    bed_init(&b, 2);
    b.config.scale_up_from_zero = false;
    bed_start(&b);
    pend(&b, 0, 0);
    scan(&b, SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_NO_READY_NODE, "%s", b.plan.words);
    b.groups[1].autoscaled = false;
    add_node(&b, 1, 0);
    put_pod(&b, 0);
    scan(&b, 2 * SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_DONE, "%s", b.plan.words);
    cr_expect_eq(b.plan.scale_ups[0].group, 0);
    bed_free(&b);
}

Test(node_scaler, the_list_of_unneeded_nodes_grows_by_twenty_a_scan)
{
    struct bed b;
    bed_init(&b, 1);
    b.groups[0].max = 40;
    bed_start(&b);
    for (int i = 0; i < 35; i++)
        add_node(&b, 0, 0);
    scan(&b, SIM_HOUR);
    cr_expect_eq(b.plan.n_unneeded, 20);
    cr_expect_eq(reason(&b, 34), NODE_DOWN_LIST_FULL);
    scan(&b, SIM_HOUR + 10 * SIM_SECOND);
    cr_expect_eq(b.plan.n_unneeded, 35);
    bed_free(&b);
}

Test(node_scaler, the_next_scan_comes_at_once_after_a_productive_one_with_frequent_loops)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    scan(&b, SIM_MINUTE);
    cr_expect_eq(b.plan.next_scan, SIM_MINUTE + 10 * SIM_SECOND);
    pend(&b, 1, 0);
    scan(&b, 2 * SIM_MINUTE);
    cr_expect_eq(b.plan.next_scan, 2 * SIM_MINUTE + SIM_SECOND);
    b.config.frequent_loops = false;
    b.groups[0].target = 1;
    pend(&b, 0, 0);
    pend(&b, 0, 0);
    scan(&b, 3 * SIM_MINUTE);
    cr_expect_eq(b.plan.up_reason, NODE_UP_DONE, "%s", b.plan.words);
    cr_expect_eq(b.plan.next_scan, 3 * SIM_MINUTE + 10 * SIM_SECOND);
    bed_free(&b);
}

Test(node_scaler, a_flat_load_moves_nothing)
{
    struct bed b;
    bed_init(&b, 1);
    b.groups[0].shape.gpus = 2;
    bed_start(&b);
    for (int i = 0; i < 5; i++) {
        add_node(&b, 0, 0);
        put_pod(&b, 0);
        put_pod(&b, 0);
    }
    for (sim_ns t = SIM_HOUR; t < SIM_HOUR + SIM_DAY; t += 10 * SIM_SECOND) {
        scan(&b, t);
        cr_assert_eq(b.plan.n_deletions + b.plan.n_scale_ups + b.plan.n_cuts, 0, "%s",
                     b.plan.words);
    }
    bed_free(&b);
}

Test(node_scaler, the_same_views_give_the_same_plans)
{
    char words[2][200];
    for (int k = 0; k < 2; k++) {
        struct bed b;
        bed_init(&b, 3);
        b.config.expanders[0] = NODE_EXPANDER_RANDOM;
        bed_start(&b);
        pend(&b, 1, 0);
        if (k == 0)
            scan(&b, SIM_SECOND); /* too young: an extra scan must not shift the draw */
        scan(&b, SIM_MINUTE);
        memcpy(words[k], b.plan.words, sizeof words[k]);
        bed_free(&b);
    }
    cr_expect_str_eq(words[0], words[1]);
}

Test(node_scaler, refuses_a_view_beyond_its_limits, .signal = SIGABRT)
{
    struct bed b;
    bed_init(&b, 1);
    bed_start(&b);
    b.view.n_pending = PENDING + 1;
    scan(&b, 0);
}
