/* test_zone: local time, against figures from `date` and the published rules. */
#include "sim/zone.h"

#include "tests/dice.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct zone *must_load(const char *name)
{
    struct err e = {0};
    struct zone *z = zone_load(name, &e);
    cr_assert(z, "%s: %s", name, e.msg);
    return z;
}

Test(zone, splits_times_into_date_and_clock)
{
    /* date -u -d @X and TZ=... date -d @X */
    static const struct {
        const char *zone;
        int64_t unix_s;
        struct zone_time want;
    } rows[] = {
        {"UTC", 0, {1970, 1, 1, 0, 0, 0, 4, 0}},
        {"UTC", 951782400, {2000, 2, 29, 0, 0, 0, 2, 59}},
        {"UTC", -1, {1969, 12, 31, 23, 59, 59, 3, 364}},
        {"Asia/Shanghai", 1626192000, {2021, 7, 14, 0, 0, 0, 3, 194}},
        {"+05:30", 1626192000, {2021, 7, 13, 21, 30, 0, 2, 193}},
        {"UTC-3", 1626192000, {2021, 7, 13, 13, 0, 0, 2, 193}},
        {"America/New_York", 1626192000, {2021, 7, 13, 12, 0, 0, 2, 193}},
        {"America/New_York", 1610000000, {2021, 1, 7, 1, 13, 20, 4, 6}},
        {"Europe/Berlin", 4102444799, {2100, 1, 1, 0, 59, 59, 5, 0}},
        {"Europe/Berlin", 4118083200, {2100, 7, 1, 2, 0, 0, 4, 181}},
        {"Australia/Sydney", 4102444799, {2100, 1, 1, 10, 59, 59, 5, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct zone *z = must_load(rows[i].zone);
        struct zone_time t = zone_local(z, rows[i].unix_s);
        cr_assert(memcmp(&t, &rows[i].want, sizeof t) == 0,
                  "row %zu: %d-%02d-%02d %02d:%02d:%02d weekday %d yearday %d", i, t.year, t.month,
                  t.day, t.hour, t.minute, t.second, t.weekday, t.yearday);
        zone_free(z);
    }
}

Test(zone, goes_back_to_the_same_instant)
{
    static const char *const names[] = {"UTC", "Asia/Shanghai", "Europe/Berlin", "America/New_York",
                                        "Australia/Lord_Howe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct zone *z = must_load(names[i]);
        for (int64_t s = -4000000000; s < 8000000000; s += 39916801) {
            struct zone_time t = zone_local(z, s);
            int64_t back = zone_unix(z, &t);
            struct zone_time again = zone_local(z, back); /* an hour may occur twice */
            cr_assert(memcmp(&t, &again, sizeof t) == 0 && back <= s, "%s at %lld", names[i],
                      (long long)s);
        }
        zone_free(z);
    }
}

Test(zone, handles_clock_changes)
{
    struct zone *z = must_load("Europe/Berlin");
    /* 2021-03-28 01:00 UTC: 2:00 becomes 3:00; 2021-10-31 01:00 UTC: 3:00 becomes 2:00. */
    cr_assert_eq(zone_offset_s(z, 1616893199), 3600);
    cr_assert_eq(zone_offset_s(z, 1616893200), 7200);
    struct zone_time skipped = {.year = 2021, .month = 3, .day = 28, .hour = 2, .minute = 30};
    cr_assert_eq(zone_unix(z, &skipped), 1616893200 + 1800);
    struct zone_time twice = {.year = 2021, .month = 10, .day = 31, .hour = 2, .minute = 30};
    cr_assert_eq(zone_unix(z, &twice), 1635642000 - 1800);
    struct zone_time next_month = {.year = 2021, .month = 13, .day = 32};
    struct zone_time t = zone_local(z, zone_unix(z, &next_month));
    cr_assert(t.year == 2022 && t.month == 2 && t.day == 1);
    zone_free(z);
}

Test(zone, refuses_what_is_no_zone)
{
    static const char *const names[] = {
        "",          "Mars/Olympus", "../../etc/passwd", "/etc/passwd",
        "+25:00:00", "Asia",         "zone.tab",         "+8h"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct err e = {0};
        cr_assert_null(zone_load(names[i], &e), "%s", names[i]);
        cr_assert_eq(e.code, ERR_INPUT);
        cr_assert(strlen(e.msg) > 20);
    }
}

/* One with many transitions and a rule at the end, a short one, and one of version 2 only. */
static size_t zone_bytes(const char *name, char *out, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%s", name);
    FILE *f = fopen(path, "rb");
    cr_assert(f, "%s", path);
    size_t n = fread(out, 1, size, f);
    fclose(f);
    return n;
}

/* A damaged file is refused, or gives some zone: it never reads beyond its bytes. */
Test(zone, survives_mutations_of_zone_files)
{
    static const char *const names[] = {"Europe/Berlin", "America/New_York", "Etc/GMT+5"};
    struct dice d = dice_of(1);
    int good = 0;
    for (int round = 0; round < 6000; round++) {
        char bytes[8192];
        size_t n = zone_bytes(names[round % 3], bytes, sizeof bytes);
        for (int64_t k = dice_int(&d, 0, 4); k > 0; k--) {
            /* Headers and the tail are short: half of the changes go there. */
            int64_t place = dice_int(&d, 0, (int64_t)n - 1);
            int64_t near = dice_int(&d, 0, n < 60 ? (int64_t)n - 1 : 59);
            place = dice_flag(&d) ? place : dice_flag(&d) ? near : (int64_t)n - 1 - near;
            if (dice_int(&d, 0, 9) == 0)
                n = (size_t)place + 1;
            else
                bytes[place] = (char)dice_int(&d, 0, 255);
        }
        struct err e = {0};
        struct zone *z = zone_parse(bytes, n, &e);
        cr_assert(z ? e.code == ERR_NONE : e.code == ERR_INPUT);
        if (z) {
            good++;
            for (int64_t s = -4000000000; s < 8000000000; s += 999999937) {
                struct zone_time t = zone_local(z, s);
                cr_assert(t.month >= 1 && t.month <= 12 && t.day >= 1 && t.day <= 31);
                zone_unix(z, &t);
            }
        }
        zone_free(z);
    }
    cr_assert(good > 1000 && good < 5500, "%d", good);
}

Test(zone, knows_the_days_of_the_calendar)
{
    static const char *const days[] = {"2024-02-29", "2000-02-29", "1970-01-01", "2026-12-31"};
    static const char *const none[] = {"2026-02-29", "1900-02-29", "2026-00-10", "2026-13-01",
                                       "2026-04-31", "2026-01-00", "2026-1-01",  "2026-01-01 ",
                                       "nope",       "",           "2026/01/01", "20260-1-01"};
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++)
        cr_assert(zone_is_date(days[i]), "%s", days[i]);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        cr_assert_not(zone_is_date(none[i]), "%s", none[i]);
}
