/* store: opening, writing, reading and listing; what the tables hold stands in store_table. */
#include "reports/store.h"

#include "reports/store_table.h"
#include "sim/arena.h"
#include "sim/result.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#define APPLICATION_ID 0x536c7563 /* "Sluc" */

struct store {
    sqlite3 *db;
    char *path;
    unsigned char *scratch; /* bytes of one array of points */
    size_t scratch_bytes;
};

/* ---- errors ---- */

/* Turns SQLite's last failure into ours. */
static int fail(const struct store *s, int rc, struct err *e)
{
    const char *reason = s->db ? sqlite3_errmsg(s->db) : sqlite3_errstr(rc);
    switch (rc & 0xFF) {
    case SQLITE_NOTADB:
        return err_set(e, ERR_INPUT, s->path,
                       "is no SQLite file; results are kept in one, named by --db");
    case SQLITE_CORRUPT:
        return err_set(e, ERR_INPUT, s->path, "is damaged (%s); name another file by --db", reason);
    case SQLITE_CANTOPEN:
        return err_set(
            e, ERR_INPUT, s->path,
            "cannot be opened or created: is the folder there, and may you write to it?");
    case SQLITE_READONLY:
    case SQLITE_PERM:
        return err_set(e, ERR_INPUT, s->path, "may only be read (%s)", reason);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return err_set(e, ERR_SYSTEM, s->path, "is held by another program for more than %d s",
                       STORE_BUSY_MS / 1000);
    case SQLITE_FULL:
        return err_set(e, ERR_SYSTEM, s->path, "does not fit: the disk is full");
    case SQLITE_NOMEM:
        return err_set(e, ERR_SYSTEM, s->path, "out of memory");
    default:
        return err_set(e, ERR_SYSTEM, s->path, "%s", reason);
    }
}

static int run_sql(struct store *s, const char *sql, struct err *e)
{
    int rc = sqlite3_exec(s->db, sql, NULL, NULL, NULL);
    return rc == SQLITE_OK ? 0 : fail(s, rc, e);
}

static sqlite3_stmt *prepare(struct store *s, const char *sql, struct err *e)
{
    sqlite3_stmt *statement = NULL;
    int rc = sqlite3_prepare_v2(s->db, sql, -1, &statement, NULL);
    if (rc != SQLITE_OK)
        fail(s, rc, e);
    return statement;
}

/* With the run's key, or another text, as its first parameter; it must outlive the statement. */
static sqlite3_stmt *prepare_for(struct store *s, const char *sql, const char *key, struct err *e)
{
    sqlite3_stmt *statement = prepare(s, sql, e);
    int rc = statement ? sqlite3_bind_text(statement, 1, key, -1, SQLITE_STATIC) : SQLITE_OK;
    if (rc == SQLITE_OK)
        return statement;
    fail(s, rc, e);
    sqlite3_finalize(statement);
    return NULL;
}

/* 1 for a row, 0 at the end, -1 on failure. */
static int step(struct store *s, sqlite3_stmt *statement, struct err *e)
{
    int rc = sqlite3_step(statement);
    return rc == SQLITE_ROW ? 1 : rc == SQLITE_DONE ? 0 : fail(s, rc, e);
}

/* The one number that sql asks for. */
static int ask(struct store *s, const char *sql, int64_t *answer, struct err *e)
{
    sqlite3_stmt *statement = prepare(s, sql, e);
    if (!statement)
        return -1;
    int status = step(s, statement, e);
    *answer = status == 1 ? sqlite3_column_int64(statement, 0) : 0;
    sqlite3_finalize(statement);
    return status < 0 ? -1 : 0;
}

static int end(struct store *s, int status, struct err *e)
{
    if (status == 0)
        status = run_sql(s, "COMMIT", e);
    /* A failed COMMIT may have ended the transaction already. */
    if (status != 0 && !sqlite3_get_autocommit(s->db))
        sqlite3_exec(s->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}

/* ---- opening ---- */

static int check_owner(struct store *s, int64_t *version, struct err *e)
{
    int64_t application, objects;
    if (ask(s, "PRAGMA user_version", version, e) != 0 ||
        ask(s, "PRAGMA application_id", &application, e) != 0 ||
        ask(s, "SELECT count(*) FROM sqlite_master", &objects, e) != 0)
        return -1;
    if (application != APPLICATION_ID && (application != 0 || *version != 0 || objects != 0))
        return err_set(e, ERR_INPUT, s->path,
                       "is another program's database; name another file by --db");
    if (*version > STORE_VERSION)
        return err_set(e, ERR_INPUT, s->path,
                       "was written by a newer Sluice: its tables have version %lld, this program "
                       "knows up to %d; use the newer program or another file",
                       (long long)*version, STORE_VERSION);
    return 0;
}

static int migrate(struct store *s, struct err *e)
{
    if (run_sql(s, "BEGIN IMMEDIATE", e) != 0)
        return -1;
    int64_t version = 0; /* read again: another process may have been faster */
    int status = check_owner(s, &version, e);
    for (int64_t i = version; status == 0 && i < STORE_VERSION; i++)
        status = run_sql(s, store_table_steps[i], e);
    char marks[96];
    snprintf(marks, sizeof marks, "PRAGMA user_version = %d; PRAGMA application_id = %d",
             STORE_VERSION, APPLICATION_ID);
    if (status == 0)
        status = run_sql(s, marks, e);
    return end(s, status, e);
}

static int open_file(struct store *s, enum store_mode mode, struct err *e)
{
    int flags = SQLITE_OPEN_READWRITE | (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
    int rc = sqlite3_open_v2(s->path, &s->db, flags, NULL);
    if (rc != SQLITE_OK && mode == STORE_READ)
        return err_set(e, ERR_INPUT, s->path,
                       "cannot be opened: no such file? `sluice run` makes it, --db names another");
    if (rc != SQLITE_OK)
        return fail(s, rc, e);
    sqlite3_busy_timeout(s->db, STORE_BUSY_MS);
    /* One snapshot: between two reads another process may make the tables. */
    int64_t version = 0;
    if (run_sql(s, "BEGIN", e) != 0 || end(s, check_owner(s, &version, e), e) != 0)
        return -1;
    return version < STORE_VERSION ? migrate(s, e) : 0;
}

struct store *store_open(const char *path, enum store_mode mode, struct err *e)
{
    assert(path && e);
    struct store *s = calloc(1, sizeof *s);
    size_t length = strlen(path);
    if (s)
        s->path = malloc(length + 1);
    if (!s || !s->path) {
        store_close(s);
        err_set(e, ERR_SYSTEM, NULL, "out of memory");
        return NULL;
    }
    memcpy(s->path, path, length + 1);
    if (open_file(s, mode, e) == 0)
        return s;
    store_close(s);
    return NULL;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    sqlite3_close(s->db);
    free(s->scratch);
    free(s->path);
    free(s);
}

/* ---- writing ---- */

/* Where a row goes. */
struct writer {
    struct store *s;
    sqlite3_stmt *to;
};

/* A NaN is a NaN: its other bits would make equal runs differ. */
static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? UINT64_C(0x7ff8000000000000) : bits;
}

static int bind_points(const struct writer *w, int index, const double *v, size_t n)
{
    struct store *s = w->s;
    size_t bytes = n * 8;
    if (bytes > s->scratch_bytes) {
        unsigned char *more = realloc(s->scratch, bytes);
        if (!more)
            return SQLITE_NOMEM;
        s->scratch = more;
        s->scratch_bytes = bytes;
    }
    for (size_t i = 0; i < n; i++)
        for (int b = 0; b < 8; b++)
            s->scratch[i * 8 + (size_t)b] = (unsigned char)(bits_of(v[i]) >> 8 * b);
    return sqlite3_bind_blob64(w->to, index, n ? (const void *)s->scratch : "", bytes,
                               SQLITE_TRANSIENT);
}

static int bind_text(sqlite3_stmt *to, int index, const char *s)
{
    return s ? sqlite3_bind_text(to, index, s, -1, SQLITE_STATIC) : sqlite3_bind_null(to, index);
}

/* How many values stand in a column of them. */
static size_t count_of(const struct store_column *c, const void *item)
{
    const struct result_series *series = item;
    const struct result_samples *samples = item;
    return c->kind == STORE_RAW ? samples->n : series->n;
}

static int bind_column(const struct writer *w, int index, const struct store_column *c,
                       const void *item)
{
    const void *field = (const char *)item + c->offset;
    char hex[17];
    switch (c->kind) {
    case STORE_TEXT:
        return bind_text(w->to, index, *(const char *const *)field);
    case STORE_BOOL:
        return sqlite3_bind_int(w->to, index, *(const bool *)field);
    case STORE_UINT32:
        return sqlite3_bind_int64(w->to, index, *(const uint32_t *)field);
    case STORE_INT64:
        return sqlite3_bind_int64(w->to, index, *(const int64_t *)field);
    case STORE_UINT64: /* beyond 2^63 it reads as negative in SQL, and comes back right */
        return sqlite3_bind_int64(w->to, index, (int64_t) * (const uint64_t *)field);
    case STORE_HEX:
        snprintf(hex, sizeof hex, "%016" PRIx64, *(const uint64_t *)field);
        return sqlite3_bind_text(w->to, index, hex, -1, SQLITE_TRANSIENT);
    case STORE_SIZE:
        return sqlite3_bind_int64(w->to, index, (int64_t) * (const size_t *)field);
    case STORE_REAL:
        return sqlite3_bind_double(w->to, index, *(const double *)field);
    case STORE_MERGE:
        return sqlite3_bind_int(w->to, index, (int)*(const enum figure_merge *)field);
    case STORE_POINTS:
    case STORE_RAW:
        break;
    }
    return bind_points(w, index, *(const double *const *)field, count_of(c, item));
}

/* "INSERT INTO figure(run_key, ordinal, path, ...) VALUES(?, ?, ?, ...)" */
static sqlite3_stmt *prepare_insert(struct store *s, const struct store_table *t, const char *key,
                                    struct err *e)
{
    char sql[1024];
    size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s(run_key%s", t->name,
                                   t->whole ? "" : ", ordinal");
    for (size_t i = 0; i < t->n_columns; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", %s", t->columns[i].name);
    used += (size_t)snprintf(sql + used, sizeof sql - used, ") VALUES(?%s", t->whole ? "" : ", ?");
    for (size_t i = 0; i < t->n_columns; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", ?");
    used += (size_t)snprintf(sql + used, sizeof sql - used, ")");
    assert(used < sizeof sql);
    return prepare_for(s, sql, key, e);
}

/* The rows of a table in a result, and how many. */
static const char *rows_of(const struct store_table *t, const struct result *r, size_t *count)
{
    const char *base = (const char *)r;
    *count = t->whole ? 1 : *(const size_t *)(const void *)(base + t->count);
    return t->whole ? base : *(const char *const *)(const void *)(base + t->items);
}

static int put_table(struct store *s, const struct store_table *t, const struct result *r,
                     struct err *e)
{
    size_t count;
    const char *rows = rows_of(t, r, &count);
    struct writer w = {s, prepare_insert(s, t, r->run_key, e)};
    int status = w.to ? 0 : -1, first = t->whole ? 2 : 3;
    for (size_t i = 0; status == 0 && i < count; i++) {
        int rc = t->whole ? SQLITE_OK : sqlite3_bind_int64(w.to, 2, (int64_t)i);
        for (size_t k = 0; rc == SQLITE_OK && k < t->n_columns; k++)
            rc = bind_column(&w, first + (int)k, &t->columns[k], rows + i * t->size);
        status = rc == SQLITE_OK ? step(s, w.to, e) : fail(s, rc, e);
        sqlite3_reset(w.to);
    }
    sqlite3_finalize(w.to);
    return status;
}

static int put_wall(struct store *s, const struct result *r, const struct store_wall *wall,
                    struct err *e)
{
    static const struct store_wall nothing = {0};
    const struct store_wall *w = wall ? wall : &nothing;
    sqlite3_stmt *insert = prepare_for(
        s,
        "INSERT INTO run_wall(run_key, serial, started, scenario_path, compiler, threads, seconds)"
        " VALUES(?1, (SELECT ifnull(max(serial), 0) + 1 FROM run_wall), ?2, ?3, ?4, ?5, ?6)",
        r->run_key, e);
    if (!insert)
        return -1;
    int rc = bind_text(insert, 2, w->started);
    rc |= bind_text(insert, 3, w->scenario_path);
    rc |= bind_text(insert, 4, w->compiler);
    rc |= sqlite3_bind_int64(insert, 5, w->threads);
    rc |= sqlite3_bind_double(insert, 6, w->seconds);
    int status = rc == SQLITE_OK ? step(s, insert, e) : fail(s, SQLITE_NOMEM, e);
    sqlite3_finalize(insert);
    return status;
}

static int remove_from(struct store *s, const char *table, const char *run_key, struct err *e)
{
    char sql[96];
    snprintf(sql, sizeof sql, "DELETE FROM %s WHERE run_key = ?", table);
    sqlite3_stmt *statement = prepare_for(s, sql, run_key, e);
    int status = statement ? step(s, statement, e) : -1;
    sqlite3_finalize(statement);
    return status;
}

int store_put(struct store *s, const struct result *r, const struct store_wall *wall, struct err *e)
{
    assert(s && r && r->run_key && *r->run_key && strlen(r->run_key) < STORE_KEY && e);
    /* IMMEDIATE takes the writer's place at once: two that began to read could not both go on. */
    if (run_sql(s, "BEGIN IMMEDIATE", e) != 0)
        return -1;
    int status = remove_from(s, "run_wall", r->run_key, e);
    for (const struct store_table *t = store_table_all; status == 0 && t->name; t++)
        status = remove_from(s, t->name, r->run_key, e);
    for (const struct store_table *t = store_table_all; status == 0 && t->name; t++)
        status = put_table(s, t, r, e);
    if (status == 0)
        status = put_wall(s, r, wall, e);
    return end(s, status, e);
}

/* ---- reading ---- */

/* Where a row comes from and where its texts and arrays go. */
struct reader {
    struct store *s;
    sqlite3_stmt *from;
    struct arena *arena;
    struct err *e;
};

static const char *take_text(const struct reader *r, int index)
{
    const char *s = (const char *)sqlite3_column_text(r->from, index);
    return arena_text(r->arena, s ? s : "", s ? (size_t)sqlite3_column_bytes(r->from, index) : 0,
                      r->e);
}

static double take_real(const struct reader *r, int index)
{
    return sqlite3_column_type(r->from, index) == SQLITE_NULL
               ? (double)NAN
               : sqlite3_column_double(r->from, index);
}

static int damaged(const struct store *s, const char *what, struct err *e)
{
    return err_set(e, ERR_INPUT, s->path, "is damaged: %s is not as this program writes it", what);
}

static const double *take_points(const struct reader *r, int index, size_t n)
{
    const unsigned char *bytes = sqlite3_column_blob(r->from, index);
    if ((size_t)sqlite3_column_bytes(r->from, index) != n * 8) {
        damaged(r->s, "a series", r->e);
        return NULL;
    }
    double *v = arena_take(r->arena, n, sizeof *v, r->e);
    for (size_t i = 0; v && i < n; i++) {
        uint64_t bits = 0;
        for (int b = 0; b < 8; b++)
            bits |= (uint64_t)bytes[i * 8 + (size_t)b] << 8 * b;
        memcpy(&v[i], &bits, sizeof bits);
    }
    return v;
}

static int take_merge(const struct reader *r, int index, enum figure_merge *out)
{
    int64_t v = sqlite3_column_int64(r->from, index);
    if (v < FIGURE_MEAN || v > FIGURE_MIN)
        return damaged(r->s, "a figure", r->e);
    *out = (enum figure_merge)v;
    return 0;
}

/* Longer than any run makes, short enough to multiply. */
#define MOST_POINTS (INT64_C(1) << 24)

static int take_size(const struct reader *r, int index, size_t *out)
{
    int64_t v = sqlite3_column_int64(r->from, index);
    if (v < 0 || v > MOST_POINTS)
        return damaged(r->s, "a series", r->e);
    *out = (size_t)v;
    return 0;
}

static int take_column(const struct reader *r, int index, const struct store_column *c, void *item)
{
    void *field = (char *)item + c->offset;
    const char *hex;
    switch (c->kind) {
    case STORE_TEXT:
        *(const char **)field = take_text(r, index);
        return *(const char **)field ? 0 : -1;
    case STORE_BOOL:
        *(bool *)field = sqlite3_column_int64(r->from, index) != 0;
        return 0;
    case STORE_UINT32:
        *(uint32_t *)field = (uint32_t)sqlite3_column_int64(r->from, index);
        return 0;
    case STORE_INT64:
        *(int64_t *)field = sqlite3_column_int64(r->from, index);
        return 0;
    case STORE_UINT64:
        *(uint64_t *)field = (uint64_t)sqlite3_column_int64(r->from, index);
        return 0;
    case STORE_HEX:
        hex = (const char *)sqlite3_column_text(r->from, index);
        *(uint64_t *)field = hex ? strtoull(hex, NULL, 16) : 0;
        return 0;
    case STORE_SIZE:
        return take_size(r, index, field);
    case STORE_REAL:
        *(double *)field = take_real(r, index);
        return 0;
    case STORE_MERGE:
        return take_merge(r, index, field);
    case STORE_POINTS:
    case STORE_RAW:
        break;
    }
    *(const double **)field = take_points(r, index, count_of(c, item));
    return *(const double **)field ? 0 : -1;
}

static int take_columns(const struct reader *r, const struct store_table *t, void *item)
{
    int status = 0;
    for (size_t k = 0; status == 0 && k < t->n_columns; k++)
        status = take_column(r, (int)k, &t->columns[k], item);
    return status;
}

static sqlite3_stmt *prepare_select(struct store *s, const struct store_table *t,
                                    const char *run_key, struct err *e)
{
    char sql[1024];
    size_t used = (size_t)snprintf(sql, sizeof sql, "SELECT ");
    for (size_t i = 0; i < t->n_columns; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, "%s%s", i ? ", " : "",
                                 t->columns[i].name);
    used += (size_t)snprintf(sql + used, sizeof sql - used, " FROM %s WHERE run_key = ?%s", t->name,
                             t->whole ? "" : " ORDER BY ordinal");
    assert(used < sizeof sql);
    return prepare_for(s, sql, run_key, e);
}

static int count_rows(struct store *s, const char *table, const char *run_key, size_t *n,
                      struct err *e)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE run_key = ?", table);
    sqlite3_stmt *select = prepare_for(s, sql, run_key, e);
    int status = select ? step(s, select, e) : -1;
    *n = status == 1 ? (size_t)sqlite3_column_int64(select, 0) : 0;
    sqlite3_finalize(select);
    return status < 0 ? -1 : 0;
}

static int get_array(struct store *s, const struct store_table *t, struct result *out,
                     struct err *e)
{
    size_t n, i = 0;
    if (count_rows(s, t->name, out->run_key, &n, e) != 0)
        return -1;
    char *items = arena_take(out->arena, n, t->size, e);
    sqlite3_stmt *select = items ? prepare_select(s, t, out->run_key, e) : NULL;
    struct reader r = {s, select, out->arena, e};
    int status = select ? 1 : -1;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        /* One read transaction sees one state; only a damaged file counts other rows. */
        int failed = i < n ? take_columns(&r, t, items + i * t->size) : damaged(s, t->name, e);
        status = failed ? -1 : 1;
        i++;
    }
    sqlite3_finalize(select);
    memcpy((char *)out + t->items, &items, sizeof items);
    memcpy((char *)out + t->count, &i, sizeof i);
    return status;
}

static int get_whole(struct store *s, const struct store_table *t, struct result *out,
                     struct err *e)
{
    sqlite3_stmt *select = prepare_select(s, t, out->run_key, e);
    struct reader r = {s, select, out->arena, e};
    int status = select ? step(s, select, e) : -1;
    if (status == 0)
        err_set(e, ERR_INPUT, s->path, "has no run %s", out->run_key);
    int failed = status == 1 ? take_columns(&r, t, out) : -1;
    sqlite3_finalize(select);
    return failed;
}

int store_get(struct store *s, const char *run_key, struct arena *a, struct result *out,
              struct err *e)
{
    assert(s && run_key && a && out && e);
    *out = (struct result){.arena = a};
    out->run_key = arena_text(a, run_key, strlen(run_key), e);
    if (!out->run_key || run_sql(s, "BEGIN", e) != 0)
        return -1;
    int status = 0;
    for (const struct store_table *t = store_table_all; status == 0 && t->name; t++)
        status = t->whole ? get_whole(s, t, out, e) : get_array(s, t, out, e);
    return end(s, status, e);
}

int store_has(struct store *s, const char *run_key, struct err *e)
{
    assert(s && run_key && e);
    size_t n;
    return count_rows(s, "run", run_key, &n, e) != 0 ? -1 : n > 0;
}

/* ---- lists ---- */

static int take_listed(const struct reader *r, struct store_row *row)
{
    const char **const texts[] = {&row->run_key, &row->name, &row->verdict, &row->started,
                                  &row->currency};
    for (int i = 0; i < 5; i++) {
        *texts[i] = take_text(r, i);
        if (!*texts[i])
            return -1;
    }
    row->holds = sqlite3_column_int(r->from, 5) != 0;
    row->replications = (uint32_t)sqlite3_column_int64(r->from, 6);
    row->cost_per_month = take_real(r, 7);
    return 0;
}

int store_list(struct store *s, struct arena *a, struct store_row **rows, size_t *n, struct err *e)
{
    assert(s && a && rows && n && e);
    int64_t count;
    *n = 0;
    if (run_sql(s, "BEGIN", e) != 0)
        return -1;
    int status = ask(s, "SELECT count(*) FROM run", &count, e);
    *rows = status == 0 ? arena_take(a, (size_t)count, sizeof **rows, e) : NULL;
    sqlite3_stmt *select = NULL;
    if (*rows)
        select = prepare(s,
                         "SELECT run_key, name, verdict, started, currency, holds, replications,"
                         " (SELECT value FROM figure WHERE figure.run_key = run.run_key"
                         " AND path = 'cost.perMonth')"
                         " FROM run LEFT JOIN run_wall USING(run_key)"
                         " ORDER BY serial DESC, run_key",
                         e);
    struct reader r = {s, select, a, e};
    status = select ? 1 : -1;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        if (*n == (size_t)count)
            status = damaged(s, "the list of runs", e);
        else
            status = take_listed(&r, &(*rows)[*n]) == 0 ? 1 : -1;
        *n += status == 1;
    }
    sqlite3_finalize(select);
    return end(s, status, e);
}

/* Up to two keys that match, the last stored first; their number, or -1. */
static int match(struct store *s, const char *where, const char *which, char key[STORE_KEY],
                 struct err *e)
{
    char sql[256];
    snprintf(sql, sizeof sql,
             "SELECT run_key FROM run LEFT JOIN run_wall USING(run_key) WHERE %s"
             " ORDER BY serial DESC, run_key LIMIT 2",
             where);
    sqlite3_stmt *select = prepare_for(s, sql, which, e);
    int status = select ? 1 : -1, n = 0;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        if (n++ == 0)
            snprintf(key, STORE_KEY, "%.*s", STORE_KEY - 1,
                     (const char *)sqlite3_column_text(select, 0));
    }
    sqlite3_finalize(select);
    return status < 0 ? -1 : n;
}

int store_find(struct store *s, const char *which, char key[STORE_KEY], struct err *e)
{
    assert(s && which && key && e);
    int n = match(s, "run_key = ?1", which, key, e);
    if (n == 0 && strcmp(which, "last") == 0)
        n = match(s, "?1 IS NOT NULL", which, key, e);
    if (n == 0)
        n = match(s, "name = ?1", which, key, e);
    if (n != 0)
        return n < 0 ? -1 : 0;
    if (strlen(which) >= 4)
        n = match(s, "substr(run_key, 1, length(?1)) = ?1", which, key, e);
    if (n == 1)
        return 0;
    if (n > 1)
        return err_set(e, ERR_INPUT, s->path, "has several runs whose key begins with \"%s\"",
                       which);
    return n < 0 ? -1
                 : err_set(e, ERR_INPUT, s->path,
                           "has no run \"%s\": a run key or at least 4 characters of one, a "
                           "scenario's name or \"last\"; `sluice runs` lists them",
                           which);
}

/* ---- dump ---- */

static void dump_value(sqlite3_stmt *from, int index, struct text *to)
{
    const unsigned char *bytes;
    switch (sqlite3_column_type(from, index)) {
    case SQLITE_NULL:
        text_add(to, "\tNULL");
        break;
    case SQLITE_FLOAT:
        text_add(to, "\t");
        text_number(to, sqlite3_column_double(from, index));
        break;
    case SQLITE_BLOB:
        bytes = sqlite3_column_blob(from, index);
        text_add(to, "\tx");
        for (int i = 0; i < sqlite3_column_bytes(from, index); i++)
            text_printf(to, "%02x", bytes[i]);
        break;
    default:
        text_add(to, "\t");
        text_add(to, (const char *)sqlite3_column_text(from, index));
    }
}

static int dump_table(struct store *s, const struct store_table *t, struct text *to, struct err *e)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY run_key%s", t->name,
             t->whole ? "" : ", ordinal");
    sqlite3_stmt *select = prepare(s, sql, e);
    int status = select ? 1 : -1;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        text_add(to, t->name);
        for (int i = 0; i < sqlite3_column_count(select); i++)
            dump_value(select, i, to);
        text_add(to, "\n");
    }
    sqlite3_finalize(select);
    return status;
}

int store_dump(struct store *s, struct text *to, struct err *e)
{
    assert(s && to && e);
    if (run_sql(s, "BEGIN", e) != 0)
        return -1;
    int status = 0;
    for (const struct store_table *t = store_table_all; status == 0 && t->name; t++)
        status = dump_table(s, t, to, e);
    if (status == 0)
        status = text_end(to, e);
    return end(s, status, e);
}
