/* fixture_house: a config struct with a field of every knob kind. */
#include "tests/fixture_house.h"

#include "sim/err.h"
#include "sim/json.h"

#include <math.h>
#include <stddef.h>

static const struct knob fixed_rows[] = {
    {.key = "replicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct fixed_config, replicas),
     .unit = "replicas",
     .doc = "Size held.",
     .max = 10000},
    {0},
};
static const struct knob_table fixed_table = {.name = "fixed",
                                              .doc = "A fixed size.",
                                              .rows = fixed_rows,
                                              .size = sizeof(struct fixed_config)};

static int hpa_check(const void *config, const char **key, struct err *e)
{
    const struct hpa_config *c = config;
    if (c->min <= c->max)
        return 0;
    *key = "maxReplicas";
    return err_set(e, ERR_INPUT, NULL, "%d is below minReplicas, %d", c->max, c->min);
}
static const struct knob hpa_rows[] = {
    {.key = "minReplicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct hpa_config, min),
     .doc = "Least size.",
     .preset = "1",
     .max = 100},
    {.key = "maxReplicas",
     .kind = KNOB_INT32,
     .offset = offsetof(struct hpa_config, max),
     .doc = "Largest size.",
     .preset = "10",
     .min = 1,
     .max = 100},
    {.key = "tolerance",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct hpa_config, tolerance),
     .doc = "Dead band.",
     .preset = "0.1",
     .quality = QUALITY_OFFICIAL,
     .source = "Kubernetes documentation"},
    {0},
};
static const struct knob_table hpa_table = {.name = "hpa",
                                            .doc = "The HPA.",
                                            .rows = hpa_rows,
                                            .size = sizeof(struct hpa_config),
                                            .check = hpa_check};

const struct knob_option fixture_house_fixed = {"fixed", &fixed_table, "replicas", NULL};
const struct knob_option fixture_house_hpa = {"hpa", &hpa_table, NULL, NULL};
const struct knob_option fixture_house_none = {"none", NULL, NULL, NULL};
static const struct knob_option *const options[] = {&fixture_house_fixed, &fixture_house_hpa,
                                                    &fixture_house_none, NULL};

static const struct knob_name colours[] = {{"red", 3, ""}, {"green", 5, ""}, {0}};

static const struct knob room_rows[] = {
    {.key = "name", .kind = KNOB_TEXT, .offset = offsetof(struct room, name), .doc = "Its name."},
    {.key = "wait",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct room, wait),
     .doc = "Time before the door opens.",
     .preset = "30s",
     .min = 1,
     .max = 3600,
     .quality = QUALITY_ASSUMED,
     .source = "a guess"},
    {0},
};
static const struct knob_table room_table = {
    .name = "room", .doc = "A room.", .rows = room_rows, .size = sizeof(struct room)};

static const struct knob corner_rows[] = {
    {.key = "x",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct corner, x),
     .doc = "Abscissa.",
     .preset = "0.5",
     .min = -1,
     .max = 1},
    {0},
};
static const struct knob_table corner_table = {
    .name = "corner", .doc = "A corner.", .rows = corner_rows, .size = sizeof(struct corner)};

static int read_even(const struct knob_given *g, struct err *e)
{
    if (g->value->type != JSON_NUMBER || fmod(g->value->number, 2) != 0)
        return err_set(e, ERR_INPUT, NULL, "expected an even number");
    *(double *)g->out = g->value->number;
    return 0;
}

#define AT(member) .offset = offsetof(struct house, member), .doc = "Doc of " #member "."
static const struct knob house_rows[] = {
    {.key = "lit", .kind = KNOB_BOOL, AT(lit), .preset = "true"},
    {.key = "seed", .kind = KNOB_INT, AT(seed), .preset = "1", .min = 0, .max = 9e18},
    {.key = "floors", .kind = KNOB_INT32, AT(floors), .preset = "2", .min = 1, .max = 100},
    {.key = "load", .kind = KNOB_NUMBER, AT(load), .preset = "1.5", .min = 0, .max = -1},
    {.key = "share", .kind = KNOB_SHARE, AT(share), .preset = "0.3"},
    {.key = "percent", .kind = KNOB_PERCENT, AT(percent), .preset = "30"},
    {.key = "even",
     .kind = KNOB_CUSTOM,
     AT(even),
     .preset = "4",
     .read = read_even,
     .shape = "an even number"},
    {.key = "period", .kind = KNOB_DURATION, AT(period), .preset = "15s", .max = 3600},
    {.key = "bytes", .kind = KNOB_BYTES, AT(bytes), .preset = "16Gi", .min = 1, .max = 1e15},
    {.key = "milli", .kind = KNOB_QUANTITY, AT(milli), .preset = "500m", .max = 1000},
    {.key = "price", .kind = KNOB_MONEY, AT(price), .preset = "1.25 CNY", .max = 1e6},
    {.key = "text", .kind = KNOB_TEXT, AT(text), .preset = ""},
    {.key = "colour", .kind = KNOB_NAME, AT(colour), .preset = "green", .names = colours},
    {.key = "boot",
     .kind = KNOB_DIST,
     AT(boot),
     .preset = "{\"distribution\": \"lognormal\", \"median\": \"10s\", \"sigma\": 0.5}",
     .max = 3600,
     .quality = QUALITY_THIRD_PARTY,
     .source = "a paper"},
    {.key = "corner", .kind = KNOB_OBJECT, AT(corner), .table = &corner_table},
    {.key = "attic", .kind = KNOB_POINTER, AT(attic), .preset = "", .table = &corner_table},
    {.key = "rooms", .kind = KNOB_LIST, AT(rooms), .preset = "[]", .table = &room_table, .max = 3},
    {.key = "tags", .kind = KNOB_TEXTS, AT(tags), .preset = "a"},
    {.key = "labels", .kind = KNOB_MAP, AT(labels), .preset = ""},
    {.key = "scaler",
     .kind = KNOB_CHOICE,
     AT(scaler),
     .preset = "{\"hpa\": {\"minReplicas\": 1}}",
     .options = options},
    {0},
};
const struct knob_table fixture_house_table = {
    .name = "house", .doc = "A house.", .rows = house_rows, .size = sizeof(struct house)};
