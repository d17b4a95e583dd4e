/* traffic_inside: what traffic.c and arrivals.c share, and nobody else includes. */
#ifndef SLUICE_WORKLOADS_TRAFFIC_INSIDE_H
#define SLUICE_WORKLOADS_TRAFFIC_INSIDE_H

#include "workloads/rate.h"
#include "workloads/traffic_config.h"

enum traffic_kind { TRAFFIC_BY_RATE, TRAFFIC_BY_LIST, TRAFFIC_BY_CLIENTS };

struct traffic {
    enum traffic_kind kind;
    sim_ns horizon;
    /* by rate */
    struct rate rate;
    struct rate_totals totals;
    enum traffic_arrivals arrivals;
    struct dist gap; /* gamma and weibull: mean 1 */
    /* by list */
    const sim_ns *times; /* simulated, ascending, not negative */
    size_t n_times;
    sim_ns lap; /* period of a loop; 0: once */
    /* by clients */
    int64_t clients;
    struct dist think_time;

    struct knob_texts notes;
};

#endif
