/* bench_chart: a network's steps under the roof of this machine, as a picture and a table. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_CHART_H
#define SLUICE_SCENARIOS_CLI_BENCH_CHART_H

#include "kernels/peak.h"
#include "kernels/step_bench.h"
#include "sim/text.h"

struct bench_chart {
    const char *model, *device;
    int32_t batch;
    const struct peak *peak;
    const struct step_bench_row *rows;
    size_t n, left_out;
};
/* What a step reached is no less than the peak: its products, and with a cold cache the memory.
 * Leaves a peak alone that was not measured. */
void bench_chart_raise(const struct step_bench_row *rows, size_t n, struct peak *p);
/* file is one that show_check_picture takes. */
int bench_chart_write(const struct bench_chart *c, const char *file, struct err *e);
/* The steps that take most of the time, one a line. */
void bench_chart_text(const struct bench_chart *c, struct text *to);

#endif
