/* eci_wait: pods that got no container instance: why, when they are tried again, what is told.
 *
 * A creation call that fails is made again after virtualNode.retryInterval, doubling to
 * retryLongest; the pod stays Pending meanwhile. One that is told to fail (rescheduleEnable false)
 * is Failed after createTries calls, and its owner decides. Sources: ACK documentation, ECI pods
 * (2021-07-15): creation errors are retried a number of times, then the pod stays Pending unless
 * told to fail; the doubling is that of Kubernetes' own waits. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_WAIT_H
#define SLUICE_MODELS_CAPACITY_ECI_WAIT_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct eci_fleet;
struct eci_instance;
struct eci_offer;

/* What keeps an offer from being had in a zone. */
enum eci_lack {
    ECI_LACK_NOTHING,
    ECI_LACK_STOCK, /* the zone has none: a limit, after a loss, or by chance */
    ECI_LACK_BID,   /* the market asks for more than the limit */
    ECI_LACK_QUOTA, /* the account's vCPU */
    ECI_LACK_ZONE,  /* the zone is gone */
    ECI_LACKS
};

/* Of the instance's offer in its zone, apart from chance. */
enum eci_lack eci_wait_lack(const struct eci_fleet *s, const struct eci_instance *in, sim_ns now);

/* Whether the account's vCPU quota, what is on its way included, leaves room for the offer. */
bool eci_wait_within_quota(const struct eci_fleet *s, const struct eci_instance *in,
                           const struct eci_offer *o);

/* The wait after the n-th failed call, from 1. */
sim_ns eci_wait_after(const struct eci_fleet *s, uint32_t failed);

/* A call has failed; lack: for what, of the first offer. Counts it, keeps and logs its words when
 * they are news to the pod, and returns when the next call is due; SIM_NEVER: there is none, the
 * pod is Failed. */
sim_ns eci_wait_failed(struct eci_fleet *s, struct eci_instance *in, sim_ns now,
                       enum eci_lack lack);
/* The pod waits for the account's quota, and no call is made. */
void eci_wait_quota(struct eci_fleet *s, struct eci_instance *in, sim_ns now);
/* It waits no longer: it has its instance, or has gone. */
void eci_wait_over(struct eci_fleet *s, struct eci_instance *in, sim_ns now);

/* Figures eci.failedCalls.*, and a finding for each kind of pod that had to wait. */
void eci_wait_report(struct eci_fleet *s, sim_ns end);

#endif
