/* scenario: what a user asks for, checked and complete before the clock starts.
 *
 * Read from JSON or YAML with the manifests, traces and catalogue entries that it names. Immutable
 * once loaded: replications on several threads share it. */
#ifndef SLUICE_SCENARIOS_RUN_SCENARIO_H
#define SLUICE_SCENARIOS_RUN_SCENARIO_H

#include "models/capacity/cluster_config.h"
#include "models/capacity/jobs.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/startup.h"
#include "models/serving/service.h"
#include "sim/err.h"
#include "sim/knob.h"
#include "sim/money.h"
#include "sim/result.h"
#include "workloads/traffic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rises when the same scenario and seed may give other results. */
#define SCENARIO_MODEL_VERSION 3

struct arena;
struct bind_origin;
struct catalog;
struct json;
struct manifest_set;
struct owners_role; /* scenarios/run/owners.h */
struct zone;

/* Each is the limit of a table that is taken before the clock starts. */
struct scenario_limits {
    int64_t events;      /* control events pending at once */
    int64_t replicas;    /* of one service, counting the ones that still drain */
    int64_t pods;        /* of all services */
    int64_t nodes;       /* 0: by the pools' sizes */
    int64_t in_flight;   /* requests of one service between arrival and end; 0: by its traffic */
    int64_t log_entries; /* control log lines kept for people */
};

struct scenario_budget {
    struct money per_month;
    struct money total;
};

struct scenario {
    int64_t version;
    const char *name;
    sim_ns horizon;
    sim_ns warm_up; /* left out of the figures, never out of the laws */
    const char *time_zone;
    const char *start; /* local date and time of simulated time 0 */
    int64_t seed;
    int64_t replications;
    const char *currency;
    struct knob_map exchange_rates; /* other currency -> its worth in ours */
    struct knob_texts manifests;
    struct knob_texts catalog_files;
    struct knob_texts drills;  /* as written; models/capacity/drill.h */
    struct knob_list services; /* struct service_config */
    struct knob_list jobs;     /* struct job_config */
    struct cluster_config cluster;
    struct scenario_budget budget;
    double robustness; /* work for other values of figures and presets, 1: as much as the run's */
    struct scenario_limits limits;

    /* Not in the file; derived while loading. */
    struct arena *arena;
    const char *path, *data_dir;
    const struct json *root; /* all that was read as one tree: file, --set, --drill, manifests */
    const struct manifest_set *files; /* the manifests as they were read */
    int64_t epoch_s;
    struct zone *zone; /* timeZone, loaded */
    const struct catalog *catalog;
    const struct traffic **traffic; /* one per service */
    const struct pod_shape *shapes; /* [owner]: services, jobs, placeholders: owners.h */
    const struct startup_config *startups;
    const struct owners_role *roles;
    size_t n_owners;
    struct result_assumption *assumptions;
    size_t n_assumptions;
    const struct bind_origin *figures; /* the defaults among them, with their rows */
    size_t n_figures;
    uint64_t content[2]; /* fingerprint of everything that was read */
};

extern const struct knob_table scenario_knobs;

/* What the command line adds to the file. Open data; {0} adds nothing. */
struct scenario_source {
    const char *path;        /* "-" reads standard input */
    const char *const *sets; /* "services.bert.slo.p99=100ms" */
    size_t n_sets;
    const char *const *drills; /* after the file's own */
    size_t n_drills;
    const char *data_dir; /* folder that holds catalog/ and calibration/ */
};

/* NULL and *e on failure. The first error wins. */
struct scenario *scenario_load(const struct scenario_source *source, struct err *e);
void scenario_free(struct scenario *s);

/* The same scenario with something else in it. Open data. */
struct scenario_change {
    const char *const *sets; /* as of --set, laid over manifests too */
    size_t n_sets;
    const char *priced;  /* instance type whose prices are multiplied; NULL: none */
    const char *service; /* whose calibrated service times are multiplied; NULL: none */
    double factor;
};
/* s and what it names must outlive it. NULL and *e on failure. */
struct scenario *scenario_vary(const struct scenario *s, const struct scenario_change *c,
                               struct err *e);

/* An error of a later stage knows the path of the value at fault ("nodePools.elastic.spotMarket"),
 * as e->where or in front of its message. Puts file, line and column in its place. */
void scenario_place(const struct scenario *s, struct err *e);

/* 32 hex digits: a fingerprint of scenario, traces, manifests, catalogue entries, seed,
 * replications and model version; buf holds 33 bytes. Returns buf. */
char *scenario_run_key(const struct scenario *s, char *buf);

#endif
