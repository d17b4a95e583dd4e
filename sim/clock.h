/* clock: the simulated time, in whole nanoseconds since the start of the run. */
#ifndef SLUICE_SIM_CLOCK_H
#define SLUICE_SIM_CLOCK_H

#include <stdint.h>

typedef int64_t sim_ns;

#define SIM_US INT64_C(1000)
#define SIM_MS INT64_C(1000000)
#define SIM_SECOND INT64_C(1000000000)
#define SIM_MINUTE (60 * SIM_SECOND)
#define SIM_HOUR (3600 * SIM_SECOND)
#define SIM_DAY (24 * SIM_HOUR)
#define SIM_MONTH (730 * SIM_HOUR) /* of bills, budgets and growth: a twelfth of 365 days */
#define SIM_NEVER INT64_MAX        /* later than every time that occurs */

#endif
