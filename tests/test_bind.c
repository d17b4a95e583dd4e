/* test_bind: from a tree of values to a config struct, by knob tables. */
#include "scenarios/run/bind.h"
#include "scenarios/run/bind_overlay.h"
#include "sim/arena.h"
#include "sim/dist.h"
#include "sim/json.h"
#include "sim/money.h"

#include "tests/fixture_house.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROWS(table) (sizeof(table) / sizeof *(table))

static struct arena *arena;
static struct bind binder;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
    binder = (struct bind){.arena = arena};
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(bind, .init = set_up, .fini = tear_down);

static const struct json *parse(const char *text)
{
    struct err e = {0};
    const struct json *root = json_parse(arena, "a.json", text, strlen(text), &e);
    cr_assert(root, "%.80s: %s: %s", text, e.where, e.msg);
    return root;
}

static struct house bound(const char *text)
{
    struct house h;
    struct err e = {0};
    int failed = bind_object(&binder, text ? parse(text) : NULL, "", &fixture_house_table, &h, &e);
    cr_assert_eq(failed, 0, "%.80s: %s: %s", text, e.where, e.msg);
    return h;
}

/* ---- tests ---- */

static void check_defaults(const struct house *h)
{
    const struct hpa_config *hpa = h->scaler.config;
    cr_assert(h->lit);
    cr_assert_eq(h->seed, 1);
    cr_assert_eq(h->floors, 2);
    cr_assert_eq(h->load, 1.5);
    cr_assert_eq(h->share, 0.3);
    cr_assert_eq(h->percent, 0.3);
    cr_assert_eq(h->even, 4);
    cr_assert_eq(h->period, 15 * SIM_SECOND);
    cr_assert_eq(h->bytes, INT64_C(17179869184));
    cr_assert_eq(h->milli, 500);
    cr_assert_eq(h->price.micro, 1250000);
    cr_assert_str_eq(h->price.currency, "CNY");
    cr_assert_null(h->text);
    cr_assert_eq(h->colour, 5);
    cr_assert_eq(h->boot.kind, DIST_LOGNORMAL);
    /* the mean of a lognormal is median * exp(sigma^2 / 2) */
    cr_assert_float_eq(h->boot.mean, 10e9 * exp(0.125), 1.0);
    cr_assert_eq(h->corner.x, 0.5);
    cr_assert_null(h->attic);
    cr_assert_eq(h->rooms.count, 0);
    cr_assert_eq(h->tags.count, 1);
    cr_assert_str_eq(h->tags.items[0], "a");
    cr_assert_eq(h->labels.count, 0);
    cr_assert_eq(h->scaler.option, &fixture_house_hpa);
    cr_assert_eq(hpa->max, 10);
    cr_assert_eq(hpa->tolerance, 0.1);
}

Test(bind, takes_defaults_without_an_object_and_from_an_empty_one)
{
    struct house h = bound(NULL);
    check_defaults(&h);
    h = bound("{}");
    check_defaults(&h);
}

Test(bind, reads_every_kind)
{
    struct house h =
        bound("{\"lit\": false, \"seed\": \"9007199254740993\", \"floors\": 3.0,"
              "\"load\": 1e3, \"share\": 1, \"percent\": \"12.5%\", \"even\": 8,"
              "\"period\": 0, \"bytes\": 1024, \"milli\": 2.5, \"price\": \"60000 USD\","
              "\"text\": \"t\", \"colour\": \"red\", \"boot\": \"12ms\","
              "\"corner\": {\"x\": -1}, \"attic\": {}, "
              "\"rooms\": [{\"name\": \"a\"}, {\"name\": \"b\", \"wait\": \"2m\"}],"
              "\"tags\": [\"x\", \"y\"], \"labels\": {\"b.c/d\": \"1\", \"a\": \"2\"},"
              "\"scaler\": {\"fixed\": 8}}");
    const struct room *rooms = h.rooms.items;
    cr_assert_not(h.lit);
    cr_assert_eq(h.seed, INT64_C(9007199254740993));
    cr_assert_eq(h.floors, 3);
    cr_assert_eq(h.load, 1000);
    cr_assert_eq(h.share, 1);
    cr_assert_eq(h.percent, 0.125);
    cr_assert_eq(h.even, 8);
    cr_assert_eq(h.period, 0);
    cr_assert_eq(h.bytes, 1024);
    cr_assert_eq(h.milli, 2500);
    cr_assert_eq(h.price.micro, INT64_C(60000000000));
    cr_assert_str_eq(h.price.currency, "USD");
    cr_assert_str_eq(h.text, "t");
    cr_assert_eq(h.colour, 3);
    cr_assert(h.boot.kind == DIST_CONSTANT && h.boot.mean == 12e6);
    cr_assert_eq(h.corner.x, -1);
    cr_assert_eq(h.attic->x, 0.5);
    cr_assert_eq(h.rooms.count, 2);
    cr_assert(rooms[0].wait == 30 * SIM_SECOND && rooms[1].wait == 120 * SIM_SECOND);
    cr_assert_str_eq(rooms[1].name, "b");
    cr_assert_eq(h.tags.count, 2);
    cr_assert_str_eq(h.tags.items[1], "y");
    cr_assert_eq(h.labels.count, 2);
    cr_assert_str_eq(h.labels.items[0].key, "b.c/d"); /* file order */
    cr_assert_str_eq(h.labels.items[1].value, "2");
    cr_assert_eq(h.scaler.option, &fixture_house_fixed);
    cr_assert_eq(((const struct fixed_config *)h.scaler.config)->replicas, 8);
}

Test(bind, reads_a_choice_by_name_short_value_or_settings)
{
    struct house h = bound("{\"scaler\": \"none\"}");
    cr_assert(h.scaler.option == &fixture_house_none && h.scaler.config == NULL);
    h = bound("{\"scaler\": {\"none\": {}}}");
    cr_assert_eq(h.scaler.option, &fixture_house_none);
    h = bound("{\"scaler\": {\"hpa\": {\"maxReplicas\": 4}}}");
    cr_assert_eq(((const struct hpa_config *)h.scaler.config)->max, 4);
    h = bound("{\"scaler\": {\"fixed\": {\"replicas\": 7}}}");
    cr_assert_eq(((const struct fixed_config *)h.scaler.config)->replicas, 7);
}

/* Means and deviations are those of the textbook formulas, in seconds. */
Test(bind, reads_distributions)
{
    static const struct {
        const char *text;
        enum dist_kind kind;
        double mean_s;
    } rows[] = {
        {"\"1.5s\"", DIST_CONSTANT, 1.5},
        {"{\"distribution\": \"constant\", \"value\": \"2s\"}", DIST_CONSTANT, 2},
        {"{\"distribution\": \"exponential\", \"mean\": \"1s\"}", DIST_EXPONENTIAL, 1},
        {"{\"distribution\": \"uniform\", \"min\": \"1s\", \"max\": \"3s\"}", DIST_UNIFORM, 2},
        {"{\"distribution\": \"uniform\", \"cv\": 0.1, \"mean\": \"3s\"}", DIST_UNIFORM, 3},
        {"{\"distribution\": \"normal\", \"mean\": \"3s\", \"cv\": 0.1}", DIST_NORMAL, 3},
        {"{\"distribution\": \"lognormal\", \"mean\": \"12ms\", \"cv\": 0.2}", DIST_LOGNORMAL,
         0.012},
        {"{\"distribution\": \"weibull\", \"shape\": 2, \"scale\": \"1s\"}", DIST_WEIBULL,
         0.88622692545275801}, /* Gamma(1.5) = sqrt(pi) / 2 */
        {"{\"distribution\": \"gamma\", \"shape\": 3, \"scale\": \"2s\"}", DIST_GAMMA, 6},
        {"{\"distribution\": \"gamma\", \"mean\": \"2s\", \"cv\": 0.5}", DIST_GAMMA, 2},
    };
    char text[256];
    for (size_t i = 0; i < ROWS(rows); i++) {
        snprintf(text, sizeof text, "{\"boot\": %s}", rows[i].text);
        struct house h = bound(text);
        cr_assert_eq(h.boot.kind, rows[i].kind, "%s", text);
        cr_assert_float_eq(h.boot.mean / 1e9, rows[i].mean_s, 1e-9 * rows[i].mean_s, "%s", text);
    }
}

static void refuses(const char *text, const char *where, const char *msg)
{
    struct house h;
    struct err e = {0};
    int failed = bind_object(&binder, parse(text), "", &fixture_house_table, &h, &e);
    cr_assert_eq(failed, -1, "accepted: %.80s", text);
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.where, where, "%.80s: %s: %s", text, e.where, e.msg);
    cr_assert_str_eq(e.msg, msg, "%.80s: %s", text, e.msg);
}

Test(bind, refuses_with_place_path_found_and_allowed)
{
    static const struct {
        const char *text, *where, *msg;
    } rows[] = {
        {"{\n \"rooms\": [{\"name\": \"a\", \"wiat\": \"1s\"}]}", "a.json:2:26",
         "rooms[0]: unknown key 'wiat'; did you mean 'wait'? allowed: name, wait"},
        {"{\"rooms\": [{\"NAME\": \"a\"}]}", "a.json:1:13",
         "rooms[0]: unknown key 'NAME'; did you mean 'name'? allowed: name, wait"},
        {"{\"corner\": {\"zzz\": 1}}", "a.json:1:13", "corner: unknown key 'zzz'; allowed: x"},
        {"{\"floors\": 130}", "a.json:1:12", "floors: 130 is outside 1..100"},
        {"{\"floors\": \"many\"}", "a.json:1:12",
         "floors: found \"many\", expected a whole number in 1..100"},
        {"{\"floors\": 2.5}", "a.json:1:12",
         "floors: found 2.5, expected a whole number in 1..100"},
        {"{\"floors\": [2]}", "a.json:1:12",
         "floors: found a list, expected a whole number in 1..100"},
        {"{\"floors\": null}", "a.json:1:12",
         "floors: found null, expected a whole number in 1..100; leave the key out for its "
         "default"},
        {"{\"seed\": 9007199254740993}", "a.json:1:10",
         "seed: 9007199254740993 is beyond 2^53, where JSON numbers lose digits; write it as a "
         "string: \"9007199254740993\""},
        {"{\"seed\": -1}", "a.json:1:10", "seed: -1 is outside 0..9e+18"},
        {"{\"load\": -0.5}", "a.json:1:10", "load: -0.5 is out of bounds: at least 0"},
        {"{\"lit\": 1}", "a.json:1:9", "lit: found 1, expected true or false"},
        {"{\"lit\": \"true\"}", "a.json:1:9", "lit: found \"true\", expected true or false"},
        {"{\"share\": 30}", "a.json:1:11", "share: 30 is outside 0..1; 30 % is written as 0.3"},
        {"{\"share\": -0.1}", "a.json:1:11", "share: -0.1 is outside 0..1"},
        {"{\"percent\": 130}", "a.json:1:13", "percent: 130 is outside 0..100"},
        {"{\"percent\": \"30\"}", "a.json:1:13",
         "percent: found \"30\", expected a percentage in 0..100"},
        {"{\"percent\": \"NaN%\"}", "a.json:1:13",
         "percent: found \"NaN%\", expected a percentage in 0..100"},
        {"{\"even\": 3}", "a.json:1:10", "even: expected an even number"},
        {"{\"period\": 15}", "a.json:1:12",
         "period: 15 has no unit; write \"15s\", \"15ms\" or \"15m\""},
        {"{\"period\": \"15\"}", "a.json:1:12",
         "period: \"15\" has no unit; write \"15s\", \"15ms\" or \"15m\""},
        {"{\"period\": \"-5s\"}", "a.json:1:12",
         "period: \"-5s\" is negative; a duration is never below 0"},
        {"{\"period\": -5}", "a.json:1:12", "period: -5 is negative; a duration is never below 0"},
        {"{\"period\": \"5 minutes\"}", "a.json:1:12",
         "period: found \"5 minutes\", expected a duration such as \"15s\" in 0s..1h; units are "
         "ns, "
         "us, ms, s, m, h, d and w, larger ones first, at most 292 years"},
        {"{\"period\": \"2h\"}", "a.json:1:12", "period: \"2h\" is outside 0s..1h"},
        {"{\"bytes\": \"16GB\"}", "a.json:1:11",
         "bytes: found \"16GB\", expected an amount of bytes such as \"16Gi\" in 1..1e+15; K, M, G "
         "are powers of 1000 and Ki, Mi, Gi of 1024, without B or /s"},
        {"{\"bytes\": -1}", "a.json:1:11",
         "bytes: found -1, expected an amount of bytes such as \"16Gi\" in 1..1e+15; at most 8Ei"},
        {"{\"milli\": \"99999999999999999999999\"}", "a.json:1:11",
         "milli: found \"99999999999999999999999\", expected a quantity such as 10 or \"500m\" in "
         "0..1000; at most 9.2P"},
        {"{\"milli\": 1001}", "a.json:1:11", "milli: 1001 is outside 0..1000"},
        {"{\"price\": 5}", "a.json:1:11",
         "price: found 5, expected an amount such as \"60000 CNY\" in 0..1000000: a number, a "
         "blank, "
         "a currency of three letters"},
        {"{\"price\": \"5 yuan\"}", "a.json:1:11",
         "price: found \"5 yuan\", expected an amount such as \"60000 CNY\" in 0..1000000: a "
         "number, "
         "a blank, a currency of three letters"},
        {"{\"price\": \"-5 CNY\"}", "a.json:1:11", "price: \"-5 CNY\" is negative"},
        {"{\"price\": \"0.0000001 CNY\"}", "a.json:1:11",
         "price: found \"0.0000001 CNY\", expected an amount such as \"60000 CNY\" in 0..1000000; "
         "at "
         "most six decimals and 9.2e12 in all"},
        {"{\"text\": 1.10}", "a.json:1:10", "text: found 1.10, expected a text in quotes"},
        {"{\"colour\": \"rde\"}", "a.json:1:12",
         "colour: unknown name 'rde'; did you mean 'red'? allowed: red, green"},
        {"{\"colour\": 3}", "a.json:1:12", "colour: found 3, expected one of red, green"},
        {"{\"attic\": 3}", "a.json:1:11", "attic: found 3, expected an object: A corner."},
        {"{\"attic\": {\"x\": 2}}", "a.json:1:17", "attic.x: 2 is outside -1..1"},
        {"{\"rooms\": {}}", "a.json:1:11",
         "rooms: found an object, expected a list of objects, 0..3 of them"},
        {"{\"rooms\": [{\"name\": \"a\"}, 5]}", "a.json:1:27",
         "rooms[1]: found 5, expected an object: A room."},
        {"{\"rooms\": [\n{}]}", "a.json:2:1",
         "rooms[0].name: must be given (Its name.); expected a text"},
        {"{\"rooms\": [{},{},{},{}]}", "a.json:1:11", "rooms: 4 elements, expected 0..3"},
        {"{\"tags\": [\"a\", 1]}", "a.json:1:16", "tags[1]: found 1, expected a text in quotes"},
        {"{\"labels\": {\"a.b\": 1}}", "a.json:1:20",
         "labels[\"a.b\"]: found 1, expected a text in quotes"},
        {"{\"scaler\": \"hpaa\"}", "a.json:1:12",
         "scaler: unknown name 'hpaa'; did you mean 'hpa'? allowed: fixed, hpa, none"},
        {"{\"scaler\": {\"hpa\": {}, \"fixed\": 1}}", "a.json:1:12",
         "scaler: found an object of 2 keys, expected exactly one: one of fixed, hpa, none, alone "
         "or as {\"name\": {settings}}"},
        {"{\"scaler\": {\"hpa\": 4}}", "a.json:1:20",
         "scaler.hpa: found 4, expected an object of settings"},
        {"{\"scaler\": {\"fixed\": \"x\"}}", "a.json:1:22",
         "scaler.fixed.replicas: found \"x\", expected a whole number in 0..10000 (replicas)"},
        {"{\"scaler\": \"fixed\"}", "a.json:1:1",
         "scaler.fixed.replicas: must be given (Size held.); expected a whole number in 0..10000 "
         "(replicas)"},
        {"{\"corner\": {\"x\": 0}, \"scaler\": \"fixed\"}", "a.json:1:1",
         "scaler.fixed.replicas: must be given (Size held.); expected a whole number in 0..10000 "
         "(replicas)"},
        {"{\"scaler\": {\"none\": {\"a\": 1}}}", "a.json:1:21",
         "scaler.none: has no settings; expected {}"},
        {"{\"scaler\": {\"hpa\": {\"minReplicas\": 6,\n \"maxReplicas\": 5}}}", "a.json:2:17",
         "scaler.hpa.maxReplicas: 5 is below minReplicas, 6"},
        {"{\"scaler\": {\"hpa\": {\"minReplicas\": 50}}}", "a.json:1:20",
         "scaler.hpa.maxReplicas: 10 is below minReplicas, 50"},
        {"{\"boot\": 0.012}", "a.json:1:10",
         "boot: 0.012 has no unit; write \"0.012s\", \"0.012ms\" or \"0.012m\""},
        {"{\"boot\": \"2h\"}", "a.json:1:10", "boot: \"2h\" is outside 0s..1h"},
        {"{\"boot\": {\"distribution\": \"lognorm\", \"mean\": \"1s\"}}", "a.json:1:27",
         "boot: unknown name 'lognorm'; did you mean 'lognormal'? allowed: constant, exponential, "
         "uniform, normal, lognormal, weibull, gamma"},
        {"{\"boot\": {\"distribution\": \"lognormal\", \"mean\": \"1s\"}}", "a.json:1:10",
         "boot: lognormal takes mean and cv, or median and sigma (beside \"distribution\")"},
        {"{\"boot\": {\"distribution\": \"uniform\", \"min\": \"2s\", \"max\": \"1s\"}}",
         "a.json:1:10", "boot: min must be below max"},
        {"{\"boot\": {\"distribution\": \"exponential\", \"mean\": 3}}", "a.json:1:50",
         "boot.mean: 3 has no unit; write \"3s\", \"3ms\" or \"3m\""},
        {"{\"boot\": {\"distribution\": \"normal\", \"mean\": \"3s\", \"cv\": 2}}", "a.json:1:10",
         "boot: cv 2 of a normal distribution reaches far below 0: at most 0.5; lognormal and "
         "gamma "
         "allow more"},
        {"{\"boot\": {\"distribution\": \"exponential\", \"mean\": \"2h\"}}", "a.json:1:10",
         "boot: its mean, 2h, is outside 0s..1h"},
        {"[]", "a.json:1:1", "found a list, expected an object: A house."},
    };
    for (size_t i = 0; i < ROWS(rows); i++)
        refuses(rows[i].text, rows[i].where, rows[i].msg);
}

static const struct bind_origin *origin(const char *path)
{
    size_t n;
    const struct bind_origin *o = bind_origins(&binder, &n);
    for (size_t i = 0; i < n; i++)
        if (strcmp(o[i].path, path) == 0)
            return &o[i];
    return NULL;
}

Test(bind, remembers_where_values_come_from)
{
    bound("{\"floors\": 3,\n\"rooms\": [{\"name\": \"a\"}], \"tags\": [\"x\"],\n"
          "\"scaler\": {\"fixed\": 8}}");
    cr_assert_str_eq(origin("floors")->value, "3");
    cr_assert_str_eq(origin("floors")->from, "a.json:1");
    cr_assert_eq(origin("floors")->quality, QUALITY_NONE);
    cr_assert_str_eq(origin("rooms[0].name")->value, "a");
    cr_assert_str_eq(origin("rooms[0].name")->from, "a.json:2");
    cr_assert_str_eq(origin("rooms[0].wait")->value, "30s");
    cr_assert_str_eq(origin("rooms[0].wait")->from, "default");
    cr_assert_str_eq(origin("rooms[0].wait")->source, "a guess");
    cr_assert_eq(origin("rooms[0].wait")->quality, QUALITY_ASSUMED);
    cr_assert_str_eq(origin("tags")->value, "[\"x\"]");
    cr_assert_str_eq(origin("scaler")->value, "fixed");
    cr_assert_str_eq(origin("scaler.fixed.replicas")->value, "8");
    cr_assert_eq(origin("boot")->quality, QUALITY_THIRD_PARTY);
    cr_assert_null(origin("lit"), "a default without a quality states nothing about the world");
}

Test(bind, remembers_the_defaults_below_a_default)
{
    bound(NULL);
    cr_assert_str_eq(origin("scaler.hpa.tolerance")->value, "0.1");
    cr_assert_eq(origin("scaler.hpa.tolerance")->quality, QUALITY_OFFICIAL);
    cr_assert_null(origin("scaler"));
    cr_assert_null(origin("scaler.hpa.minReplicas"), "it stands in a default: nobody gave it");
}

Test(bind, lays_one_tree_over_another_and_keeps_places)
{
    struct err e = {0};
    const char *text = "{\"a\": 1, \"b\": {\"c\": 2, \"d\": 3, \"e\": [1]}, \"f\": 4}";
    struct json *base = json_parse(arena, "hpa.yaml", text, strlen(text), &e);
    const struct json *over = parse("{\"b\": {\"d\": 5, \"e\": [],\n\"new\": {\"x\": null, \"y\": "
                                    "1}}, \"f\": null, \"g\": null}");
    struct json *merged = bind_overlay(&binder, base, over, &e);
    char place[64];
    cr_assert_eq(merged->count, 2);
    cr_assert_str_eq(json_place(place, sizeof place, json_get(merged, "a")), "hpa.yaml:1:7");
    cr_assert_str_eq(json_place(place, sizeof place, json_at(merged, "b.c")), "hpa.yaml:1:21");
    cr_assert_str_eq(json_place(place, sizeof place, json_at(merged, "b.d")), "a.json:1:13");
    cr_assert_str_eq(json_place(place, sizeof place, json_get(merged, "b")), "a.json:1:7");
    cr_assert_eq(json_at(merged, "b.d")->number, 5);
    cr_assert_eq(json_at(merged, "b.e")->count, 0);
    cr_assert_eq(json_at(merged, "b.new")->count, 1);
    cr_assert_null(json_get(merged, "f"));
    cr_assert_null(json_get(merged, "g"));
    cr_assert_eq(json_get(base, "f")->number, 4, "the base is left as it was");
    cr_assert_eq(bind_overlay(&binder, NULL, over, &e)->count, 1);
    cr_assert_eq(bind_overlay(&binder, base, NULL, &e)->count, 3);
}
