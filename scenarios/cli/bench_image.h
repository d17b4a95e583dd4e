/* bench_image: what Inception-v3 sees in a picture. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_IMAGE_H
#define SLUICE_SCENARIOS_CLI_BENCH_IMAGE_H

#include "scenarios/cli/bench.h"

/* `sluice bench network --image`: the five classes of the highest scores, as text or JSON on
 * standard output. 0, or -1 with e, which names the file or the option at fault. */
int bench_image(const struct bench_arguments *a, struct err *e);

#endif
