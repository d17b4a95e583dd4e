/* test_store: runs are kept whole, come back equal, and survive what happens to machines. */
#include "reports/export.h"
#include "reports/store.h"
#include "sim/arena.h"
#include "sim/chance.h"
#include "tests/fixture_result.h"

#include <criterion/criterion.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static struct arena *arena;
static char folder[64], path[96];

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
    strcpy(folder, "/tmp/sluice_store_XXXXXX");
    cr_assert(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/runs.db", folder);
}

static void tear_down(void)
{
    char journal[128];
    snprintf(journal, sizeof journal, "%s-journal", path);
    remove(journal);
    remove(path);
    rmdir(folder);
    arena_destroy(arena);
}

TestSuite(store, .init = set_up, .fini = tear_down);

static struct store *must_open(enum store_mode mode)
{
    struct err e = {0};
    struct store *s = store_open(path, mode, &e);
    cr_assert(s, "%s: %s", e.where, e.msg);
    return s;
}

static void must_put(struct store *s, const struct result *r)
{
    struct err e = {0};
    cr_assert_eq(store_put(s, r, NULL, &e), 0, "%s: %s", e.where, e.msg);
}

static struct text dump(void)
{
    struct err e = {0};
    struct text t = {0};
    struct store *s = must_open(STORE_READ);
    cr_assert_eq(store_dump(s, &t, &e), 0, "%s", e.msg);
    store_close(s);
    return t;
}

static void expect_failure(enum err_code code, const char *part)
{
    struct err e = {0};
    struct store *s = store_open(path, STORE_READ, &e);
    cr_assert_null(s);
    cr_assert_eq(e.code, code, "%s", e.msg);
    cr_assert(strstr(e.msg, part), "%s", e.msg);
    cr_assert_str_eq(e.where, path);
}

Test(store, gives_back_what_was_put)
{
    struct result *(*const fixtures[])(struct arena *) = {fixture_bert, fixture_hostile,
                                                          fixture_empty};
    for (size_t i = 0; i < 3; i++) {
        struct err e = {0};
        struct result back, *r = fixtures[i](arena);
        r->seed = UINT64_MAX - i;
        r->bills_dropped = 3;
        r->bills_dropped_micro = -4;
        r->spans_dropped = 5;
        r->findings_dropped = 6;
        struct store *s = must_open(STORE_WRITE);
        must_put(s, r);
        cr_assert_eq(store_get(s, r->run_key, arena, &back, &e), 0, "%s", e.msg);
        store_close(s);
        struct text a = {0}, b = {0};
        export_json(r, true, &a);
        export_json(&back, true, &b);
        cr_assert_str_eq(a.s, b.s);
        cr_assert(back.findings_dropped == 6 && back.control_digest == r->control_digest);
        text_fini(&a);
        text_fini(&b);
    }
}

Test(store, keeps_the_raw_samples_of_measurements)
{
    struct err e = {0};
    struct result back, *r = fixture_empty(arena);
    static const double values[] = {0.25, 0.125, 1e-9, 0.25};
    struct result_samples samples[] = {{"batch1.latency", "s", 4, values}, {"none", "s", 0, NULL}};
    r->samples = samples;
    r->n_samples = 2;
    struct store *s = must_open(STORE_WRITE);
    must_put(s, r);
    cr_assert_eq(store_get(s, r->run_key, arena, &back, &e), 0, "%s", e.msg);
    store_close(s);
    cr_assert_eq(back.n_samples, 2);
    cr_assert_str_eq(back.samples[0].path, "batch1.latency");
    cr_assert_eq(back.samples[0].n, 4);
    cr_assert_arr_eq(back.samples[0].values, values, sizeof values);
    cr_assert_eq(back.samples[1].n, 0);
    struct text t = {0};
    export_json(&back, true, &t);
    cr_assert(strstr(t.s, "\"samples\": ["), "%s", t.s);
    text_fini(&t);
}

Test(store, keeps_unusual_numbers)
{
    struct err e = {0};
    struct result back, *r = fixture_empty(arena);
    static const double values[] = {0.1,
                                    -0.0,
                                    5e-324,
                                    1.7976931348623157e308,
                                    9007199254740993.0,
                                    -1e-310,
                                    123456789012345680.0};
    for (size_t i = 0; i < 7; i++)
        r->figures[r->n_figures++] =
            (struct figure){"x", "1", FIGURE_MIN, values[i], true, (double)NAN, values[i]};
    static const double points[3] = {1.5, (double)NAN, (double)INFINITY};
    r->series[r->n_series++] = (struct result_series){"y", "1", 7, 3, points, points, points};
    struct store *s = must_open(STORE_WRITE);
    must_put(s, r);
    cr_assert_eq(store_get(s, r->run_key, arena, &back, &e), 0, "%s", e.msg);
    store_close(s);
    for (size_t i = 0; i < 7; i++) {
        cr_assert(back.figures[i].value == values[i] && back.figures[i].high == values[i]);
        cr_assert(isnan(back.figures[i].low) && back.figures[i].merge == FIGURE_MIN);
    }
    cr_assert(back.series[0].max[0] == 1.5 && isnan(back.series[0].max[1]) &&
              isinf(back.series[0].max[2]));
}

/* Puts the three fixtures under their own keys, in the order of the digits. */
static struct text dump_of(const char *order)
{
    struct result *(*const fixtures[])(struct arena *) = {fixture_bert, fixture_hostile,
                                                          fixture_empty};
    static const char *const keys[] = {"bbbb0000", "aaaa0000", "aaaa1111"};
    remove(path);
    for (const char *c = order; *c; c++) {
        struct result *r = fixtures[*c - '0'](arena);
        r->run_key = keys[*c - '0'];
        struct store *s = must_open(STORE_WRITE);
        must_put(s, r);
        store_close(s);
    }
    return dump();
}

Test(store, dumps_the_same_in_whatever_order_and_how_often_runs_were_put)
{
    struct text first = dump_of("012");
    static const char *const orders[] = {"210", "102", "0120", "2222110120"};
    for (size_t i = 0; i < 4; i++) {
        struct text other = dump_of(orders[i]);
        cr_assert_str_eq(first.s, other.s, "%s", orders[i]);
        text_fini(&other);
    }
    struct text less = dump_of("01");
    cr_assert_str_neq(first.s, less.s);
    text_fini(&less);
    text_fini(&first);
}

Test(store, keeps_wall_time_out_of_the_dump)
{
    struct err e = {0};
    struct store *s = must_open(STORE_WRITE);
    struct result *r = fixture_bert(arena);
    must_put(s, r);
    struct text a = {0}, b = {0};
    cr_assert_eq(store_dump(s, &a, &e), 0);
    struct store_wall wall = {"2026-08-30T14:05:00Z", "/secret/path.json", "gcc 12", 2, 1.5};
    cr_assert_eq(store_put(s, r, &wall, &e), 0);
    cr_assert_eq(store_dump(s, &b, &e), 0);
    cr_assert_str_eq(a.s, b.s);
    cr_assert_null(strstr(b.s, "secret"));
    struct store_row *rows;
    size_t n;
    cr_assert_eq(store_list(s, arena, &rows, &n, &e), 0);
    cr_assert(n == 1 && strcmp(rows[0].started, "2026-08-30T14:05:00Z") == 0);
    store_close(s);
    text_fini(&a);
    text_fini(&b);
}

Test(store, lists_and_finds_runs)
{
    struct err e = {0};
    struct text t = dump_of("012");
    text_fini(&t);
    struct store *s = must_open(STORE_READ);
    struct store_row *rows;
    size_t n;
    cr_assert_eq(store_list(s, arena, &rows, &n, &e), 0, "%s", e.msg);
    cr_assert_eq(n, 3);
    cr_assert_str_eq(rows[0].run_key, "aaaa1111");
    cr_assert_str_eq(rows[2].run_key, "bbbb0000");
    cr_assert(rows[2].cost_per_month == 42229.5 && isnan(rows[0].cost_per_month));
    cr_assert(rows[0].holds && !rows[2].holds);
    static const struct {
        const char *which, *key;
    } rows_of[] = {{"last", "aaaa1111"},
                   {"bbbb", "bbbb0000"},
                   {"aaaa0", "aaaa0000"},
                   {"aaaa1111", "aaaa1111"},
                   {"bert-elastic", "aaaa1111"}};
    for (size_t i = 0; i < 5; i++) {
        char key[STORE_KEY];
        cr_assert_eq(store_find(s, rows_of[i].which, key, &e), 0, "%s", e.msg);
        cr_assert_str_eq(key, rows_of[i].key);
    }
    cr_assert_eq(store_has(s, "aaaa1111", &e), 1);
    cr_assert_eq(store_has(s, "aaaa", &e), 0);
    static const struct {
        const char *which, *part;
    } bad[] = {{"aaaa", "several"},
               {"bbb", "has no run \"bbb\""},
               {"zzzzzz", "sluice runs"},
               {"", "has no run"}};
    for (size_t i = 0; i < 4; i++) {
        struct err found = {0};
        char key[STORE_KEY];
        cr_assert_eq(store_find(s, bad[i].which, key, &found), -1);
        cr_assert(found.code == ERR_INPUT && strstr(found.msg, bad[i].part), "%s", found.msg);
    }
    struct result out;
    struct err missing = {0};
    cr_assert_eq(store_get(s, "aaaa", arena, &out, &missing), -1);
    cr_assert(missing.code == ERR_INPUT && strstr(missing.msg, "has no run aaaa"));
    store_close(s);
}

/* ---- files that are none ---- */

static void write_file(const void *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(bytes, 1, n, f) == n && fclose(f) == 0);
}

static char *read_file(size_t *n)
{
    FILE *f = fopen(path, "rb");
    cr_assert(f);
    char *bytes = malloc(4 << 20);
    *n = fread(bytes, 1, 4 << 20, f);
    fclose(f);
    return bytes;
}

Test(store, refuses_what_is_no_store)
{
    expect_failure(ERR_INPUT, "no such file");
    static const char other[] =
        "name,qps\n1,2\nthis is a file of another kind, longer than a header "
        "of a database would be, so that it is looked at\n";
    write_file(other, sizeof other - 1);
    expect_failure(ERR_INPUT, "is no SQLite file");
    struct err e = {0};
    cr_assert_null(store_open("/no/such/folder/runs.db", STORE_WRITE, &e));
    cr_assert(e.code == ERR_INPUT && strstr(e.msg, "folder"));
    e = (struct err){0};
    cr_assert_null(store_open(folder, STORE_WRITE, &e));
    cr_assert_eq(e.code, ERR_INPUT);
}

/* The header of a database holds these in four bytes, most significant first. */
enum { USER_VERSION = 60, APPLICATION = 68 };

static void patch_header(size_t at, unsigned char value)
{
    size_t n;
    char *bytes = read_file(&n);
    bytes[at + 3] = (char)value;
    write_file(bytes, n);
    free(bytes);
}

Test(store, refuses_newer_and_foreign_files)
{
    struct store *s = must_open(STORE_WRITE);
    must_put(s, fixture_empty(arena));
    store_close(s);
    patch_header(USER_VERSION, STORE_VERSION + 1);
    expect_failure(ERR_INPUT, "newer Sluice");
    patch_header(USER_VERSION, STORE_VERSION);
    store_close(must_open(STORE_READ));
    patch_header(APPLICATION, 1);
    expect_failure(ERR_INPUT, "another program's database");
}

Test(store, brings_an_old_file_up_to_date)
{
    FILE *f = fopen(SLUICE_SOURCE_DIR "/tests/data/store_v1.sqlite", "rb");
    cr_assert(f);
    static char bytes[1 << 18];
    size_t n = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    cr_assert(n > 1000 && n < sizeof bytes && bytes[USER_VERSION + 3] == 1);
    write_file(bytes, n);
    struct err e = {0};
    struct result r;
    char key[STORE_KEY];
    struct store *s = must_open(STORE_READ);
    cr_assert_eq(store_find(s, "old-run", key, &e), 0, "%s", e.msg);
    cr_assert_eq(store_get(s, key, arena, &r, &e), 0, "%s", e.msg);
    cr_assert_str_eq(r.verdict, "Nothing happened.");
    cr_assert(r.n_figures == 2 && r.figures[1].value == 0.0983 && r.n_series == 1);
    cr_assert(r.series[0].n == 3 && isnan(r.series[0].mean[1]) && r.series[0].max[2] == 2.5);
    r.run_key = "new";
    must_put(s, &r);
    store_close(s);
    char *now = read_file(&n);
    cr_assert_eq(now[USER_VERSION + 3], STORE_VERSION);
    free(now);
}

/* ---- machines that fail ---- */

/* In a child: no file may grow beyond `limit`. The kernel then kills (a crash in the middle of the
 * write), or with `survive` fails the write (a full disk). Gives the child's exit status. */
static int put_with_limit(rlim_t limit, bool survive)
{
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        struct rlimit size = {limit, limit}, no_core = {0, 0};
        setrlimit(RLIMIT_CORE, &no_core);
        setrlimit(RLIMIT_FSIZE, &size);
        signal(SIGXFSZ, survive ? SIG_IGN : SIG_DFL);
        struct err e = {0};
        struct store *s = store_open(path, STORE_WRITE, &e);
        struct result *r = fixture_bert(arena);
        r->run_key = "second";
        if (s)
            store_put(s, r, NULL, &e);
        store_close(s);
        _exit(e.code);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    return status;
}

static void survive_limits(bool survive)
{
    struct store *s = must_open(STORE_WRITE);
    struct result *r = fixture_bert(arena);
    r->run_key = "first";
    must_put(s, r);
    store_close(s);
    struct text before = dump();
    struct stat st;
    cr_assert_eq(stat(path, &st), 0);
    int failures = 0;
    for (rlim_t limit = 512; limit < (rlim_t)st.st_size * 2 + 65536; limit += 32768) {
        int status = put_with_limit(limit, survive);
        bool put = WIFEXITED(status) && WEXITSTATUS(status) == 0;
        struct text after = dump();
        if (put) {
            cr_assert_gt(after.length, before.length);
            text_fini(&after);
            break;
        }
        failures++;
        if (survive)
            cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == ERR_SYSTEM, "limit %ld: %x",
                      (long)limit, (unsigned)status);
        else
            cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ, "limit %ld: %x",
                      (long)limit, (unsigned)status);
        cr_assert_str_eq(after.s, before.s, "limit %ld", (long)limit);
        text_fini(&after);
    }
    cr_assert_gt(failures, 3);
    text_fini(&before);
}

Test(store, keeps_nothing_of_a_run_that_was_killed_while_it_was_stored)
{
    survive_limits(false);
}

Test(store, keeps_nothing_of_a_run_that_did_not_fit_the_disk)
{
    survive_limits(true);
}

Test(store, takes_runs_from_several_processes)
{
    enum { CHILDREN = 4, RUNS = 8 };
    pid_t child[CHILDREN];
    for (int c = 0; c < CHILDREN; c++) {
        child[c] = fork();
        cr_assert_geq(child[c], 0);
        if (child[c] > 0)
            continue;
        struct err e = {0};
        struct store *s = store_open(path, STORE_WRITE, &e);
        for (int i = 0; s && i < RUNS; i++) {
            char key[32];
            snprintf(key, sizeof key, "run-%d-%d", c, i);
            struct result *r = fixture_empty(arena);
            r->run_key = key;
            store_put(s, r, NULL, &e);
        }
        store_close(s);
        _exit(e.code);
    }
    for (int c = 0; c < CHILDREN; c++) {
        int status = 0;
        cr_assert_eq(waitpid(child[c], &status, 0), child[c]);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
    struct err e = {0};
    struct store_row *rows;
    size_t n;
    struct store *s = must_open(STORE_READ);
    cr_assert_eq(store_list(s, arena, &rows, &n, &e), 0);
    cr_assert_eq(n, CHILDREN * RUNS);
    store_close(s);
}

/* Whatever the bytes are: an error or a result, no crash. */
Test(store, survives_damaged_files)
{
    struct store *s = must_open(STORE_WRITE);
    must_put(s, fixture_bert(arena));
    store_close(s);
    size_t n;
    char *good = read_file(&n), *bad = malloc(n);
    struct chance c = chance_stream(1, 0, CHANCE_TEST, 9);
    for (uint64_t k = 0; k < 150; k++) {
        memcpy(bad, good, n);
        for (uint64_t i = 0; i < 40; i++)
            bad[chance_below(c, k * 80 + 2 * i, n)] = (char)chance_bits(c, k * 80 + 2 * i + 1);
        write_file(bad, k % 5 ? n : chance_below(c, k * 80 + 79, n));
        struct err e = {0};
        struct result r;
        struct arena *a = arena_create(&e);
        struct store_row *rows;
        size_t count;
        s = store_open(path, STORE_READ, &e);
        if (s && store_list(s, a, &rows, &count, &e) == 0 && count > 0)
            store_get(s, rows[0].run_key, a, &r, &e);
        cr_assert(e.code == ERR_NONE || *e.msg);
        store_close(s);
        arena_destroy(a);
    }
    free(good);
    free(bad);
}
