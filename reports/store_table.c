/* store_table: the tables, column by column, and the steps that brought older files to them. */
#include "reports/store_table.h"

#include "reports/store.h"
#include "sim/result.h"

/* Step i brings a file from version i to i + 1. Append only: the steps are the files' history. */
const char *const store_table_steps[] = {
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

    /* What turns a verdict is confirmed by whole replications. */
    "ALTER TABLE run ADD COLUMN trials_from_ns INTEGER DEFAULT 0;"
    "ALTER TABLE trial ADD COLUMN may_turn INTEGER DEFAULT 0;"
    "ALTER TABLE trial ADD COLUMN replications INTEGER DEFAULT 0;",
};

_Static_assert(sizeof store_table_steps / sizeof *store_table_steps == STORE_VERSION,
               "one step a version");

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct store_column run_columns[] = {
    {"name", STORE_TEXT, offsetof(struct result, name)},
    {"verdict", STORE_TEXT, offsetof(struct result, verdict)},
    {"holds", STORE_BOOL, offsetof(struct result, holds)},
    {"engine", STORE_TEXT, offsetof(struct result, engine)},
    {"currency", STORE_TEXT, offsetof(struct result, currency)},
    {"command", STORE_TEXT, offsetof(struct result, command)},
    {"seed", STORE_UINT64, offsetof(struct result, seed)},
    {"replications", STORE_UINT32, offsetof(struct result, replications)},
    {"shown_replication", STORE_UINT32, offsetof(struct result, shown_replication)},
    {"horizon_ns", STORE_INT64, offsetof(struct result, horizon)},
    {"epoch_s", STORE_INT64, offsetof(struct result, epoch_s)},
    {"time_zone", STORE_TEXT, offsetof(struct result, time_zone)},
    {"control_digest", STORE_HEX, offsetof(struct result, control_digest)},
    {"request_digest", STORE_HEX, offsetof(struct result, request_digest)},
    {"entries_dropped", STORE_UINT64, offsetof(struct result, entries_dropped)},
    {"spans_dropped", STORE_UINT64, offsetof(struct result, spans_dropped)},
    {"bills_dropped", STORE_UINT64, offsetof(struct result, bills_dropped)},
    {"bills_dropped_micro", STORE_INT64, offsetof(struct result, bills_dropped_micro)},
    {"findings_dropped", STORE_UINT64, offsetof(struct result, findings_dropped)},
    {"judged", STORE_BOOL, offsetof(struct result, judged)},
    {"trials_left", STORE_UINT64, offsetof(struct result, trials_left)},
    {"trials_part_ns", STORE_INT64, offsetof(struct result, trials_part)},
    {"trials_from_ns", STORE_INT64, offsetof(struct result, trials_from)},
};

static const struct store_column figure_columns[] = {
    {"path", STORE_TEXT, offsetof(struct figure, path)},
    {"unit", STORE_TEXT, offsetof(struct figure, unit)},
    {"merge", STORE_MERGE, offsetof(struct figure, merge)},
    {"value", STORE_REAL, offsetof(struct figure, value)},
    {"has_interval", STORE_BOOL, offsetof(struct figure, has_interval)},
    {"low", STORE_REAL, offsetof(struct figure, low)},
    {"high", STORE_REAL, offsetof(struct figure, high)},
};

static const struct store_column series_columns[] = {
    {"path", STORE_TEXT, offsetof(struct result_series, path)},
    {"unit", STORE_TEXT, offsetof(struct result_series, unit)},
    {"step_ns", STORE_INT64, offsetof(struct result_series, step)},
    {"n", STORE_SIZE, offsetof(struct result_series, n)},
    {"mean", STORE_POINTS, offsetof(struct result_series, mean)},
    {"min", STORE_POINTS, offsetof(struct result_series, min)},
    {"max", STORE_POINTS, offsetof(struct result_series, max)},
};

static const struct store_column samples_columns[] = {
    {"path", STORE_TEXT, offsetof(struct result_samples, path)},
    {"unit", STORE_TEXT, offsetof(struct result_samples, unit)},
    {"n", STORE_SIZE, offsetof(struct result_samples, n)},
    {"raw", STORE_RAW, offsetof(struct result_samples, values)},
};

static const struct store_column entry_columns[] = {
    {"at_ns", STORE_INT64, offsetof(struct result_entry, at)},
    {"subject", STORE_TEXT, offsetof(struct result_entry, subject)},
    {"what", STORE_TEXT, offsetof(struct result_entry, what)},
    {"reason", STORE_TEXT, offsetof(struct result_entry, reason)},
};

static const struct store_column span_columns[] = {
    {"track", STORE_TEXT, offsetof(struct result_span, track)},
    {"phase", STORE_TEXT, offsetof(struct result_span, phase)},
    {"from_ns", STORE_INT64, offsetof(struct result_span, from)},
    {"to_ns", STORE_INT64, offsetof(struct result_span, to)},
};

static const struct store_column bill_columns[] = {
    {"resource", STORE_TEXT, offsetof(struct result_bill, resource)},
    {"pool", STORE_TEXT, offsetof(struct result_bill, group)},
    {"type", STORE_TEXT, offsetof(struct result_bill, type)},
    {"zone", STORE_TEXT, offsetof(struct result_bill, zone)},
    {"billing", STORE_TEXT, offsetof(struct result_bill, billing)},
    {"from_ns", STORE_INT64, offsetof(struct result_bill, from)},
    {"to_ns", STORE_INT64, offsetof(struct result_bill, to)},
    {"micro_per_hour", STORE_INT64, offsetof(struct result_bill, micro_per_hour)},
    {"amount_micro", STORE_INT64, offsetof(struct result_bill, amount_micro)},
    {"currency", STORE_TEXT, offsetof(struct result_bill, currency)},
};

static const struct store_column assumption_columns[] = {
    {"path", STORE_TEXT, offsetof(struct result_assumption, path)},
    {"value", STORE_TEXT, offsetof(struct result_assumption, value)},
    {"quality", STORE_TEXT, offsetof(struct result_assumption, quality)},
    {"source", STORE_TEXT, offsetof(struct result_assumption, source)},
};

static const struct store_column trial_columns[] = {
    {"path", STORE_TEXT, offsetof(struct result_trial, path)},
    {"now", STORE_TEXT, offsetof(struct result_trial, now)},
    {"tried", STORE_TEXT, offsetof(struct result_trial, then)},
    {"quality", STORE_TEXT, offsetof(struct result_trial, quality)},
    {"verdict", STORE_TEXT, offsetof(struct result_trial, verdict)},
    {"turns", STORE_BOOL, offsetof(struct result_trial, turns)},
    {"holds", STORE_BOOL, offsetof(struct result_trial, holds)},
    {"may_turn", STORE_BOOL, offsetof(struct result_trial, may_turn)},
    {"replications", STORE_UINT32, offsetof(struct result_trial, replications)},
};

static const struct store_column breakeven_columns[] = {
    {"subject", STORE_TEXT, offsetof(struct result_breakeven, subject)},
    {"basis", STORE_TEXT, offsetof(struct result_breakeven, basis)},
    {"burst_ns", STORE_INT64, offsetof(struct result_breakeven, burst)},
    {"eci", STORE_REAL, offsetof(struct result_breakeven, eci)},
    {"pool", STORE_REAL, offsetof(struct result_breakeven, pool)},
    {"warm_share", STORE_REAL, offsetof(struct result_breakeven, warm_share)},
    {"subscription_share", STORE_REAL, offsetof(struct result_breakeven, subscription_share)},
};

static const struct store_column finding_columns[] = {
    {"level", STORE_TEXT, offsetof(struct result_finding, level)},
    {"code", STORE_TEXT, offsetof(struct result_finding, code)},
    {"text", STORE_TEXT, offsetof(struct result_finding, text)},
};

#define LIST(table, type, list)                                                                    \
    {                                                                                              \
        .name = #table, .columns = table##_columns, .n_columns = COUNT(table##_columns),           \
        .size = sizeof(type), .items = offsetof(struct result, list),                              \
        .count = offsetof(struct result, n_##list)                                                 \
    }

const struct store_table store_table_all[] = {
    {.name = "run", .columns = run_columns, .n_columns = COUNT(run_columns), .whole = true},
    LIST(figure, struct figure, figures),
    LIST(series, struct result_series, series),
    LIST(samples, struct result_samples, samples),
    LIST(entry, struct result_entry, entries),
    LIST(span, struct result_span, spans),
    LIST(bill, struct result_bill, bills),
    LIST(assumption, struct result_assumption, assumptions),
    LIST(trial, struct result_trial, trials),
    LIST(breakeven, struct result_breakeven, breakevens),
    LIST(finding, struct result_finding, findings),
    {0},
};
