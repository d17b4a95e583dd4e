/* bench_setting: what makes two measurements of a network the same experiment. */
#ifndef SLUICE_SCENARIOS_CLI_BENCH_SETTING_H
#define SLUICE_SCENARIOS_CLI_BENCH_SETTING_H

#include "scenarios/cli/bench_setup.h"

#include <stddef.h>

struct bench_setting {
    const char *key; /* as in JSON */
    char value[80];
};

#define BENCH_SETTINGS 16
/* The names that may occur; end with NULL. */
extern const char *const bench_setting_keys[];

/* Those of a sweep whose first batch came out as `first`; returns their number. Weights of a file
 * are told by a digest of its bytes. ERR_INPUT, and 0, when that file is gone. */
size_t bench_setting_list(const struct bench_setup *s, const struct network_bench *first,
                          struct bench_setting out[BENCH_SETTINGS], struct err *e);

#endif
