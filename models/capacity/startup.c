/* startup: what a pod goes through between its node and its first answer. */
#include "models/capacity/startup.h"

#include "models/capacity/catalog.h"
#include "models/capacity/links.h"
#include "sim/chance.h"
#include "sim/digest.h"
#include "sim/recorder.h"
#include "sim/sim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const phase_names[] = {
    [STARTUP_WAIT_NODE] = "waitNode",
    [STARTUP_CREATE] = "create",
    [STARTUP_IMAGE_PULL] = "imagePull",
    [STARTUP_VOLUME_MOUNT] = "volumeMount",
    [STARTUP_CONTAINER_START] = "containerStart",
    [STARTUP_MODEL_LOAD] = "modelLoad",
    [STARTUP_FRAMEWORK_INIT] = "frameworkInit",
    [STARTUP_WARM_UP] = "warmUp",
    [STARTUP_READINESS] = "readiness",
    [STARTUP_RESTART] = "restart",
};

const char *startup_phase_name(enum startup_phase p)
{
    assert((unsigned)p < STARTUP_PHASES);
    return phase_names[p];
}

/* ---- the starts in progress ---- */

/* An owner's settings with the catalogue's rates filled in. */
struct owner {
    const struct startup_config *config;
    uint64_t entity;   /* of its draws */
    uint32_t image;    /* index of the first owner with the same image */
    uint32_t store;    /* link of its model store */
    int64_t pull_rate; /* bytes/s into a node; 0: at once */
    int64_t load_rate; /* bytes/s into a pod; 0: no limit of its own */
};

enum image_state { IMAGE_ABSENT, IMAGE_COMING, IMAGE_THERE };

struct run {
    struct startup_pod pod;
    bool active, listed;
    bool pulling; /* it has the flow that brings the image to the node */
    bool flowing; /* a flow of links is named after it */
    enum startup_phase phase;
    sim_ns since;                 /* of the phase */
    sim_ns spent[STARTUP_PHASES]; /* of the phases that ended */
    uint32_t attempt;             /* containers started so far, less one */
    sim_ns container_since;
    struct sim_handle next, liveness;
};

struct startup {
    struct startup_setup set;
    struct owner *owners;
    struct run *runs;
    uint8_t *images;     /* [node * n_owners + image]: enum image_state */
    double slow;         /* how many times slower images come than their rate says */
    struct links *links; /* one a node, then one a model store */
    size_t n_stores;
    /* Of pods that got ready. */
    uint64_t ready, restarts;
    double sum_s[STARTUP_PHASES], max_s[STARTUP_PHASES], total_s, total_max_s;
};

static void flow_done(void *self, sim_ns now, uint32_t flow);

static int find_rates(struct startup *s, size_t i, struct err *e)
{
    struct owner *o = &s->owners[i];
    const struct startup_image *im = &o->config->image;
    const struct startup_model *m = &o->config->model;
    char where[128];
    o->pull_rate = im->bandwidth;
    if (im->size > 0 && !im->bandwidth && !im->cached) {
        const struct catalog_store *r = catalog_registry(s->set.catalog, im->registry);
        snprintf(where, sizeof where, "services.%s.startup.image.registry", s->set.owner_names[i]);
        if (!r)
            return catalog_missing(s->set.catalog, CATALOG_REGISTRY,
                                   im->registry ? im->registry : "", where, e);
        o->pull_rate = r->bandwidth;
    }
    o->load_rate = m->bandwidth;
    if (m->size > 0 && m->time.mean <= 0 && !m->bandwidth) {
        const struct catalog_store *r = catalog_model_store(s->set.catalog, m->store);
        snprintf(where, sizeof where, "services.%s.startup.model.store", s->set.owner_names[i]);
        if (!r)
            return catalog_missing(s->set.catalog, CATALOG_STORE, m->store ? m->store : "", where,
                                   e);
        o->load_rate = r->bandwidth;
    }
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Owners that read from the same store share its link; a rate that the scenario gives goes before
 * the store's. */
static void find_store(struct startup *s, size_t i)
{
    struct owner *o = &s->owners[i];
    const struct startup_model *m = &o->config->model;
    for (size_t j = 0; j < i; j++)
        if (same_text(s->owners[j].config->model.store, m->store)) {
            o->store = s->owners[j].store;
            return;
        }
    o->store = (uint32_t)(s->set.max_nodes + s->n_stores++);
}

static int64_t store_rate(const struct startup *s, const struct startup_model *m)
{
    const struct catalog_store *r = catalog_model_store(s->set.catalog, m->store);
    if (m->shared_bandwidth)
        return m->shared_bandwidth;
    return r ? r->shared_bandwidth : 0;
}

static int64_t least_transfer(int64_t bytes, int64_t rate, const struct catalog_store *r)
{
    rate = rate ? rate : r ? r->bandwidth : 0;
    return rate > 0 ? (int64_t)((double)bytes / (double)rate * 1e9) : 0;
}

sim_ns startup_least(const struct startup_config *c, const struct catalog *catalog)
{
    const struct startup_image *im = &c->image;
    const struct startup_model *m = &c->model;
    double least = dist_least(&c->volume_mount) + dist_least(&c->container_start) +
                   dist_least(&c->framework_init) + dist_least(&c->warm_up);
    if (c->instant)
        return 0;
    if (!im->cached)
        least += dist_least(&im->overhead) +
                 (double)least_transfer(im->size, im->bandwidth,
                                        catalog_registry(catalog, im->registry));
    if (m->time.mean > 0)
        least += dist_least(&m->time);
    else
        least +=
            (double)least_transfer(m->size, m->bandwidth, catalog_model_store(catalog, m->store));
    return (sim_ns)least;
}

static uint64_t entity_of(const char *name)
{
    struct digest d = {0};
    digest_text(&d, name);
    return digest_value(&d);
}

static int make_owners(struct startup *s, struct err *e)
{
    for (size_t i = 0; i < s->set.n_owners; i++) {
        struct owner *o = &s->owners[i];
        o->config = &s->set.configs[i];
        o->entity = entity_of(s->set.owner_names[i]);
        o->image = (uint32_t)i;
        for (size_t j = 0; j < i && o->image == i; j++)
            if (same_text(s->set.configs[j].image.name, o->config->image.name))
                o->image = (uint32_t)j;
        find_store(s, i);
        if (find_rates(s, i, e))
            return -1;
    }
    return 0;
}

static int make_links(struct startup *s, struct err *e)
{
    struct links_setup set = {
        .n_links = s->set.max_nodes + s->n_stores,
        .n_flows = s->set.max_pods,
        .sim = s->set.sim,
        .self = s,
        .done = flow_done,
    };
    s->links = links_create(&set, e);
    if (!s->links)
        return -1;
    for (size_t i = s->set.n_owners; i-- > 0;)
        links_rate(s->links, sim_now(s->set.sim), s->owners[i].store,
                   store_rate(s, &s->set.configs[i].model));
    return 0;
}

struct startup *startup_create(const struct startup_setup *set, struct err *e)
{
    assert(set->sim && set->recorder && set->loading && set->ready && set->unlisted);
    struct startup *s = calloc(1, sizeof *s);
    if (s) {
        s->set = *set;
        s->slow = 1;
        s->owners = calloc(set->n_owners + 1, sizeof *s->owners);
        s->runs = calloc(set->max_pods + 1, sizeof *s->runs);
        s->images = calloc(set->max_nodes * set->n_owners + 1, 1);
    }
    if (!s || !s->owners || !s->runs || !s->images) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", set->max_pods);
    } else if (make_owners(s, e) == 0 && make_links(s, e) == 0) {
        return s;
    }
    startup_destroy(s);
    return NULL;
}

void startup_destroy(struct startup *s)
{
    if (!s)
        return;
    links_destroy(s->links);
    free(s->owners);
    free(s->runs);
    free(s->images);
    free(s);
}

/* ---- phases ---- */

static void begin_phase(struct startup *s, struct run *r, sim_ns now, enum startup_phase p);

static uint8_t *image_at(struct startup *s, uint32_t node, uint32_t owner)
{
    return &s->images[node * s->set.n_owners + s->owners[owner].image];
}

static void end_phase(struct startup *s, struct run *r, sim_ns now)
{
    r->spent[r->phase] += now - r->since;
    if (now > r->since)
        recorder_span(s->set.recorder, r->pod.name, startup_phase_name(r->phase), r->since, now);
    r->since = now;
}

static void add_figures(struct startup *s, const struct run *r, sim_ns now)
{
    double total = (double)(now - r->pod.created) / (double)SIM_SECOND;
    sim_ns sum = 0;
    for (int p = 0; p < STARTUP_PHASES; p++) {
        double seconds = (double)r->spent[p] / (double)SIM_SECOND;
        s->sum_s[p] += seconds;
        s->max_s[p] = seconds > s->max_s[p] ? seconds : s->max_s[p];
        sum += r->spent[p];
    }
    assert(sum == now - r->pod.created);
    s->total_s += total;
    s->total_max_s = total > s->total_max_s ? total : s->total_max_s;
    s->ready++;
}

static void serve(struct startup *s, struct run *r, sim_ns now)
{
    sim_cancel(s->set.sim, r->liveness);
    r->active = false;
    add_figures(s, r, now);
    s->set.ready(s->set.self, now, r->pod.slot);
}

/* The first look of the probe at or after now. */
static sim_ns next_probe(const struct startup_probe *p, sim_ns container_since, sim_ns now)
{
    sim_ns first = container_since + p->initial_delay;
    if (now <= first)
        return first;
    sim_ns looks = (now - first + p->period - 1) / p->period;
    return first + looks * p->period;
}

static void phase_over(void *self, sim_ns now, uint64_t arg)
{
    struct startup *s = self;
    struct run *r = &s->runs[arg];
    assert(r->active);
    r->next = (struct sim_handle){0};
    enum startup_phase p = r->phase;
    end_phase(s, r, now);
    if (p == STARTUP_READINESS)
        serve(s, r, now);
    else if (p == STARTUP_RESTART)
        begin_phase(s, r, now, STARTUP_CONTAINER_START);
    else
        begin_phase(s, r, now, p + 1);
}

static void phase_lasts(struct startup *s, struct run *r, sim_ns now, sim_ns lasts)
{
    r->next = sim_at(s->set.sim, now + lasts, SIM_PHASE, phase_over, s, r->pod.slot);
}

static sim_ns draw(const struct startup *s, const struct run *r, const struct dist *d)
{
    const struct owner *o = &s->owners[r->pod.owner];
    struct chance c = chance_stream(s->set.seed, s->set.replication, CHANCE_STARTUP, o->entity);
    c = chance_sub(chance_sub(c, r->pod.number), r->attempt);
    return dist_draw_ns(d, c, (uint64_t)r->phase);
}

/* ---- image ---- */

/* A pod with a place of its own pulls at the full rate. */
static sim_ns pull_alone(const struct startup *s, const struct owner *o)
{
    double seconds = (double)o->config->image.size / (double)o->pull_rate * s->slow;
    return (sim_ns)(seconds * (double)SIM_SECOND + 0.5);
}

static int64_t pull_rate(const struct startup *s, const struct owner *o)
{
    int64_t rate = (int64_t)((double)o->pull_rate / s->slow);
    return rate > 0 ? rate : 1;
}

void startup_slow_pulls(struct startup *s, sim_ns now, double factor)
{
    assert(factor >= 1);
    s->slow = factor;
    for (size_t i = 0; i < s->set.max_pods; i++)
        if (s->runs[i].pulling)
            links_rate(s->links, now, s->runs[i].pod.node,
                       pull_rate(s, &s->owners[s->runs[i].pod.owner]));
}

static void pull_bytes(struct startup *s, struct run *r, sim_ns now, int64_t bytes)
{
    struct owner *o = &s->owners[r->pod.owner];
    r->pulling = r->flowing = true;
    *image_at(s, r->pod.node, r->pod.owner) = IMAGE_COMING;
    links_rate(s->links, now, r->pod.node, pull_rate(s, o));
    links_begin(s->links, now, &(struct links_flow){r->pod.node, r->pod.slot, bytes, 0});
}

static void pull_starts(void *self, sim_ns now, uint64_t arg)
{
    struct startup *s = self;
    struct run *r = &s->runs[arg];
    const struct owner *o = &s->owners[r->pod.owner];
    r->next = (struct sim_handle){0};
    if (r->pod.node == UINT32_MAX) {
        phase_lasts(s, r, now, pull_alone(s, o));
        return;
    }
    switch ((enum image_state) * image_at(s, r->pod.node, r->pod.owner)) {
    case IMAGE_ABSENT:
        pull_bytes(s, r, now, o->config->image.size);
        break;
    case IMAGE_COMING:
        break; /* joins: the flow of another pod brings it */
    case IMAGE_THERE:
        phase_lasts(s, r, now, 0);
        break;
    }
}

static bool image_needed(struct startup *s, const struct run *r)
{
    const struct owner *o = &s->owners[r->pod.owner];
    if (o->config->image.cached || o->config->image.size == 0 || o->pull_rate == 0)
        return false;
    return r->pod.node == UINT32_MAX || *image_at(s, r->pod.node, r->pod.owner) != IMAGE_THERE;
}

static bool waits_for(const struct startup *s, const struct run *r, const struct run *puller)
{
    return r->active && r->phase == STARTUP_IMAGE_PULL && !r->pulling &&
           r->pod.node == puller->pod.node && !sim_pending(s->set.sim, r->next) &&
           s->owners[r->pod.owner].image == s->owners[puller->pod.owner].image;
}

/* The puller is one of those that wait from here on. Linear in the pod table: images come a few
 * times a node's life. */
static void image_there(struct startup *s, struct run *puller, sim_ns now)
{
    puller->pulling = false;
    *image_at(s, puller->pod.node, puller->pod.owner) = IMAGE_THERE;
    for (size_t i = 0; i < s->set.max_pods; i++)
        if (waits_for(s, &s->runs[i], puller))
            phase_lasts(s, &s->runs[i], now, 0);
}

/* The pod that pulls goes away; another that waits for the same image takes the rest over. */
static void hand_over_pull(struct startup *s, struct run *r, sim_ns now, int64_t left)
{
    r->pulling = false;
    *image_at(s, r->pod.node, r->pod.owner) = IMAGE_ABSENT;
    for (size_t i = 0; i < s->set.max_pods; i++)
        if (waits_for(s, &s->runs[i], r)) {
            pull_bytes(s, &s->runs[i], now, left > 0 ? left : 1);
            return;
        }
}

/* ---- model, liveness ---- */

static void load_model(struct startup *s, struct run *r, sim_ns now)
{
    const struct owner *o = &s->owners[r->pod.owner];
    const struct startup_model *m = &o->config->model;
    if (m->time.mean > 0 || m->size == 0) {
        phase_lasts(s, r, now, draw(s, r, &m->time));
        return;
    }
    r->flowing = true;
    links_begin(s->links, now, &(struct links_flow){o->store, r->pod.slot, m->size, o->load_rate});
}

static void flow_done(void *self, sim_ns now, uint32_t flow)
{
    struct startup *s = self;
    struct run *r = &s->runs[flow];
    assert(r->active && r->flowing);
    r->flowing = false;
    if (r->pulling)
        image_there(s, r, now);
    else
        phase_lasts(s, r, now, 0);
}

static void drop_flow(struct startup *s, struct run *r, sim_ns now)
{
    if (!r->flowing)
        return;
    int64_t left = links_end(s->links, now, r->pod.slot);
    r->flowing = false;
    if (r->pulling)
        hand_over_pull(s, r, now, left);
}

/* The kubelet's crash-loop back-off: none before the first restart, then 10 s doubling to 5 min. */
static sim_ns back_off(uint32_t attempt)
{
    sim_ns wait = 10 * SIM_SECOND;
    if (attempt <= 1)
        return 0;
    for (uint32_t i = 2; i < attempt && wait < 300 * SIM_SECOND; i++)
        wait *= 2;
    return wait < 300 * SIM_SECOND ? wait : 300 * SIM_SECOND;
}

/* Everything since the container's start was in vain: it counts as restart. */
static void write_off(struct run *r, sim_ns now)
{
    static const enum startup_phase of_container[] = {STARTUP_MODEL_LOAD, STARTUP_FRAMEWORK_INIT,
                                                      STARTUP_WARM_UP, STARTUP_READINESS};
    for (size_t i = 0; i < sizeof of_container / sizeof of_container[0]; i++)
        r->spent[of_container[i]] = 0;
    r->spent[STARTUP_RESTART] += now - r->container_since;
}

static void liveness_ends_it(void *self, sim_ns now, uint64_t arg)
{
    struct startup *s = self;
    struct run *r = &s->runs[arg];
    assert(r->active);
    r->liveness = (struct sim_handle){0};
    sim_cancel(s->set.sim, r->next);
    drop_flow(s, r, now);
    end_phase(s, r, now);
    write_off(r, now);
    r->attempt++;
    s->restarts++;
    recorder_log(s->set.recorder, now, true, r->pod.name, "restart",
                 "the liveness probe failed %d times while the model was loading",
                 (int)s->owners[r->pod.owner].config->liveness->failures);
    if (r->listed) {
        r->listed = false;
        s->set.unlisted(s->set.self, now, r->pod.slot);
    }
    r->phase = STARTUP_RESTART;
    phase_lasts(s, r, now, back_off(r->attempt));
}

/* The container runs from here on: it is listed without a readiness probe, and watched. */
static void container_runs(struct startup *s, struct run *r, sim_ns now)
{
    const struct startup_config *c = s->owners[r->pod.owner].config;
    r->container_since = now;
    r->listed = !c->readiness;
    if (c->liveness) {
        const struct startup_probe *p = c->liveness;
        sim_ns last = now + p->initial_delay + (p->failures - 1) * p->period;
        r->liveness = sim_at(s->set.sim, last, SIM_PHASE, liveness_ends_it, s, r->pod.slot);
    }
    s->set.loading(s->set.self, now, r->pod.slot, r->listed);
}

static void begin_phase(struct startup *s, struct run *r, sim_ns now, enum startup_phase p)
{
    const struct startup_config *c = s->owners[r->pod.owner].config;
    r->phase = p;
    r->since = now;
    switch (p) {
    case STARTUP_CREATE:
        phase_lasts(s, r, now, r->pod.create);
        break;
    case STARTUP_IMAGE_PULL:
        if (r->pod.node == UINT32_MAX && s->set.pulling)
            s->set.pulling(s->set.self, now, r->pod.slot);
        if (r->pod.image > 0)
            phase_lasts(s, r, now, r->pod.image);
        else if (image_needed(s, r))
            r->next = sim_at(s->set.sim, now + draw(s, r, &c->image.overhead), SIM_PHASE,
                             pull_starts, s, r->pod.slot);
        else
            phase_lasts(s, r, now, 0);
        break;
    case STARTUP_VOLUME_MOUNT:
        phase_lasts(s, r, now, draw(s, r, &c->volume_mount));
        break;
    case STARTUP_CONTAINER_START:
        phase_lasts(s, r, now, draw(s, r, &c->container_start));
        break;
    case STARTUP_MODEL_LOAD:
        container_runs(s, r, now);
        load_model(s, r, now);
        break;
    case STARTUP_FRAMEWORK_INIT:
        phase_lasts(s, r, now, draw(s, r, &c->framework_init));
        break;
    case STARTUP_WARM_UP:
        phase_lasts(s, r, now, draw(s, r, &c->warm_up));
        break;
    case STARTUP_READINESS:
        sim_cancel(s->set.sim, r->liveness); /* it answers */
        phase_lasts(s, r, now,
                    c->readiness ? next_probe(c->readiness, r->container_since, now) - now : 0);
        break;
    default:
        assert(0 && "no phase to begin");
    }
}

/* ---- calls ---- */

void startup_begin(struct startup *s, sim_ns now, const struct startup_pod *pod)
{
    assert(pod->slot < s->set.max_pods && pod->owner < s->set.n_owners);
    assert(pod->node == UINT32_MAX || pod->node < s->set.max_nodes);
    struct run *r = &s->runs[pod->slot];
    assert(!r->active);
    *r = (struct run){.pod = *pod, .active = true, .phase = STARTUP_WAIT_NODE};
    r->since = pod->created;
    end_phase(s, r, now);
    if (s->owners[pod->owner].config->instant)
        serve(s, r, now);
    else
        begin_phase(s, r, now, pod->create > 0 ? STARTUP_CREATE : STARTUP_IMAGE_PULL);
}

void startup_again(struct startup *s, sim_ns now, uint32_t pod, sim_ns wait)
{
    struct run *r = &s->runs[pod];
    assert(!r->active && r->pod.slot == pod && wait >= 0);
    r->active = true;
    r->listed = false;
    r->attempt++;
    r->pod.created = r->since = now;
    memset(r->spent, 0, sizeof r->spent);
    s->restarts++;
    r->phase = STARTUP_RESTART;
    phase_lasts(s, r, now, wait);
}

void startup_end(struct startup *s, sim_ns now, uint32_t pod)
{
    struct run *r = &s->runs[pod];
    if (!r->active)
        return;
    sim_cancel(s->set.sim, r->next);
    sim_cancel(s->set.sim, r->liveness);
    r->active = false;
    drop_flow(s, r, now);
}

void startup_node_new(struct startup *s, uint32_t node)
{
    assert(node < s->set.max_nodes);
    memset(&s->images[node * s->set.n_owners], IMAGE_ABSENT, s->set.n_owners);
}

void startup_node_cache(struct startup *s, uint32_t node, uint32_t owner)
{
    assert(node < s->set.max_nodes && owner < s->set.n_owners);
    *image_at(s, node, owner) = IMAGE_THERE;
}

void startup_close(struct startup *s)
{
    struct recorder *rec = s->set.recorder;
    double n = s->ready ? (double)s->ready : 1;
    char path[64];
    for (int p = 0; p < STARTUP_PHASES; p++) {
        if (p == STARTUP_CREATE && s->max_s[p] <= 0)
            continue; /* nothing had a place of its own */
        snprintf(path, sizeof path, "startup.%s.mean", phase_names[p]);
        recorder_figure(rec, path, "s", FIGURE_MEAN, s->sum_s[p] / n);
        snprintf(path, sizeof path, "startup.%s.max", phase_names[p]);
        recorder_figure(rec, path, "s", FIGURE_MAX, s->max_s[p]);
    }
    recorder_figure(rec, "startup.total.mean", "s", FIGURE_MEAN, s->total_s / n);
    recorder_figure(rec, "startup.total.max", "s", FIGURE_MAX, s->total_max_s);
    recorder_figure(rec, "startup.pods", "pods", FIGURE_SUM, (double)s->ready);
    recorder_figure(rec, "startup.restarts", "restarts", FIGURE_SUM, (double)s->restarts);
}
