/* ledger: what was paid for, by resource and by what it was good for.
 *
 * A resource (a node, later an ECI pod) has an account while it is paid for. Its units (GPUs) are
 * each in one use at a time; the amount of a stretch at one price is split over the uses by
 * unit-time, rounded down, and the rest of the rounding goes to the largest use, so that classes
 * add up to the bill to the micro-unit. An account closes when its resource goes or at the end of
 * the run.
 *
 * Classes: serving (a ready pod holds the unit; less the idle part that ledger_busy tells),
 * starting (boots, or a pod on it starts), draining (a pod or the node leaves), fragmentation
 * (free while others on the node are held), idle (free on an empty node, or held by a ready pod
 * without a request), duplicateScaleUp (all of a node that was bought for pods and never held
 * one), onDemandPremium (what an on-demand node costs above spot when spot was wanted and could
 * not be had). */
#ifndef SLUICE_MODELS_MONEY_LEDGER_H
#define SLUICE_MODELS_MONEY_LEDGER_H

#include "models/money/price.h"
#include "sim/clock.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct recorder;
struct ledger; /* opaque */

enum ledger_use {
    LEDGER_IDLE,
    LEDGER_STARTING,
    LEDGER_DRAINING,
    LEDGER_FRAGMENTATION,
    LEDGER_USES /* serving is counted by owner: use LEDGER_USES + owner */
};

struct ledger_setup {
    size_t n_accounts, n_owners, n_groups;
    const char *const *group_names; /* pools; live as long as the ledger */
    const char *currency;
    struct recorder *recorder;
};

struct ledger *ledger_create(const struct ledger_setup *s, struct err *e);
void ledger_destroy(struct ledger *l);

/* Texts live as long as the account. */
struct ledger_item {
    const char *resource, *type, *zone;
    uint32_t group;
    enum price_billing billing;
    uint32_t units; /* >= 1; a machine without GPUs is one unit */
    int64_t micro_per_hour;
    int64_t premium_micro_per_hour; /* part of it that is onDemandPremium */
    sim_ns billing_step;
};
/* Paid for from now on; all units are starting. */
void ledger_open(struct ledger *l, uint32_t account, sim_ns now, const struct ledger_item *item);
bool ledger_is_open(const struct ledger *l, uint32_t account);
void ledger_price(struct ledger *l, uint32_t account, sim_ns now, int64_t micro_per_hour);
/* From now on: uses[LEDGER_USES + owner] units each; they add up to the item's units. */
void ledger_use(struct ledger *l, uint32_t account, sim_ns now, const uint32_t *uses);
/* No longer paid for; the last billing step is paid whole. useless: all of it was a duplicate. */
void ledger_end(struct ledger *l, uint32_t account, sim_ns now, bool useless);

/* Unit-time of this owner's ready pods with a request on the GPU; the rest of what they held is
 * idle. Without it all of it is serving. */
void ledger_busy(struct ledger *l, uint32_t owner, int64_t busy_unit_ns);

/* Ends every account at the horizon (no step is rounded up), writes cost.* figures, asserts that
 * total = sum by resource = sum by class = sum by billing. */
void ledger_close(struct ledger *l, sim_ns horizon);
/* After ledger_close. */
int64_t ledger_total_micro(const struct ledger *l);
/* Unit-time in which pods of any owner were ready, ns. */
int64_t ledger_serving_ns(const struct ledger *l, uint32_t owner);

#endif
