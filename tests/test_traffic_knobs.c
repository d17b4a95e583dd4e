/* test_traffic_knobs: what people write under `traffic`. */
#include "scenarios/run/bind.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "workloads/traffic.h"
#include "workloads/traffic_config.h"

#include <criterion/criterion.h>
#include <string.h>

static int bind_text(struct arena *a, const char *text, struct traffic_config *c, struct err *e)
{
    struct bind b = {.arena = a};
    const struct json *o = json_parse(a, "s.json", text, strlen(text), e);
    cr_assert(o != NULL, "%s: %s", text, e->msg);
    return bind_object(&b, o, "services[0].traffic", &traffic_knobs, c, e);
}

static struct traffic_config must_bind(struct arena *a, const char *text)
{
    struct err e = {0};
    struct traffic_config c;
    cr_assert_eq(bind_text(a, text, &c, &e), 0, "%s: %s: %s", text, e.where, e.msg);
    return c;
}

Test(traffic_knobs, take_a_number_a_file_or_a_profile)
{
    struct err e = {0};
    struct arena *a = arena_create(&e);
    struct traffic_config c = must_bind(a, "{\"qps\": 55}");
    cr_assert(c.qps.source == TRAFFIC_CONSTANT && c.qps.constant == 55 && c.scale == 1);
    cr_assert_eq(c.arrivals.option, &traffic_knobs_poisson);
    cr_assert(c.repeat == TRAFFIC_ONCE && c.max_rows == TRAFFIC_MAX_ROWS && c.shape == NULL);
    c = must_bind(a,
                  "{\"qps\": \"week.csv\", \"repeat\": \"weekly\", \"growthPerMonth\": 0.08, "
                  "\"arrivals\": {\"gamma\": {\"cv\": 2}}, \"bin\": \"10m\", \"column\": \"x\"}");
    cr_assert(c.qps.source == TRAFFIC_FILE && strcmp(c.qps.file, "week.csv") == 0);
    cr_assert(c.repeat == TRAFFIC_WEEKLY && c.growth_per_month == 0.08);
    cr_assert_eq(c.arrivals.option, &traffic_knobs_gamma);
    cr_assert_eq(((const struct traffic_renewal *)c.arrivals.config)->cv, 2);
    cr_assert_eq(c.bin, 10 * SIM_MINUTE);
    c = must_bind(a, "{\"qps\": {\"profile\": [{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"10m\", "
                     "\"qps\": 95}], \"interpolation\": \"linear\"}, \"arrivals\": \"evenly\"}");
    cr_assert(c.qps.source == TRAFFIC_PROFILE && c.qps.linear && c.qps.profile->count == 2);
    cr_assert_eq(c.arrivals.option, &traffic_knobs_evenly);
    c = must_bind(a, "{\"clients\": 50, \"thinkTime\": \"1s\"}");
    cr_assert(c.clients == 50 && c.think_time.mean == 1e9);
    c = must_bind(a, "{\"requests\": \"azure.csv\", \"scale\": 2, \"start\": \"10m\"}");
    cr_assert(strcmp(c.requests, "azure.csv") == 0 && c.scale == 2 && c.start == 10 * SIM_MINUTE);
    c = must_bind(a, "{\"qps\": 5, \"shape\": {\"weekdays\": [1,1,1,1,1,0.5,0.25], "
                     "\"businessHours\": {\"from\": \"9h\", \"to\": \"18h\", \"outside\": 0.1}, "
                     "\"holidays\": {\"dates\": [\"2024-10-01\"], \"scale\": 0.3}}}");
    cr_assert(c.shape->weekdays.given && c.shape->weekdays.of[6] == 0.25 && !c.shape->hours.given);
    cr_assert(c.shape->business_hours->outside == 0.1 && c.shape->holidays->dates.count == 1);
    arena_destroy(a);
}

Test(traffic_knobs, refuse_with_place_and_advice)
{
    static const struct {
        const char *text, *where, *message;
    } rows[] = {
        {"{}", "s.json:1:1", "needs one of qps, requests and clients"},
        {"{\"qps\": 5, \"clients\": 5}", "s.json:1:23",
         "clients: beside qps; traffic takes one of"},
        {"{\"qps\": -1}", "s.json:1:9", "services[0].traffic.qps: a rate must be in 0..10000000"},
        {"{\"qps\": true}", "s.json:1:9", "services[0].traffic.qps: must be a rate such as 55"},
        {"{\"qps\": {\"profile\": []}}", "s.json:1:21", "a profile is a list of points"},
        {"{\"qps\": {\"steps\": []}}", "s.json:1:19", "only \"interpolation\" is allowed"},
        {"{\"qps\": {\"profile\": [{\"at\": \"1s\", \"qps\": 1}]}}", "s.json:1:22",
         "stands at \"0s\""},
        {"{\"qps\": {\"profile\": [{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"0s\", \"qps\": 2}]}}",
         "s.json:1:46", "must ascend"},
        {"{\"qps\": {\"profile\": [{\"at\": 5, \"qps\": 1}]}}", "s.json:1:29", "needs \"at\""},
        {"{\"qps\": {\"profile\": [{\"at\": \"0s\"}]}}", "s.json:1:22", "needs \"qps\""},
        {"{\"qps\": {\"profile\": [7]}}", "s.json:1:22", "a point of a profile is"},
        {"{\"qps\": 5, \"arrivals\": \"possion\"}", "s.json:1:24", "poisson"},
        {"{\"qps\": 5, \"arrivals\": {\"gamma\": {\"cv\": 0}}}", "s.json:1:41", "0.05..20"},
        {"{\"qps\": 5, \"repeat\": \"hourly\"}", "s.json:1:22", "none, daily, weekly, loop"},
        {"{\"requests\": \"a.csv\", \"repeat\": \"daily\"}", "s.json:1:33", "by \"loop\""},
        {"{\"requests\": \"a.csv\", \"growthPerMonth\": 0.1}", "s.json:1:41", "neither shape nor"},
        {"{\"qps\": 5, \"shape\": {\"weekdays\": [1,2]}}", "s.json:1:34", "7 factors"},
        {"{\"qps\": 5, \"shape\": {\"businessHours\": {\"from\": \"18h\", \"to\": \"9h\", "
         "\"outside\": 0}}}",
         "s.json:1:", "end before they begin"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = {0};
        struct arena *a = arena_create(&e);
        struct traffic_config c;
        cr_assert_eq(bind_text(a, rows[i].text, &c, &e), -1, "%s", rows[i].text);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert(strstr(e.msg, rows[i].message) != NULL, "%s: %s: %s", rows[i].text, e.where,
                  e.msg);
        cr_assert(strncmp(e.where, rows[i].where, strlen(rows[i].where)) == 0, "%s: %s: %s",
                  rows[i].text, e.where, e.msg);
        arena_destroy(a);
    }
}
