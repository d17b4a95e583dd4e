/* traffic_config: the settings under `services[].traffic`, as the binder fills them. */
#ifndef SLUICE_WORKLOADS_TRAFFIC_CONFIG_H
#define SLUICE_WORKLOADS_TRAFFIC_CONFIG_H

#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

struct json;

enum traffic_source {
    TRAFFIC_NO_QPS,
    TRAFFIC_CONSTANT, /* 55 */
    TRAFFIC_FILE,     /* "week.csv" */
    TRAFFIC_PROFILE,  /* {"profile": [{"at": "10m", "qps": 95}, ...]} */
};

/* What stands under "qps". Strings and the tree are borrowed from the scenario. */
struct traffic_qps {
    enum traffic_source source;
    double constant;
    const char *file;
    const struct json *profile; /* the list of points */
    bool linear;                /* between two points, instead of steps */
};

enum traffic_repeat { TRAFFIC_ONCE, TRAFFIC_DAILY, TRAFFIC_WEEKLY, TRAFFIC_LOOP };
enum traffic_align { TRAFFIC_ALIGN_AUTO, TRAFFIC_ALIGN_START, TRAFFIC_ALIGN_CLOCK };
enum traffic_values { TRAFFIC_VALUES_AUTO, TRAFFIC_PER_SECOND, TRAFFIC_PER_BIN };
enum traffic_disorder { TRAFFIC_REFUSE_DISORDER, TRAFFIC_SORT };
enum traffic_duplicates {
    TRAFFIC_REFUSE_DUPLICATES,
    TRAFFIC_SUM_DUPLICATES,
    TRAFFIC_KEEP_FIRST,
    TRAFFIC_KEEP_LAST,
};

/* How requests are spread under the rate. */
enum traffic_arrivals { TRAFFIC_POISSON, TRAFFIC_EVENLY, TRAFFIC_GAMMA, TRAFFIC_WEIBULL };
struct traffic_renewal {
    double cv; /* deviation / mean of the time between two requests, at a steady rate */
};

struct traffic_business_hours {
    sim_ns from, to; /* since local midnight */
    double outside;  /* factor outside of them and on Saturday and Sunday */
};

struct traffic_holidays {
    struct knob_texts dates; /* "2024-10-01", in the scenario's time zone */
    double scale;            /* takes the place of weekdays and business hours on these days */
};

struct traffic_factors {
    bool given;
    double of[24];
};

/* Factors on the rate by local time; they multiply. */
struct traffic_shape {
    struct traffic_factors weekdays;                     /* 7 of them, Monday first */
    struct traffic_factors hours;                        /* 24, from midnight */
    const struct traffic_business_hours *business_hours; /* NULL: none */
    const struct traffic_holidays *holidays;
};

/* Zeroed it is the plain case: Poisson, no repeat, scale 1. */
struct traffic_config {
    struct traffic_qps qps;
    const char *requests; /* file with one request a row */
    int64_t clients;
    struct dist think_time; /* ns */

    struct knob_choice arrivals; /* option NULL: traffic_knobs_poisson */
    int repeat;                  /* enum traffic_repeat */
    int align;                   /* enum traffic_align */
    sim_ns start;                /* position in file or profile at simulated time 0 */
    double scale;                /* 0 stands for 1 */
    double growth_per_month;     /* 0.08: 8 % more each month of 730 h, compounded daily */
    const struct traffic_shape *shape;

    const char *column, *time_column; /* by header name, or by number from 1 */
    int values;                       /* enum traffic_values */
    int time_unit;                    /* enum stamp_unit */
    sim_ns bin;                       /* 0: the most frequent step */
    const char *time_zone;            /* of the file; NULL: the scenario's */
    int disorder, duplicates;         /* enum traffic_disorder, traffic_duplicates */
    int64_t max_rows;                 /* 0 stands for the default */
};

#define TRAFFIC_MAX_ROWS INT64_C(10000000)
#define TRAFFIC_MAX_QPS 1e7
/* Of a trace, in years: nanoseconds last for 292. */
#define TRAFFIC_MAX_SPAN (100 * 365 * SIM_DAY)

/* The ways to arrive; a program that fills a config by hand points arrivals.option at one.
 * The descriptor is a const enum traffic_arrivals; gamma and weibull take a traffic_renewal. */
extern const struct knob_option traffic_knobs_poisson, traffic_knobs_evenly, traffic_knobs_gamma,
    traffic_knobs_weibull;

/* Reads the points of a profile into out (NULL: only checks them); their number, or -1 and
 * ERR_INPUT at the place of the fault. */
struct rate_point;
int traffic_knobs_profile(const struct json *list, struct rate_point *out, struct err *e);

#endif
