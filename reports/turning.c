/* turning: the figures and presets that would turn the verdict, as a page shows them. */
#include "reports/turning.h"

#include "reports/human.h"
#include "sim/result.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stdio.h>

static void cell(struct text *to, const char *head, const char *s)
{
    text_printf(to, "<td data-h=\"%s\">", head);
    text_html(to, s ? s : "");
    text_add(to, "</td>");
}

/* Groups of the table. */
enum group { TURNS, MAY_TURN, STAYS };

static enum group group_of(const struct result_trial *t)
{
    return t->turns ? TURNS : t->may_turn ? MAY_TURN : STAYS;
}

struct human turning_played(const struct result *r, const struct result_trial *t)
{
    struct human h = {"screened"};
    if (t->replications > 0 && t->replications == r->replications)
        snprintf(h.s, sizeof h.s, r->replications == 1 ? "the replication" : "all replications");
    else if (t->replications > 0)
        snprintf(h.s, sizeof h.s, "%u of %u replications", (unsigned)t->replications,
                 (unsigned)r->replications);
    return h;
}

void turning_method(const struct result *r, struct text *to)
{
    if (r->n_trials == 0)
        return;
    text_add(to, "Where a row names replications, so many were played again over the whole horizon "
                 "with the same chance");
    if (r->trials_part > 0)
        text_printf(
            to,
            "; \"screened\" rows were played over %s from %s on of replication %u alone, its "
            "stretch with the most missed windows or traffic",
            human_seconds((double)r->trials_part / 1e9).s,
            human_seconds((double)r->trials_from / 1e9).s, (unsigned)r->shown_replication);
    text_add(to, ". What those changed is added to what the whole run found. Only what three "
                 "replications, or all, confirm turns the verdict");
    bool may = false;
    for (size_t i = 0; i < r->n_trials; i++)
        may = may || r->trials[i].may_turn;
    text_add(to, may ? "; a higher robustness confirms what may.\n" : ".\n");
}

static void rows(const struct result *r, enum group group, struct text *to)
{
    text_add(to, "<div class=\"scroll\"><table class=\"stack turns\">\n<thead><tr>"
                 "<th scope=\"col\">figure or preset</th><th scope=\"col\">now</th>"
                 "<th scope=\"col\">tried</th><th scope=\"col\">quality</th>"
                 "<th scope=\"col\">verdict there</th><th scope=\"col\">played</th>"
                 "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < r->n_trials; i++) {
        const struct result_trial *t = &r->trials[i];
        if (group_of(t) != group)
            continue;
        text_add(to, "<tr><th scope=\"row\"><code>");
        text_html(to, t->path);
        text_add(to, "</code></th>");
        cell(to, "now", t->now);
        cell(to, "tried", t->then);
        cell(to, "quality", t->quality);
        text_add(to, "<td data-h=\"verdict\">");
        if (t->replications > 0)
            text_printf(to, "<b>%s</b>: ", t->holds ? "holds" : "fails");
        text_html(to, t->verdict ? t->verdict : "");
        text_add(to, "</td>");
        cell(to, "played", turning_played(r, t).s);
        text_add(to, "</tr>\n");
    }
    text_add(to, "</tbody></table></div>\n");
}

static size_t count(const struct result *r, enum group group)
{
    size_t n = 0;
    for (size_t i = 0; i < r->n_trials; i++)
        n += group_of(&r->trials[i]) == group;
    return n;
}

void turning_html(const struct result *r, struct text *to)
{
    size_t turns = count(r, TURNS), may = count(r, MAY_TURN), stays = count(r, STAYS);
    if (r->n_trials == 0)
        text_add(to, r->judged ? "<p>No other values were tried.</p>\n"
                               : "<p>There is no verdict that could turn.</p>\n");
    else
        text_printf(to,
                    "<p>Each preset of the catalogue, and each assumed or third-party figure at "
                    "both ends of its plausible range (a third to three times, two thirds to one "
                    "and a half times), one at a time: %zu of %zu %s the verdict.</p>\n",
                    turns, r->n_trials, text_plural(turns, "values turns", "values turn"));
    if (turns > 0)
        rows(r, TURNS, to);
    if (may > 0) {
        text_printf(to, "<h3>May turn it: %zu %s not confirmed yet</h3>\n", may,
                    text_plural(may, "value", "values"));
        rows(r, MAY_TURN, to);
    }
    if (stays > 0) {
        text_printf(to, "<details><summary>%zu %s at which it stays</summary>\n", stays,
                    text_plural(stays, "value", "values"));
        rows(r, STAYS, to);
        text_add(to, "</details>\n");
    }
    text_add(to, "<p>");
    turning_method(r, to);
    text_add(to, "</p>\n");
    if (r->trials_left > 0)
        text_printf(to,
                    "<p>%s more %s not tried, for want of time; the key <code>robustness</code> "
                    "allows more work.</p>\n",
                    human_count((double)r->trials_left).s,
                    text_plural(r->trials_left, "was", "were"));
}
