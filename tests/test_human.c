/* test_human: numbers as people read them. "_" in the tables is a no-break space. */
#include "reports/human.h"
#include "sim/result.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static void expect(const struct human got, const char *want)
{
    char plain[128];
    size_t n = 0;
    for (const char *s = got.s; *s; s++) {
        if ((unsigned char)*s == 0xC2 && (unsigned char)s[1] == 0xA0)
            s++, plain[n++] = '_';
        else
            plain[n++] = *s;
    }
    plain[n] = '\0';
    cr_assert_str_eq(plain, want);
}

Test(human, writes_durations)
{
    static const struct {
        double v;
        const char *want;
    } rows[] = {
        {0, "0_s"},
        {0.0000004, "0.40_\xC2\xB5s"},
        {0.00042, "420_\xC2\xB5s"},
        {0.0000421, "42.1_\xC2\xB5s"},
        {0.0009996, "1.00_ms"},
        {0.0123, "12.3_ms"},
        {0.0999, "100_ms"},
        {0.128, "128_ms"},
        {0.9996, "1.00_s"},
        {1.416, "1.42_s"},
        {35.21, "35.2_s"},
        {60, "60_s"},
        {99.97, "1m40s"},
        {320, "5m20s"},
        {300, "5m"},
        {11100, "3h05m"},
        {3600, "1h"},
        {604800, "7d"},
        {1051200, "12d04h"},
        {-320, "-5m20s"},
        {(double)NAN, "unknown"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        expect(human_seconds(rows[i].v), rows[i].want);
}

Test(human, writes_counts_money_and_shares)
{
    expect(human_count(33264000), "33,264,000");
    expect(human_count(-1234), "-1,234");
    expect(human_count(262.44), "262.4");
    expect(human_count(4.414), "4.41");
    expect(human_count(999), "999");
    expect(human_count(1e300), "1e+300");
    expect(human_money(38210.4, "CNY"), "38,210_CNY");
    expect(human_money(12.34, "CNY"), "12.34_CNY");
    expect(human_money(0.012345, NULL), "0.0123");
    expect(human_share(0.302), "30.2_%");
    expect(human_share(0.999), "99.9_%");
    expect(human_share(0.99986), "99.986_%");
    expect(human_share(0.999995), "99.9995_%");
    expect(human_share(0.9999999), "99.99999_%");
    expect(human_share(1.00002), "100.002_%");
    expect(human_share(1), "100_%");
    expect(human_share(0), "0.0_%");
}

Test(human, chooses_by_unit)
{
    expect(human_value(0.5, "s"), "500_ms");
    expect(human_value(0.5, "1"), "50.0_%");
    expect(human_value(10, "CNY"), "10.00_CNY");
    expect(human_value(95, "QPS"), "95_QPS");
    expect(human_value(12, "nodes"), "12_nodes");
    expect(human_value(1.5, NULL), "1.5");
    struct figure f = {.unit = "s", .has_interval = true, .low = 0.0941, .high = 0.0993};
    expect(human_interval(&f), "94.1 to 99.3_ms");
    f.high = 1.02;
    expect(human_interval(&f), "94.1_ms to 1.02_s");
    f.low = 0; /* cut there: two replications say nothing of the lower end */
    expect(human_interval(&f), "up to 1.02_s");
    f.high = 0;
    expect(human_interval(&f), "0 to 0_s");
    f.has_interval = false;
    expect(human_interval(&f), "");
}

Test(human, splits_names_into_words)
{
    expect(human_words("onDemandPremium"), "on-demand premium");
    expect(human_words("waitForNode"), "wait for node");
    expect(human_words("GPU"), "gpu");
    expect(human_words(""), "");
}

Test(human, measures_and_cuts_text_by_columns)
{
    cr_assert_eq(human_columns("abc"), 3);
    cr_assert_eq(human_columns("\xE4\xB8\xAD\xE6\x96\x87"), 4);
    cr_assert_eq(human_columns("e\xCC\x81"), 1);
    cr_assert_eq(human_columns("\xFF\xC3"), 2);
    cr_assert_eq(human_fit("\xE4\xB8\xAD\xE6\x96\x87", 3), 3);
    cr_assert_eq(human_fit("\xE4\xB8\xAD\xE6\x96\x87", 1), 3, "at least one character");
    cr_assert_eq(human_fit("abc", 2), 2);
    cr_assert_eq(human_fit("", 2), 0);
}
