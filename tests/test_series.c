/* test_series: rate files in the forms that people have, and what is refused. */
#include "workloads/series.h"

#include "sim/arena.h"
#include "sim/chance.h"
#include "sim/err.h"
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

TestSuite(series, .init = set_up, .fini = tear_down);

/* "at=qps" of all points, in seconds; "-" for a gap. */
static void print_points(const struct series *s, char *out, size_t size)
{
    size_t n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < s->count && n < size; i++) {
        const struct rate_point *p = &s->points[i];
        n += (size_t)snprintf(out + n, size - n, "%s%g=", i > 0 ? " " : "", (double)p->at / 1e9);
        if (n < size) {
            n += (size_t)(isnan(p->qps) ? snprintf(out + n, size - n, "-")
                                        : snprintf(out + n, size - n, "%g", p->qps));
        }
    }
}

static void check_config(const char *text, const struct traffic_config *c, const char *points)
{
    struct err e = {0};
    struct temp_file f = temp_text(text);
    struct series s;
    char got[2000];
    cr_assert_eq(series_load(&s, memory, f.path, c, &e), 0, "%s: %s\n%s", e.where, e.msg, text);
    print_points(&s, got, sizeof got);
    cr_assert_str_eq(got, points, "%s\n%s", got, text);
    temp_drop(&f);
}

static void check(const char *text, const char *points)
{
    struct traffic_config c = {0};
    check_config(text, &c, points);
}

Test(series, finds_columns_times_and_values)
{
    const char *want = "0=2 10=2.5 20=-";
    check("offset_s,qps\n0,2\n10,2.5\n", want);
    check("offset_s;qps\r\n0;2\r\n10;2.5", want);
    check("qps\ttime\n2\t0\n2.5\t10\n", want);
    check("0,2\n10,2.5\n", want);
    check("# a comment\n\noffset,rate_per_s,clients\n0,2,7\n10,2.5,8\n\n", want);
    check("\"Time\",\"{ingress=\"\"bert\"\", ns=\"\"x\"\"}\"\n1709258400000,2\n1709258410000,2.5\n",
          want);
    check("epoch_s,iso_utc,requests,qps\n1709258400,2024-03-01T02:00:00Z,20,2\n"
          "1709258410,2024-03-01T02:00:10Z,25,2.5\n",
          want);
    check("Time,bert-tfserving\n2024-03-01T02:00:00.000Z,2\n2024-03-01T02:00:10.000Z,2.5\n", want);
    check("\xEF\xBB\xBF\"Time\",\"bert\"\n2024-03-01 10:00:00,2\n2024-03-01 10:00:10,2.5\n", want);
    check("timestamp,count\n2024-03-01 10:00:00,20\n2024-03-01 10:00:10,25\n", want);
    struct traffic_config c = {.column = "b", .time_column = "when"};
    check_config("a,b,when\n1,2,0\n1,2.5,10\n", &c, want);
    c = (struct traffic_config){.column = "2", .time_column = "3"};
    check_config("1,2,0\n1,2.5,10\n", &c, want);
    c = (struct traffic_config){.column = "requests", .time_column = "iso"};
    check_config("epoch,iso,requests,qps\n5,2024-03-01T02:00:00Z,20,9\n"
                 "6,2024-03-01T02:00:10Z,25,9\n",
                 &c, want);
    c = (struct traffic_config){.values = TRAFFIC_PER_BIN};
    check_config("t,value\n0,20\n10,25\n", &c, want);
    c = (struct traffic_config){.values = TRAFFIC_PER_SECOND};
    check_config("t,count\n0,2\n10,2.5\n", &c, want);
    c = (struct traffic_config){.time_unit = STAMP_UNIT_MS};
    check_config("t,value\n0,2\n10000,2.5\n", &c, want);
    c = (struct traffic_config){.bin = 10 * SIM_SECOND};
    check_config("t,value\n5,2\n", &c, "5=2 15=-");
}

Test(series, holds_each_row_for_a_bin_and_leaves_gaps)
{
    check("t,qps\n0,1\n10,2\n20,3\n", "0=1 10=2 20=3 30=-");
    check("t,qps\n0,1\n10,1\n20,1\n", "0=1 30=-"); /* equal neighbours are one piece */
    check("t,qps\n0,1\n10,2\n30,3\n40,4\n", "0=1 10=2 20=- 30=3 40=4 50=-");
    check("t,qps\n0,1\n10,\n20,3\n", "0=1 10=- 20=3 30=-");
    check("t,qps\n0,\n10,\n20,3\n", "0=- 20=3 30=-");
    check("t,qps\n0,1\n10,2\n20,3\n33,4\n43,5\n", "0=1 10=2 20=3 33=4 43=5 53=-");
    check("t,qps\n0,1\n10,2\n20,3\n36,4\n", "0=1 10=2 20=3 30=- 36=4 46=-");
    check("t,qps\n0,1\n10,2\n14,3\n24,5\n", "0=1 10=2 14=3 24=5 34=-");
    /* Counts add up whatever the steps: 10 + 10 + 13 + 10. */
    check("t,count\n0,10\n10,10\n20,13\n33,10\n", "0=1 43=-");
    struct traffic_config c = {.bin = 5 * SIM_SECOND};
    check_config("t,qps\n0,1\n10,2\n", &c, "0=1 5=- 10=2 15=-");
}

Test(series, repairs_what_it_is_told_to)
{
    struct traffic_config c = {.disorder = TRAFFIC_SORT};
    check_config("t,qps\n20,3\n0,1\n10,2\n", &c, "0=1 10=2 20=3 30=-");
    c.duplicates = TRAFFIC_SUM_DUPLICATES;
    check_config("t,qps\n0,1\n10,2\n0,5\n10,\n20,1\n", &c, "0=6 10=2 20=1 30=-");
    c.duplicates = TRAFFIC_KEEP_FIRST;
    check_config("t,qps\n0,1\n10,2\n0,5\n", &c, "0=1 10=2 20=-");
    c.duplicates = TRAFFIC_KEEP_LAST;
    check_config("t,qps\n0,1\n10,2\n0,5\n", &c, "0=5 10=2 20=-");
    struct err e = {0};
    struct series s;
    struct temp_file f = temp_text("t,qps\n20,3\n0,1\n10,2\n10,4\n");
    cr_assert_eq(series_load(&s, memory, f.path, &c, &e), 0);
    cr_assert(s.out_of_order == 1 && s.duplicates == 1 && s.rows == 3 && s.bin == 10 * SIM_SECOND);
    temp_drop(&f);
}

static void refuse_config(const char *text, size_t length, const struct traffic_config *c,
                          const char *place, const char *message)
{
    struct err e = {0};
    struct temp_file f = temp_bytes(text, length);
    struct series s;
    cr_assert_eq(series_load(&s, memory, f.path, c, &e), -1, "expected: %s", message);
    cr_assert_eq(e.code, ERR_INPUT);
    char where[128];
    snprintf(where, sizeof where, "%s%s", f.path, place);
    cr_assert_str_eq(e.where, where, "%s", e.msg);
    cr_assert(strstr(e.msg, message) != NULL, "%s", e.msg);
    temp_drop(&f);
}

Test(series, refuses_with_file_line_and_advice)
{
    static const struct {
        const char *text, *place, *message;
    } rows[] = {
        {"", "", "the file is empty"},
        {"\n# only this\n\n", "", "the file is empty"},
        {"t,qps\n", "", "has no rows"},
        {"t,qps\n0,1\n", ":2", "give \"bin\""},
        {"t,qps\n0,1\n10,nan\n", ":3", "\"nan\" is no number; an empty field is a gap"},
        {"t,qps\n0,1\n10,inf\n", ":3", "\"inf\" is no number"},
        {"t,qps\n0,1\n10,1e999\n", ":3", "\"1e999\" is no number"},
        {"t,qps\n0,1\n10,2 req/s\n", ":3", "\"2 req/s\" is no number"},
        {"t,qps\n0,1\n10,-1\n", ":3", "a rate of -1 is below 0"},
        {"t,qps\n0,1\n10,1e8\n", ":3", "above 1e+07"},
        {"t,count\n0,1\n0.001,1e8\n", ":3", "a rate of 1e+11"},
        {"t,qps\n0,1\nx,1\n", ":3", "\"x\" is no time"},
        {"t,qps\n0,1\n,1\n", ":3", "\"\" is no time"},
        {"t,qps\n-10,1\n0,1\n", ":2", "\"-10\" is no time"},
        {"t,qps\n10,1\n0,1\n", ":3", "\"0\" is earlier than the row before; \"disorder\""},
        {"t,qps\n10,1\n10,1\n", ":3", "\"10\" occurs twice; \"duplicates\""},
        {"t,qps\n0,1\n2024-03-01T00:00:00Z,1\n", ":3", "rows before have an offset"},
        {"t,qps\n2024-03-01T00:00:00Z,1\n2024-03-01 01:00,1\n", ":3", "a time without zone"},
        {"t,qps\n1990-01-01,1\n2190-01-01,1\n", ":3", "more than 100 years"},
        {"t,qps\n0,1,2\n", ":2", "3 fields where there are 2 columns"},
        {"t,qps\n0\n", ":2", "1 field where there are 2 columns"},
        {"t,a,b\n0,1,2\n", ":1", "name one with column; columns: t, a, b"},
        {"t\n0\n", ":1", "no column is known to hold the rate"},
        {"0\n10\n", ":1", "no header and 1 column:"},
        {"t,\"qps\n0,1\n", ":1", "quoted field does not end"},
        {"t,qps\n0,\"1\"x\n", ":2", "quoted field does not end"},
    };
    struct traffic_config c = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        refuse_config(rows[i].text, strlen(rows[i].text), &c, rows[i].place, rows[i].message);
    }
    refuse_config("t,qps\n0,\0\n", 10, &c, ":2", "NUL byte");
    c.column = "rps";
    refuse_config("t,qps\n0,1\n", 10, &c, ":1", "there is no column \"rps\"; columns: t, qps");
    c = (struct traffic_config){.time_column = "9"};
    refuse_config("t,qps\n0,1\n", 10, &c, ":1", "there is no column \"9\"; columns: t, qps");
    c = (struct traffic_config){.disorder = TRAFFIC_SORT};
    refuse_config("t,qps\n10,1\n0,1\n10,2\n", 19, &c, ":4", "the same time as line 2");
    c = (struct traffic_config){.max_rows = 2};
    refuse_config("t,qps\n0,1\n1,1\n2,1\n", 18, &c, ":4", "more than 2 rows: raise maxRows");
}

Test(series, survives_a_table_that_is_wider_than_any)
{
    enum { COLUMNS = 400000 };
    char *text = malloc(COLUMNS * 2 + 100);
    cr_assert(text != NULL);
    for (int i = 0; i < COLUMNS; i++) {
        text[2 * i] = 'a';
        text[2 * i + 1] = ',';
    }
    strcpy(text + COLUMNS * 2, "qps\n");
    struct traffic_config c = {0};
    refuse_config(text, strlen(text), &c, "", "has no rows");
    strcpy(text + COLUMNS * 2, "x\n");
    refuse_config(text, strlen(text), &c, ":1", "columns: a, a, a");
    free(text);
    /* A million columns are longer than a line may be. */
    size_t length = 3000000;
    text = malloc(length);
    for (size_t i = 0; i < length; i++) {
        text[i] = "ab,"[i % 3];
    }
    refuse_config(text, length, &c, ":1", "longer than 1048576 bytes");
    free(text);
}

/* A reader must end with points or with a message, whatever a file holds; the sanitizers look on.
 */
Test(series, survives_mutations_of_a_file)
{
    static const char *const seeds[] = {
        "offset_s,qps\n0,2\n10,2.5\n20,3\n30,\n40,1e1\n",
        "\"Time\";\"a \"\"b\"\"\"\r\n2024-03-01 10:00:00;2\r\n2024-03-01 10:00:10;2.5\r\n",
        "1709258400.5,20\n1709258410.5,25\n1709258420.5,30",
    };
    static const char spice[] = "\0\n\r\",;\t-+.eEZ:#0129 \xFF";
    struct chance dice = chance_stream(1, 0, CHANCE_TEST, 0);
    uint64_t roll = 0;
    size_t good = 0;
    for (int round = 0; round < 6000; round++) {
        char text[200];
        const char *seed = seeds[round % 3];
        size_t n = strlen(seed);
        memcpy(text, seed, n);
        for (uint64_t k = 1 + chance_below(dice, roll++, 4); k > 0 && n > 0; k--) {
            size_t place = chance_below(dice, roll++, n);
            switch (chance_below(dice, roll++, 3)) {
            case 0:
                text[place] = spice[chance_below(dice, roll++, sizeof spice - 1)];
                break;
            case 1:
                memmove(text + place, text + place + 1, --n - place);
                break;
            default:
                n = place;
            }
        }
        struct temp_file f = temp_bytes(text, n);
        struct traffic_config c = {.disorder = round % 2, .duplicates = round % 4};
        struct err e = {0};
        struct series s;
        int status = series_load(&s, memory, f.path, &c, &e);
        cr_assert(status == 0 ? e.code == ERR_NONE && s.count > 0 : e.code == ERR_INPUT);
        for (size_t i = 0; status == 0 && i < s.count; i++) {
            cr_assert(i == 0 || s.points[i].at > s.points[i - 1].at);
            cr_assert(isnan(s.points[i].qps) || s.points[i].qps >= 0);
        }
        good += status == 0;
        temp_drop(&f);
    }
    cr_assert(good > 300 && good < 5700, "%zu", good); /* both ways were tried */
}
