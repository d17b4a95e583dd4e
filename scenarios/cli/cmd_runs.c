/* cmd_runs: `sluice runs`: what the store holds. */
#include "reports/store.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

static void as_text(const struct store_row *rows, size_t n, struct text *t)
{
    if (n == 0)
        text_add(t, "no runs are stored\n");
    for (size_t i = 0; i < n; i++) {
        text_printf(t, "%.12s  %-20s  %s  %3u %-12s  %-5s", rows[i].run_key,
                    rows[i].started ? rows[i].started : "", rows[i].holds ? "holds" : "fails",
                    (unsigned)rows[i].replications,
                    text_plural(rows[i].replications, "replication", "replications"), "");
        if (rows[i].cost_per_month == rows[i].cost_per_month)
            text_printf(t, "%.0f %s a month  ", rows[i].cost_per_month,
                        rows[i].currency ? rows[i].currency : "");
        text_printf(t, "%s\n", rows[i].name);
    }
}

static void as_json(const struct store_row *rows, size_t n, struct text *t)
{
    struct json_out o;
    json_out_init(&o, t, false);
    json_out_open(&o, "{");
    json_out_key(&o, "schema");
    json_out_string(&o, "sluice.runs/1");
    json_out_key(&o, "runs");
    json_out_open(&o, "[");
    for (size_t i = 0; i < n; i++) {
        json_out_open(&o, "{");
        json_out_key(&o, "key");
        json_out_string(&o, rows[i].run_key);
        json_out_key(&o, "name");
        json_out_string(&o, rows[i].name);
        json_out_key(&o, "started");
        json_out_string(&o, rows[i].started);
        json_out_key(&o, "holds");
        json_out_bool(&o, rows[i].holds);
        json_out_key(&o, "verdict");
        json_out_string(&o, rows[i].verdict);
        json_out_key(&o, "replications");
        json_out_int(&o, rows[i].replications);
        json_out_key(&o, "costPerMonth");
        json_out_number(&o, rows[i].cost_per_month);
        json_out_key(&o, "currency");
        json_out_string(&o, rows[i].currency);
        json_out_close(&o, "}");
    }
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

static int list(const char *db, bool json, struct err *e)
{
    struct store_row *rows;
    size_t n;
    struct text t = {0};
    struct arena *arena = arena_create(e);
    struct store *store = arena ? store_open(db, STORE_READ, e) : NULL;
    int rc = store ? store_list(store, arena, &rows, &n, e) : -1;
    if (rc == 0) {
        if (json)
            as_json(rows, n, &t);
        else
            as_text(rows, n, &t);
        rc = show_print(&t, e);
    }
    store_close(store);
    arena_destroy(arena);
    return rc;
}

static int run(int argc, char **argv, struct err *e)
{
    const char *db = "sluice.db", *format = "text";
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--db", NULL, OPTION_TEXT, &db, "FILE", "store (default sluice.db)"},
        {"--format", NULL, OPTION_TEXT, &format, "FORMAT", "text or json"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .usage = "sluice runs [options]",
        .doc = "Lists the stored runs, the last one first. The store is an SQLite file: any\n"
               "question about history can be asked in SQL.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e))
        return e->code;
    if (strcmp(format, "text") != 0 && strcmp(format, "json") != 0)
        err_set(e, ERR_INPUT, NULL, "--format: '%s' is none of text, json", format);
    else
        list(db, strcmp(format, "json") == 0, e);
    return e->code;
}

const struct command cmd_runs = {"runs", "list the stored runs", run};
