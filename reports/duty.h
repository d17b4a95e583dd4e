/* duty: how busy a GPU must be before a machine that stays is cheaper than paying by the second. */
#ifndef SLUICE_REPORTS_DUTY_H
#define SLUICE_REPORTS_DUTY_H

#include "sim/err.h"
#include "sim/text.h"

struct chart_frame;
struct result;

/* One bar a length of burst: up to which share of the time ECI is the cheapest. frame->title and
 * ->desc are filled in here. Only for results with break-evens. */
int duty_chart(const struct result *r, const struct chart_frame *frame, struct text *to,
               struct err *e);
/* The same as a table: of 80 columns, and of a page. Nothing without break-evens. */
void duty_text(const struct result *r, struct text *to);
void duty_html(const struct result *r, struct text *to);

#endif
