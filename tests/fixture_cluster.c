/* fixture_cluster: a cluster, its clock and owners that keep a number of replicas, for tests. */
#include "tests/fixture_cluster.h"

#include "models/capacity/catalog.h"
#include "models/capacity/drill.h"
#include "models/capacity/virtual_node.h"
#include "models/control/node_settings.h"
#include "scenarios/run/bind.h"
#include "scenarios/run/catalog_files.h"
#include "sim/arena.h"
#include "sim/json.h"

#include <criterion/criterion.h>
#include <string.h>

struct service {
    const char *name;
    struct pod_shape pod;
    struct startup_config startup;
    bool instant;
};

static const struct knob service_rows[] = {
    {.key = "name", .kind = KNOB_TEXT, .offset = offsetof(struct service, name), .doc = "Name."},
    {.key = "pod",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service, pod),
     .doc = "Shape.",
     .preset = "{}",
     .table = &pod_shape_knobs},
    {.key = "startup",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct service, startup),
     .doc = "Phases.",
     .preset = "{}",
     .table = &startup_knobs},
    {.key = "instant",
     .kind = KNOB_BOOL,
     .offset = offsetof(struct service, instant),
     .doc = "No phases.",
     .preset = "false"},
    {0},
};
static const struct knob_table service_table = {
    .name = "service", .doc = "A service.", .rows = service_rows, .size = sizeof(struct service)};

struct file {
    struct cluster_config cluster;
    struct knob_texts drills;
    struct knob_list services;
};

static const struct knob file_rows[] = {
    {.key = "nodePools",
     .kind = KNOB_LIST,
     .offset = offsetof(struct file, cluster.pools),
     .doc = "Pools.",
     .preset = "",
     .table = &pool_knobs},
    {.key = "clusterAutoscaler",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct file, cluster.autoscaler),
     .doc = "Scaler.",
     .preset = "",
     .table = &node_settings_knobs},
    {.key = "virtualNode",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct file, cluster.virtual_node),
     .doc = "Virtual node.",
     .preset = "",
     .table = &virtual_node_knobs},
    {.key = "account",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct file, cluster.account),
     .doc = "Quotas.",
     .preset = "{}",
     .table = &account_knobs},
    {.key = "scheduler",
     .kind = KNOB_OBJECT,
     .offset = offsetof(struct file, cluster.scheduler),
     .doc = "Scheduler.",
     .preset = "{}",
     .table = &scheduler_knobs},
    {.key = "drills",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct file, drills),
     .doc = "Drills.",
     .preset = ""},
    {.key = "maxPods",
     .kind = KNOB_INT,
     .offset = offsetof(struct file, cluster.max_pods),
     .doc = "Limit.",
     .preset = "256"},
    {.key = "maxNodes",
     .kind = KNOB_INT,
     .offset = offsetof(struct file, cluster.max_nodes),
     .doc = "Limit.",
     .preset = "0"},
    {.key = "currency",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct file, cluster.currency),
     .doc = "Currency.",
     .preset = "CNY"},
    {.key = "services",
     .kind = KNOB_LIST,
     .offset = offsetof(struct file, services),
     .doc = "Services.",
     .table = &service_table},
    {0},
};
static const struct knob_table file_table = {
    .name = "file", .doc = "A cluster.", .rows = file_rows, .size = sizeof(struct file)};

/* ---- owners ---- */

static void note(struct fixture_cluster *f, struct fixture_seen seen)
{
    f->counts[seen.call]++;
    if (f->n_seen < FIXTURE_CALLS)
        f->seen[f->n_seen++] = seen;
}

static void on_listed(void *self, sim_ns now, struct pod_ref pod, uint32_t owner)
{
    note(self, (struct fixture_seen){CALL_LISTED, now, pod, owner, 0, 0});
}

static void on_ready(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, uint32_t gpu)
{
    note(self, (struct fixture_seen){CALL_READY, now, pod, owner, gpu, 0});
}

static void release(void *self, sim_ns now, uint64_t arg)
{
    struct fixture_cluster *f = self;
    (void)now;
    cluster_release(f->cluster, (struct pod_ref){(uint32_t)arg, (uint32_t)(arg >> 32)});
}

static void drain(struct fixture_cluster *f, sim_ns now, struct pod_ref pod)
{
    sim_at(f->sim, now + f->drain_ns, SIM_PHASE, release, f,
           (uint64_t)pod.generation << 32 | pod.slot);
}

static void on_evicted(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, enum pod_end why)
{
    struct fixture_cluster *f = self;
    note(f, (struct fixture_seen){CALL_EVICTED, now, pod, owner, 0, why});
    drain(f, now, pod);
    cluster_ask(f->cluster, owner);
}

static void on_dead(void *self, sim_ns now, struct pod_ref pod, uint32_t owner)
{
    note(self, (struct fixture_seen){CALL_DEAD, now, pod, owner, 0, 0});
}

static size_t alive(const struct fixture_cluster *f, uint32_t owner)
{
    struct pod_view pods[512];
    size_t n = cluster_pods(f->cluster, owner, pods, 512), alive = 0;
    for (size_t i = 0; i < n; i++)
        alive += pods[i].phase != POD_TERMINATING;
    return alive;
}

static void top_up(struct fixture_cluster *f, uint32_t owner)
{
    for (size_t n = alive(f, owner); n < (size_t)f->want[owner]; n++)
        if (cluster_ask(f->cluster, owner).generation == 0)
            return;
}

static void on_gone(void *self, sim_ns now, struct pod_ref pod, uint32_t owner, enum pod_end why)
{
    struct fixture_cluster *f = self;
    note(f, (struct fixture_seen){CALL_GONE, now, pod, owner, 0, why});
    top_up(f, owner);
}

static void on_unlisted(void *self, sim_ns now, struct pod_ref pod, uint32_t owner,
                        enum pod_end why)
{
    note(self, (struct fixture_seen){CALL_UNLISTED, now, pod, owner, 0, why});
}

void fixture_want(struct fixture_cluster *f, uint32_t owner, int32_t replicas)
{
    f->want[owner] = replicas;
    cluster_want(f->cluster, sim_now(f->sim), owner, replicas);
    top_up(f, owner);
    struct pod_view pods[512];
    size_t n = cluster_pods(f->cluster, owner, pods, 512);
    size_t surplus = alive(f, owner) > (size_t)replicas ? alive(f, owner) - (size_t)replicas : 0;
    for (size_t i = n; i-- > 0 && surplus > 0;)
        if (pods[i].phase != POD_TERMINATING) {
            surplus--;
            if (!cluster_delete(f->cluster, pods[i].ref, POD_END_SCALE_IN))
                drain(f, sim_now(f->sim), pods[i].ref);
        }
}

static void on_want(void *self, sim_ns now, uint64_t arg)
{
    (void)now;
    fixture_want(self, (uint32_t)(arg >> 32), (int32_t)(uint32_t)arg);
}

void fixture_want_at(struct fixture_cluster *f, sim_ns at, uint32_t owner, int32_t replicas)
{
    sim_at(f->sim, at, SIM_PASS, on_want, f, (uint64_t)owner << 32 | (uint32_t)replicas);
}

/* ---- life ---- */

/* Markets with certain ends, after the shipped ones: `harsh` takes every machine back at the first
 * check after its protection and then sells none for two hours; `plenty` is as harsh and always
 * has stock; `steps` moves its price each half hour and takes nothing back. */
#define ECS_RULES .check = 5 * SIM_MINUTE, .notice = 300 * SIM_SECOND, .protection = 6 * SIM_HOUR
static struct spot_hazard surely = {0, 1000}, never = {0, 0};
static struct spot_preset markets[] = {
    {.name = "harsh",
     .hazards = {&surely, 1},
     ECS_RULES,
     .price_share = 0.3,
     .price_low = 0.1,
     .price_high = 1,
     .stock_out_share = 1,
     .stock_out = {.kind = DIST_CONSTANT, .a = 7200e9, .mean = 7200e9}},
    {.name = "plenty",
     .hazards = {&surely, 1},
     ECS_RULES,
     .price_share = 0.3,
     .price_low = 0.1,
     .price_high = 1},
    {.name = "steps",
     .hazards = {&never, 1},
     ECS_RULES,
     .price_share = 0.3,
     .price_low = 0.1,
     .price_high = 1,
     .price_step = 30 * SIM_MINUTE,
     .price_reversion = 0.2,
     .price_deviation = 0.1},
};

static const struct catalog *with_markets(struct arena *a, const struct catalog *shipped,
                                          struct err *e)
{
    struct catalog_part *parts = arena_take(a, shipped->n_parts + 1, sizeof *parts, e);
    struct catalog *c = arena_take(a, 1, sizeof *c, e);
    memcpy(parts, shipped->parts, shipped->n_parts * sizeof *parts);
    parts[shipped->n_parts].spots = (struct knob_list){markets, sizeof markets / sizeof markets[0]};
    *c = (struct catalog){parts, shipped->n_parts + 1};
    return c;
}

static void bind_file(struct fixture_cluster *f, const char *text)
{
    struct err e = {0};
    struct bind b = {.arena = f->arena};
    struct file *file = arena_take(f->arena, 1, sizeof *file, &e);
    struct json *root = json_parse(f->arena, "fixture", text, strlen(text), &e);
    cr_assert(root && bind_object(&b, root, "", &file_table, file, &e) == 0, "%s: %s", e.where,
              e.msg);
    f->config = file->cluster;
    f->n_owners = file->services.count;
    cr_assert_leq(f->n_owners, FIXTURE_OWNERS);
    struct drill *drills = arena_take(f->arena, file->drills.count + 1, sizeof *drills, &e);
    for (size_t i = 0; i < file->drills.count; i++)
        cr_assert_eq(drill_parse(file->drills.items[i], &drills[i], &e), 0, "%s", e.msg);
    f->config.drills = drills;
    f->config.n_drills = file->drills.count;
    const struct service *services = file->services.items;
    for (size_t i = 0; i < f->n_owners; i++) {
        f->shapes[i] = services[i].pod;
        f->shapes[i].name = services[i].name;
        f->startups[i] = services[i].startup;
        f->startups[i].instant = services[i].instant;
    }
}

bool fixture_try(struct fixture_cluster *f, const char *text, sim_ns horizon, struct err *e)
{
    uint64_t seed = f->seed;
    memset(f, 0, sizeof *f);
    f->seed = seed;
    f->horizon = horizon;
    f->drain_ns = SIM_SECOND;
    f->arena = arena_create(e);
    bind_file(f, text);
    struct catalog_source source = {.dir = SLUICE_SOURCE_DIR "/scenarios/catalog"};
    f->catalog = catalog_files_load(f->arena, &source, e);
    f->sim = sim_create(16384, e);
    struct recorder_config rc = {horizon, 64, 20000, 20000, 20000, 256};
    f->recorder = recorder_create(&rc, e);
    cr_assert(f->catalog && f->sim && f->recorder, "%s", e->msg);
    f->catalog = with_markets(f->arena, f->catalog, e);
    struct cluster_setup set = {
        .config = &f->config,
        .catalog = f->catalog,
        .shapes = f->shapes,
        .startups = f->startups,
        .n_owners = f->n_owners,
        .up = {.self = f,
               .pod_listed = on_listed,
               .pod_ready = on_ready,
               .pod_evicted = on_evicted,
               .pod_dead = on_dead,
               .pod_gone = on_gone,
               .pod_unlisted = on_unlisted},
        .sim = f->sim,
        .recorder = f->recorder,
        .horizon = horizon,
        .seed = f->seed,
    };
    f->cluster = cluster_create(&set, e);
    return f->cluster != NULL;
}

void fixture_open(struct fixture_cluster *f, const char *text, sim_ns horizon, uint64_t seed)
{
    struct err e = {0};
    f->seed = seed;
    cr_assert(fixture_try(f, text, horizon, &e), "%s: %s", e.where, e.msg);
}

void fixture_start(struct fixture_cluster *f)
{
    cluster_start(f->cluster);
}

void fixture_run(struct fixture_cluster *f, sim_ns until)
{
    sim_ns last = sim_now(f->sim);
    while (sim_next(f->sim) < until) {
        sim_step(f->sim);
        cr_assert_geq(sim_now(f->sim), last, "the clock went back");
        last = sim_now(f->sim);
    }
    cr_assert(!sim_full(f->sim));
}

void fixture_close(struct fixture_cluster *f)
{
    struct err e = {0};
    fixture_run(f, f->horizon);
    cr_assert_eq(cluster_failed(f->cluster, &e), 0, "%s: %s", e.where, e.msg);
    cluster_close(f->cluster);
    recorder_close(f->recorder, &f->result);
}

void fixture_fini(struct fixture_cluster *f)
{
    cluster_destroy(f->cluster);
    recorder_destroy(f->recorder);
    sim_destroy(f->sim);
    arena_destroy(f->arena);
}

const struct fixture_seen *fixture_call(const struct fixture_cluster *f, enum fixture_call call,
                                        size_t n)
{
    for (size_t i = 0; i < f->n_seen; i++)
        if (f->seen[i].call == call && n-- == 0)
            return &f->seen[i];
    cr_assert_fail("only %zu calls of kind %d", f->counts[call], (int)call);
    return NULL;
}

double fixture_figure(const struct fixture_cluster *f, const char *path)
{
    const struct figure *figure = result_figure(&f->result, path);
    cr_assert(figure, "no figure %s", path);
    return figure->value;
}

size_t fixture_logged(const struct fixture_cluster *f, const char *subject, const char *what)
{
    size_t n = 0;
    for (size_t i = 0; i < f->result.n_entries; i++) {
        const struct result_entry *e = &f->result.entries[i];
        n += (!subject || strstr(e->subject, subject)) && (!what || strstr(e->what, what));
    }
    return n;
}

const char *fixture_told(const struct fixture_cluster *f, const char *code)
{
    for (size_t i = 0; i < f->result.n_findings; i++)
        if (strcmp(f->result.findings[i].code, code) == 0)
            return f->result.findings[i].text;
    return NULL;
}
