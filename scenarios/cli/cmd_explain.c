/* cmd_explain: `sluice explain`: what every key means, from the tables that read it. */
#include "models/serving/profile.h"
#include "scenarios/cli/command.h"
#include "scenarios/cli/options.h"
#include "scenarios/cli/show.h"
#include "scenarios/run/explain.h"
#include "scenarios/run/scenario.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

/* Scenarios and the calibration files that they name: "calibration.profiles.spread". */
static int explain(struct text *t, const char *query, struct err *e)
{
    static const char other[] = "calibration";
    size_t n = sizeof other - 1;
    if (!query || strncmp(query, other, n) != 0 || (query[n] && query[n] != '.'))
        return explain_key(t, &scenario_knobs, query, e);
    return explain_key(t, &profile_file_knobs, query[n] ? query + n + 1 : NULL, e);
}

static int explain_all(struct text *t, struct err *e)
{
    if (explain_reference(t, &scenario_knobs, e))
        return -1;
    text_add(t, "\n");
    return explain_reference(t, &profile_file_knobs, e);
}

static int run(int argc, char **argv, struct err *e)
{
    bool all = false;
    struct option_texts operands = {0};
    struct text t = {0};
    const struct option rows[] = {
        {"--all", NULL, OPTION_FLAG, &all, NULL, "the whole reference as Markdown"},
    };
    const struct options o = {
        .rows = rows,
        .count = 1,
        .max_operands = 1,
        .usage = "sluice explain [options] [KEY]",
        .doc = "Explains a key of the scenario file: type, default and its source, bounds.\n"
               "KEY is a path (services.slo.p99), the end of one (p99) or a name (hpa);\n"
               "calibration is the file of a profile.",
    };
    if (options_want_help(argc, argv)) {
        options_print(&o, stdout);
        return 0;
    }
    if (options_parse(&o, argc, argv, &operands, e))
        return e->code;
    int rc = all ? explain_all(&t, e) : explain(&t, operands.count ? operands.items[0] : NULL, e);
    if (rc == 0)
        show_print(&t, e);
    text_fini(&t);
    return e->code;
}

const struct command cmd_explain = {"explain", "what a key of the scenario file means", run};
