/* turning: the figures and presets that would turn the verdict, as a page shows them. */
#ifndef SLUICE_REPORTS_TURNING_H
#define SLUICE_REPORTS_TURNING_H

struct result;
struct text;

/* What turns it, nearest first, then what does not, folded; or why nothing was tried. */
void turning_html(const struct result *r, struct text *to);

#endif
