/* turning: the figures and presets that would turn the verdict, as a page shows them, and how they
 * were played, in words. */
#ifndef SLUICE_REPORTS_TURNING_H
#define SLUICE_REPORTS_TURNING_H

struct human;
struct result;
struct result_trial;
struct text;

/* What turns it, nearest first, then what does not, folded; or why nothing was tried. */
void turning_html(const struct result *r, struct text *to);
/* "3 of 10 replications", or "screened". */
struct human turning_played(const struct result *r, const struct result_trial *t);
/* What was played: sentences without markup. */
void turning_method(const struct result *r, struct text *to);

#endif
