/* test_trace: files of recorded prices, machines and lives, in one form. */
#include "sim/arena.h"
#include "sim/text.h"
#include "tests/shared_data.h"
#include "tests/temp_file.h"
#include "workloads/trace.h"

#include <criterion/criterion.h>

struct loaded {
    struct arena *arena;
    struct trace t;
};

static struct loaded load_path(const char *path)
{
    struct err e = {0};
    struct loaded l = {.arena = arena_create(NULL)};
    cr_assert_eq(trace_load(&l.t, l.arena, path, &e), 0, "%s: %s", e.where, e.msg);
    return l;
}

static struct loaded load(const char *text)
{
    struct temp_file f = temp_text(text);
    struct loaded l = load_path(f.path);
    temp_drop(&f);
    return l;
}

static void drop(struct loaded *l)
{
    arena_destroy(l->arena);
}

/* Newest first and two products, as EC2 answers. */
static const char aws[] =
    "{\"SpotPriceHistory\": [\n"
    "{\"AvailabilityZone\": \"us-east-1a\", \"InstanceType\": \"p3.2xlarge\", "
    "\"ProductDescription\": \"Linux/UNIX\", \"SpotPrice\": \"1.033200\", "
    "\"Timestamp\": \"2022-05-31T23:20:41+00:00\"},\n"
    "{\"AvailabilityZone\": \"us-east-1a\", \"InstanceType\": \"p3.2xlarge\", "
    "\"ProductDescription\": \"Windows\", \"SpotPrice\": \"1.4\", "
    "\"Timestamp\": \"2022-05-31T21:10:00.000Z\"},\n"
    "{\"AvailabilityZone\": \"us-east-1a\", \"InstanceType\": \"p3.2xlarge\", "
    "\"ProductDescription\": \"Linux/UNIX\", \"SpotPrice\": \"0.918000\", "
    "\"Timestamp\": \"2022-05-31T21:10:00.000Z\"}]}\n";

static const char alibaba[] =
    "{\"RequestId\": \"x\", \"Currency\": \"CNY\", \"SpotPrices\": {\"SpotPriceType\": [\n"
    "{\"ZoneId\": \"cn-hangzhou-g\", \"InstanceType\": \"ecs.gn6v-c8g1.2xlarge\", "
    "\"NetworkType\": \"vpc\", \"Timestamp\": \"2024-03-01T00:00:00Z\", \"OriginPrice\": 26.46, "
    "\"SpotPrice\": 5.31},\n"
    "{\"ZoneId\": \"cn-hangzhou-g\", \"InstanceType\": \"ecs.gn6v-c8g1.2xlarge\", "
    "\"NetworkType\": \"vpc\", \"Timestamp\": \"2024-03-01T04:00:00Z\", \"OriginPrice\": 26.46, "
    "\"SpotPrice\": 26.46}]}}";

static const char ticks[] = "{\"metadata\": {\"gap_seconds\": 195}, \"data\": [0, 1, 1, 16, 0]}";

Test(trace, reads_prices_of_ec2_product_by_product)
{
    struct loaded l = load(aws);
    cr_assert_str_eq(l.t.format->name, "awsSpotPrice");
    cr_assert_eq(l.t.n_series, 2);
    const struct trace_series *s = &l.t.series[0];
    cr_assert_str_eq(s->key.type, "p3.2xlarge");
    cr_assert_str_eq(s->key.zone, "us-east-1a");
    cr_assert_str_eq(s->key.product, "Linux/UNIX");
    cr_assert_str_eq(s->key.currency, "USD");
    cr_assert_eq(s->n, 2);
    cr_assert_eq(s->points[0].value, 918000);
    cr_assert_eq(s->points[1].value, 1033200);
    cr_assert_eq(s->points[1].ns - s->points[0].ns, 7841 * SIM_SECOND);
    cr_assert_eq(l.t.stamps, STAMP_UNIX);
    cr_assert_eq(l.t.out_of_order, 0, "the newest first is the order of EC2");
    drop(&l);
}

Test(trace, reads_prices_of_ecs_with_their_list_price)
{
    struct loaded l = load(alibaba);
    cr_assert_str_eq(l.t.format->name, "alibabaSpotPrice");
    cr_assert_eq(l.t.n_series, 1);
    cr_assert_str_eq(l.t.series[0].key.currency, "CNY");
    cr_assert_eq(l.t.series[0].list_micro, 26460000);
    cr_assert_eq(l.t.series[0].points[0].value, 5310000);
    cr_assert_eq(trace_span(&l.t).end - trace_span(&l.t).first, 4 * SIM_HOUR);
    drop(&l);
}

Test(trace, reads_a_table_of_prices_whatever_its_columns_are_called)
{
    static const struct {
        const char *text, *currency, *type;
        int64_t first;
    } rows[] = {
        {"timestamp_utc,spot_price_usd_per_h\n2015-03-11 16:53:20+00:00,0.0652\n", "USD", "",
         65200},
        {"time;price;currency;instance_type\n600;1.5;CNY;a\n", "CNY", "a", 1500000},
        {"\"Time\",\"Price\"\n0,0.0000005\n", "", "", 1},
        {"# made by hand\n\ntime\tprice_cny\tZoneId\n0\t3\tz\n", "CNY", "", 3000000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct loaded l = load(rows[i].text);
        cr_assert_str_eq(l.t.format->name, "priceCsv", "%zu", i);
        cr_assert_str_eq(l.t.series[0].key.currency, rows[i].currency, "%zu", i);
        cr_assert_str_eq(l.t.series[0].key.type, rows[i].type, "%zu", i);
        cr_assert_eq(l.t.series[0].points[0].value, rows[i].first, "%zu", i);
        drop(&l);
    }
}

Test(trace, sorts_rows_and_lets_the_later_of_two_count)
{
    struct loaded l = load("time,price_usd\n20,2\n10,1\n20,3\n30,4\n");
    const struct trace_series *s = &l.t.series[0];
    cr_assert_eq(s->n, 3);
    cr_assert_eq(l.t.rows, 4);
    cr_assert_eq(l.t.out_of_order, 1);
    cr_assert_eq(l.t.duplicates, 1);
    cr_assert_eq(s->points[0].value, 1000000);
    cr_assert_eq(s->points[1].value, 3000000);
    cr_assert_eq(s->points[2].value, 4000000);
    drop(&l);
}

Test(trace, reads_ticks_of_machines_that_could_be_had)
{
    struct loaded l = load(ticks);
    cr_assert_str_eq(l.t.format->name, "ticks");
    cr_assert_eq(l.t.format->kind, TRACE_AVAILABILITY);
    cr_assert_eq(l.t.tick, 195 * SIM_SECOND);
    cr_assert_eq(l.t.series[0].n, 5);
    cr_assert_eq(l.t.series[0].points[3].value, 16);
    cr_assert_eq(l.t.series[0].points[3].ns, 585 * SIM_SECOND);
    cr_assert_eq(trace_span(&l.t).end, 975 * SIM_SECOND,
                 "the last tick lasts as long as the others");
    drop(&l);
}

Test(trace, reads_lives_with_those_that_were_not_lost)
{
    struct loaded l = load("lifetime,lost\n3h20m,1\n12000,0\n1.5,true\n");
    cr_assert_str_eq(l.t.format->name, "lifetimeCsv");
    const struct trace_point *p = l.t.series[0].points;
    cr_assert_eq(p[0].ns, 12000 * SIM_SECOND);
    cr_assert_eq(p[1].ns, 12000 * SIM_SECOND);
    cr_assert_eq(p[1].value, 0);
    cr_assert_eq(p[2].ns, 1500 * SIM_MS);
    drop(&l);
    l = load("lifetime_h\n0.5\n");
    cr_assert_eq(l.t.series[0].points[0].ns, 30 * SIM_MINUTE);
    drop(&l);
    /* The second still lived when the trace ended, at 100. */
    l = load("start,end\n10,100\n40,\n50,60\n");
    p = l.t.series[0].points;
    cr_assert(p[0].ns == 90 * SIM_SECOND && p[0].value == 1);
    cr_assert(p[1].ns == 60 * SIM_SECOND && p[1].value == 0);
    cr_assert(p[2].ns == 10 * SIM_SECOND && p[2].value == 1);
    drop(&l);
}

/* What a format writes it reads again, point by point. */
Test(trace, writes_what_it_reads)
{
    static const char *const texts[] = {
        aws,
        alibaba,
        ticks,
        "time,price,currency,zone,instanceType\n2024-03-01T02:00:00Z,1.5,CNY,\"a,b\",\"x\"\"y\"\n"
        "2024-03-01T02:00:00.25Z,1.25,CNY,\"a,b\",\"x\"\"y\"\n",
        "time,available,zone\n0,3,a\n60,3,a\n120,2,a\n0,1,b\n60,0,b\n",
        "lifetime,lost,zone\n3h20m,1,a\n1.5,0,b\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct loaded l = load(texts[i]);
        struct text out = {0};
        l.t.format->write(&l.t, &out);
        struct loaded again = load(out.s);
        cr_assert_eq(again.t.format, l.t.format, "%zu", i);
        cr_assert_eq(again.t.n_series, l.t.n_series, "%zu", i);
        cr_assert_eq(again.t.tick, l.t.tick, "%zu: %s", i, out.s);
        for (size_t k = 0; k < l.t.n_series; k++) {
            const struct trace_series *a = &l.t.series[k], *b = &again.t.series[k];
            cr_assert_str_eq(a->key.zone, b->key.zone);
            cr_assert_str_eq(a->key.type, b->key.type);
            cr_assert_eq(a->list_micro, b->list_micro);
            cr_assert_eq(a->points[0].ns, b->points[0].ns, "%zu: %s", i, out.s);
            cr_assert_eq(a->points[a->n - 1].ns, b->points[b->n - 1].ns);
            cr_assert_eq(a->points[a->n - 1].value, b->points[b->n - 1].value);
        }
        text_fini(&out);
        drop(&again);
        drop(&l);
    }
}

Test(trace, says_what_is_wrong_and_where)
{
    static const struct {
        const char *text, *place, *message;
    } rows[] = {
        {"", "", "the file is empty"},
        {"time,price_usd\n", "", "the file has no rows (priceCsv)"},
        {"a,b\n1,2\n", ":1", "are of no known format; known: alibabaSpotPrice"},
        {"{\"a\": 1}", "", "no trace of a known format; known: alibabaSpotPrice"},
        {"{\"SpotPriceHistory\": [\n", ":2:1", ""},
        {"{\"SpotPriceHistory\": [\n{\"SpotPrice\": \"1\"}]}", ":2:1", "needs InstanceType"},
        {"{\"SpotPriceHistory\": [{\"AvailabilityZone\": \"a\", \"InstanceType\": \"b\",\n"
         "\"SpotPrice\": \"-1\", \"Timestamp\": \"2022-05-31T23:20:41Z\"}]}",
         ":2:14", "SpotPrice is no price in 0..1e6"},
        {"{\"SpotPriceHistory\": [{\"AvailabilityZone\": \"a\", \"InstanceType\": \"b\",\n"
         "\"SpotPrice\": \"1\", \"Timestamp\": \"yesterday\"}]}",
         ":2:32", "Timestamp is no time such as"},
        {"{\"SpotPrices\": {}}", ":1:16", "SpotPrices has no list SpotPriceType"},
        {"{\"SpotPrices\": {\"SpotPriceType\": []}}", ":1:1", "needs Currency"},
        {"{\"metadata\": {\"gap_seconds\": 0}, \"data\": [1]}", ":1:30", "gap_seconds"},
        {"{\"metadata\": {\"gap_seconds\": 60}, \"data\": [1,\n0.5]}", ":2:1", "whole"},
        {"time,price_usd\n1,x\n", ":2", "\"x\" is no price in 0..1e6"},
        {"time,price_usd\nnoon,1\n", ":2", "\"noon\" is no time such as"},
        {"time,price_usd\n1,1\n2024-03-01T02:00:00Z,1\n", ":3", "rows before have an offset"},
        {"time,price_usd\n1,1,1\n", ":2", "3 fields where there are 2 columns"},
        {"time,price,currency\n1,1,yuan\n", ":2", "\"yuan\" is no currency"},
        {"time,available\n1,1.5\n", ":2", "whole number of machines"},
        {"lifetime,lost\n-1,1\n", ":2", "\"-1\" is no duration"},
        {"lifetime,lost\n1,perhaps\n", ":2", "none of 1, 0"},
        {"start,end\n10,5\n", ":2", "no time after the start"},
    };
    struct arena *a = arena_create(NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct temp_file f = temp_text(rows[i].text);
        struct err e = {0};
        struct trace t;
        char place[128];
        cr_assert_eq(trace_load(&t, a, f.path, &e), -1, "%zu", i);
        snprintf(place, sizeof place, "%s%s", f.path, rows[i].place);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert_str_eq(e.where, place, "%zu: %s", i, e.msg);
        cr_assert(strstr(e.msg, rows[i].message), "%zu: %s", i, e.msg);
        temp_drop(&f);
    }
    arena_destroy(a);
}

/* Counts and sums taken from the files by other means (key facts beside the data). */
Test(trace, reads_the_reference_files)
{
    static const struct {
        const char *name, *format;
        size_t rows, series;
    } rows[] = {
        {"data/formats/aws_describe_spot_price_history.json", "awsSpotPrice", 3, 1},
        {"data/formats/ecs_describe_spot_price_history.json", "alibabaSpotPrice", 5, 1},
        {"data/nolicence-spotprice-aws/us-east-1a-Linux-g2.2xlarge.csv", "priceCsv", 23459, 1},
        {"data/nolicence-spot-skypilot/availability/16-node/aws-08-27-2023/us-east-2b_v100_1.json",
         "ticks", 3247, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[512];
        if (!shared_data_path(path, sizeof path, rows[i].name))
            continue;
        struct loaded l = load_path(path);
        cr_assert_str_eq(l.t.format->name, rows[i].format);
        cr_assert_eq(l.t.rows, rows[i].rows, "%s: %zu", rows[i].name, l.t.rows);
        cr_assert_eq(l.t.n_series, rows[i].series);
        if (i == 3) {
            int64_t sum = 0;
            for (size_t k = 0; k < l.t.series[0].n; k++)
                sum += l.t.series[0].points[k].value;
            cr_assert_eq(sum, 28437);
        }
        drop(&l);
    }
}
