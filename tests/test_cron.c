/* test_cron: crontab expressions. */
#include "models/control/cron.h"

#include <criterion/criterion.h>
#include <string.h>

static struct cron parse(const char *text)
{
    struct cron c;
    struct err e = {0};
    cr_assert_eq(cron_parse(text, &c, &e), 0, "%s", e.msg);
    return c;
}

Test(cron, fires_at_the_last_time_not_after)
{
    struct {
        const char *text;
        int32_t upto, want;
    } rows[] = {
        {"0 8 * * *", 8 * 3600, 8 * 3600},
        {"0 8 * * *", 8 * 3600 - 1, -1},
        {"0 8,20 * * *", 86399, 20 * 3600},
        {"*/15 * * * *", 3600 + 50 * 60, 3600 + 45 * 60},
        {"30 9-17/2 * * *", 16 * 3600, 15 * 3600 + 1800},
        {"5/20 7 * * *", 86399, 7 * 3600 + 45 * 60},
        {"30 0 8 * * *", 86399, 8 * 3600 + 30},
        {"0 0 0 * * ?", 86399, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cron c = parse(rows[i].text);
        cr_expect_eq(cron_last(&c, rows[i].upto), rows[i].want, "%s: %d", rows[i].text,
                     (int)cron_last(&c, rows[i].upto));
    }
}

Test(cron, days_and_weekdays_join_as_cron_has_it)
{
    const struct cron_date monday = {2026, 6, 1, 1}, sunday = {2026, 6, 7, 0};
    struct cron work = parse("0 8 * * mon-FRI"), first = parse("0 8 1 * *");
    struct cron either = parse("0 8 7 * 1"), seven = parse("0 8 * * 7");
    struct cron july = parse("0 8 * jul *");
    cr_expect(cron_on(&work, &monday) && !cron_on(&work, &sunday));
    cr_expect(cron_on(&first, &monday) && !cron_on(&first, &sunday));
    cr_expect(cron_on(&either, &monday) && cron_on(&either, &sunday));
    cr_expect(cron_on(&seven, &sunday) && !cron_on(&seven, &monday));
    cr_expect_not(cron_on(&july, &monday));
}

Test(cron, the_day_before_knows_leap_years)
{
    struct {
        struct cron_date d, y;
    } rows[] = {
        {{2026, 6, 1, 1}, {2026, 5, 31, 0}}, {{2024, 3, 1, 5}, {2024, 2, 29, 4}},
        {{2100, 3, 1, 1}, {2100, 2, 28, 0}}, {{2026, 1, 1, 4}, {2025, 12, 31, 3}},
        {{2000, 3, 1, 0}, {2000, 2, 29, 6}}, {{0, 0, 0, 0}, {0, 0, 0, 6}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cron_date y = cron_yesterday(&rows[i].d);
        cr_expect(memcmp(&y, &rows[i].y, sizeof y) == 0, "row %zu", i);
    }
}

Test(cron, names_the_field_at_fault)
{
    static const char *const rows[][2] = {
        {"0 8 * *", "4 fields"},          {"60 8 * * *", "minute '60'"},
        {"0 24 * * *", "hour '24'"},      {"0 8 0 * *", "day '0'"},
        {"0 8 * foo *", "month 'foo'"},   {"0 8 * * 8", "weekday '8'"},
        {"0 8-6 * * *", "hour '8-6'"},    {"*/0 8 * * *", "minute '*/0'"},
        {"1, 8 * * *", "minute '1,'"},    {"0 8 * * mo", "weekday 'mo'"},
        {"0 0 8 * * * 2026", "7 fields"}, {"x 0 8 * * *", "second 'x'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cron c;
        struct err e = {0};
        cr_expect_eq(cron_parse(rows[i][0], &c, &e), -1, "%s", rows[i][0]);
        cr_expect(strstr(e.msg, rows[i][1]), "%s: %s", rows[i][0], e.msg);
    }
}
