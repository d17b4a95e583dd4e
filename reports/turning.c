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

static void rows(const struct result *r, bool turns, struct text *to)
{
    text_add(to, "<div class=\"scroll\"><table class=\"stack turns\">\n<thead><tr>"
                 "<th scope=\"col\">figure or preset</th><th scope=\"col\">now</th>"
                 "<th scope=\"col\">tried</th><th scope=\"col\">quality</th>"
                 "<th scope=\"col\">verdict there</th></tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < r->n_trials; i++) {
        const struct result_trial *t = &r->trials[i];
        if (t->turns != turns)
            continue;
        text_add(to, "<tr><th scope=\"row\"><code>");
        text_html(to, t->path);
        text_add(to, "</code></th>");
        cell(to, "now", t->now);
        cell(to, "tried", t->then);
        cell(to, "quality", t->quality);
        text_printf(to, "<td data-h=\"verdict\"><b>%s</b>: ", t->holds ? "holds" : "fails");
        text_html(to, t->verdict ? t->verdict : "");
        text_add(to, "</td></tr>\n");
    }
    text_add(to, "</tbody></table></div>\n");
}

static struct human part_words(const struct result *r)
{
    struct human part = {"the whole"};
    if (r->trials_part < r->horizon)
        snprintf(part.s, sizeof part.s, "the first %.60s",
                 human_seconds((double)r->trials_part / 1e9).s);
    return part;
}

void turning_html(const struct result *r, struct text *to)
{
    size_t turns = 0, stays = 0;
    for (size_t i = 0; i < r->n_trials; i++)
        *(r->trials[i].turns ? &turns : &stays) += 1;
    if (r->n_trials == 0)
        text_add(to, r->judged ? "<p>No other values were tried.</p>\n"
                               : "<p>There is no verdict that could turn.</p>\n");
    else
        text_printf(to,
                    "<p>Each preset of the catalogue, and each assumed or third-party figure at "
                    "both ends of its plausible range (a third to three times, two thirds to one "
                    "and a half times), one at a time: %zu of %zu values turn the verdict.</p>\n",
                    turns, r->n_trials);
    if (turns > 0)
        rows(r, true, to);
    if (stays > 0) {
        text_printf(to, "<details><summary>%zu value%s at which it stays</summary>\n", stays,
                    stays == 1 ? "" : "s");
        rows(r, false, to);
        text_add(to, "</details>\n");
    }
    if (r->trials_part > 0)
        text_printf(to,
                    "<p>Each was played over %s of replication %u with the same chance; what it "
                    "changed there is added to what the whole run found.</p>\n",
                    part_words(r).s, (unsigned)r->shown_replication);
    if (r->trials_left > 0)
        text_printf(to,
                    "<p>%s more %s not tried, for want of time; the key <code>robustness</code> "
                    "allows more work.</p>\n",
                    human_count((double)r->trials_left).s, r->trials_left == 1 ? "was" : "were");
}
