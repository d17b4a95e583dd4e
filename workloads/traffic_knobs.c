/* traffic_knobs: the table of the settings under `services[].traffic`. */
#include "sim/err.h"
#include "sim/json.h"
#include "workloads/rate.h"
#include "workloads/stamp.h"
#include "workloads/traffic.h"
#include "workloads/traffic_config.h"

#include <string.h>

static int fault(const struct json *at, struct err *e, const char *what)
{
    char place[512];
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, at), "%s", what);
}

/* ---- a profile ---- */

static int profile_at(const struct json *point, sim_ns *at, struct err *e)
{
    const struct json *v = json_get(point, "at");
    if (v == NULL || v->type != JSON_STRING || !text_parse_duration(v->string, at) || *at < 0) {
        return fault(
            v != NULL ? v : point, e,
            "a point of a profile needs \"at\", a duration since the start such as \"10m\"");
    }
    return 0;
}

static int profile_qps(const struct json *point, double *qps, struct err *e)
{
    const struct json *v = json_get(point, "qps");
    if (v == NULL || v->type != JSON_NUMBER || !(v->number >= 0 && v->number <= TRAFFIC_MAX_QPS)) {
        return fault(v != NULL ? v : point, e,
                     "a point of a profile needs \"qps\", a number in 0..10000000");
    }
    *qps = v->number;
    return 0;
}

static int profile_point(const struct json *point, struct rate_point *out, struct err *e)
{
    if (point->type != JSON_OBJECT) {
        return fault(point, e, "a point of a profile is {\"at\": \"10m\", \"qps\": 95}");
    }
    for (const struct json *c = point->first; c != NULL; c = c->next) {
        if (strcmp(c->key, "at") != 0 && strcmp(c->key, "qps") != 0) {
            return fault(c, e, "a point of a profile has only the keys at and qps");
        }
    }
    if (profile_at(point, &out->at, e) != 0) {
        return -1;
    }
    return profile_qps(point, &out->qps, e);
}

int traffic_knobs_profile(const struct json *list, struct rate_point *out, struct err *e)
{
    if (list->type != JSON_ARRAY || list->count == 0) {
        return fault(list, e, "a profile is a list of points {\"at\": \"10m\", \"qps\": 95}");
    }
    struct rate_point last = {-1, 0};
    for (const struct json *c = list->first; c != NULL; c = c->next) {
        struct rate_point p = {0, 0};
        if (profile_point(c, &p, e) != 0) {
            return -1;
        }
        if (last.at < 0 && p.at != 0) {
            return fault(c, e, "the first point of a profile stands at \"0s\"");
        }
        if (p.at <= last.at) {
            return fault(c, e, "the points of a profile must ascend in time");
        }
        last = p;
        if (out != NULL) {
            *out++ = p;
        }
    }
    return (int)list->count;
}

/* ---- qps ---- */

#define QPS_SHAPE                                                                                  \
    "a rate such as 55, the name of a trace file, or "                                             \
    "{\"profile\": [{\"at\": \"0s\", \"qps\": 1}, ...], \"interpolation\": \"steps\"|\"linear\"}"

static int read_interpolation(const struct json *v, bool *linear, struct err *e)
{
    *linear = false;
    if (v == NULL) {
        return 0;
    }
    if (v->type == JSON_STRING && strcmp(v->string, "linear") == 0) {
        *linear = true;
        return 0;
    }
    if (v->type == JSON_STRING && strcmp(v->string, "steps") == 0) {
        return 0;
    }
    return fault(v, e, "interpolation is \"steps\" or \"linear\"");
}

static int read_profile(const struct json *value, struct traffic_qps *q, struct err *e)
{
    for (const struct json *c = value->first; c != NULL; c = c->next) {
        if (strcmp(c->key, "profile") != 0 && strcmp(c->key, "interpolation") != 0) {
            return fault(c, e, "beside \"profile\" only \"interpolation\" is allowed");
        }
    }
    q->source = TRAFFIC_PROFILE;
    q->profile = json_get(value, "profile");
    if (q->profile == NULL) {
        return fault(value, e, "must be " QPS_SHAPE);
    }
    if (read_interpolation(json_get(value, "interpolation"), &q->linear, e) != 0) {
        return -1;
    }
    return traffic_knobs_profile(q->profile, NULL, e) < 0 ? -1 : 0;
}

static int read_qps(const struct knob_given *g, struct err *e)
{
    const struct json *value = g->value;
    struct traffic_qps *q = g->out;
    *q = (struct traffic_qps){0};
    switch (value->type) {
    case JSON_NUMBER:
        if (!(value->number >= 0 && value->number <= TRAFFIC_MAX_QPS)) {
            return fault(value, e, "a rate must be in 0..10000000 requests a second");
        }
        q->source = TRAFFIC_CONSTANT;
        q->constant = value->number;
        return 0;
    case JSON_STRING:
        q->source = TRAFFIC_FILE;
        q->file = value->string;
        return 0;
    case JSON_OBJECT:
        return read_profile(value, q, e);
    case JSON_NULL:
    case JSON_BOOL:
    case JSON_ARRAY:
        break;
    }
    return fault(value, e, "must be " QPS_SHAPE);
}

/* ---- ways to arrive ---- */

static const enum traffic_arrivals poisson = TRAFFIC_POISSON;
static const enum traffic_arrivals evenly = TRAFFIC_EVENLY;
static const enum traffic_arrivals gamma_renewal = TRAFFIC_GAMMA;
static const enum traffic_arrivals weibull_renewal = TRAFFIC_WEIBULL;

struct nothing {
    char unused;
};
static const struct knob no_rows[] = {{0}};
static const struct knob_table no_settings = {
    .name = "arrivals",
    .doc = "nothing to set",
    .rows = no_rows,
    .size = sizeof(struct nothing),
};

static const struct knob renewal_rows[] = {
    {.key = "cv",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct traffic_renewal, cv),
     .doc = "deviation / mean of the time between two requests; 1 is Poisson, more is burstier",
     .min = 0.05,
     .max = 20},
    {0},
};
static const struct knob_table renewal_table = {
    .name = "renewal",
    .doc = "independent times between requests, scaled to the rate",
    .rows = renewal_rows,
    .size = sizeof(struct traffic_renewal),
};

const struct knob_option traffic_knobs_poisson = {"poisson", &no_settings, NULL, &poisson};
const struct knob_option traffic_knobs_evenly = {"evenly", &no_settings, NULL, &evenly};
const struct knob_option traffic_knobs_gamma = {"gamma", &renewal_table, "cv", &gamma_renewal};
const struct knob_option traffic_knobs_weibull = {"weibull", &renewal_table, "cv",
                                                  &weibull_renewal};

static const struct knob_option *const arrival_options[] = {
    &traffic_knobs_poisson, &traffic_knobs_evenly, &traffic_knobs_gamma, &traffic_knobs_weibull,
    NULL};

/* ---- shape ---- */

static int read_factors(const struct json *value, struct traffic_factors *f, size_t n,
                        struct err *e)
{
    if (value->type != JSON_ARRAY || value->count != n) {
        return fault(value, e,
                     n == 7 ? "must be a list of 7 factors, Monday first"
                            : "must be a list of 24 factors, from midnight");
    }
    f->given = true;
    double *out = f->of;
    for (const struct json *c = value->first; c != NULL; c = c->next) {
        if (c->type != JSON_NUMBER || !(c->number >= 0 && c->number <= 1000)) {
            return fault(c, e, "a factor is a number in 0..1000");
        }
        *out++ = c->number;
    }
    return 0;
}

static int read_weekdays(const struct knob_given *g, struct err *e)
{
    return read_factors(g->value, g->out, 7, e);
}

static int read_hours(const struct knob_given *g, struct err *e)
{
    return read_factors(g->value, g->out, 24, e);
}

static int check_business_hours(const void *config, const char **key, struct err *e)
{
    const struct traffic_business_hours *h = config;
    if (h->from >= h->to) {
        *key = "to";
        return err_set(e, ERR_INPUT, NULL, "business hours end before they begin");
    }
    return 0;
}

static const struct knob business_hours_rows[] = {
    {.key = "from",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct traffic_business_hours, from),
     .doc = "begin of business, since local midnight, such as \"9h\"",
     .max = 86400},
    {.key = "to",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct traffic_business_hours, to),
     .doc = "end of business, since local midnight, such as \"18h30m\"",
     .max = 86400},
    {.key = "outside",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct traffic_business_hours, outside),
     .doc = "factor on the rate outside of these hours, and on Saturdays and Sundays",
     .max = 1000},
    {0},
};
static const struct knob_table business_hours_table = {
    .name = "businessHours",
    .doc = "less traffic outside of office hours",
    .rows = business_hours_rows,
    .size = sizeof(struct traffic_business_hours),
    .check = check_business_hours,
};

static const struct knob holidays_rows[] = {
    {.key = "dates",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct traffic_holidays, dates),
     .doc = "days such as \"2024-10-01\", in the scenario's time zone"},
    {.key = "scale",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct traffic_holidays, scale),
     .doc = "factor on the rate of these days, in place of weekdays and businessHours",
     .max = 1000},
    {0},
};
static const struct knob_table holidays_table = {
    .name = "holidays",
    .doc = "days that differ",
    .rows = holidays_rows,
    .size = sizeof(struct traffic_holidays),
};

static const struct knob shape_rows[] = {
    {.key = "weekdays",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct traffic_shape, weekdays),
     .doc = "factor on the rate by weekday",
     .preset = "",
     .read = read_weekdays,
     .shape = "7 factors, Monday first"},
    {.key = "hours",
     .kind = KNOB_CUSTOM,
     .offset = offsetof(struct traffic_shape, hours),
     .doc = "factor on the rate by local hour of the day",
     .preset = "",
     .read = read_hours,
     .shape = "24 factors, from midnight"},
    {.key = "businessHours",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct traffic_shape, business_hours),
     .doc = "less traffic outside of office hours",
     .preset = "",
     .table = &business_hours_table},
    {.key = "holidays",
     .kind = KNOB_POINTER,
     .offset = offsetof(struct traffic_shape, holidays),
     .doc = "days that differ",
     .preset = "",
     .table = &holidays_table},
    {0},
};
static const struct knob_table shape_table = {
    .name = "shape",
    .doc = "factors on the rate by local time; they multiply",
    .rows = shape_rows,
    .size = sizeof(struct traffic_shape),
};

/* ---- the table ---- */

static const struct knob_name repeats[] = {
    {"none", TRAFFIC_ONCE, "a profile holds its last value, a file ends"},
    {"daily", TRAFFIC_DAILY, "the same each day, by the local clock"},
    {"weekly", TRAFFIC_WEEKLY, "the same each week, by the local clock"},
    {"loop", TRAFFIC_LOOP,
     "from the start again when it ends: after the last row, at a profile's last point"},
    {0},
};
static const struct knob_name aligns[] = {
    {"auto", TRAFFIC_ALIGN_AUTO, "clock for daily and weekly, else start"},
    {"start", TRAFFIC_ALIGN_START, "the first row is simulated time 0"},
    {"clock", TRAFFIC_ALIGN_CLOCK,
     "time stamps are times of the run's calendar; offsets count "
     "from midnight or Monday"},
    {0},
};
static const struct knob_name values_names[] = {
    {"auto", TRAFFIC_VALUES_AUTO, "per bin for a column named like a count, else per second"},
    {"perSecond", TRAFFIC_PER_SECOND, "requests a second"},
    {"perBin", TRAFFIC_PER_BIN, "requests in the bin"},
    {0},
};
static const struct knob_name time_units[] = {
    {"auto", STAMP_UNIT_AUTO, "ISO 8601, or seconds or Unix time by size"},
    {"iso", STAMP_UNIT_ISO, "2024-03-01T02:00:00Z, 2024-03-01 10:00"},
    {"s", STAMP_UNIT_S, "seconds"},
    {"ms", STAMP_UNIT_MS, "milliseconds"},
    {"us", STAMP_UNIT_US, "microseconds"},
    {"ns", STAMP_UNIT_NS, "nanoseconds"},
    {0},
};
static const struct knob_name disorders[] = {
    {"refuse", TRAFFIC_REFUSE_DISORDER, "an earlier time after a later one is an error"},
    {"sort", TRAFFIC_SORT, "rows are sorted by time, and the run says so"},
    {0},
};
static const struct knob_name duplicate_names[] = {
    {"refuse", TRAFFIC_REFUSE_DUPLICATES, "two rows of one time are an error"},
    {"sum", TRAFFIC_SUM_DUPLICATES, "values of one time are added: one row per container"},
    {"first", TRAFFIC_KEEP_FIRST, "the first of them counts"},
    {"last", TRAFFIC_KEEP_LAST, "the last of them counts"},
    {0},
};

/* One source of requests and no more; at fault is the last that is given. */
static int check_sources(const struct traffic_config *c, const char **key, struct err *e)
{
    const bool given[] = {c->qps.source != TRAFFIC_NO_QPS, c->requests != NULL, c->clients > 0};
    static const char *const names[] = {"qps", "requests", "clients"};
    const char *first = NULL;
    *key = NULL;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        if (!given[i])
            continue;
        if (first) {
            *key = names[i];
            return err_set(e, ERR_INPUT, NULL,
                           "beside %s; traffic takes one of qps, requests and clients", first);
        }
        first = names[i];
    }
    if (first)
        return 0;
    return err_set(e, ERR_INPUT, NULL, "traffic needs one of qps, requests and clients");
}

static int check(const void *config, const char **key, struct err *e)
{
    const struct traffic_config *c = config;
    if (check_sources(c, key, e))
        return -1;
    if (c->requests != NULL && (c->repeat == TRAFFIC_DAILY || c->repeat == TRAFFIC_WEEKLY)) {
        *key = "repeat";
        return err_set(e, ERR_INPUT, NULL, "a request list repeats by \"loop\", or not at all");
    }
    if (c->requests != NULL && (c->shape != NULL || c->growth_per_month != 0)) {
        *key = c->shape != NULL ? "shape" : "growthPerMonth";
        return err_set(e, ERR_INPUT, NULL, "a request list has neither shape nor growth");
    }
    return 0;
}

#define AT(member) offsetof(struct traffic_config, member)

static const struct knob rows[] = {
    {.key = "qps",
     .kind = KNOB_CUSTOM,
     .offset = AT(qps),
     .unit = "QPS",
     .doc = "open traffic: requests a second over time",
     .preset = "",
     .read = read_qps,
     .shape = QPS_SHAPE},
    {.key = "requests",
     .kind = KNOB_TEXT,
     .offset = AT(requests),
     .doc = "open traffic: file with one request a row (.csv, .jsonl, also .gz and .zst)",
     .preset = ""},
    {.key = "clients",
     .kind = KNOB_INT,
     .offset = AT(clients),
     .unit = "clients",
     .doc = "closed loop: each waits for its answer, thinks, and asks again",
     .preset = "",
     .min = 1,
     .max = 1000000},
    {.key = "thinkTime",
     .kind = KNOB_DIST,
     .offset = AT(think_time),
     .doc = "closed loop: time between an answer and the next request",
     .preset = "0s"},
    {.key = "arrivals",
     .kind = KNOB_CHOICE,
     .offset = AT(arrivals),
     .doc = "how requests are spread under the rate",
     .preset = "poisson",
     .options = arrival_options},
    {.key = "repeat",
     .kind = KNOB_NAME,
     .offset = AT(repeat),
     .doc = "what follows the end of the file or profile",
     .preset = "none",
     .names = repeats},
    {.key = "align",
     .kind = KNOB_NAME,
     .offset = AT(align),
     .doc = "what ties the file's time to the run's",
     .preset = "auto",
     .names = aligns},
    {.key = "start",
     .kind = KNOB_DURATION,
     .offset = AT(start),
     .doc = "how far into the file or profile simulated time 0 lies",
     .preset = "0s",
     .max = 315576000},
    {.key = "scale",
     .kind = KNOB_NUMBER,
     .offset = AT(scale),
     .doc = "factor on the rate; a request list runs this much faster",
     .preset = "1",
     .min = 1e-9,
     .max = 1e9},
    {.key = "growthPerMonth",
     .kind = KNOB_NUMBER,
     .offset = AT(growth_per_month),
     .doc = "0.08 is 8 % more each month of 730 hours, compounded daily",
     .preset = "0",
     .min = -0.99,
     .max = 10},
    {.key = "shape",
     .kind = KNOB_POINTER,
     .offset = AT(shape),
     .doc = "factors on the rate by local time",
     .preset = "",
     .table = &shape_table},
    {.key = "column",
     .kind = KNOB_TEXT,
     .offset = AT(column),
     .doc = "column of the value, by name or number from 1; found by name when absent",
     .preset = ""},
    {.key = "timeColumn",
     .kind = KNOB_TEXT,
     .offset = AT(time_column),
     .doc = "column of the time, by name or number from 1; found by name when absent",
     .preset = ""},
    {.key = "values",
     .kind = KNOB_NAME,
     .offset = AT(values),
     .doc = "what a value of the file counts",
     .preset = "auto",
     .names = values_names},
    {.key = "timeUnit",
     .kind = KNOB_NAME,
     .offset = AT(time_unit),
     .doc = "how times are written in the file",
     .preset = "auto",
     .names = time_units},
    {.key = "bin",
     .kind = KNOB_DURATION,
     .offset = AT(bin),
     .doc = "how long a row counts; the most frequent step of the file when absent",
     .preset = "",
     .min = 1e-3,
     .max = 31622400},
    {.key = "timeZone",
     .kind = KNOB_TEXT,
     .offset = AT(time_zone),
     .doc = "zone of time stamps that name none; the scenario's when absent",
     .preset = ""},
    {.key = "disorder",
     .kind = KNOB_NAME,
     .offset = AT(disorder),
     .doc = "rows of the file that are out of order",
     .preset = "refuse",
     .names = disorders},
    {.key = "duplicates",
     .kind = KNOB_NAME,
     .offset = AT(duplicates),
     .doc = "rows of a rate file with the same time",
     .preset = "refuse",
     .names = duplicate_names},
    {.key = "maxRows",
     .kind = KNOB_INT,
     .offset = AT(max_rows),
     .unit = "rows",
     .doc = "limit on the rows of a file: 16 bytes of memory each",
     .preset = "10000000",
     .min = 1,
     .max = 1e9},
    {0},
};

const struct knob_table traffic_knobs = {
    .name = "traffic",
    .doc = "how many requests arrive, and when",
    .rows = rows,
    .size = sizeof(struct traffic_config),
    .check = check,
};
