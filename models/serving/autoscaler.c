/* autoscaler: passes of a policy over one service. */
#include "models/serving/autoscaler.h"

#include "models/control/phrase.h"
#include "models/control/scaler.h"
#include "models/serving/dispatch.h"
#include "models/serving/heading.h"
#include "models/serving/meter.h"
#include "models/serving/replicas.h"
#include "models/serving/service.h"
#include "sim/recorder.h"
#include "sim/sim.h"
#include "sim/zone.h"
#include "workloads/traffic.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Passes that wanted more than the maximum. */
struct capped {
    bool now;
    uint64_t passes;
    sim_ns since, lasted;
    int32_t needed_most;
    double missing_s; /* replicas that were not given x time */
    int32_t missing;
};

/* How often each rule bound. Policies' rule names are few and constant. */
#define MOST_RULES 32
struct bound {
    const char *rule;
    uint64_t passes;
};

struct autoscaler {
    struct autoscaler_setup set;
    const struct scaler_policy *policy;
    const void *config; /* the policy's */
    void *memory;
    struct meter *meter;
    sim_ns period, first_pass;
    uint64_t passes, changes, reversals, metric_gaps;
    int32_t direction;
    struct capped capped;
    struct bound bounds[MOST_RULES];
    size_t n_bounds;
    char subject[160]; /* of its log lines */
    rec_id metric_id;
};

static void on_pass(void *self, sim_ns now, uint64_t number);
static void on_wake(void *self, sim_ns now, uint64_t unused);

/* ---- set-up ---- */

static const struct scaler_policy *policy_of(const struct service_config *c)
{
    assert(c->autoscaler.option);
    return c->autoscaler.option->descriptor;
}

bool autoscaler_activates(const struct service_config *c)
{
    const struct scaler_policy *p = policy_of(c);
    return p->activates && p->activates(c->autoscaler.config);
}

static sim_ns first_pass(const struct autoscaler *a)
{
    const struct service_frame *f = a->set.frame;
    double phase = a->set.config->pass_phase;
    if (a->period == SIM_NEVER)
        return 0;
    if (phase < 0)
        phase =
            chance_uniform(chance_stream(f->seed, f->replication, CHANCE_PHASE, a->set.number), 0);
    return (sim_ns)(phase * (double)a->period);
}

static struct meter *make_meter(const struct autoscaler *a, struct err *e)
{
    const struct service_frame *f = a->set.frame;
    struct meter_setup setup = {
        .name = a->set.config->name,
        .policy = a->policy,
        .policy_config = a->config,
        .path = &a->set.config->metric,
        .sim = f->sim,
        .dispatch = a->set.dispatch,
        .replicas = a->set.replicas,
        .first_pass = a->first_pass,
        .period = a->period,
        .horizon = f->horizon,
        .max_replicas = f->max_replicas,
        .seed = f->seed,
        .replication = f->replication,
        .number = a->set.number,
    };
    return meter_create(&setup, e);
}

static rec_id metric_series(const struct autoscaler *a)
{
    char path[160];
    if (a->set.frame->alone)
        return recorder_samples(a->set.frame->recorder, "metric.qps", "QPS");
    snprintf(path, sizeof path, "services.%s.metric.qps", a->set.config->name);
    return recorder_samples(a->set.frame->recorder, path, "QPS");
}

struct autoscaler *autoscaler_create(const struct autoscaler_setup *s, struct err *e)
{
    assert(s->config && s->frame && s->traffic && s->dispatch && s->replicas);
    struct autoscaler *a = calloc(1, sizeof *a);
    const struct scaler_policy *policy = policy_of(s->config);
    size_t size = policy->memory_size(s->config->autoscaler.config);
    void *memory = calloc(1, size ? size : 1);
    if (!a || !memory) {
        free(a);
        free(memory);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for service %s", s->config->name);
        return NULL;
    }
    a->set = *s;
    a->policy = policy;
    a->config = s->config->autoscaler.config;
    a->memory = memory;
    a->period = policy->period(a->config);
    a->first_pass = first_pass(a);
    a->metric_id = metric_series(a);
    snprintf(a->subject, sizeof a->subject, "%s %s", policy->option.name, s->config->name);
    a->meter = make_meter(a, e);
    if (!a->meter) {
        autoscaler_destroy(a);
        return NULL;
    }
    return a;
}

void autoscaler_destroy(struct autoscaler *a)
{
    if (!a)
        return;
    meter_destroy(a->meter);
    free(a->memory);
    free(a);
}

void autoscaler_start(struct autoscaler *a)
{
    if (a->first_pass > a->set.frame->horizon)
        return;
    sim_at(a->set.frame->sim, a->first_pass, SIM_PASS, on_pass, a, 0);
    meter_start(a->meter);
}

/* ---- what the policy sees ---- */

/* The highest true rate that a policy with foresight may know of. */
#define LOOK_STEPS 60
static double foreseen_qps(const struct autoscaler *a, sim_ns now)
{
    sim_ns ahead = a->policy->lookahead ? a->policy->lookahead(a->config) : 0;
    double most = traffic_qps(a->set.traffic, now);
    for (int i = 1; ahead > 0 && i <= LOOK_STEPS; i++) {
        double qps = traffic_qps(a->set.traffic, now + ahead / LOOK_STEPS * i);
        if (!(qps <= most))
            most = qps;
    }
    return most;
}

static void look(const struct autoscaler *a, sim_ns now, struct scaler_view *view)
{
    const struct service_frame *f = a->set.frame;
    struct replicas_sizes sizes = replicas_sizes(a->set.replicas);
    struct zone_time t = zone_local(f->zone, f->epoch_s + now / SIM_SECOND);
    *view = (struct scaler_view){
        .now = now,
        .spec_replicas = sizes.want,
        .status_replicas = sizes.have,
        .ready_replicas = sizes.ready,
        .true_qps = foreseen_qps(a, now),
        .local_s = (t.hour * 60 + t.minute) * 60 + t.second + (double)(now % SIM_SECOND) / 1e9,
        .local_weekday = t.weekday,
        .local_day = t.day,
        .local_month = t.month,
        .local_year = t.year,
    };
}

/* ---- what it decides ---- */

/* The time since the last pass was capped as that pass was. */
static void count_capped(struct capped *c, sim_ns now)
{
    if (!c->now)
        return;
    c->lasted += now - c->since;
    c->missing_s += (double)c->missing * (double)(now - c->since) / 1e9;
    c->since = now;
}

static void note_capped(struct capped *c, sim_ns now, const struct scaler_decision *d)
{
    int32_t needed = d->needed < 0 ? d->replicas : d->needed;
    count_capped(c, now);
    c->now = d->at_max;
    c->since = now;
    c->passes += d->at_max;
    c->missing = needed > d->replicas ? needed - d->replicas : 0;
    if (needed > c->needed_most)
        c->needed_most = needed;
}

/* True when this rule binds for the first time. */
static bool count_rule(struct autoscaler *a, const char *rule)
{
    for (size_t i = 0; i < a->n_bounds; i++)
        if (a->bounds[i].rule == rule || strcmp(a->bounds[i].rule, rule) == 0) {
            a->bounds[i].passes++;
            return false;
        }
    assert(a->n_bounds < MOST_RULES);
    a->bounds[a->n_bounds++] = (struct bound){rule, 1};
    return true;
}

/* People are shown every change of the size, and each reason not to change it once. */
static void write_log(struct autoscaler *a, sim_ns now, int32_t want,
                      const struct scaler_decision *d)
{
    char what[64], reason[sizeof d->reason + 64];
    bool changes = d->replicas != want;
    bool news = count_rule(a, d->rule);
    struct phrase p;
    phrase_init(&p, what, sizeof what);
    if (changes) {
        phrase_int(&p, want);
        phrase_text(&p, " -> ");
    }
    phrase_int(&p, d->replicas);
    phrase_init(&p, reason, sizeof reason);
    phrase_text(&p, d->rule);
    phrase_text(&p, ": ");
    phrase_text(&p, d->reason);
    struct recorder_line line = {a->subject, what, reason, changes || news};
    recorder_write(a->set.frame->recorder, now, &line);
}

static void apply(struct autoscaler *a, sim_ns now, const struct scaler_decision *d)
{
    int32_t want = replicas_sizes(a->set.replicas).want;
    write_log(a, now, want, d);
    a->metric_gaps += d->metric_missing;
    note_capped(&a->capped, now, d);
    if (d->replicas == want)
        return;
    int32_t direction = d->replicas > want ? 1 : -1;
    a->reversals += a->direction != 0 && direction != a->direction;
    a->direction = direction;
    a->changes++;
    replicas_scale(a->set.replicas, now, d->replicas);
}

static void decide(struct autoscaler *a, sim_ns now, const struct scaler_view *view)
{
    struct scaler_decision d = {.replicas = view->spec_replicas, .rule = "none", .needed = -1};
    a->policy->decide(a->config, a->memory, view, &d);
    a->passes++;
    apply(a, now, &d);
}

static void on_pass(void *self, sim_ns now, uint64_t number)
{
    struct autoscaler *a = self;
    struct scaler_view view;
    dispatch_reach(a->set.dispatch, now);
    look(a, now, &view);
    meter_read(a->meter, number, &view);
    double qps = meter_qps(a->meter, &view);
    if (qps == qps)
        recorder_sample(a->set.frame->recorder, a->metric_id, now, qps);
    decide(a, now, &view);
    if (a->period != SIM_NEVER && now + a->period <= a->set.frame->horizon)
        sim_at(a->set.frame->sim, now + a->period, SIM_PASS, on_pass, a, number + 1);
}

static void on_wake(void *self, sim_ns now, uint64_t unused)
{
    struct autoscaler *a = self;
    struct scaler_view view;
    (void)unused;
    look(a, now, &view);
    if (view.spec_replicas > 0)
        return; /* a pass at the same time was first */
    meter_read_first(a->meter, &view);
    decide(a, now, &view);
}

void autoscaler_wake(struct autoscaler *a, sim_ns at)
{
    sim_at(a->set.frame->sim, at, SIM_PASS, on_wake, a, 0);
}

/* ---- the end ---- */

bool autoscaler_capped(const struct autoscaler *a)
{
    return a->capped.now;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : 0;
}

void autoscaler_figures(const struct autoscaler *a, const struct heading *to)
{
    char path[96];
    struct capped c = a->capped;
    count_capped(&c, a->set.frame->horizon);
    heading_put(to, "replicas.reversals", "changes", FIGURE_MEAN, (double)a->reversals);
    heading_put(to, "replicas.reversalsPerHour", "changes/h", FIGURE_MEAN,
                (double)a->reversals / ((double)a->set.frame->horizon / (double)SIM_HOUR));
    heading_put(to, "scaler.passes", "passes", FIGURE_MEAN, (double)a->passes);
    heading_put(to, "scaler.changes", "changes", FIGURE_MEAN, (double)a->changes);
    for (size_t i = 0; i < a->n_bounds; i++) {
        snprintf(path, sizeof path, "scaler.rules.%s", a->bounds[i].rule);
        heading_put(to, path, "passes", FIGURE_SUM, (double)a->bounds[i].passes);
    }
    heading_put(to, "scaler.neededMax", "replicas", FIGURE_MAX, (double)c.needed_most);
    heading_put(to, "scaler.cappedShare", "1", FIGURE_MEAN,
                share((double)c.passes, (double)a->passes));
    heading_put(to, "scaler.cappedTime", "s", FIGURE_MEAN, (double)c.lasted / (double)SIM_SECOND);
    heading_put(to, "scaler.cappedReplicaHours", "h", FIGURE_MEAN, c.missing_s / 3600);
    heading_put(to, "scaler.metricGaps", "passes", FIGURE_MEAN, (double)a->metric_gaps);
}
