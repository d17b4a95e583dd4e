/* standing: how a result stands to what its scenario asks for. */
#ifndef SLUICE_SCENARIOS_RUN_STANDING_H
#define SLUICE_SCENARIOS_RUN_STANDING_H

#include <stdbool.h>
#include <stddef.h>

struct result;
struct scenario;
struct text;

/* Open data. Money in units of the currency. */
struct standing {
    double *share; /* [service]: of its windows that held; NaN: no SLO, or no window to judge */
    double month, total;
    double jobs_failed; /* -1: no job was asked for */
    double jobs_never;  /* that no waiting would have placed: no machine, stock or quota for them */
    double jobs_cut;    /* others that had not ended at the horizon */
};

/* From figures; share: room for one a service, which `out` borrows. */
void standing_read(const struct result *r, const struct scenario *s, double *share,
                   struct standing *out);
/* Is there an SLO with a window to judge, a budget with something that has a price, or jobs alone?
 * False too when an SLO is set that no window could be judged by, and when the horizon cut jobs and
 * nothing else is missed. */
bool standing_judged(const struct scenario *s, const struct standing *v);
/* Judged, every objective and budget is met, and no job has failed or could never be placed; what
 * failed as it did in its trace is left out. */
bool standing_holds(const struct scenario *s, const struct standing *v);
/* "bert held 98.9 % (99.9 %), 52,247 CNY a month (60,000)". */
void standing_words(const struct scenario *s, const struct standing *v, struct text *t);

#endif
