/* startup: what a pod goes through between its node and its first answer. */
#include "models/capacity/startup.h"

#include "models/capacity/catalog.h"
#include "models/capacity/links.h"
#include "models/capacity/startup_source.h"
#include "models/capacity/startup_tally.h"
#include "sim/chance.h"
#include "sim/digest.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the starts in progress ---- */

/* An owner's settings with the catalogue's rates filled in. */
struct owner {
    const struct startup_config *config;
    const struct startup_source *from;
    uint64_t entity; /* of its draws */
    uint32_t image;  /* index of the first owner with the same image */
};

#define NONE UINT32_MAX

enum image_state { IMAGE_ABSENT, IMAGE_COMING, IMAGE_THERE };

struct run {
    struct startup_pod pod;
    bool active, listed;
    bool pulling;    /* it brings the image to the node, or to itself */
    bool flowing;    /* a flow of links is named after it */
    uint32_t beside; /* the next active one on its node, by slot */
    int64_t left;    /* bytes of a fetch that a restart of the container broke off */
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
    uint32_t *first;                /* [node] of its active runs, by slot; NONE: there is none */
    uint8_t *images;                /* [node * n_owners + image]: enum image_state */
    double slow;                    /* how many times slower images come than their rate says */
    struct startup_source *sources; /* [owner] */
    struct links *links;            /* one a node, then as startup_source.h says */
    struct startup_tally tally;     /* of pods that got ready */
};

static void flow_done(void *self, sim_ns now, uint32_t flow);

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

static uint64_t entity_of(const char *name)
{
    struct digest d = {0};
    digest_text(&d, name);
    return digest_value(&d);
}

static bool same_image(const struct startup_image *a, const struct startup_image *b)
{
    return same_text(a->name, b->name) && !a->lazy == !b->lazy;
}

static void make_owners(struct startup *s)
{
    for (size_t i = 0; i < s->set.n_owners; i++) {
        struct owner *o = &s->owners[i];
        o->config = &s->set.configs[i];
        o->from = &s->sources[i];
        o->entity = entity_of(s->set.owner_names[i]);
        o->image = (uint32_t)i;
        for (size_t j = 0; j < i && o->image == i; j++)
            if (same_image(&s->set.configs[j].image, &o->config->image))
                o->image = (uint32_t)j;
    }
}

/* Registries are as slow as their images. */
static void set_registries(struct startup *s, sim_ns now)
{
    for (size_t i = s->set.n_owners; i-- > 0;) {
        int64_t rate = (int64_t)((double)s->sources[i].registry_rate / s->slow);
        if (s->sources[i].registry_rate > 0)
            links_rate(s->links, now, s->sources[i].registry, rate > 0 ? rate : 1);
    }
}

static int make_links(struct startup *s, struct err *e)
{
    struct startup_source_setup from = {
        .configs = s->set.configs,
        .owner_names = s->set.owner_names,
        .n_owners = s->set.n_owners,
        .catalog = s->set.catalog,
        .first_link = (uint32_t)s->set.max_nodes,
    };
    int shared = startup_source_find(&from, s->sources, e);
    if (shared < 0)
        return -1;
    struct links_setup set = {
        .n_links = s->set.max_nodes + (size_t)shared,
        .n_flows = s->set.max_pods,
        .sim = s->set.sim,
        .self = s,
        .done = flow_done,
    };
    s->links = links_create(&set, e);
    if (!s->links)
        return -1;
    for (size_t i = s->set.n_owners; i-- > 0;)
        links_rate(s->links, sim_now(s->set.sim), s->sources[i].store, s->sources[i].store_rate);
    set_registries(s, sim_now(s->set.sim));
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
        s->sources = calloc(set->n_owners + 1, sizeof *s->sources);
        s->runs = calloc(set->max_pods + 1, sizeof *s->runs);
        s->first = calloc(set->max_nodes + 1, sizeof *s->first);
        s->images = calloc(set->max_nodes * set->n_owners + 1, 1);
    }
    if (!s || !s->owners || !s->sources || !s->runs || !s->first || !s->images) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu pods", set->max_pods);
    } else if (make_links(s, e) == 0) {
        make_owners(s);
        for (size_t i = 0; i < set->max_nodes; i++)
            s->first[i] = NONE;
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
    free(s->sources);
    free(s->runs);
    free(s->first);
    free(s->images);
    free(s);
}

/* ---- who starts where ---- */

static bool is_alone(const struct run *r)
{
    return r->pod.node == UINT32_MAX;
}

/* By slot, so that what happens to several at once happens in an order that no history changes. A
 * node has room for few pods, the table for many. */
static uint32_t *place_on_node(struct startup *s, const struct run *r)
{
    uint32_t *at = &s->first[r->pod.node];
    while (*at < r->pod.slot)
        at = &s->runs[*at].beside;
    return at;
}

static void activate(struct startup *s, struct run *r)
{
    assert(!r->active);
    r->active = true;
    if (is_alone(r))
        return;
    uint32_t *at = place_on_node(s, r);
    r->beside = *at;
    *at = r->pod.slot;
}

static void deactivate(struct startup *s, struct run *r)
{
    assert(r->active);
    r->active = false;
    if (!is_alone(r))
        *place_on_node(s, r) = r->beside;
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

static void serve(struct startup *s, struct run *r, sim_ns now)
{
    sim_cancel(s->set.sim, r->liveness);
    deactivate(s, r);
    startup_tally_add(&s->tally, r->spent, now - r->pod.created);
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

static void image_there(struct startup *s, struct run *puller, sim_ns now);

static enum startup_phase phase_after(const struct startup_config *c, enum startup_phase p)
{
    if (p == STARTUP_RESTART)
        return STARTUP_CONTAINER_START;
    if (p == STARTUP_CONTAINER_START && c->image.lazy)
        return STARTUP_FIRST_USE;
    return p == STARTUP_FIRST_USE ? STARTUP_MODEL_LOAD : p + 1;
}

static void phase_over(void *self, sim_ns now, uint64_t arg)
{
    struct startup *s = self;
    struct run *r = &s->runs[arg];
    assert(r->active);
    r->next = (struct sim_handle){0};
    enum startup_phase p = r->phase;
    if (r->pulling) { /* its download had a time of its own */
        image_there(s, r, now);
        sim_cancel(s->set.sim, r->next);
    }
    end_phase(s, r, now);
    if (p == STARTUP_READINESS)
        serve(s, r, now);
    else
        begin_phase(s, r, now, phase_after(s->owners[r->pod.owner].config, p));
}

static void phase_lasts(struct startup *s, struct run *r, sim_ns now, sim_ns lasts)
{
    r->next = sim_at(s->set.sim, now + lasts, SIM_PHASE, phase_over, s, r->pod.slot);
}

static sim_ns draw_at(const struct startup *s, const struct run *r, const struct dist *d,
                      uint64_t index)
{
    const struct owner *o = &s->owners[r->pod.owner];
    struct chance c = chance_stream(s->set.seed, s->set.replication, CHANCE_STARTUP, o->entity);
    c = chance_sub(chance_sub(c, r->pod.number), r->attempt);
    return dist_draw_ns(d, c, index);
}

static sim_ns draw(const struct startup *s, const struct run *r, const struct dist *d)
{
    return draw_at(s, r, d, (uint64_t)r->phase);
}

/* A second draw of the same phase. */
static sim_ns draw_more(const struct startup *s, const struct run *r, const struct dist *d)
{
    return draw_at(s, r, d, (uint64_t)r->phase + STARTUP_PHASES);
}

/* ---- image ---- */

static enum startup_phase fetch_phase(const struct owner *o)
{
    return o->config->image.lazy ? STARTUP_FIRST_USE : STARTUP_IMAGE_PULL;
}

/* A place of its own has no layers from before. */
static int64_t fetch_bytes(const struct owner *o, const struct run *r)
{
    const struct startup_image *im = &o->config->image;
    if (r->left > 0)
        return r->left;
    if (im->lazy)
        return startup_source_lazy_bytes(o->config);
    return is_alone(r) && !im->cached ? im->size : startup_source_pull_bytes(o->config);
}

static int64_t fetch_rate(const struct startup *s, const struct owner *o)
{
    const struct startup_image *im = &o->config->image;
    int64_t full = im->lazy ? im->lazy->bandwidth : o->from->pull_rate;
    int64_t rate = (int64_t)((double)full / s->slow);
    return rate > 0 ? rate : 1;
}

/* A node takes images as fast as the fastest of its downloads. */
static void widen_node(struct startup *s, sim_ns now, uint32_t node)
{
    int64_t best = 1;
    for (uint32_t i = s->first[node]; i != NONE; i = s->runs[i].beside) {
        const struct run *r = &s->runs[i];
        int64_t rate = r->pulling ? fetch_rate(s, &s->owners[r->pod.owner]) : 0;
        best = rate > best ? rate : best;
    }
    links_rate(s->links, now, node, best);
}

void startup_slow_pulls(struct startup *s, sim_ns now, double factor)
{
    assert(factor >= 1);
    s->slow = factor;
    set_registries(s, now);
    for (size_t i = 0; i < s->set.max_pods; i++) {
        const struct run *r = &s->runs[i];
        if (!r->active || !r->pulling || !r->flowing)
            continue;
        links_flow_rate(s->links, now, r->pod.slot, fetch_rate(s, &s->owners[r->pod.owner]));
        if (!is_alone(r))
            widen_node(s, now, r->pod.node);
    }
}

static void fetch(struct startup *s, struct run *r, sim_ns now, int64_t bytes)
{
    const struct owner *o = &s->owners[r->pod.owner];
    struct links_flow f = {.flow = r->pod.slot, .bytes = bytes, .flow_rate = fetch_rate(s, o)};
    r->pulling = true;
    r->left = 0;
    if (!is_alone(r))
        *image_at(s, r->pod.node, r->pod.owner) = IMAGE_COMING;
    if (o->config->image.time.mean > 0) {
        phase_lasts(s, r, now, draw_more(s, r, &o->config->image.time));
        return;
    }
    r->flowing = true;
    f.link = is_alone(r) ? o->from->registry : r->pod.node;
    f.upstream = !is_alone(r) && o->from->registry_rate > 0 ? o->from->registry + 1 : 0;
    if (!is_alone(r))
        widen_node(s, now, r->pod.node);
    links_begin(s->links, now, &f);
}

static void fetch_starts(void *self, sim_ns now, uint64_t arg)
{
    struct startup *s = self;
    struct run *r = &s->runs[arg];
    enum image_state state =
        is_alone(r) ? IMAGE_ABSENT : (enum image_state) * image_at(s, r->pod.node, r->pod.owner);
    r->next = (struct sim_handle){0};
    if (state == IMAGE_ABSENT)
        fetch(s, r, now, fetch_bytes(&s->owners[r->pod.owner], r));
    else if (state == IMAGE_THERE)
        phase_lasts(s, r, now, 0);
    /* else it joins: another pod brings it */
}

static bool fetch_needed(struct startup *s, const struct run *r)
{
    const struct owner *o = &s->owners[r->pod.owner];
    bool timed = o->config->image.time.mean > 0;
    if (r->phase != fetch_phase(o) || fetch_bytes(o, r) == 0)
        return false;
    if (!timed && o->from->pull_rate == 0 && !o->config->image.lazy)
        return false;
    return is_alone(r) || *image_at(s, r->pod.node, r->pod.owner) != IMAGE_THERE;
}

/* Both are on one node. */
static bool waits_for(const struct startup *s, const struct run *r, const struct run *puller)
{
    const struct owner *o = &s->owners[r->pod.owner];
    return r != puller && r->phase == fetch_phase(o) && !r->pulling &&
           !sim_pending(s->set.sim, r->next) && o->image == s->owners[puller->pod.owner].image;
}

static void image_there(struct startup *s, struct run *puller, sim_ns now)
{
    puller->pulling = false;
    if (is_alone(puller)) {
        phase_lasts(s, puller, now, 0);
        return;
    }
    *image_at(s, puller->pod.node, puller->pod.owner) = IMAGE_THERE;
    phase_lasts(s, puller, now, 0);
    for (uint32_t i = s->first[puller->pod.node]; i != NONE; i = s->runs[i].beside)
        if (waits_for(s, &s->runs[i], puller))
            phase_lasts(s, &s->runs[i], now, 0);
}

/* The pod that pulls goes away; another that waits for the same image takes the rest over. */
static void hand_over_pull(struct startup *s, struct run *r, sim_ns now, int64_t left)
{
    r->pulling = false;
    r->left = left;
    if (is_alone(r))
        return;
    *image_at(s, r->pod.node, r->pod.owner) = IMAGE_ABSENT;
    for (uint32_t i = s->first[r->pod.node]; i != NONE; i = s->runs[i].beside)
        if (waits_for(s, &s->runs[i], r)) {
            fetch(s, &s->runs[i], now, left > 0 ? left : 1);
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
    links_begin(s->links, now,
                &(struct links_flow){
                    .link = o->from->store,
                    .flow = r->pod.slot,
                    .bytes = m->size,
                    .flow_rate = o->from->load_rate,
                });
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
    int64_t left = r->flowing ? links_end(s->links, now, r->pod.slot) : 0;
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
    static const enum startup_phase of_container[] = {STARTUP_FIRST_USE, STARTUP_MODEL_LOAD,
                                                      STARTUP_FRAMEWORK_INIT, STARTUP_WARM_UP,
                                                      STARTUP_READINESS};
    for (size_t i = 0; i < sizeof of_container / sizeof of_container[0]; i++)
        r->spent[of_container[i]] = 0;
    r->spent[STARTUP_RESTART] += now - r->container_since;
}

sim_ns startup_probe_patience(const struct startup_probe *p)
{
    assert(p->failures >= 1);
    return p->initial_delay + (p->failures - 1) * p->period;
}

/* The same words at each restart: they are kept once. */
static void tell_probe(const struct startup *s, uint32_t owner)
{
    const struct startup_probe *p = s->owners[owner].config->liveness;
    char delay[40], period[40], after[40];
    recorder_finding(s->set.recorder, "warning", "liveness-restarts",
                     "%s: the liveness probe (initialDelay %s, period %s, failureThreshold %d) "
                     "ended containers while they loaded: one that does not answer %s after its "
                     "start begins anew.",
                     s->set.owner_names[owner],
                     text_duration(delay, sizeof delay, p->initial_delay),
                     text_duration(period, sizeof period, p->period), (int)p->failures,
                     text_duration(after, sizeof after, startup_probe_patience(p)));
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
    s->tally.restarts++;
    tell_probe(s, r->pod.owner);
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
        sim_ns last = now + startup_probe_patience(c->liveness);
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
        else if (fetch_needed(s, r))
            r->next = sim_at(s->set.sim, now + draw(s, r, &c->image.overhead), SIM_PHASE,
                             fetch_starts, s, r->pod.slot);
        else
            phase_lasts(s, r, now, 0);
        break;
    case STARTUP_VOLUME_MOUNT:
        phase_lasts(s, r, now, draw(s, r, &c->volume_mount));
        break;
    case STARTUP_CONTAINER_START:
        phase_lasts(s, r, now, draw(s, r, &c->container_start));
        break;
    case STARTUP_FIRST_USE:
        container_runs(s, r, now);
        if (fetch_needed(s, r))
            fetch_starts(s, now, r->pod.slot);
        else
            phase_lasts(s, r, now, 0);
        break;
    case STARTUP_MODEL_LOAD:
        if (!c->image.lazy)
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

/* One part of the wait for a place, up to `to` or as far as it goes. */
static void wait_until(struct startup *s, struct run *r, enum startup_phase p, sim_ns to)
{
    sim_ns now = sim_now(s->set.sim);
    to = to < now ? to : now;
    r->phase = p;
    if (to > r->since)
        end_phase(s, r, to);
}

void startup_begin(struct startup *s, sim_ns now, const struct startup_pod *pod)
{
    assert(pod->slot < s->set.max_pods && pod->owner < s->set.n_owners);
    assert(pod->node == UINT32_MAX || pod->node < s->set.max_nodes);
    struct run *r = &s->runs[pod->slot];
    assert(!r->active);
    *r = (struct run){.pod = *pod, .phase = STARTUP_WAIT_NODE, .since = pod->created};
    activate(s, r);
    wait_until(s, r, STARTUP_WAIT_NODE, pod->node_bought);
    wait_until(s, r, STARTUP_NODE_BOOT, pod->node_ready);
    wait_until(s, r, STARTUP_GPU_READY, pod->node_complete);
    wait_until(s, r, STARTUP_WAIT_NODE, now);
    if (s->owners[pod->owner].config->instant)
        serve(s, r, now);
    else
        begin_phase(s, r, now, pod->create > 0 ? STARTUP_CREATE : STARTUP_IMAGE_PULL);
}

void startup_again(struct startup *s, sim_ns now, uint32_t pod, sim_ns wait)
{
    struct run *r = &s->runs[pod];
    assert(r->pod.slot == pod && wait >= 0);
    activate(s, r);
    r->listed = false;
    r->attempt++;
    r->pod.created = r->since = now;
    memset(r->spent, 0, sizeof r->spent);
    s->tally.restarts++;
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
    deactivate(s, r);
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
    startup_tally_write(&s->tally, s->set.recorder);
}
