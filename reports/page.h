/* page: a result as one HTML page that needs nothing else: no network, no fonts, no scripts. */
#ifndef SLUICE_REPORTS_PAGE_H
#define SLUICE_REPORTS_PAGE_H

#include "sim/err.h"
#include "sim/text.h"

struct result;

/* Appends the page. Reads well from 400 pixels on, in the dark and in print. Equal results give
 * equal bytes. -1 and ERR_SYSTEM without memory. libplot draws: see reports/plot.h on what happens
 * when memory ends inside it. */
int page_html(const struct result *r, struct text *to, struct err *e);

#endif
