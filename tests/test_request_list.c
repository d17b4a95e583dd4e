/* test_request_list: lists of single requests as tables and JSON lines. */
#include "workloads/request_list.h"

#include "sim/arena.h"
#include "sim/err.h"
#include "tests/temp_file.h"
#include "workloads/traffic_config.h"

#include <criterion/criterion.h>
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

TestSuite(request_list, .init = set_up, .fini = tear_down);

static void check(const char *text, const struct traffic_config *c, enum stamp_kind kind,
                  const char *times_ms)
{
    struct err e = {0};
    struct temp_file f = temp_text(text);
    struct request_list l;
    char got[500] = "";
    cr_assert_eq(request_list_load(&l, memory, f.path, c, &e), 0, "%s: %s", e.where, e.msg);
    for (size_t i = 0; i < l.count; i++) {
        sprintf(got + strlen(got), "%s%g", i > 0 ? " " : "", (double)l.times[i] / 1e6);
    }
    cr_assert_str_eq(got, times_ms);
    cr_assert_eq(l.kind, kind);
    temp_drop(&f);
}

Test(request_list, reads_tables_and_json_lines)
{
    struct traffic_config c = {0};
    check("TIMESTAMP,ContextTokens\r\n2023-11-16 18:17:03.9799600,4808\r\n"
          "2023-11-16 18:17:04.0319600,3180\r\n2023-11-16 18:17:04.0319600,110",
          &c, STAMP_WALL, "0 52 52");
    check("0.5\n1\n1\n", &c, STAMP_OFFSET, "500 1000 1000");
    check("{\"timestamp\": 1}\n\n{\"timestamp\": \"2.5\", \"x\": [1, {}]}\n", &c, STAMP_OFFSET,
          "1000 2500");
    c.time_unit = STAMP_UNIT_MS;
    check("{\"timestamp\": 0, \"hash_ids\": [0]}\n{\"timestamp\": 2999}\n{\"timestamp\": 3000}", &c,
          STAMP_OFFSET, "0 2999 3000");
    c = (struct traffic_config){.time_column = "at", .disorder = TRAFFIC_SORT};
    check("{\"at\": \"2024-03-01T00:00:01Z\"}\n{\"at\": \"2024-03-01T00:00:00Z\"}\n", &c,
          STAMP_UNIX, "0 1000");
    check("n,at\n1,5\n2,4\n3,4.5\n", &c, STAMP_OFFSET, "4000 4500 5000");
}

Test(request_list, refuses_with_file_line_and_advice)
{
    static const struct {
        const char *text, *place, *message;
    } rows[] = {
        {"", "", "the file is empty"},
        {"t\n", "", "has no rows"},
        {"t\n1\n\nx\n", ":4", "\"x\" is no time"},
        {"t\n2\n1\n", ":3", "\"1\" is earlier than the row before"},
        {"t\n1\n2024-03-01T00:00:00Z\n", ":3", "rows before have an offset"},
        {"t,x\n1\n", ":2", "1 field where there are 2 columns"},
        {"{\"timestamp\": 1}\n{\"time\": 2}\n", ":2", "the time under \"timestamp\""},
        {"{\"timestamp\": 1}\n[2]\n", ":2", "the time under \"timestamp\""},
        {"{\"timestamp\": null}\n", ":1", "the time under \"timestamp\""},
        {"{\"timestamp\": -1}\n", ":1", "\"-1\" is no time"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = {0};
        struct temp_file f = temp_text(rows[i].text);
        struct traffic_config c = {0};
        struct request_list l;
        cr_assert_eq(request_list_load(&l, memory, f.path, &c, &e), -1, "row %zu", i);
        char where[128];
        snprintf(where, sizeof where, "%s%s", f.path, rows[i].place);
        cr_assert_str_eq(e.where, where, "%s", e.msg);
        cr_assert(strstr(e.msg, rows[i].message) != NULL, "%s", e.msg);
        temp_drop(&f);
    }
    struct err e = {0};
    struct temp_file f = temp_text("{\"timestamp\": 1}\n{\"timestamp\": 01}\n");
    struct traffic_config c = {0};
    struct request_list l;
    cr_assert_eq(request_list_load(&l, memory, f.path, &c, &e), -1);
    cr_assert(e.code == ERR_INPUT && strstr(e.where, ":2") != NULL && e.msg[0] != '\0');
    temp_drop(&f);
    c.max_rows = 1;
    struct err many = {0};
    f = temp_text("t\n1\n2\n");
    cr_assert_eq(request_list_load(&l, memory, f.path, &c, &many), -1);
    cr_assert(strstr(many.msg, "raise maxRows") != NULL);
    temp_drop(&f);
}
