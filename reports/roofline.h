/* roofline: what each kernel reached, under what memory and arithmetic allow at most.
 *
 * Williams, Waterman, Patterson: "Roofline", Communications of the ACM 52 (2009): a kernel that
 * does i operations a byte reaches min(i x bandwidth, peak). */
#ifndef SLUICE_REPORTS_ROOFLINE_H
#define SLUICE_REPORTS_ROOFLINE_H

#include "reports/chart.h"

#include <stddef.h>

struct roofline_point {
    const char *label;
    enum plot_ink ink;
    double flop_per_byte, gflops; /* both > 0 */
    double share;                 /* of the whole time, 0..1: the area of the mark */
};

/* Open data. frame.title, .desc: the caller's. */
struct roofline {
    struct chart_frame frame;
    const char *heading;          /* over the drawing */
    double peak_gflops, gb_per_s; /* both > 0; 10^9 bytes */
    const struct chart_key *keys; /* of the inks */
    size_t n_keys;
    const struct roofline_point *points;
    size_t n; /* at least one */
};

/* The points with the largest shares are named: five of them wherever there is room, some more
 * where there is room beside them. */
int roofline_draw(const struct roofline *r, struct text *to, struct err *e);

/* GFLOP/s that the roof allows at this intensity. */
double roofline_limit(const struct roofline *r, double flop_per_byte);

#endif
