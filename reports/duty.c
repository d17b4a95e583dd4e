/* duty: how busy a GPU must be before a machine that stays is cheaper than paying by the second. */
#include "reports/duty.h"

#include "reports/chart.h"
#include "reports/human.h"
#include "sim/result.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* A page has room for so many bars: three subjects. */
#define DUTY_BARS 24

struct bar {
    char label[96];
    struct human note;
    struct chart_segment segments[3];
};

static bool several(const struct result *r)
{
    for (size_t i = 1; i < r->n_breakevens; i++)
        if (strcmp(r->breakevens[i].subject, r->breakevens[0].subject) != 0)
            return true;
    return false;
}

/* In percent; without a price nothing is cheaper. */
static double percent(double share)
{
    return isnan(share) ? 100 : 100 * share;
}

static void make_bar(const struct result *r, const struct result_breakeven *b, struct bar *out)
{
    double warm = percent(b->warm_share), paid = percent(b->subscription_share);
    double low = fmin(warm, paid), high = fmax(warm, paid);
    struct human length = human_seconds((double)b->burst / 1e9);
    snprintf(out->label, sizeof out->label, several(r) ? "%.60s: %s" : "%.0s%s", b->subject,
             length.s);
    out->note = human_share(low / 100);
    out->segments[0] = (struct chart_segment){0, low, PLOT_GREEN};
    out->segments[1] = (struct chart_segment){low, high, PLOT_YELLOW};
    out->segments[2] = (struct chart_segment){high, 100, PLOT_GREY};
}

int duty_chart(const struct result *r, const struct chart_frame *frame, struct text *to,
               struct err *e)
{
    static const struct chart_key keys[] = {{"ECI is the cheapest", PLOT_GREEN},
                                            {"one machine that stays is cheaper", PLOT_YELLOW},
                                            {"warm pool and subscription both are", PLOT_GREY}};
    struct bar bars[DUTY_BARS];
    struct chart_row rows[DUTY_BARS];
    struct text desc = {0};
    size_t n = r->n_breakevens < DUTY_BARS ? r->n_breakevens : DUTY_BARS;
    assert(n > 0);
    text_add(&desc, "Share of the time up to which ECI is the cheapest, by length of burst:");
    for (size_t i = 0; i < n; i++) {
        make_bar(r, &r->breakevens[i], &bars[i]);
        rows[i] = (struct chart_row){bars[i].label, bars[i].note.s, bars[i].segments, 3, false};
        text_printf(&desc, " %s: %s;", rows[i].label, rows[i].note);
    }
    struct chart_frame own = *frame;
    own.title = "Break-even of ECI";
    own.desc = desc.s ? desc.s : "";
    struct chart_bars bar_chart = {.frame = own,
                                   .heading = "Share of the time in which the GPU works",
                                   .unit = "%",
                                   .keys = keys,
                                   .n_keys = sizeof keys / sizeof keys[0],
                                   .rows = rows,
                                   .n_rows = n};
    int rc = text_end(&desc, e) || chart_of_bars(&bar_chart, to, e) ? -1 : 0;
    text_fini(&desc);
    return rc;
}

/* ---- tables ---- */

static bool is_first(const struct result *r, size_t i)
{
    return i == 0 || strcmp(r->breakevens[i].subject, r->breakevens[i - 1].subject) != 0;
}

static struct human money_or_none(double v)
{
    return isnan(v) ? (struct human){"-"} : human_money(v, NULL);
}

static struct human share_or_none(double v)
{
    return isnan(v) ? (struct human){"-"} : human_share(v);
}

/* Right-aligned in so many columns: no-break spaces are one column and two bytes. */
static void cell(struct text *to, const char *s, size_t columns)
{
    size_t used = human_columns(s);
    text_printf(to, "%*s%s", (int)(used < columns ? columns - used : 0), "", s);
}

void duty_text(const struct result *r, struct text *to)
{
    for (size_t i = 0; i < r->n_breakevens; i++) {
        const struct result_breakeven *b = &r->breakevens[i];
        if (is_first(r, i)) {
            text_printf(to, "  %.40s\n", b->subject);
            cell(to, "burst", 10);
            cell(to, "by ECI", 12);
            cell(to, "by a node", 12);
            cell(to, "ECI below: warm pool", 22);
            cell(to, "subscription", 14);
            text_add(to, "\n");
        }
        cell(to, human_seconds((double)b->burst / 1e9).s, 10);
        cell(to, money_or_none(b->eci).s, 12);
        cell(to, money_or_none(b->pool).s, 12);
        cell(to, share_or_none(b->warm_share).s, 22);
        cell(to, share_or_none(b->subscription_share).s, 14);
        text_add(to, "\n");
    }
}

static void head_html(const struct result *r, const struct result_breakeven *b, struct text *to)
{
    text_add(to, "<p>");
    text_html(to, b->subject);
    text_add(to, ": ");
    text_html(to, b->basis);
    text_printf(to,
                ".</p>\n<div class=\"scroll\"><table class=\"stack duty\">\n<thead><tr>"
                "<th scope=\"col\">burst</th><th scope=\"col\" class=\"n\">on ECI, %s</th>"
                "<th scope=\"col\" class=\"n\">on a node</th>"
                "<th scope=\"col\" class=\"n\">warm pool</th>"
                "<th scope=\"col\" class=\"n\">subscription</th></tr></thead>\n<tbody>\n",
                r->currency ? r->currency : "");
}

void duty_html(const struct result *r, struct text *to)
{
    for (size_t i = 0; i < r->n_breakevens; i++) {
        const struct result_breakeven *b = &r->breakevens[i];
        if (is_first(r, i))
            head_html(r, b, to);
        text_printf(to,
                    "<tr><th scope=\"row\">%s</th><td class=\"n\" data-h=\"on ECI\">%s</td>"
                    "<td class=\"n\" data-h=\"on a node\">%s</td>"
                    "<td class=\"n\" data-h=\"ECI below, warm pool\">%s</td>"
                    "<td class=\"n\" data-h=\"ECI below, subscription\">%s</td></tr>\n",
                    human_seconds((double)b->burst / 1e9).s, money_or_none(b->eci).s,
                    money_or_none(b->pool).s, share_or_none(b->warm_share).s,
                    share_or_none(b->subscription_share).s);
        if (i + 1 == r->n_breakevens || is_first(r, i + 1))
            text_add(to, "</tbody></table></div>\n");
    }
}
