/* test_stamp: times as trace files write them, against figures from `date`. */
#include "workloads/stamp.h"

#include <criterion/criterion.h>

#define NS INT64_C(1000000000)

Test(stamp, reads_the_notations_of_traces)
{
    static const struct {
        const char *text;
        enum stamp_unit unit;
        enum stamp_kind kind;
        int64_t ns;
    } rows[] = {
        {"0", STAMP_UNIT_AUTO, STAMP_OFFSET, 0},
        {"600", STAMP_UNIT_AUTO, STAMP_OFFSET, 600 * NS},
        {" 85800.25 ", STAMP_UNIT_AUTO, STAMP_OFFSET, 85800 * NS + NS / 4},
        {"3536999", STAMP_UNIT_MS, STAMP_OFFSET, INT64_C(3536999) * 1000000},
        {"1709258400", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS},
        {"1709258400.781", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS + 781000000},
        {"1709258400781", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS + 781000000},
        {"1709258400781250", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS + 781250000},
        {"1709258400781250123", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS + 781250123},
        {"1.7092584e9", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS},
        {"2024-03-01T02:00:00Z", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS},
        {"2024-03-01T02:00:00.000Z", STAMP_UNIT_ISO, STAMP_UNIX, 1709258400 * NS},
        {"2024-03-01T10:00:00+08:00", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS},
        {"2024-03-01 10:00:00 +0800", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS},
        {"2024-02-29T21:00-05", STAMP_UNIT_AUTO, STAMP_UNIX, 1709258400 * NS},
        {"2024-03-01 02:00:00", STAMP_UNIT_AUTO, STAMP_WALL, 1709258400 * NS},
        {"2024-03-01 02:00", STAMP_UNIT_AUTO, STAMP_WALL, 1709258400 * NS},
        {"2024-03-01", STAMP_UNIT_AUTO, STAMP_WALL, 1709251200 * NS},
        {"2023-11-16 18:17:03.9799600", STAMP_UNIT_AUTO, STAMP_WALL, 1700158623 * NS + 979960000},
        {"2023-11-16 18:17:03.97996004999", STAMP_UNIT_AUTO, STAMP_WALL,
         1700158623 * NS + 979960049},
        {"1970-01-01T00:00:00Z", STAMP_UNIT_AUTO, STAMP_UNIX, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stamp s;
        cr_assert(stamp_parse(rows[i].text, rows[i].unit, &s), "%s", rows[i].text);
        cr_assert(s.kind == rows[i].kind && s.ns == rows[i].ns, "%s: kind %d, %lld", rows[i].text,
                  (int)s.kind, (long long)s.ns);
    }
}

Test(stamp, refuses_what_is_no_time)
{
    static const char *const rows[] = {"",
                                       " ",
                                       "-1",
                                       "abc",
                                       "nan",
                                       "1,5",
                                       "1.",
                                       "0x10",
                                       "1e400",
                                       "1 2",
                                       "99999999999999999999",
                                       "2024-02-30",
                                       "2023-02-29",
                                       "2024-13-01",
                                       "2024-3-1",
                                       "2024-03-01T24:00:00",
                                       "2024-03-01T10:60:00",
                                       "2024-03-01T10:00:00.",
                                       "2024-03-01T10:00:00X",
                                       "2024-03-01T10:00:00+8",
                                       "2024-03-01T10:00:00+24:00",
                                       "2024-03-01 ten",
                                       "1969-12-31",
                                       "1970-01-01T00:00:00+01:00",
                                       "2300-01-01"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct stamp s;
        cr_assert(!stamp_parse(rows[i], STAMP_UNIT_AUTO, &s), "\"%s\"", rows[i]);
    }
}
