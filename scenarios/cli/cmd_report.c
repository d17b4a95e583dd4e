/* cmd_report: `sluice report`: a stored run again, as text, JSON, CSV or page. */
#include "reports/store.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"

#include <stdio.h>

struct report_arguments {
    const char *db, *format, *page;
};

static int show(const struct report_arguments *a, struct store *store, const char *which,
                struct err *e)
{
    char key[STORE_KEY];
    struct result r = {0};
    struct text shown = {0};
    struct arena *arena = arena_create(e);
    int rc = arena ? store_find(store, which, key, e) : -1;
    rc = rc || store_get(store, key, arena, &r, e);
    if (rc == 0 && a->page)
        rc = show_page(&r, a->page, e);
    else if (rc == 0)
        rc = show_render(&r, a->format, &shown, e);
    if (rc == 0 && shown.s)
        fputs(shown.s, stdout);
    text_fini(&shown);
    arena_destroy(arena);
    return rc ? -1 : 0;
}

static int run(int argc, char **argv, struct err *e)
{
    struct report_arguments a = {.db = "sluice.db", .format = "text"};
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--db", NULL, OPTION_TEXT, &a.db, "FILE", "store (default sluice.db)"},
        {"--format", NULL, OPTION_TEXT, &a.format, "FORMAT", "text, json or csv"},
        {"--report", "-o", OPTION_TEXT, &a.page, "FILE", "write the page (HTML) to this file"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .max_operands = OPTIONS_MAX_TEXTS,
        .usage = "sluice report [options] [RUN...]",
        .doc = "Shows stored runs again. RUN is a run key or its beginning, the name of a\n"
               "scenario (its last run), or `last`, which is the default.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e) || show_check(a.format, e) ||
        show_check_page(a.page, "--report", e))
        return e->code;
    if (operands.count == 0)
        operands.items[operands.count++] = "last";
    if (a.page && operands.count > 1)
        return err_set(e, ERR_INPUT, NULL, "--report takes one run; %zu are given", operands.count),
               e->code;
    struct store *store = store_open(a.db, STORE_READ, e);
    for (size_t i = 0; store && i < operands.count; i++)
        if (show(&a, store, operands.items[i], e))
            break;
    store_close(store);
    return e->code;
}

const struct command cmd_report = {"report", "show a stored run again", run};
