/* test_catalog: the shipped catalogue and how it is read. */
#include "models/capacity/catalog.h"
#include "scenarios/run/catalog_files.h"
#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct catalog *shipped(struct arena *a)
{
    struct err e = {0};
    struct catalog_source s = {.dir = SLUICE_SOURCE_DIR "/scenarios/catalog"};
    const struct catalog *c = catalog_files_load(a, &s, &e);
    cr_assert(c, "%s: %s", e.where, e.msg);
    return c;
}

Test(catalog, knows_the_machines_of_the_founding_cases)
{
    struct arena *a = arena_create(NULL);
    const struct catalog *c = shipped(a);
    const struct instance_type *v100 = catalog_instance(c, "ecs.gn6v-c8g1.2xlarge");
    cr_assert(v100);
    cr_assert_eq(v100->vcpu, 8);
    cr_assert_eq(v100->memory, INT64_C(32) << 30);
    cr_assert_eq(v100->gpus, 1);
    cr_assert_str_eq(v100->gpu, "V100");
    const struct instance_type *p4 = catalog_instance(c, "ecs.gn5i-c2g1.large");
    cr_assert(p4 && !p4->kubernetes_node);
    cr_assert_null(catalog_instance(c, "ecs.gn6v"));
    arena_destroy(a);
}

Test(catalog, has_a_price_or_says_so_and_keeps_currencies_apart)
{
    struct arena *a = arena_create(NULL);
    const struct catalog *c = shipped(a);
    struct catalog_price_key key = {"ecs.gn6v-c8g1.2xlarge", "cn-hangzhou", "CNY", PRICE_ON_DEMAND};
    cr_assert_eq(catalog_price(c, &key)->per_hour.micro, 26000000);
    key.currency = "USD";
    cr_assert_eq(catalog_price(c, &key)->per_hour.micro, 2200000);
    key.currency = "EUR";
    cr_assert_null(catalog_price(c, &key));
    struct catalog_price_key a100 = {"ecs.gn7-c12g1.3xlarge", NULL, "CNY", PRICE_ON_DEMAND};
    cr_assert_null(catalog_price(c, &a100), "no price was found, so none is shipped");
    arena_destroy(a);
}

Test(catalog, gives_each_figure_a_source_a_date_and_a_quality)
{
    struct arena *a = arena_create(NULL);
    const struct catalog *c = shipped(a);
    size_t prices = 0;
    for (size_t p = 0; p < c->n_parts; p++) {
        const struct price *rows = c->parts[p].prices.items;
        for (size_t i = 0; i < c->parts[p].prices.count; i++, prices++) {
            cr_assert(rows[i].source[0] && rows[i].date[0] && rows[i].quality != QUALITY_NONE);
            cr_assert(catalog_instance(c, rows[i].type), "%s has a price, no machine",
                      rows[i].type);
            if (strstr(rows[i].type, "gn5i"))
                cr_assert_eq(rows[i].quality, QUALITY_ASSUMED);
        }
        const struct catalog_eci_spec *specs = c->parts[p].eci_specs.items;
        for (size_t i = 0; i < c->parts[p].eci_specs.count; i++)
            cr_assert(catalog_instance(c, specs[i].type));
        const struct catalog_eci_size *sizes = c->parts[p].eci_sizes.items;
        for (size_t i = 0; i < c->parts[p].eci_sizes.count; i++)
            cr_assert(sizes[i].source[0] && sizes[i].date[0] && sizes[i].memory.count > 0);
    }
    cr_assert_gt(prices, 50);
    arena_destroy(a);
}

Test(catalog, has_the_spot_markets_in_order_of_harshness)
{
    struct arena *a = arena_create(NULL);
    const struct catalog *c = shipped(a);
    static const char *const order[] = {"calm", "plentiful", "medium", "scarce"};
    double last = 0;
    for (size_t i = 0; i < 4; i++) {
        const struct spot_preset *p = catalog_spot(c, order[i]);
        cr_assert(p, "%s", order[i]);
        double h = spot_hazard_at(p, 90 * SIM_MINUTE);
        cr_assert_gt(h, last, "%s", order[i]);
        last = h;
    }
    /* Bands of the advisor and probe traces lie orders of magnitude apart. */
    cr_assert_gt(spot_hazard_at(catalog_spot(c, "medium"), 90 * SIM_MINUTE),
                 1000 * spot_hazard_at(catalog_spot(c, "calm"), 90 * SIM_MINUTE));
    arena_destroy(a);
}

/* ECS 300 s (documentation of 2021-07-19), EC2 two minutes, Google Cloud 30 s; only ECS sells a
 * protected hour. */
Test(catalog, knows_the_notice_and_the_protection_of_each_platform)
{
    struct arena *a = arena_create(NULL);
    const struct catalog *c = shipped(a);
    static const struct {
        const char *name;
        sim_ns notice, protection;
    } rows[] = {
        {"calm", 300 * SIM_SECOND, 6 * SIM_HOUR}, {"medium", 300 * SIM_SECOND, 6 * SIM_HOUR},
        {"awsPlentiful", 120 * SIM_SECOND, 0},    {"awsScarce", 120 * SIM_SECOND, 0},
        {"awsHeldHigh", 120 * SIM_SECOND, 0},     {"gcpCalm", 30 * SIM_SECOND, 0},
        {"gcpLegacy", 30 * SIM_SECOND, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct spot_preset *p = catalog_spot(c, rows[i].name);
        cr_assert(p, "%s", rows[i].name);
        cr_assert_eq(p->notice, rows[i].notice, "%s", rows[i].name);
        cr_assert_eq(p->protection, rows[i].protection, "%s", rows[i].name);
    }
    arena_destroy(a);
}

Test(catalog, takes_a_users_file_without_a_rebuild_and_lets_it_win)
{
    struct arena *a = arena_create(NULL);
    struct err e = {0};
    struct temp_file f =
        temp_text("{\"sluice\": 1, \"instances\": [{\"type\": \"mine\", \"vcpu\": 4, \"memory\": "
                  "\"8Gi\", \"gpu\": \"L20\", \"gpus\": 1, \"quality\": \"official\", \"date\": "
                  "\"2026-01-01\", \"source\": \"my contract\"}],\n"
                  "\"prices\": [{\"type\": \"ecs.gn6v-c8g1.2xlarge\", \"perHour\": \"19.5 CNY\", "
                  "\"quality\": \"official\", \"date\": \"2026-01-01\", \"source\": \"my "
                  "contract\"}]}");
    const char *path = f.path;
    struct catalog_source s = {SLUICE_SOURCE_DIR "/scenarios/catalog", &path, 1, NULL};
    const struct catalog *c = catalog_files_load(a, &s, &e);
    cr_assert(c, "%s: %s", e.where, e.msg);
    cr_assert_str_eq(catalog_instance(c, "mine")->gpu, "L20");
    struct catalog_price_key key = {"ecs.gn6v-c8g1.2xlarge", "cn-beijing", "CNY", PRICE_ON_DEMAND};
    cr_assert_eq(catalog_price(c, &key)->per_hour.micro, 19500000);
    temp_drop(&f);
    arena_destroy(a);
}

Test(catalog, names_what_is_missing_and_what_is_near)
{
    struct arena *a = arena_create(NULL);
    struct err e = {0};
    const struct catalog *c = shipped(a);
    catalog_missing(c, CATALOG_INSTANCE, "ecs.gn6v-c8g1.2xlage", "nodePools.elastic", &e);
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert_str_eq(e.where, "nodePools.elastic");
    cr_assert(strstr(e.msg, "did you mean \"ecs.gn6v-c8g1.2xlarge\"?"), "%s", e.msg);
    arena_destroy(a);
}

Test(catalog, refuses_what_is_wrong_at_its_place)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\"sluice\": 1, \"prices\": [{\"type\": \"x\", \"perHour\": \"1 CNY\", \"quality\": "
         "\"assumed\", \"date\": \"d\", \"source\": \"s\"}]}",
         "derived"},
        {"{\"sluice\": 2}", "sluice"},
        {"{\"sluice\": 1, \"price\": []}", "prices"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"hazards\": [{\"fromAge\": \"1h\", "
         "\"perHour\": 1}], \"quality\": \"measured\", \"date\": \"d\", \"source\": \"s\"}]}",
         "age 0"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"quality\": \"measured\", \"date\": "
         "\"d\", \"source\": \"s\"}]}",
         "one of hazards, lifetime and stockUp"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"lifetime\": \"2h\", \"hazards\": "
         "[{\"fromAge\": \"0s\", \"perHour\": 1}], \"quality\": \"measured\", \"date\": \"d\", "
         "\"source\": \"s\"}]}",
         "here are 2"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"lifetime\": {\"distribution\": "
         "\"lognormal\", \"mean\": \"2h\", \"cv\": 1}, \"quality\": \"measured\", \"date\": \"d\", "
         "\"source\": \"s\"}]}",
         "exponential or weibull"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"lifetime\": {\"distribution\": "
         "\"weibull\", \"shape\": 1.5, \"scale\": \"2h\"}, \"quality\": \"measured\", \"date\": "
         "\"d\", \"source\": \"s\"}]}",
         "above 1 old machines die"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"stockUp\": {\"distribution\": "
         "\"exponential\", \"mean\": \"2h\"}, \"quality\": \"measured\", \"date\": \"d\", "
         "\"source\": \"s\"}]}",
         "go together"},
        {"{\"sluice\": 1, \"spotMarkets\": [{\"name\": \"m\", \"stockUp\": {\"distribution\": "
         "\"exponential\", \"mean\": \"2h\"}, \"stockDown\": {\"distribution\": \"exponential\", "
         "\"mean\": \"2h\"}, \"batchShare\": 0.5, \"quality\": \"measured\", \"date\": \"d\", "
         "\"source\": \"s\"}]}",
         "leave batchShare out"},
        {"{\"sluice\": 1, \"instances\": [{\"type\": \"x\", \"vcpu\": 4, \"memory\": \"8Gi\", "
         "\"gpus\": 1, \"quality\": \"official\", \"date\": \"d\", \"source\": \"s\"}]}",
         "go together"},
        {"{\"sluice\": 1, \"prices\": [{\"type\": \"x\", \"perHour\": \"1 CNY\", \"quality\": "
         "\"official\", \"date\": \"d\", \"source\": \"s\"}, {\"type\": \"x\", \"perHour\": \"2 "
         "CNY\", \"quality\": \"official\", \"date\": \"d\", \"source\": \"s\"}]}",
         "both for x"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arena *a = arena_create(NULL);
        struct err e = {0};
        struct temp_file f = temp_text(rows[i].text);
        const char *path = f.path;
        struct catalog_source s = {NULL, &path, 1, NULL};
        cr_assert_null(catalog_files_load(a, &s, &e), "row %zu", i);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert(strstr(e.msg, rows[i].message), "row %zu: %s: %s", i, e.where, e.msg);
        temp_drop(&f);
        arena_destroy(a);
    }
}
