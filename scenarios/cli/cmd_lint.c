/* cmd_lint: `sluice lint`: what an expert sees in a scenario and its manifests before any run. */
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/session.h"
#include "scenarios/cli/show.h"
#include "scenarios/run/lint.h"
#include "scenarios/run/scenario.h"
#include "sim/json.h"
#include "sim/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void as_text(struct text *t, const struct lint *l)
{
    for (size_t i = 0; i < l->n; i++) {
        const struct lint_finding *f = &l->items[i];
        text_printf(t, "%s: %s: %s [%s]\n", f->where, lint_level_name(f->level), f->words, f->rule);
    }
    if (l->n == 0)
        text_printf(t, "nothing to remark\n");
}

static void as_json(struct text *t, const struct lint *l)
{
    struct json_out o;
    json_out_init(&o, t, false);
    json_out_open(&o, "[");
    for (size_t i = 0; i < l->n; i++) {
        const struct lint_finding *f = &l->items[i];
        json_out_open(&o, "{");
        json_out_key(&o, "level");
        json_out_string(&o, lint_level_name(f->level));
        json_out_key(&o, "rule");
        json_out_string(&o, f->rule);
        json_out_key(&o, "where");
        json_out_string(&o, f->where);
        json_out_key(&o, "message");
        json_out_string(&o, f->words);
        json_out_close(&o, "}");
    }
    json_out_close(&o, "]");
    json_out_end(&o);
    text_printf(t, "\n");
}

/* 1 with an error among the findings, 0 without, e->code when it could not be told. */
static int look(const struct scenario_source *source, bool json, struct err *e)
{
    struct text t = {0};
    struct scenario *s = scenario_load(source, e);
    struct lint *l = calloc(1, sizeof *l);
    int rc = 0;
    if (!l && s)
        err_set(e, ERR_SYSTEM, NULL, "out of memory for the findings");
    if (s && l && lint_scenario(l, s, e) == 0) {
        rc = l->count > 0;
        if (json)
            as_json(&t, l);
        else
            as_text(&t, l);
        show_print(&t, e);
    } else if (s) {
        scenario_place(s, e);
    }
    text_fini(&t);
    free(l);
    scenario_free(s);
    return e->code != ERR_NONE ? (int)e->code : rc;
}

static int run(int argc, char **argv, struct err *e)
{
    char data_dir[1024];
    const char *format = "text";
    struct option_texts operands = {0};
    const struct option rows[] = {
        {"--format", NULL, OPTION_TEXT, &format, "FORMAT", "text or json"},
    };
    const struct options o = {
        .rows = rows,
        .count = 1,
        .min_operands = 1,
        .max_operands = 1,
        .usage = "sluice lint [options] SCENARIO",
        .doc = "Looks at a scenario and its manifests without running it: routes, probes, targets\n"
               "against capacity and peak, plan order, GPU kinds, credentials. Exit code 1 on "
               "errors.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e) ||
        session_data_dir(data_dir, sizeof data_dir, e))
        return e->code;
    bool json = strcmp(format, "json") == 0;
    if (!json && strcmp(format, "text") != 0) {
        err_set(e, ERR_INPUT, NULL, "--format %s: allowed are text and json", format);
        return e->code;
    }
    struct scenario_source source = {.path = operands.items[0], .data_dir = data_dir};
    return look(&source, json, e);
}

const struct command cmd_lint = {"lint", "what an expert sees before any run", run};
