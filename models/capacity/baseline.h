/* baseline: what the same work would have cost otherwise.
 *
 * - clairvoyant: a lower bound on what any policy could reach with these startup times. Idea of the
 *   proof, in five steps. (1) The work that ended well took needed_ns of GPU time, and whoever does
 *   it pays at least for that: on the kind of GPU on which it costs least, in the time that it
 * takes there if the service times say so. Runs that were lost or failed are no part of it, nor
 * what was done for requests that were not served. (2) G GPUs do at most G x horizon of work, so at
 * least ceil(needed / horizon) different GPUs serve; those that are not there from the start are
 * bought, and each is paid for from its purchase though it serves only after the boot, the GPUs'
 * readiness and the phases of the first pod, none shorter than the least that its distribution
 * gives. That time is no work, so it adds to (1). (3) A pod that ran to its end had a container of
 * its own, whose start (on container instances with the download, on nodes without) held its GPUs
 * too and was no work. (4) minSize nodes of a pool without spot are paid for all along (unless a
 * zone is lost). (5) A request that was served was served before its time-outs ended it, and a
 * machine serves only a start after it is first paid for. So where requests come closer together
 * than a start less the time-outs no policy can do without a machine in between, however little
 * there is to do: one is paid for throughout, a whole one, and each service holds GPUs of its own.
 *   models/serving/pulse.h has the arithmetic. No GPU hour of these pools and instances is cheaper
 *   than the cheapest plan at its lowest price (spot, unprotected, where the pool names a market:
 *   what is bought is a choice), and no machine than the cheapest that the pod fits
 *   on; the largest of (1) + max((2), (3)), (4) and (5) holds. Restarts and the shape of the day
 *   are left out, so the bound may not be reachable: beyond (5) it lets a policy put off and pack
 *   all work of the horizon.
 *
 * A figure whose price the catalogue lacks is left out. */
#ifndef SLUICE_MODELS_CAPACITY_BASELINE_H
#define SLUICE_MODELS_CAPACITY_BASELINE_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct cluster_config;
struct demand;
struct pod_shape;
struct recorder;
struct startup_config;

/* Open data: the run as the baselines see it. */
struct baseline {
    const struct cluster_config *config;
    const struct catalog *catalog;
    const char *currency;
    const struct pod_shape *shapes;        /* one per owner */
    const struct startup_config *startups; /* one per owner; NULL: starts take no time */
    const int64_t
        *completed_gpus;      /* [owner]: of pods that started and ran to their end; NULL: none */
    const int64_t *needed_ns; /* [owner]: pod time of work that ended well; -1: not known */
    const struct demand *demand; /* the kinds of GPU that were held; NULL: not known */
    double (*alone_ns)(const void *self, uint32_t owner, const char *gpu); /* as of the cluster */
    const void *self;
    const int64_t *present_ns; /* [owner]: time for which it had to have a pod; NULL: not known */
    size_t n_owners;
    size_t n_shapes; /* above n_owners: pods of one owner differ */
    sim_ns horizon;
};

/* Shortest time from the first paid moment of a machine to its first request of this owner. */
sim_ns baseline_start(const struct baseline *b, size_t owner);

/* Each in micro-units; -1: a price is missing or the run does not tell. */
int64_t baseline_clairvoyant(const struct baseline *b);

/* Figures cost.baselines.*, of a run that cost total_micro, and cost.savable: what lies above the
 * bound, which no saving can exceed. The bound is no more than the total. */
void baseline_write(const struct baseline *b, struct recorder *r, int64_t total_micro);

#endif
