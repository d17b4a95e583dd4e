/* scaler_schedule: sizes by the clock on the wall, as a CronHPA sets them. */
#include "models/control/cron.h"
#include "models/control/phrase.h"
#include "models/control/scaler.h"
#include "sim/err.h"
#include "sim/json.h"

#include <assert.h>

struct job {
    struct cron cron;
    int32_t size;
    const char *name;
    bool run_once;
};

struct scaler_schedule_config {
    struct knob_list jobs;
    sim_ns period;
};

static int read_cron(const struct knob_given *g, struct err *e)
{
    struct err own = {0};
    if (g->value->type == JSON_STRING && cron_parse(g->value->string, g->out, &own) == 0)
        return 0;
    return err_set(e, ERR_INPUT, NULL, "%s",
                   own.msg[0] ? own.msg : "allowed is a cron expression, such as \"0 8 * * 1-5\"");
}

static const struct knob job_rows[] = {
    {.key = "schedule",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct job, cron),
     .doc = "When, in local time: five cron fields, or six with seconds in front.",
     .read = read_cron,
     .shape = "a cron expression, such as \"0 8 * * 1-5\""},
    {.key = "targetSize",
     .kind = KNOB_INT32,
     .offset = offsetof(struct job, size),
     .unit = "replicas",
     .doc = "Size from then on.",
     .min = 0,
     .max = 100000},
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct job, name),
     .doc = "For reasons.",
     .preset = ""},
    {.key = "runOnce",
     .kind = KNOB_BOOL,
     .offset = offsetof(struct job, run_once),
     .doc = "Only its first time within the run counts.",
     .preset = "false"},
    {0},
};

static const struct knob_table job_knobs = {
    .name = "schedule.jobs",
    .doc = "One change of size.",
    .rows = job_rows,
    .size = sizeof(struct job),
};

static const struct knob rows[] = {
    {.key = "jobs",
     .kind = KNOB_LIST,
     .offset = offsetof(struct scaler_schedule_config, jobs),
     .doc = "Changes of size; of two at the same second the later in the list counts.",
     .table = &job_knobs},
    {.key = "period",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct scaler_schedule_config, period),
     .doc = "Time between two looks at the clock.",
     .preset = "15s",
     .min = 1,
     .max = 3600},
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct scaler_schedule_config *c = config;
    *key = "jobs";
    return c->jobs.count ? 0 : err_set(e, ERR_INPUT, NULL, "at least one is needed");
}

static const struct knob_table knobs = {
    .name = "schedule",
    .doc = "Sizes by local time, as a CronHPA sets them.",
    .rows = rows,
    .size = sizeof(struct scaler_schedule_config),
    .check = check,
};

/* One block: this and a mark a job that has run. */
struct memory {
    bool started;
    sim_ns last;
    bool ran[];
};

static size_t memory_size(const void *config)
{
    const struct scaler_schedule_config *c = config;
    return sizeof(struct memory) + c->jobs.count * sizeof(bool);
}

static sim_ns period(const void *config)
{
    return ((const struct scaler_schedule_config *)config)->period;
}

static size_t wants(const void *config, struct scaler_wants *out, size_t cap)
{
    (void)config, (void)out, (void)cap;
    return 0;
}

static const struct job *job(const struct scaler_schedule_config *c, size_t i)
{
    return (const struct job *)c->jobs.items + i;
}

/* The job that fired last within the `span` seconds before and at this second of this day; -1. */
static int64_t last_fired(const struct scaler_schedule_config *c, const struct memory *m,
                          struct cron_date date, int32_t second, int64_t span)
{
    for (int64_t back = 0; back <= span; date = cron_yesterday(&date)) {
        int64_t best = -1;
        int32_t best_at = -1;
        for (size_t i = 0; i < c->jobs.count; i++) {
            const struct job *j = job(c, i);
            if ((j->run_once && (m->ran[i] || !m->started)) || !cron_on(&j->cron, &date))
                continue;
            int32_t at = cron_last(&j->cron, second);
            if (at >= 0 && at >= best_at && back + second - at < span) {
                best = (int64_t)i;
                best_at = at;
            }
        }
        if (best >= 0)
            return best;
        back += second + 1;
        second = 86399;
    }
    return -1;
}

static void say(const struct scaler_schedule_config *c, int64_t fired, int32_t size,
                struct scaler_decision *out)
{
    struct phrase p;
    phrase_init(&p, out->reason, sizeof out->reason);
    if (fired < 0) {
        phrase_text(&p, "no job is due, stays ");
    } else if (job(c, (size_t)fired)->name) {
        phrase_text(&p, job(c, (size_t)fired)->name);
        phrase_text(&p, " -> ");
    } else {
        phrase_text(&p, "job ");
        phrase_int(&p, fired + 1);
        phrase_text(&p, " -> ");
    }
    phrase_int(&p, size);
}

static void decide(const void *config, void *memory, const struct scaler_view *view,
                   struct scaler_decision *out)
{
    const struct scaler_schedule_config *c = config;
    struct memory *m = memory;
    const int64_t year = 366 * INT64_C(86400);
    struct cron_date today = {view->local_year, view->local_month, view->local_day,
                              view->local_weekday};
    assert(view->local_s >= 0 && view->local_s < 86400);
    /* The first look asks what the last year has left behind; later ones what fell due since. */
    int64_t span = m->started ? (view->now - m->last + SIM_SECOND / 2) / SIM_SECOND : year;
    int64_t fired = last_fired(c, m, today, (int32_t)view->local_s, span);
    if (fired >= 0 && m->started)
        m->ran[fired] = true;
    out->replicas = fired >= 0 ? job(c, (size_t)fired)->size : view->spec_replicas;
    out->rule = fired >= 0 ? "schedule" : "none";
    say(c, fired, out->replicas, out);
    m->started = true;
    m->last = view->now;
}

const struct scaler_policy scaler_schedule = {
    .option = {.name = "schedule",
               .table = &knobs,
               .short_key = "jobs",
               .descriptor = &scaler_schedule},
    .memory_size = memory_size,
    .period = period,
    .wants = wants,
    .decide = decide,
};
