/* test_traffic: rates on the clock: repeat, growth, shape, time zones, ends. */
#include "workloads/traffic.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "tests/temp_file.h"
#include "workloads/traffic_config.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct arena *memory;

static void set_up(void)
{
    struct err e = {0};
    memory = arena_create(&e);
}

static void tear_down(void)
{
    arena_destroy(memory);
}

TestSuite(traffic, .init = set_up, .fini = tear_down);

#define MONDAY INT64_C(1709510400) /* 2024-03-04 00:00 UTC */

static const struct traffic_frame week = {
    .horizon = 7 * SIM_DAY, .epoch_s = MONDAY, .time_zone = "UTC", .base_dir = ""};

static struct traffic *must_load(const struct traffic_config *c, const struct traffic_frame *f)
{
    struct err e = {0};
    struct traffic *t = traffic_load(memory, c, f, &e);
    cr_assert(t != NULL, "%s: %s", e.where, e.msg);
    return t;
}

static void refuse(const struct traffic_config *c, const struct traffic_frame *f, const char *where,
                   const char *message)
{
    struct err e = {0};
    cr_assert_null(traffic_load(memory, c, f, &e), "expected: %s", message);
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, message) != NULL, "%s: %s", e.where, e.msg);
    cr_assert(strstr(e.where, where) != NULL, "%s: %s", e.where, e.msg);
}

static struct traffic_config profile(const char *list)
{
    struct err e = {0};
    const struct json *points = json_parse(memory, "test", list, strlen(list), &e);
    cr_assert(points != NULL, "%s", e.msg);
    return (struct traffic_config){.qps = {.source = TRAFFIC_PROFILE, .profile = points}};
}

static struct traffic_config file(const struct temp_file *f)
{
    return (struct traffic_config){.qps = {.source = TRAFFIC_FILE, .file = f->path}};
}

static double at(const struct traffic *t, int day, int hour, int minute)
{
    return traffic_qps(t, day * SIM_DAY + hour * SIM_HOUR + minute * SIM_MINUTE);
}

static bool has_note(const struct traffic *t, const char *words)
{
    const struct knob_texts *notes = traffic_notes(t);
    for (size_t i = 0; i < notes->count; i++) {
        if (strstr(notes->items[i], words) != NULL) {
            return true;
        }
    }
    return false;
}

Test(traffic, is_constant_when_a_number_is_given)
{
    struct traffic_config c = {.qps = {.source = TRAFFIC_CONSTANT, .constant = 55}, .scale = 2};
    struct traffic *t = must_load(&c, &week);
    cr_assert_eq(at(t, 0, 0, 0), 110);
    cr_assert_eq(at(t, 6, 23, 59), 110);
    cr_assert_eq(traffic_peak_qps(t), 110);
    cr_assert_float_eq(traffic_expected(t), 110 * 7 * 86400.0, 1e-3);
    cr_assert_eq(traffic_clients(t), 0);
}

Test(traffic, profile_holds_its_last_value_or_repeats)
{
    const char *list = "[{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"8h\", \"qps\": 40}, {\"at\": "
                       "\"20h\", \"qps\": 4}]";
    struct traffic_config c = profile(list);
    struct traffic *t = must_load(&c, &week);
    cr_assert_eq(at(t, 0, 7, 59), 1);
    cr_assert_eq(at(t, 0, 8, 0), 40);
    cr_assert_eq(at(t, 3, 9, 0), 4);
    c.repeat = TRAFFIC_DAILY;
    t = must_load(&c, &week);
    cr_assert_eq(at(t, 3, 7, 59), 1);
    cr_assert_eq(at(t, 3, 8, 0), 40);
    cr_assert_eq(at(t, 3, 20, 0), 4);
    cr_assert_float_eq(traffic_expected(t), 7 * 3600.0 * (8 * 1 + 12 * 40 + 4 * 4), 1e-3);
    c.repeat = TRAFFIC_LOOP; /* its last point is its end: 20 hours */
    t = must_load(&c, &week);
    cr_assert_eq(at(t, 0, 20, 0), 1);
    cr_assert_eq(at(t, 1, 4, 0), 40);
    c.start = 10 * SIM_HOUR;
    t = must_load(&c, &week);
    cr_assert_eq(at(t, 0, 0, 0), 40);
    cr_assert_eq(at(t, 0, 10, 0), 1);
}

Test(traffic, linear_profile_runs_straight_between_points)
{
    struct traffic_config c =
        profile("[{\"at\": \"0s\", \"qps\": 10}, {\"at\": \"10h\", \"qps\": 30}]");
    c.qps.linear = true;
    struct traffic *t = must_load(&c, &week);
    cr_assert_float_eq(at(t, 0, 5, 0), 20, 1e-12);
    cr_assert_float_eq(at(t, 0, 7, 30), 25, 1e-12);
    cr_assert_eq(at(t, 0, 10, 0), 30);
    cr_assert_eq(traffic_peak_qps(t), 30);
    struct traffic_frame short_run = week;
    short_run.horizon = 4 * SIM_HOUR + 30 * SIM_MINUTE; /* ends inside a piece */
    t = must_load(&c, &short_run);
    cr_assert_float_eq(traffic_peak_qps(t), 19, 1e-12);
    cr_assert_float_eq(traffic_expected(t), 14.5 * 4.5 * 3600, 1e-6);
}

/* 1.08 a month: 1.08^(24 day / 730), by Python. */
Test(traffic, grows_by_the_month_compounded_daily)
{
    struct traffic_config c = {.qps = {.source = TRAFFIC_CONSTANT, .constant = 100},
                               .growth_per_month = 0.08};
    struct traffic_frame year = week;
    year.horizon = 366 * SIM_DAY;
    struct traffic *t = must_load(&c, &year);
    cr_assert_eq(at(t, 0, 23, 59), 100);
    cr_assert_float_eq(at(t, 1, 0, 0), 100.25334297, 1e-7);
    cr_assert_float_eq(at(t, 30, 12, 0), 107.88619983, 1e-7);
    cr_assert_float_eq(at(t, 365, 0, 0), 251.81701168, 1e-7);
    c.growth_per_month = -0.5;
    t = must_load(&c, &year);
    cr_assert_float_eq(at(t, 61, 0, 0), 24.90522842, 1e-7);
}

Test(traffic, shape_follows_weekdays_hours_and_holidays)
{
    struct traffic_business_hours business = {9 * SIM_HOUR, 18 * SIM_HOUR + 30 * SIM_MINUTE, 0.1};
    const char *dates[] = {"2024-03-06", "2024-03-05"};
    struct traffic_holidays holidays = {{dates, 2}, 0.25};
    struct traffic_shape s = {.weekdays = {true, {1, 1, 1, 1, 0.5, 0.5, 0.5}}};
    struct traffic_config c = {.qps = {.source = TRAFFIC_CONSTANT, .constant = 100}, .shape = &s};
    struct traffic *t = must_load(&c, &week);
    cr_assert_eq(at(t, 3, 23, 59), 100);
    cr_assert_eq(at(t, 4, 0, 0), 50);
    s.hours.given = true;
    for (int h = 0; h < 24; h++) {
        s.hours.of[h] = h < 8 ? 0.2 : 1;
    }
    s.business_hours = &business;
    s.holidays = &holidays;
    t = must_load(&c, &week);
    cr_assert_float_eq(at(t, 0, 7, 0), 100 * 0.2 * 0.1, 1e-12);
    cr_assert_float_eq(at(t, 0, 8, 0), 100 * 0.1, 1e-12);
    cr_assert_eq(at(t, 0, 9, 0), 100);
    cr_assert_eq(at(t, 0, 18, 29), 100);
    cr_assert_float_eq(at(t, 0, 18, 30), 10, 1e-12);
    cr_assert_float_eq(at(t, 1, 12, 0), 25, 1e-12); /* a holiday keeps the hours only */
    cr_assert_float_eq(at(t, 2, 3, 0), 5, 1e-12);
    cr_assert_eq(at(t, 3, 12, 0), 100);
    cr_assert_eq(at(t, 4, 12, 0), 50);
    cr_assert_float_eq(at(t, 5, 12, 0), 5, 1e-12); /* Saturday is outside */
    dates[0] = "2024-02-30";
    refuse(&c, &week, "", "\"2024-02-30\" is no date");
    dates[0] = "yesterday";
    refuse(&c, &week, "", "\"yesterday\" is no date");
}

/* Europe/Berlin goes from 02:00 to 03:00 on 2024-03-31, and from 03:00 to 02:00 on 2024-10-27. A
 * day that repeats follows the wall clock; the hour that is skipped is not played, the hour that
 * comes twice is played twice. */
Test(traffic, repeated_day_follows_the_clock_through_summer_time)
{
    char list[4000];
    size_t n = (size_t)sprintf(list, "[");
    for (int h = 0; h < 24; h++) {
        n += (size_t)sprintf(list + n, "%s{\"at\": \"%dh\", \"qps\": %d}", h > 0 ? ", " : "", h, h);
    }
    strcpy(list + n, "]");
    struct traffic_config c = profile(list);
    c.repeat = TRAFFIC_DAILY;
    struct traffic_frame spring = {.horizon = 2 * SIM_DAY,
                                   .epoch_s = 1711839600, /* 2024-03-31 00:00 in Berlin */
                                   .time_zone = "Europe/Berlin"};
    struct traffic *t = must_load(&c, &spring);
    cr_assert_eq(at(t, 0, 1, 59), 1);
    cr_assert_eq(at(t, 0, 2, 0), 3);
    cr_assert_eq(at(t, 0, 22, 30), 23);
    cr_assert_eq(at(t, 0, 23, 0), 0);
    cr_assert_float_eq(traffic_expected(t), (276 - 2 + 276 + 0) * 3600.0, 1e-6);
    struct traffic_frame autumn = spring;
    autumn.epoch_s = 1729980000; /* 2024-10-27 00:00 in Berlin */
    autumn.horizon = 25 * SIM_HOUR;
    t = must_load(&c, &autumn);
    cr_assert_eq(at(t, 0, 2, 30), 2);
    cr_assert_eq(at(t, 0, 3, 30), 2);
    cr_assert_eq(at(t, 0, 4, 0), 3);
    cr_assert_float_eq(traffic_expected(t), (276 + 2) * 3600.0, 1e-6);
    c.align = TRAFFIC_ALIGN_START; /* by elapsed time instead */
    t = must_load(&c, &autumn);
    cr_assert_eq(at(t, 0, 3, 30), 3);
    struct traffic_frame middle = spring; /* the run begins at 13:15, and so does the day */
    middle.epoch_s += 12 * 3600 + 900;
    c.align = TRAFFIC_ALIGN_AUTO;
    t = must_load(&c, &middle);
    cr_assert_eq(traffic_qps(t, 0), 13);
    cr_assert_eq(traffic_qps(t, 45 * SIM_MINUTE), 14);
    middle.epoch_s = 3600; /* 1970, and west of UTC the wall clock stands in 1969 */
    middle.time_zone = "America/New_York";
    t = must_load(&c, &middle);
    cr_assert_eq(traffic_qps(t, 0), 20);
}

Test(traffic, file_is_tied_to_the_clock_by_its_time_stamps)
{
    /* Six-hour bins of a week from Wednesday, as stamps with a zone. */
    char text[4000] = "time,qps\n";
    for (int i = 0; i < 28; i++) {
        sprintf(text + strlen(text), "2024-02-%02dT%02d:00:00+01:00,%d\n", 21 + i / 4, i % 4 * 6,
                i);
    }
    struct temp_file f = temp_text(text);
    struct traffic_config c = file(&f);
    c.repeat = TRAFFIC_WEEKLY;
    struct traffic_frame berlin = week;
    berlin.epoch_s = MONDAY - 3600;
    berlin.time_zone = "Europe/Berlin";
    struct traffic *t = must_load(&c, &berlin);
    cr_assert_eq(at(t, 0, 0, 0), 20); /* Monday is its sixth day */
    cr_assert_eq(at(t, 2, 0, 0), 0);
    cr_assert_eq(at(t, 2, 6, 0), 1);
    cr_assert_float_eq(traffic_expected(t), 378 * 21600.0, 1e-6);
    c.repeat = TRAFFIC_ONCE;
    t = must_load(&c, &berlin);
    cr_assert_eq(at(t, 0, 0, 0), 0);
    cr_assert_eq(at(t, 0, 6, 0), 1);
    c.align = TRAFFIC_ALIGN_CLOCK; /* the run begins five days after it ends */
    t = must_load(&c, &berlin);
    cr_assert(isnan(at(t, 0, 0, 0)));
    cr_assert(has_note(t, "ends after 0s of 7d") || has_note(t, "ends after 0 of 7d"), "%s",
              traffic_notes(t)->items[0]);
    berlin.epoch_s -= 10 * 86400; /* 2024-02-23 00:00 */
    t = must_load(&c, &berlin);
    cr_assert_eq(at(t, 0, 0, 0), 8);
    cr_assert_eq(at(t, 4, 23, 59), 27);
    cr_assert(isnan(at(t, 5, 0, 0)));
    cr_assert(has_note(t, "ends after 5d of 7d"));
    c.repeat = TRAFFIC_DAILY;
    refuse(&c, &berlin, f.path, "covers 7d, more than one day");
    temp_drop(&f);
}

Test(traffic, stamps_without_zone_are_in_the_run_s_zone_or_the_file_s)
{
    struct temp_file f = temp_text("time,qps\n2024-03-04 08:00,8\n2024-03-04 09:00,9\n");
    struct traffic_config c = file(&f);
    c.align = TRAFFIC_ALIGN_CLOCK;
    struct traffic_frame shanghai = week;
    shanghai.epoch_s = MONDAY - 8 * 3600;
    shanghai.time_zone = "Asia/Shanghai";
    struct traffic *t = must_load(&c, &shanghai);
    cr_assert(isnan(at(t, 0, 7, 59)));
    cr_assert_eq(at(t, 0, 8, 0), 8);
    cr_assert(isnan(at(t, 0, 10, 0)));
    c.time_zone = "UTC";
    t = must_load(&c, &shanghai);
    cr_assert_eq(at(t, 0, 16, 0), 8);
    c.time_zone = "Mars/Olympus";
    refuse(&c, &shanghai, "", "Mars/Olympus");
    temp_drop(&f);
    struct temp_file offsets = temp_text("offset_s,qps\n0,8\n600,9\n");
    c = file(&offsets);
    c.align = TRAFFIC_ALIGN_CLOCK;
    refuse(&c, &shanghai, offsets.path, "needs time stamps with a date");
    temp_drop(&offsets);
}

Test(traffic, gaps_stay_gaps)
{
    struct temp_file f =
        temp_text("offset_s,qps\n0,10\n600,20\n1800,30\n2400,\n3000,40\n3600,50\n");
    struct traffic_config c = file(&f);
    struct traffic *t = must_load(&c, &week);
    cr_assert_eq(at(t, 0, 0, 10), 20);
    cr_assert(isnan(at(t, 0, 0, 20)));
    cr_assert_eq(at(t, 0, 0, 30), 30);
    cr_assert(isnan(at(t, 0, 0, 40)));
    cr_assert_eq(at(t, 0, 1, 0), 50);
    cr_assert(isnan(at(t, 0, 1, 10)));
    cr_assert(has_note(t, "2 gaps, 20m in all"), "%s", traffic_notes(t)->items[0]);
    cr_assert(has_note(t, "ends after 1h10m of 7d"));
    cr_assert_float_eq(traffic_expected(t), 600 * 150.0, 1e-9);
    struct err e = {0};
    struct arrivals *a = arrivals_open(t, 1, 0, 0, &e);
    static sim_ns times[100000];
    size_t n = arrivals_fill(a, SIM_NEVER, times, 100000);
    cr_assert(n > 88000 && n < 92000);
    for (size_t i = 0; i < n; i++) {
        int64_t bin = times[i] / (600 * SIM_SECOND);
        cr_assert(bin != 2 && bin != 4 && bin < 7, "%lld", (long long)times[i]);
    }
    arrivals_close(a);
    temp_drop(&f);
}

Test(traffic, refuses_impossible_rates_and_runs)
{
    struct traffic_config c = {.qps = {.source = TRAFFIC_CONSTANT, .constant = 1e6}, .scale = 100};
    refuse(&c, &week, "", "reaches 1e+08 requests a second");
    c.scale = 1;
    c.repeat = TRAFFIC_LOOP;
    refuse(&c, &week, "", "no end to \"loop\" at");
    c.repeat = TRAFFIC_ONCE;
    struct traffic_frame far = week;
    far.epoch_s = INT64_C(7250000000);
    far.horizon = 400 * SIM_DAY;
    refuse(&c, &far, "", "1970 to 2199");
    far = week;
    far.time_zone = "Nowhere/At_All";
    refuse(&c, &far, "", "Nowhere/At_All");
}

/* Looking a rate up never depends on what was looked up before, and pieces meet. */
Test(traffic, rate_is_the_same_forwards_and_backwards)
{
    struct traffic_config c =
        profile("[{\"at\": \"0s\", \"qps\": 1}, {\"at\": \"7h\", \"qps\": 40}, {\"at\": "
                "\"20h\", \"qps\": 4}]");
    c.repeat = TRAFFIC_DAILY;
    c.qps.linear = true;
    c.growth_per_month = 0.1;
    struct traffic_frame f = {
        .horizon = 30 * SIM_DAY, .epoch_s = 1710000000, .time_zone = "America/New_York"};
    struct traffic *t = must_load(&c, &f), *again = must_load(&c, &f);
    enum { N = 4000 };
    static double forward[N];
    for (int i = 0; i < N; i++) {
        forward[i] = traffic_qps(t, i * (30 * SIM_DAY / N));
    }
    for (int i = N - 1; i >= 0; i--) {
        cr_assert_eq(forward[i], traffic_qps(again, i * (30 * SIM_DAY / N)));
    }
}

/* ---- shipped traces: facts counted by other programs ---- */

static const struct traffic_frame shipped = {.horizon = SIM_DAY,
                                             .epoch_s = MONDAY,
                                             .time_zone = "UTC",
                                             .base_dir = SLUICE_SOURCE_DIR "/scenarios/traces"};

static void check_rates(const char *name, double min, double max, double sum)
{
    struct traffic_config c = {.qps = {.source = TRAFFIC_FILE, .file = name}};
    struct traffic *t = must_load(&c, &shipped);
    double low = INFINITY, total = 0;
    for (int i = 0; i < 144; i++) {
        double v = at(t, 0, 0, 10 * i);
        low = fmin(low, v);
        total += v;
    }
    cr_assert_float_eq(low, min, 1e-9);
    cr_assert_float_eq(traffic_peak_qps(t), max, 1e-9);
    cr_assert_float_eq(total, sum, 1e-6);
    cr_assert_float_eq(traffic_expected(t), sum * 600, 1e-3);
    cr_assert_eq(traffic_notes(t)->count, 0);
}

Test(traffic, servegen_totals_have_their_known_facts)
{
    check_rates("servegen-deepseek-r1.csv", 4.311666667, 42.52, 2306.115);
    check_rates("servegen-mm-image.csv", 4.853333333, 13.286666667, 1364.35);
}

Test(traffic, azure_code_trace_has_its_known_facts)
{
    struct err e = {0};
    struct traffic_config c = {.requests = "azure-llm-code-2023.csv"};
    struct traffic *t = must_load(&c, &shipped);
    static sim_ns times[10000];
    struct arrivals *a = arrivals_open(t, 1, 0, 0, &e);
    size_t n = arrivals_fill(a, SIM_NEVER, times, 10000);
    arrivals_close(a);
    cr_assert_eq(n, 8819);
    cr_assert_eq(traffic_expected(t), 8819);
    cr_assert_eq(times[0], 0);
    cr_assert_eq(times[8818], INT64_C(3435948056000));
    cr_assert(isnan(traffic_qps(t, 0)));
    cr_assert_eq(traffic_peak_qps(t), 0);
    /* By clock seconds, 18:31:26 is the busiest; the first request comes at 18:17:03.97996. */
    int in_second[3600] = {0}, in_minute[60] = {0};
    for (size_t i = 0; i < n; i++) {
        in_second[(times[i] + 979960000) / SIM_SECOND]++;
        in_minute[times[i] / SIM_MINUTE]++;
    }
    int busiest = 0, minute = 0;
    for (int i = 0; i < 3600; i++) {
        busiest = in_second[i] > in_second[busiest] ? i : busiest;
        minute = i < 60 && in_minute[i] > in_minute[minute] ? i : minute;
    }
    cr_assert_eq(in_second[busiest], 67);
    cr_assert_eq(busiest, (18 * 3600 + 31 * 60 + 26) - (18 * 3600 + 17 * 60 + 3));
    cr_assert_eq(in_minute[minute], 632);
    cr_assert(has_note(t, "ends after"));
}

Test(traffic, request_list_is_shifted_scaled_and_looped)
{
    struct err e = {0};
    struct temp_file f = temp_text("t\n10\n12\n12\n15\n");
    struct traffic_frame minute = {.horizon = 59 * SIM_SECOND, .base_dir = ""};
    static const struct {
        sim_ns start;
        double scale;
        int repeat;
        size_t n;
        double first[6]; /* seconds */
    } rows[] = {
        {0, 1, TRAFFIC_ONCE, 4, {10, 12, 12, 15}},
        {11 * SIM_SECOND, 1, TRAFFIC_ONCE, 3, {1, 1, 4}},
        {0, 2, TRAFFIC_ONCE, 4, {5, 6, 6, 7.5}},
        /* A lap takes 5 s and a mean gap, 5 / 3 s. */
        {10 * SIM_SECOND, 1, TRAFFIC_LOOP, 36, {0, 2, 2, 5, 6.666666666, 8.666666666}},
        {12 * SIM_SECOND, 1, TRAFFIC_LOOP, 36, {0, 0, 3, 4.666666666, 6.666666666, 6.666666666}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct traffic_config c = {.requests = f.path,
                                   .start = rows[i].start,
                                   .scale = rows[i].scale,
                                   .repeat = rows[i].repeat};
        struct traffic *t = must_load(&c, &minute);
        struct arrivals *a = arrivals_open(t, 1, 0, 0, &e);
        sim_ns times[100];
        size_t n = arrivals_fill(a, SIM_NEVER, times, 100);
        cr_assert_eq(n, rows[i].n, "row %zu: %zu", i, n);
        cr_assert_eq(traffic_expected(t), (double)n);
        for (size_t k = 0; k < 6 && k < n; k++) {
            cr_assert_float_eq((double)times[k] / 1e9, rows[i].first[k], 2e-9, "row %zu, %zu: %lld",
                               i, k, (long long)times[k]);
        }
        arrivals_close(a);
    }
    struct traffic_config c = {.requests = f.path, .repeat = TRAFFIC_LOOP, .scale = 1e9};
    refuse(&c, &minute, f.path, "more than 1e+07 requests a second");
    temp_drop(&f);
    f = temp_text("t\n7\n7\n");
    c = (struct traffic_config){.requests = f.path, .repeat = TRAFFIC_LOOP};
    refuse(&c, &minute, f.path, "needs requests at two times");
    temp_drop(&f);
}
