/* store: tables described as rows, so that writing and reading cannot disagree. */
#include "reports/store.h"

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

/* Step i brings a file from version i to i + 1. Append only: the steps are the files' history. */
static const char *const migrations[] = {
    "CREATE TABLE run(run_key TEXT PRIMARY KEY NOT NULL, name TEXT, verdict TEXT, holds INTEGER,"
    " engine TEXT, currency TEXT, command TEXT, seed INTEGER, replications INTEGER,"
    " shown_replication INTEGER, horizon_ns INTEGER, epoch_s INTEGER, time_zone TEXT,"
    " control_digest TEXT, request_digest TEXT, entries_dropped INTEGER, spans_dropped INTEGER,"
    " bills_dropped INTEGER, bills_dropped_micro INTEGER, findings_dropped INTEGER) WITHOUT ROWID;"
    "CREATE TABLE figure(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, path TEXT, unit TEXT,"
    " merge INTEGER, value REAL, has_interval INTEGER, low REAL, high REAL,"
    " PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE series(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, path TEXT, unit TEXT,"
    " step_ns INTEGER, n INTEGER, mean BLOB, min BLOB, max BLOB,"
    " PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE entry(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, at_ns INTEGER,"
    " subject TEXT, what TEXT, reason TEXT, PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE span(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, track TEXT, phase TEXT,"
    " from_ns INTEGER, to_ns INTEGER, PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE bill(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, resource TEXT,"
    " pool TEXT, type TEXT, zone TEXT, billing TEXT, from_ns INTEGER, to_ns INTEGER,"
    " micro_per_hour INTEGER, amount_micro INTEGER, currency TEXT,"
    " PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE assumption(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, path TEXT,"
    " value TEXT, quality TEXT, source TEXT, PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE finding(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, level TEXT, code TEXT,"
    " text TEXT, PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE run_wall(run_key TEXT PRIMARY KEY NOT NULL, serial INTEGER, started TEXT,"
    " scenario_path TEXT, compiler TEXT, threads INTEGER, seconds REAL) WITHOUT ROWID;",

    /* For questions over history: one figure of all runs. */
    "CREATE INDEX figure_by_path ON figure(path, run_key);"
    "CREATE VIEW history AS SELECT run_wall.serial, run.name, run.run_key, figure.path,"
    " figure.value, figure.low, figure.high, figure.unit FROM figure"
    " JOIN run USING(run_key) JOIN run_wall USING(run_key);",

    /* Measurements keep their raw values. */
    "CREATE TABLE samples(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, path TEXT, unit TEXT,"
    " n INTEGER, raw BLOB, PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;",

    "ALTER TABLE run ADD COLUMN judged INTEGER DEFAULT 1;"
    "ALTER TABLE run ADD COLUMN trials_left INTEGER DEFAULT 0;"
    "ALTER TABLE run ADD COLUMN trials_part_ns INTEGER DEFAULT 0;"
    "CREATE TABLE trial(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, path TEXT, now TEXT,"
    " tried TEXT, quality TEXT, verdict TEXT, turns INTEGER, holds INTEGER,"
    " PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;"
    "CREATE TABLE breakeven(run_key TEXT NOT NULL, ordinal INTEGER NOT NULL, subject TEXT,"
    " basis TEXT, burst_ns INTEGER, eci REAL, pool REAL, warm_share REAL, subscription_share REAL,"
    " PRIMARY KEY(run_key, ordinal)) WITHOUT ROWID;",
};

_Static_assert(sizeof migrations / sizeof *migrations == STORE_VERSION, "one step a version");

/* ---- columns ---- */

enum kind {
    COLUMN_TEXT,
    COLUMN_BOOL,
    COLUMN_UINT32,
    COLUMN_INT64,
    COLUMN_UINT64,
    COLUMN_HEX, /* uint64_t, as 16 digits */
    COLUMN_SIZE,
    COLUMN_REAL, /* NaN is stored as NULL */
    COLUMN_MERGE,
    COLUMN_POINTS, /* doubles, as many as result_series.n, little-endian */
    COLUMN_RAW,    /* the same of result_samples.n */
};

struct column {
    const char *name;
    enum kind kind;
    size_t offset;
};

/* An array of result: items and their number at these offsets. */
struct table {
    const char *name;
    const struct column *columns;
    size_t n_columns, size, items, count;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct column run_columns[] = {
    {"name", COLUMN_TEXT, offsetof(struct result, name)},
    {"verdict", COLUMN_TEXT, offsetof(struct result, verdict)},
    {"holds", COLUMN_BOOL, offsetof(struct result, holds)},
    {"engine", COLUMN_TEXT, offsetof(struct result, engine)},
    {"currency", COLUMN_TEXT, offsetof(struct result, currency)},
    {"command", COLUMN_TEXT, offsetof(struct result, command)},
    {"seed", COLUMN_UINT64, offsetof(struct result, seed)},
    {"replications", COLUMN_UINT32, offsetof(struct result, replications)},
    {"shown_replication", COLUMN_UINT32, offsetof(struct result, shown_replication)},
    {"horizon_ns", COLUMN_INT64, offsetof(struct result, horizon)},
    {"epoch_s", COLUMN_INT64, offsetof(struct result, epoch_s)},
    {"time_zone", COLUMN_TEXT, offsetof(struct result, time_zone)},
    {"control_digest", COLUMN_HEX, offsetof(struct result, control_digest)},
    {"request_digest", COLUMN_HEX, offsetof(struct result, request_digest)},
    {"entries_dropped", COLUMN_UINT64, offsetof(struct result, entries_dropped)},
    {"spans_dropped", COLUMN_UINT64, offsetof(struct result, spans_dropped)},
    {"bills_dropped", COLUMN_UINT64, offsetof(struct result, bills_dropped)},
    {"bills_dropped_micro", COLUMN_INT64, offsetof(struct result, bills_dropped_micro)},
    {"findings_dropped", COLUMN_UINT64, offsetof(struct result, findings_dropped)},
    {"judged", COLUMN_BOOL, offsetof(struct result, judged)},
    {"trials_left", COLUMN_UINT64, offsetof(struct result, trials_left)},
    {"trials_part_ns", COLUMN_INT64, offsetof(struct result, trials_part)},
};

static const struct column figure_columns[] = {
    {"path", COLUMN_TEXT, offsetof(struct figure, path)},
    {"unit", COLUMN_TEXT, offsetof(struct figure, unit)},
    {"merge", COLUMN_MERGE, offsetof(struct figure, merge)},
    {"value", COLUMN_REAL, offsetof(struct figure, value)},
    {"has_interval", COLUMN_BOOL, offsetof(struct figure, has_interval)},
    {"low", COLUMN_REAL, offsetof(struct figure, low)},
    {"high", COLUMN_REAL, offsetof(struct figure, high)},
};

static const struct column series_columns[] = {
    {"path", COLUMN_TEXT, offsetof(struct result_series, path)},
    {"unit", COLUMN_TEXT, offsetof(struct result_series, unit)},
    {"step_ns", COLUMN_INT64, offsetof(struct result_series, step)},
    {"n", COLUMN_SIZE, offsetof(struct result_series, n)},
    {"mean", COLUMN_POINTS, offsetof(struct result_series, mean)},
    {"min", COLUMN_POINTS, offsetof(struct result_series, min)},
    {"max", COLUMN_POINTS, offsetof(struct result_series, max)},
};

static const struct column samples_columns[] = {
    {"path", COLUMN_TEXT, offsetof(struct result_samples, path)},
    {"unit", COLUMN_TEXT, offsetof(struct result_samples, unit)},
    {"n", COLUMN_SIZE, offsetof(struct result_samples, n)},
    {"raw", COLUMN_RAW, offsetof(struct result_samples, values)},
};

static const struct column entry_columns[] = {
    {"at_ns", COLUMN_INT64, offsetof(struct result_entry, at)},
    {"subject", COLUMN_TEXT, offsetof(struct result_entry, subject)},
    {"what", COLUMN_TEXT, offsetof(struct result_entry, what)},
    {"reason", COLUMN_TEXT, offsetof(struct result_entry, reason)},
};

static const struct column span_columns[] = {
    {"track", COLUMN_TEXT, offsetof(struct result_span, track)},
    {"phase", COLUMN_TEXT, offsetof(struct result_span, phase)},
    {"from_ns", COLUMN_INT64, offsetof(struct result_span, from)},
    {"to_ns", COLUMN_INT64, offsetof(struct result_span, to)},
};

static const struct column bill_columns[] = {
    {"resource", COLUMN_TEXT, offsetof(struct result_bill, resource)},
    {"pool", COLUMN_TEXT, offsetof(struct result_bill, group)},
    {"type", COLUMN_TEXT, offsetof(struct result_bill, type)},
    {"zone", COLUMN_TEXT, offsetof(struct result_bill, zone)},
    {"billing", COLUMN_TEXT, offsetof(struct result_bill, billing)},
    {"from_ns", COLUMN_INT64, offsetof(struct result_bill, from)},
    {"to_ns", COLUMN_INT64, offsetof(struct result_bill, to)},
    {"micro_per_hour", COLUMN_INT64, offsetof(struct result_bill, micro_per_hour)},
    {"amount_micro", COLUMN_INT64, offsetof(struct result_bill, amount_micro)},
    {"currency", COLUMN_TEXT, offsetof(struct result_bill, currency)},
};

static const struct column assumption_columns[] = {
    {"path", COLUMN_TEXT, offsetof(struct result_assumption, path)},
    {"value", COLUMN_TEXT, offsetof(struct result_assumption, value)},
    {"quality", COLUMN_TEXT, offsetof(struct result_assumption, quality)},
    {"source", COLUMN_TEXT, offsetof(struct result_assumption, source)},
};

static const struct column trial_columns[] = {
    {"path", COLUMN_TEXT, offsetof(struct result_trial, path)},
    {"now", COLUMN_TEXT, offsetof(struct result_trial, now)},
    {"tried", COLUMN_TEXT, offsetof(struct result_trial, then)},
    {"quality", COLUMN_TEXT, offsetof(struct result_trial, quality)},
    {"verdict", COLUMN_TEXT, offsetof(struct result_trial, verdict)},
    {"turns", COLUMN_BOOL, offsetof(struct result_trial, turns)},
    {"holds", COLUMN_BOOL, offsetof(struct result_trial, holds)},
};

static const struct column breakeven_columns[] = {
    {"subject", COLUMN_TEXT, offsetof(struct result_breakeven, subject)},
    {"basis", COLUMN_TEXT, offsetof(struct result_breakeven, basis)},
    {"burst_ns", COLUMN_INT64, offsetof(struct result_breakeven, burst)},
    {"eci", COLUMN_REAL, offsetof(struct result_breakeven, eci)},
    {"pool", COLUMN_REAL, offsetof(struct result_breakeven, pool)},
    {"warm_share", COLUMN_REAL, offsetof(struct result_breakeven, warm_share)},
    {"subscription_share", COLUMN_REAL, offsetof(struct result_breakeven, subscription_share)},
};

static const struct column finding_columns[] = {
    {"level", COLUMN_TEXT, offsetof(struct result_finding, level)},
    {"code", COLUMN_TEXT, offsetof(struct result_finding, code)},
    {"text", COLUMN_TEXT, offsetof(struct result_finding, text)},
};

#define TABLE(name, columns, type, items)                                                          \
    {                                                                                              \
        name, columns, COUNT(columns), sizeof(type), offsetof(struct result, items),               \
            offsetof(struct result, n_##items)                                                     \
    }

static const struct table tables[] = {
    TABLE("figure", figure_columns, struct figure, figures),
    TABLE("series", series_columns, struct result_series, series),
    TABLE("samples", samples_columns, struct result_samples, samples),
    TABLE("entry", entry_columns, struct result_entry, entries),
    TABLE("span", span_columns, struct result_span, spans),
    TABLE("bill", bill_columns, struct result_bill, bills),
    TABLE("assumption", assumption_columns, struct result_assumption, assumptions),
    TABLE("trial", trial_columns, struct result_trial, trials),
    TABLE("breakeven", breakeven_columns, struct result_breakeven, breakevens),
    TABLE("finding", finding_columns, struct result_finding, findings),
};

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
        status = run_sql(s, migrations[i], e);
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

/* A NaN is a NaN: its other bits would make equal runs differ. */
static int bind_points(struct store *s, sqlite3_stmt *to, int index, const double *v, size_t n)
{
    size_t bytes = n * 8;
    if (bytes > s->scratch_bytes) {
        unsigned char *more = realloc(s->scratch, bytes);
        if (!more)
            return SQLITE_NOMEM;
        s->scratch = more;
        s->scratch_bytes = bytes;
    }
    for (size_t i = 0; i < n; i++) {
        double value = isnan(v[i]) ? (double)NAN : v[i];
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        if (isnan(value))
            bits = UINT64_C(0x7ff8000000000000);
        for (int b = 0; b < 8; b++)
            s->scratch[i * 8 + (size_t)b] = (unsigned char)(bits >> 8 * b);
    }
    return sqlite3_bind_blob64(to, index, n ? (const void *)s->scratch : "", bytes,
                               SQLITE_TRANSIENT);
}

static int bind_text(sqlite3_stmt *to, int index, const char *s)
{
    return s ? sqlite3_bind_text(to, index, s, -1, SQLITE_STATIC) : sqlite3_bind_null(to, index);
}

/* How many values stand in a column of them. */
static size_t count_of(const struct column *c, const void *item)
{
    const struct result_series *series = item;
    const struct result_samples *samples = item;
    return c->kind == COLUMN_RAW ? samples->n : series->n;
}

static int bind_column(struct store *s, sqlite3_stmt *to, int index, const struct column *c,
                       const void *item)
{
    const char *field = (const char *)item + c->offset;
    char hex[17];
    switch (c->kind) {
    case COLUMN_TEXT:
        return bind_text(to, index, *(const char *const *)(const void *)field);
    case COLUMN_BOOL:
        return sqlite3_bind_int(to, index, *(const bool *)(const void *)field);
    case COLUMN_UINT32:
        return sqlite3_bind_int64(to, index, *(const uint32_t *)(const void *)field);
    case COLUMN_INT64:
        return sqlite3_bind_int64(to, index, *(const int64_t *)(const void *)field);
    case COLUMN_UINT64: /* beyond 2^63 it reads as negative in SQL, and comes back right */
        return sqlite3_bind_int64(to, index, (int64_t) * (const uint64_t *)(const void *)field);
    case COLUMN_HEX:
        snprintf(hex, sizeof hex, "%016" PRIx64, *(const uint64_t *)(const void *)field);
        return sqlite3_bind_text(to, index, hex, -1, SQLITE_TRANSIENT);
    case COLUMN_SIZE:
        return sqlite3_bind_int64(to, index, (int64_t) * (const size_t *)(const void *)field);
    case COLUMN_REAL:
        return sqlite3_bind_double(to, index, *(const double *)(const void *)field);
    case COLUMN_MERGE:
        return sqlite3_bind_int(to, index, (int)*(const enum figure_merge *)(const void *)field);
    case COLUMN_POINTS:
    case COLUMN_RAW:
        break;
    }
    return bind_points(s, to, index, *(const double *const *)(const void *)field,
                       count_of(c, item));
}

/* "INSERT INTO figure(run_key, ordinal, path, ...) VALUES(?, ?, ?, ...)" */
static sqlite3_stmt *prepare_insert(struct store *s, const char *table, bool ordinal,
                                    const struct column *columns, size_t n, struct err *e)
{
    char sql[1024];
    size_t used = (size_t)snprintf(sql, sizeof sql, "INSERT INTO %s(run_key%s", table,
                                   ordinal ? ", ordinal" : "");
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", %s", columns[i].name);
    used += (size_t)snprintf(sql + used, sizeof sql - used, ") VALUES(?%s", ordinal ? ", ?" : "");
    for (size_t i = 0; i < n; i++)
        used += (size_t)snprintf(sql + used, sizeof sql - used, ", ?");
    used += (size_t)snprintf(sql + used, sizeof sql - used, ")");
    assert(used < sizeof sql);
    return prepare(s, sql, e);
}

static int put_table(struct store *s, const struct table *t, const struct result *r, struct err *e)
{
    const char *items = *(const char *const *)(const void *)((const char *)r + t->items);
    size_t count = *(const size_t *)(const void *)((const char *)r + t->count);
    sqlite3_stmt *insert = prepare_insert(s, t->name, true, t->columns, t->n_columns, e);
    int status = insert ? 0 : -1;
    for (size_t i = 0; status == 0 && i < count; i++) {
        int rc = bind_text(insert, 1, r->run_key);
        if (rc == SQLITE_OK)
            rc = sqlite3_bind_int64(insert, 2, (int64_t)i);
        for (size_t k = 0; rc == SQLITE_OK && k < t->n_columns; k++)
            rc = bind_column(s, insert, (int)k + 3, &t->columns[k], items + i * t->size);
        status = rc == SQLITE_OK ? step(s, insert, e) : fail(s, rc, e);
        sqlite3_reset(insert);
    }
    sqlite3_finalize(insert);
    return status;
}

static int put_run(struct store *s, const struct result *r, struct err *e)
{
    sqlite3_stmt *insert = prepare_insert(s, "run", false, run_columns, COUNT(run_columns), e);
    if (!insert)
        return -1;
    int rc = bind_text(insert, 1, r->run_key);
    for (size_t k = 0; rc == SQLITE_OK && k < COUNT(run_columns); k++)
        rc = bind_column(s, insert, (int)k + 2, &run_columns[k], r);
    int status = rc == SQLITE_OK ? step(s, insert, e) : fail(s, rc, e);
    sqlite3_finalize(insert);
    return status;
}

static int put_wall(struct store *s, const struct result *r, const struct store_wall *wall,
                    struct err *e)
{
    static const struct store_wall nothing = {0};
    const struct store_wall *w = wall ? wall : &nothing;
    sqlite3_stmt *insert = prepare(
        s,
        "INSERT INTO run_wall(run_key, serial, started, scenario_path, compiler, threads, seconds)"
        " VALUES(?1, (SELECT ifnull(max(serial), 0) + 1 FROM run_wall), ?2, ?3, ?4, ?5, ?6)",
        e);
    if (!insert)
        return -1;
    int rc = bind_text(insert, 1, r->run_key);
    rc |= bind_text(insert, 2, w->started);
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
    sqlite3_stmt *statement = prepare(s, sql, e);
    if (!statement)
        return -1;
    int rc = bind_text(statement, 1, run_key);
    int status = rc == SQLITE_OK ? step(s, statement, e) : fail(s, rc, e);
    sqlite3_finalize(statement);
    return status;
}

int store_put(struct store *s, const struct result *r, const struct store_wall *wall, struct err *e)
{
    assert(s && r && r->run_key && *r->run_key && strlen(r->run_key) < STORE_KEY && e);
    /* IMMEDIATE takes the writer's place at once: two that began to read could not both go on. */
    if (run_sql(s, "BEGIN IMMEDIATE", e) != 0)
        return -1;
    int status = remove_from(s, "run", r->run_key, e);
    if (status == 0)
        status = remove_from(s, "run_wall", r->run_key, e);
    for (size_t i = 0; status == 0 && i < COUNT(tables); i++)
        status = remove_from(s, tables[i].name, r->run_key, e);
    if (status == 0)
        status = put_run(s, r, e);
    for (size_t i = 0; status == 0 && i < COUNT(tables); i++)
        status = put_table(s, &tables[i], r, e);
    if (status == 0)
        status = put_wall(s, r, wall, e);
    return end(s, status, e);
}

/* ---- reading ---- */

static const char *take_text(sqlite3_stmt *from, int index, struct arena *a, struct err *e)
{
    const char *s = (const char *)sqlite3_column_text(from, index);
    return arena_text(a, s ? s : "", s ? (size_t)sqlite3_column_bytes(from, index) : 0, e);
}

static int damaged(const struct store *s, const char *what, struct err *e)
{
    return err_set(e, ERR_INPUT, s->path, "is damaged: %s is not as this program writes it", what);
}

static const double *take_points(struct store *s, sqlite3_stmt *from, int index, size_t n,
                                 struct arena *a, struct err *e)
{
    const unsigned char *bytes = sqlite3_column_blob(from, index);
    if ((size_t)sqlite3_column_bytes(from, index) != n * 8) {
        damaged(s, "a series", e);
        return NULL;
    }
    double *v = arena_take(a, n, sizeof *v, e);
    for (size_t i = 0; v && i < n; i++) {
        uint64_t bits = 0;
        for (int b = 0; b < 8; b++)
            bits |= (uint64_t)bytes[i * 8 + (size_t)b] << 8 * b;
        memcpy(&v[i], &bits, sizeof bits);
    }
    return v;
}

static int take_merge(struct store *s, int64_t v, enum figure_merge *out, struct err *e)
{
    if (v < FIGURE_MEAN || v > FIGURE_MIN)
        return damaged(s, "a figure", e);
    *out = (enum figure_merge)v;
    return 0;
}

/* Longer than any run makes, short enough to multiply. */
#define MOST_POINTS (INT64_C(1) << 24)

static int take_size(struct store *s, int64_t v, size_t *out, struct err *e)
{
    if (v < 0 || v > MOST_POINTS)
        return damaged(s, "a series", e);
    *out = (size_t)v;
    return 0;
}

static int take_column(struct store *s, sqlite3_stmt *from, int index, const struct column *c,
                       void *item, struct arena *a, struct err *e)
{
    void *field = (char *)item + c->offset;
    const char *hex;
    switch (c->kind) {
    case COLUMN_TEXT:
        *(const char **)field = take_text(from, index, a, e);
        return *(const char **)field ? 0 : -1;
    case COLUMN_BOOL:
        *(bool *)field = sqlite3_column_int64(from, index) != 0;
        return 0;
    case COLUMN_UINT32:
        *(uint32_t *)field = (uint32_t)sqlite3_column_int64(from, index);
        return 0;
    case COLUMN_INT64:
        *(int64_t *)field = sqlite3_column_int64(from, index);
        return 0;
    case COLUMN_UINT64:
        *(uint64_t *)field = (uint64_t)sqlite3_column_int64(from, index);
        return 0;
    case COLUMN_HEX:
        hex = (const char *)sqlite3_column_text(from, index);
        *(uint64_t *)field = hex ? strtoull(hex, NULL, 16) : 0;
        return 0;
    case COLUMN_SIZE:
        return take_size(s, sqlite3_column_int64(from, index), field, e);
    case COLUMN_REAL:
        *(double *)field = sqlite3_column_type(from, index) == SQLITE_NULL
                               ? (double)NAN
                               : sqlite3_column_double(from, index);
        return 0;
    case COLUMN_MERGE:
        return take_merge(s, sqlite3_column_int64(from, index), field, e);
    case COLUMN_POINTS:
    case COLUMN_RAW:
        break;
    }
    *(const double **)field = take_points(s, from, index, count_of(c, item), a, e);
    return *(const double **)field ? 0 : -1;
}

static sqlite3_stmt *prepare_select(struct store *s, const char *table, const char *run_key,
                                    const struct column *columns, size_t n, struct err *e)
{
    char sql[1024];
    size_t used = (size_t)snprintf(sql, sizeof sql, "SELECT ");
    for (size_t i = 0; i < n; i++)
        used +=
            (size_t)snprintf(sql + used, sizeof sql - used, "%s%s", i ? ", " : "", columns[i].name);
    used += (size_t)snprintf(sql + used, sizeof sql - used, " FROM %s WHERE run_key = ?%s", table,
                             columns == run_columns ? "" : " ORDER BY ordinal");
    assert(used < sizeof sql);
    sqlite3_stmt *select = prepare(s, sql, e);
    if (!select)
        return NULL;
    int rc = sqlite3_bind_text(select, 1, run_key, -1, SQLITE_TRANSIENT);
    if (rc == SQLITE_OK)
        return select;
    sqlite3_finalize(select);
    fail(s, rc, e);
    return NULL;
}

static int count_rows(struct store *s, const char *table, const char *run_key, size_t *n,
                      struct err *e)
{
    char sql[96];
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s WHERE run_key = ?", table);
    sqlite3_stmt *select = prepare(s, sql, e);
    if (!select)
        return -1;
    int rc = sqlite3_bind_text(select, 1, run_key, -1, SQLITE_TRANSIENT);
    int status = rc == SQLITE_OK ? step(s, select, e) : fail(s, rc, e);
    *n = status == 1 ? (size_t)sqlite3_column_int64(select, 0) : 0;
    sqlite3_finalize(select);
    return status < 0 ? -1 : 0;
}

static int get_table(struct store *s, const struct table *t, struct result *out, struct err *e)
{
    size_t n, i = 0;
    if (count_rows(s, t->name, out->run_key, &n, e) != 0)
        return -1;
    char *items = arena_take(out->arena, n, t->size, e);
    sqlite3_stmt *select =
        items ? prepare_select(s, t->name, out->run_key, t->columns, t->n_columns, e) : NULL;
    int status = select ? 1 : -1;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        /* One read transaction sees one state; only a damaged file counts other rows. */
        int failed = i < n ? 0 : damaged(s, t->name, e);
        for (size_t k = 0; failed == 0 && k < t->n_columns; k++)
            failed =
                take_column(s, select, (int)k, &t->columns[k], items + i * t->size, out->arena, e);
        status = failed ? -1 : 1;
        i++;
    }
    sqlite3_finalize(select);
    memcpy((char *)out + t->items, &items, sizeof items);
    memcpy((char *)out + t->count, &i, sizeof i);
    return status;
}

static int get_run(struct store *s, const char *run_key, struct result *out, struct err *e)
{
    sqlite3_stmt *select = prepare_select(s, "run", run_key, run_columns, COUNT(run_columns), e);
    int status = select ? step(s, select, e) : -1;
    if (status == 0)
        err_set(e, ERR_INPUT, s->path, "has no run %s", run_key);
    int failed = status == 1 ? 0 : -1;
    for (size_t k = 0; failed == 0 && k < COUNT(run_columns); k++)
        failed = take_column(s, select, (int)k, &run_columns[k], out, out->arena, e);
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
    int status = get_run(s, run_key, out, e);
    for (size_t i = 0; status == 0 && i < COUNT(tables); i++)
        status = get_table(s, &tables[i], out, e);
    return end(s, status, e);
}

int store_has(struct store *s, const char *run_key, struct err *e)
{
    assert(s && run_key && e);
    size_t n;
    return count_rows(s, "run", run_key, &n, e) != 0 ? -1 : n > 0;
}

/* ---- lists ---- */

static int take_row(sqlite3_stmt *select, struct store_row *row, struct arena *a, struct err *e)
{
    const char **const texts[] = {&row->run_key, &row->name, &row->verdict, &row->started,
                                  &row->currency};
    for (int i = 0; i < 5; i++) {
        *texts[i] = take_text(select, i, a, e);
        if (!*texts[i])
            return -1;
    }
    row->holds = sqlite3_column_int(select, 5) != 0;
    row->replications = (uint32_t)sqlite3_column_int64(select, 6);
    row->cost_per_month = sqlite3_column_type(select, 7) == SQLITE_NULL
                              ? (double)NAN
                              : sqlite3_column_double(select, 7);
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
    status = select ? 1 : -1;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        if (*n == (size_t)count)
            status = damaged(s, "the list of runs", e);
        else
            status = take_row(select, &(*rows)[*n], a, e) == 0 ? 1 : -1;
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
    sqlite3_stmt *select = prepare(s, sql, e);
    if (!select)
        return -1;
    int rc = sqlite3_bind_text(select, 1, which, -1, SQLITE_TRANSIENT);
    int status = rc == SQLITE_OK ? 1 : fail(s, rc, e), n = 0;
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

static int dump_table(struct store *s, const char *table, const char *order, struct text *to,
                      struct err *e)
{
    char sql[128];
    snprintf(sql, sizeof sql, "SELECT * FROM %s ORDER BY %s", table, order);
    sqlite3_stmt *select = prepare(s, sql, e);
    int status = select ? 1 : -1;
    while (status == 1 && (status = step(s, select, e)) == 1) {
        text_add(to, table);
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
    int status = dump_table(s, "run", "run_key", to, e);
    for (size_t i = 0; status == 0 && i < COUNT(tables); i++)
        status = dump_table(s, tables[i].name, "run_key, ordinal", to, e);
    if (status == 0)
        status = text_end(to, e);
    return end(s, status, e);
}
