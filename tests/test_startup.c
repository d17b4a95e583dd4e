/* test_startup: phases of pods, what they share, probes. */
#include "models/capacity/startup.h"
#include "sim/recorder.h"
#include "sim/result.h"
#include "sim/sim.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define S SIM_SECOND
#define PODS 4
#define NODES 2

/* What was heard of each pod. */
static struct heard {
    sim_ns loading, ready, unlisted;
    int restarts;
    bool listed;
} heard[PODS];

static void on_loading(void *self, sim_ns now, uint32_t pod, bool listed)
{
    (void)self;
    heard[pod].loading = now;
    heard[pod].listed = listed;
}

static void on_unlisted(void *self, sim_ns now, uint32_t pod)
{
    (void)self;
    heard[pod].unlisted = now;
    heard[pod].restarts++;
}

static void on_ready(void *self, sim_ns now, uint32_t pod)
{
    (void)self;
    heard[pod].ready = now;
}

struct bench {
    struct sim *sim;
    struct recorder *recorder;
    struct startup *startup;
    struct result result;
};
static const char *names[] = {"a", "b"};
static const char *pods[] = {"a-0", "a-1", "a-2", "a-3"};

static struct bench bench_of(const struct startup_config *configs, size_t n_owners, uint64_t seed)
{
    struct err e = {0};
    struct bench b = {.sim = sim_create(256, &e)};
    struct recorder_config rc = {3600 * S, 16, 256, 256, 16, 64};
    b.recorder = recorder_create(&rc, &e);
    struct startup_setup s = {
        .configs = configs,
        .owner_names = names,
        .n_owners = n_owners,
        .max_pods = PODS,
        .max_nodes = NODES,
        .sim = b.sim,
        .recorder = b.recorder,
        .seed = seed,
        .loading = on_loading,
        .unlisted = on_unlisted,
        .ready = on_ready,
    };
    b.startup = startup_create(&s, &e);
    cr_assert(b.startup, "%s: %s", e.where, e.msg);
    memset(heard, 0, sizeof heard);
    return b;
}

static void play(struct bench *b, sim_ns until)
{
    while (sim_next(b->sim) < until)
        sim_step(b->sim);
}

static void nothing(void *self, sim_ns now, uint64_t arg)
{
    (void)self, (void)now, (void)arg;
}

/* Plays up to and with `at`, where the clock stands then. */
static void play_to(struct bench *b, sim_ns at)
{
    sim_at(b->sim, at, SIM_MARK, nothing, NULL, 0);
    play(b, at + 1);
}

static double figure(const struct bench *b, const char *path)
{
    const struct figure *f = result_figure(&b->result, path);
    cr_assert(f, "no figure %s", path);
    return f->value;
}

static void close_bench(struct bench *b)
{
    startup_close(b->startup);
    recorder_close(b->recorder, &b->result);
}

static void drop_bench(struct bench *b)
{
    startup_destroy(b->startup);
    recorder_destroy(b->recorder);
    sim_destroy(b->sim);
}

static void begin(struct bench *b, uint32_t slot, uint32_t owner, uint32_t node)
{
    sim_ns now = sim_now(b->sim);
    struct startup_pod p = {.slot = slot,
                            .owner = owner,
                            .number = slot,
                            .node = node,
                            .created = now,
                            .name = pods[slot]};
    startup_begin(b->startup, now, &p);
}

/* 1000 MB at 100 MB/s, mount 2, start 1, model 400 MB at 100 MB/s, framework 3, warm-up 5. */
static struct startup_config plain(void)
{
    return (struct startup_config){
        .image = {.size = 1000000000, .bandwidth = 100000000},
        .model = {.size = 400000000, .bandwidth = 100000000},
        .volume_mount = dist_constant(2e9),
        .container_start = dist_constant(1e9),
        .framework_init = dist_constant(3e9),
        .warm_up = dist_constant(5e9),
    };
}

Test(startup, phases_follow_each_other_and_add_up)
{
    struct startup_config c = plain();
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 13 * S);
    cr_assert(heard[0].listed, "no readiness probe: an endpoint that refuses");
    cr_assert_eq(heard[0].ready, 25 * S);
    close_bench(&b);
    cr_assert_float_eq(figure(&b, "startup.imagePull.mean"), 10, 1e-9);
    cr_assert_float_eq(figure(&b, "startup.modelLoad.mean"), 4, 1e-9);
    cr_assert_float_eq(figure(&b, "startup.total.mean"), 25, 1e-9);
    sim_ns spans = 0;
    for (size_t i = 0; i < b.result.n_spans; i++)
        spans += b.result.spans[i].to - b.result.spans[i].from;
    cr_assert_eq(spans, 25 * S);
    drop_bench(&b);
}

Test(startup, pods_on_a_node_share_one_pull_and_later_ones_find_the_image)
{
    struct startup_config c = plain();
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, 0);
    begin(&b, 2, 0, 1);
    play_to(&b, 11 * S);
    startup_end(b.startup, 11 * S, 2);
    begin(&b, 2, 0, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 13 * S, "one download at the full rate");
    cr_assert_eq(heard[1].loading, 13 * S);
    cr_assert_eq(heard[2].loading, 14 * S, "the image is there");
    drop_bench(&b);
}

Test(startup, two_images_share_the_rate_of_a_node)
{
    struct startup_config c[2] = {plain(), plain()};
    struct bench b = bench_of(c, 2, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 1, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 23 * S);
    cr_assert_eq(heard[1].loading, 23 * S);
    drop_bench(&b);
    c[0].image.name = c[1].image.name = "tensorflow/serving:1.15.0-gpu";
    b = bench_of(c, 2, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 1, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[1].loading, 13 * S, "the same image is pulled once");
    drop_bench(&b);
}

Test(startup, who_waits_for_a_pull_takes_it_over_when_the_puller_goes)
{
    struct startup_config c = plain();
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, 0);
    play_to(&b, 4 * S);
    startup_end(b.startup, 4 * S, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].ready, 0);
    cr_assert_eq(heard[1].loading, 13 * S);
    drop_bench(&b);
}

Test(startup, pods_that_load_at_once_share_the_store)
{
    struct startup_config c = plain();
    c.model.shared_bandwidth = 100000000;
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, 1);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].ready, 13 * S + 8 * S + 8 * S, "4 s alone, 8 s together");
    cr_assert_eq(heard[1].ready, heard[0].ready);
    drop_bench(&b);
}

Test(startup, a_probe_has_patience_up_to_its_last_failure)
{
    static const struct {
        struct startup_probe probe;
        sim_ns patience;
    } rows[] = {{{30 * S, 5 * S, 30}, 175 * S}, {{30 * S, 5 * S, 3}, 40 * S}, {{0, 10 * S, 1}, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        cr_assert_eq(startup_probe_patience(&rows[i].probe), rows[i].patience, "row %zu", i);
}

/* Arena's probe: first look after 30 s, each 5 s, 30 failures: the 30th comes 175 s after the
 * container's start. */
Test(startup, liveness_restarts_a_pod_that_loads_too_long)
{
    struct startup_probe arena = {30 * S, 5 * S, 30};
    struct startup_config c = plain();
    c.liveness = &arena;
    c.model.time = dist_constant(400e9);
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    play(&b, 13 * S + 174 * S);
    cr_assert_eq(heard[0].restarts, 0);
    play(&b, 13 * S + 176 * S);
    cr_assert_eq(heard[0].unlisted, 13 * S + 175 * S);
    play(&b, 13 * S + 176 * S + 1 * S);
    cr_assert_eq(heard[0].loading, 13 * S + 176 * S, "at once the first time, image in place");
    play(&b, 1000 * S);
    cr_assert_eq(heard[0].ready, 0, "it never gets there");
    cr_assert_eq(heard[0].restarts, 5);
    close_bench(&b);
    cr_assert_eq(figure(&b, "startup.restarts"), 5);
    drop_bench(&b);
}

Test(startup, liveness_leaves_a_pod_alone_that_answers_in_time)
{
    struct startup_probe arena = {30 * S, 5 * S, 30};
    struct startup_config c = plain();
    c.liveness = &arena;
    c.model.time = dist_constant(166e9); /* with framework and warm-up 174 s */
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].ready, 13 * S + 174 * S);
    cr_assert_eq(heard[0].restarts, 0);
    drop_bench(&b);
}

/* One load in vain, then a shorter one: the sum of the phases still is the whole time. */
Test(startup, time_lost_to_a_restart_is_counted_as_such)
{
    struct startup_probe strict = {5 * S, 1 * S, 1};
    struct startup_config c[2] = {plain(), plain()};
    c[0].liveness = &strict;
    c[0].warm_up = c[0].framework_init = dist_constant(0);
    c[0].model = (struct startup_model){
        .size = 400000000, .bandwidth = 100000000, .shared_bandwidth = 100000000, .store = "oss"};
    c[1].model = c[0].model;
    struct bench b = bench_of(c, 2, 1);
    begin(&b, 0, 0, 0); /* shares the store with the other one: 8 s, but the probe allows 5 */
    begin(&b, 1, 1, 1);
    play(&b, 3600 * S);
    cr_assert_gt(heard[0].restarts, 0);
    cr_assert_gt(heard[0].ready, 0);
    close_bench(&b);
    static const char *const phases[] = {"imagePull", "volumeMount",   "containerStart",
                                         "modelLoad", "frameworkInit", "warmUp",
                                         "readiness", "restart",       "waitNode"};
    double sum = 0;
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) {
        char path[64];
        snprintf(path, sizeof path, "startup.%s.mean", phases[i]);
        sum += figure(&b, path);
    }
    cr_assert_float_eq(sum, figure(&b, "startup.total.mean"), 1e-9);
    cr_assert_geq(figure(&b, "startup.restart.max"), 5);
    drop_bench(&b);
}

Test(startup, a_readiness_probe_holds_the_address_back_until_it_looks)
{
    struct startup_probe ready = {20 * S, 10 * S, 3};
    struct startup_config c = plain();
    c.readiness = &ready;
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0); /* container at 13, serves at 25; looks at 33, 43, ... */
    play(&b, 3600 * S);
    cr_assert(!heard[0].listed);
    cr_assert_eq(heard[0].ready, 33 * S);
    drop_bench(&b);
}

/* Another pod's presence changes nothing about this pod's draws. */
Test(startup, draws_belong_to_the_pod)
{
    struct startup_config c = plain();
    c.framework_init = dist_lognormal_median(3e9, 0.5);
    c.model = (struct startup_model){0};
    struct bench b = bench_of(&c, 1, 7);
    begin(&b, 1, 0, 1);
    play(&b, 3600 * S);
    sim_ns alone = heard[1].ready;
    drop_bench(&b);
    b = bench_of(&c, 1, 7);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, 1);
    play(&b, 3600 * S);
    cr_assert_eq(heard[1].ready, alone);
    cr_assert_neq(heard[0].ready, alone);
    drop_bench(&b);
}

/* Two nodes pull 1000 MB at 100 MB/s each from a registry that gives 100 MB/s in all: 20 s. A
 * third begins at 10 s: the first two have 500 MB left each and get a third of the rate, 15 s; then
 * the third has 500 MB left for itself, 5 s. */
Test(startup, nodes_that_pull_at_once_share_the_registry)
{
    struct startup_config c = plain();
    c.image.shared_bandwidth = 100000000;
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, 1);
    play_to(&b, 10 * S);
    begin(&b, 2, 0, UINT32_MAX); /* a place of its own */
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 25 * S + 3 * S);
    cr_assert_eq(heard[1].loading, 25 * S + 3 * S);
    cr_assert_eq(heard[2].loading, 30 * S + 3 * S);
    drop_bench(&b);
}

/* Two services, one registry by name; with another name each has it for itself. */
Test(startup, services_of_one_registry_share_it)
{
    struct startup_config c[2] = {plain(), plain()};
    c[0].image.shared_bandwidth = c[1].image.shared_bandwidth = 100000000;
    c[0].image.registry = c[1].image.registry = "one";
    struct bench b = bench_of(c, 2, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 1, 1);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 23 * S);
    cr_assert_eq(heard[1].loading, 23 * S);
    drop_bench(&b);
    c[1].image.registry = "two";
    b = bench_of(c, 2, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 1, 1);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 13 * S);
    drop_bench(&b);
}

Test(startup, a_slow_registry_slows_what_is_on_its_way_to_any_place)
{
    struct startup_config c = plain();
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, UINT32_MAX);
    play_to(&b, 5 * S);
    startup_slow_pulls(b.startup, 5 * S, 10);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 5 * S + 50 * S + 3 * S, "the half that was left at a tenth");
    cr_assert_eq(heard[1].loading, 5 * S + 50 * S + 3 * S);
    drop_bench(&b);
}

/* The image is on the node, and 64 MB of it are read at 8 MB/s on first touch. */
Test(startup, a_lazily_loaded_image_costs_its_first_use)
{
    struct startup_config c = plain();
    c.image.cached = true;
    c.image.lazy = &(struct startup_lazy){0.064, 8000000};
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    play_to(&b, 30 * S);
    begin(&b, 1, 0, 0); /* finds them read */
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 3 * S, "the container starts at once");
    cr_assert_eq(heard[0].ready, 3 * S + 8 * S + 12 * S);
    cr_assert_eq(heard[1].ready, 30 * S + 3 * S + 12 * S);
    close_bench(&b);
    cr_assert_eq(figure(&b, "startup.imagePull.max"), 0);
    cr_assert_eq(figure(&b, "startup.firstUse.max"), 8);
    drop_bench(&b);
}

/* Whatever the probe ends, the bytes that were read stay. 1000 MB at 10 MB/s are 100 s; the probe
 * allows 40 s each time. */
Test(startup, a_restart_does_not_read_again_what_it_has_touched)
{
    struct startup_probe strict = {40 * S, 1 * S, 1};
    struct startup_config c = plain();
    c.liveness = &strict;
    c.image.lazy = &(struct startup_lazy){1, 10000000};
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].restarts, 2, "40 + 40 + 20 s");
    /* 3 + 40, 1 + 40, back-off 10 + 1 + 20 + 12 */
    cr_assert_eq(heard[0].ready, 127 * S);
    drop_bench(&b);
}

Test(startup, layers_that_are_there_are_not_pulled)
{
    struct startup_config c = plain();
    c.image.cached_share = 0.75;
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    begin(&b, 1, 0, UINT32_MAX); /* nothing is there on a place of its own */
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 2500 * SIM_MS + 3 * S);
    cr_assert_eq(heard[1].loading, 13 * S);
    drop_bench(&b);
}

Test(startup, a_download_may_have_a_time_of_its_own)
{
    struct startup_config c = plain();
    c.image.time = dist_constant(40e9);
    struct bench b = bench_of(&c, 1, 1);
    begin(&b, 0, 0, 0);
    play_to(&b, 20 * S);
    begin(&b, 1, 0, 0);
    play(&b, 3600 * S);
    cr_assert_eq(heard[0].loading, 43 * S);
    cr_assert_eq(heard[1].loading, 43 * S, "it joins");
    drop_bench(&b);
}

/* Asked for at 0, node bought at 30, Ready at 120, with its GPUs at 180, placed at 190. */
Test(startup, the_wait_for_a_node_is_told_apart_and_the_longest_phase_is_named)
{
    struct startup_config c = plain();
    struct bench b = bench_of(&c, 1, 1);
    play_to(&b, 190 * S);
    struct startup_pod p = {.node = 0,
                            .name = pods[0],
                            .node_bought = 30 * S,
                            .node_ready = 120 * S,
                            .node_complete = 180 * S};
    startup_begin(b.startup, 190 * S, &p);
    play(&b, 3600 * S);
    close_bench(&b);
    cr_assert_eq(figure(&b, "startup.waitNode.mean"), 40);
    cr_assert_eq(figure(&b, "startup.nodeBoot.mean"), 90);
    cr_assert_eq(figure(&b, "startup.gpuReady.mean"), 60);
    cr_assert_eq(figure(&b, "startup.total.mean"), 215);
    cr_assert_float_eq(figure(&b, "startup.nodeBoot.share"), 90.0 / 215, 1e-12);
    cr_assert_eq(figure(&b, "startup.nodeBoot.longest"), 1);
    cr_assert_eq(figure(&b, "startup.gpuReady.longest"), 0);
    cr_assert_str_eq(b.result.findings[0].code, "startup-critical");
    sim_ns at = 0;
    for (size_t i = 0; i < b.result.n_spans; i++) {
        cr_assert_eq(b.result.spans[i].from, at, "no gap before %s", b.result.spans[i].phase);
        at = b.result.spans[i].to;
    }
    cr_assert_eq(at, 215 * S);
    drop_bench(&b);
}

Test(startup, names_a_registry_that_the_catalogue_lacks)
{
    struct err e = {0};
    struct startup_config c = plain();
    c.image.bandwidth = 0;
    c.image.registry = "vcp";
    struct sim *sim = sim_create(16, &e);
    struct recorder_config rc = {S, 4, 4, 4, 4, 4};
    struct recorder *r = recorder_create(&rc, &e);
    struct startup_setup s = {.configs = &c,
                              .owner_names = names,
                              .n_owners = 1,
                              .max_pods = 1,
                              .sim = sim,
                              .recorder = r,
                              .loading = on_loading,
                              .unlisted = on_unlisted,
                              .ready = on_ready};
    cr_assert_null(startup_create(&s, &e));
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.where, "services.a.startup.image.registry");
    recorder_destroy(r);
    sim_destroy(sim);
}
