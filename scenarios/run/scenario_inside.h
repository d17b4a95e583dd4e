/* scenario_inside: what the files that load a scenario share; for scenario_*.c only. */
#ifndef SLUICE_SCENARIOS_RUN_SCENARIO_INSIDE_H
#define SLUICE_SCENARIOS_RUN_SCENARIO_INSIDE_H

#include "scenarios/run/bind.h"
#include "scenarios/run/calibration.h"
#include "scenarios/run/scenario.h"
#include "sim/digest.h"

/* What loading needs and a run does not. */
struct scenario_loading {
    struct scenario *s;
    const struct scenario_source *source;
    struct arena *arena;
    struct bind bind;
    struct json *root;
    struct manifest_set *manifests;
    struct calibration calibration;
    const char *base_dir;
    const struct scenario_change *change; /* NULL: none */
    struct digest files;                  /* over the bytes of traces, catalogue and calibrations */
};

/* ---- scenario_overlay.c ---- */

/* Drills of the command line join those of the file, so that they are read, checked and
 * fingerprinted alike. */
int scenario_overlay_drills(struct scenario_loading *l, struct err *e);
/* Reads the manifests and lays the file's services, jobs and pools over theirs. */
int scenario_overlay_manifests(struct scenario_loading *l, struct err *e);

/* ---- scenario_share.c ---- */

/* Refuses pods that ask for a share of a GPU, before they are bound. */
int scenario_share_check(struct scenario_loading *l, struct err *e);

/* ---- scenario_prices.c ---- */

/* Multiplies the prices that a change names. */
void scenario_prices_scale(struct scenario *s, const struct scenario_change *c);
/* Prices and budgets in another currency become ones in the scenario's; a price of its own goes
 * before them. */
void scenario_prices_exchange(struct scenario *s, const struct knob_pair *rate);

/* ---- scenario_services.c ---- */

/* Nothing is sold: replicas are simply there. */
bool scenario_services_instant(const struct scenario *s);
/* What follows for services and jobs from all that is bound and loaded. */
int scenario_services_finish(struct scenario_loading *l, struct err *e);

/* ---- scenario_fingerprint.c ---- */

/* Of everything that was read, into scenario.content. */
int scenario_fingerprint(struct scenario_loading *l, struct err *e);

/* ---- scenario_place.c ---- */

/* Place of a value by its path, for errors that are found after binding; the root's when there is
 * no such value. Returns buf. */
const char *scenario_place_of(const struct scenario_loading *l, const char *path, char *buf,
                              size_t size);

/* "services[2].traffic.clients"; list NULL: key alone; key NULL: the item itself. */
struct scenario_item {
    const char *list;
    size_t i;
    const char *key;
};
/* ERR_INPUT at a value's place, with its path before the message. Always -1. */
int scenario_place_fail(const struct scenario_loading *l, struct scenario_item at, struct err *e,
                        const char *fmt, ...) ERR_PRINTF(4, 5);

#endif
