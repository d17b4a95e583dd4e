/* cmd_run: `sluice run`: simulate, print, store, draw. */
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/session.h"
#include "scenarios/cli/show.h"
#include "scenarios/run/run.h"
#include "scenarios/run/scenario.h"
#include "sim/text.h"

#include <stdio.h>

struct run_arguments {
    struct session_arguments common;
    const char *report;
    bool no_store, events;
};

static int parse(int argc, char **argv, struct run_arguments *a, struct option_texts *operands,
                 bool *helped, struct err *e)
{
    const struct option rows[] = {
        SESSION_OPTIONS(a->common),
        {"--report", NULL, OPTION_TEXT, &a->report, "FILE", "write the page (HTML) to this file"},
        {"--no-store", NULL, OPTION_FLAG, &a->no_store, NULL, "do not store the result"},
        {"--events", NULL, OPTION_FLAG, &a->events, NULL,
         "use the event engine, the slow oracle of the fast dispatchers"},
    };
    const struct options o = {
        .rows = rows,
        .count = sizeof rows / sizeof rows[0],
        .min_operands = 1,
        .max_operands = 1,
        .usage = "sluice run [options] SCENARIO",
        .doc = "Simulates a scenario (JSON or YAML; - reads standard input), prints the answer,\n"
               "and stores the result.",
    };
    *helped = options_want_help(argc, argv);
    if (*helped) {
        options_print(&o, stdout);
        return 0;
    }
    return options_parse(&o, argc, argv, operands, e);
}

/* What is shown is made before anything is written; then comes the store, in one transaction. */
static int deliver(const struct session *session, const struct run_arguments *a,
                   const struct result *r, struct err *e)
{
    struct text shown = {0};
    int rc = show_render(r, a->common.format, &shown, e);
    if (rc == 0 && !a->no_store)
        rc = session_store(session, &a->common, r, e);
    if (rc == 0 && a->report)
        rc = show_page(r, a->report, e);
    if (rc == 0)
        fputs(shown.s, stdout);
    text_fini(&shown);
    return rc;
}

static int simulate(const struct run_arguments *a, const char *path, struct err *e)
{
    struct session session;
    if (session_open(&session, &a->common, path, e))
        return -1;
    struct run_options options = {
        .threads = (size_t)a->common.threads,
        .use_events = a->events,
        .robustness = true,
        .stop = session_stop_flag(),
        .progress = session_progress(&session),
        .self = &session,
        .command = session.command,
    };
    struct run *run = run_scenario(session.scenario, &options, e);
    session_progress_done(&session);
    int rc = run ? deliver(&session, a, run_result(run), e) : -1;
    run_destroy(run);
    session_close(&session);
    return rc;
}

static int run(int argc, char **argv, struct err *e)
{
    struct run_arguments a = {.common = SESSION_DEFAULTS};
    struct option_texts operands = {0};
    bool helped = false;
    if (parse(argc, argv, &a, &operands, &helped, e))
        return e->code;
    if (helped)
        return 0;
    if (show_check(a.common.format, e) || show_check_page(a.report, "--report", e) ||
        show_check_target(a.no_store ? NULL : a.common.db, "--db", e) ||
        simulate(&a, operands.items[0], e))
        return e->code;
    return 0;
}

const struct command cmd_run = {"run", "simulate a scenario and print the answer", run};
