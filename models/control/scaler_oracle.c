/* scaler_oracle: knows the traffic; the yardstick of what an autoscaler could do at best. */
#include "models/control/phrase.h"
#include "models/control/scaler.h"
#include "sim/err.h"

#include <math.h>

struct scaler_oracle_config {
    int64_t target; /* milli-QPS a replica */
    int32_t min, max;
    sim_ns lookahead, period;
};

static const struct knob rows[] = {
    {.key = "target",
     .kind = KNOB_QUANTITY,
     .offset = offsetof(struct scaler_oracle_config, target),
     .unit = "QPS",
     .doc = "Requests a second that a replica shall get."},
    {.key = "minReplicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct scaler_oracle_config, min),
     .unit = "replicas",
     .doc = "Smallest size.",
     .preset = "1",
     .min = 0,
     .max = 100000},
    {.key = "maxReplicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct scaler_oracle_config, max),
     .unit = "replicas",
     .doc = "Largest size.",
     .preset = "100000",
     .min = 1,
     .max = 100000},
    {.key = "lookahead",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct scaler_oracle_config, lookahead),
     .doc = "How far it sees: the highest rate from now to then counts. A cold start, to be ready "
            "in time.",
     .preset = "0s",
     .min = 0,
     .max = 86400},
    {.key = "period",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct scaler_oracle_config, period),
     .doc = "Time between two decisions.",
     .preset = "15s",
     .min = 1,
     .max = 86400},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct scaler_oracle_config *c = config;
    *key = "target";
    if (c->target <= 0)
        return err_set(e, ERR_INPUT, NULL, "must be above 0");
    *key = "maxReplicas";
    if (c->min > c->max)
        return err_set(e, ERR_INPUT, NULL, "%d is below minReplicas %d", (int)c->max, (int)c->min);
    return 0;
}

static const struct knob_table knobs = {
    .name = "oracle",
    .doc = "Knows the true traffic, now or ahead; no cluster can do this.",
    .rows = rows,
    .size = sizeof(struct scaler_oracle_config),
    .check = check,
};

static size_t memory_size(const void *config)
{
    (void)config;
    return 0;
}

static sim_ns period(const void *config)
{
    return ((const struct scaler_oracle_config *)config)->period;
}

static sim_ns lookahead(const void *config)
{
    return ((const struct scaler_oracle_config *)config)->lookahead;
}

static size_t wants(const void *config, struct scaler_wants *out, size_t cap)
{
    (void)config, (void)out, (void)cap;
    return 0;
}

static void decide(const void *config, void *memory, const struct scaler_view *view,
                   struct scaler_decision *out)
{
    const struct scaler_oracle_config *c = config;
    struct phrase p;
    (void)memory;
    phrase_init(&p, out->reason, sizeof out->reason);
    out->rule = "oracle";
    out->replicas = view->spec_replicas;
    if (!(view->true_qps >= 0)) { /* closed-loop traffic has no rate of its own */
        phrase_text(&p, "the traffic has no rate of its own, stays ");
        phrase_int(&p, view->spec_replicas);
        out->metric_missing = true;
        return;
    }
    double n = ceil(view->true_qps * 1000 / (double)c->target);
    out->replicas = n >= c->max ? c->max : n <= c->min ? c->min : (int32_t)n;
    phrase_text(&p, "true rate ");
    phrase_ratio(&p, view->true_qps);
    phrase_text(&p, " / ");
    phrase_milli(&p, c->target);
    phrase_text(&p, " -> ");
    phrase_int(&p, out->replicas);
}

static double target_qps(const void *config)
{
    return (double)((const struct scaler_oracle_config *)config)->target / 1000;
}

const struct scaler_policy scaler_oracle = {
    .option = {.name = "oracle",
               .table = &knobs,
               .short_key = "target",
               .descriptor = &scaler_oracle},
    .memory_size = memory_size,
    .period = period,
    .lookahead = lookahead,
    .wants = wants,
    .decide = decide,
    .target_qps = target_qps,
};
