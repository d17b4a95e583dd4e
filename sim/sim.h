/* sim: the clock and the heap of control events.
 *
 * Control events are the things that happen to the system (a scaler pass, a pod phase, a lost
 * node): some thousands a simulated day. Requests never enter the heap; a dispatcher streams them
 * between two control events (models/serving/dispatch.h). Events at the same nanosecond fire by
 * class, then in the order in which they were scheduled. */
#ifndef SLUICE_SIM_SIM_H
#define SLUICE_SIM_SIM_H

#include "sim/clock.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* What fires first at the same nanosecond. */
enum sim_class {
    SIM_FAULT,   /* injected faults, price and stock steps */
    SIM_LOSS,    /* spot notices, node losses */
    SIM_PHASE,   /* phases of nodes and pods */
    SIM_ARRIVAL, /* jobs (requests are not events) */
    SIM_MARK,    /* edges of metric and SLO windows */
    SIM_SCAN,    /* node autoscaler, schedulers, spot checks */
    SIM_PASS,    /* scaler passes */
    SIM_CLASSES
};

typedef void sim_fn(void *self, sim_ns now, uint64_t arg);

/* Names a scheduled event; {0} names none. A handle whose event has fired or was cancelled is
 * stale and is recognised as such. */
struct sim_handle {
    uint32_t slot;
    uint32_t generation;
};

struct sim; /* opaque: heap, slots and clock must agree */

/* Room for `capacity` pending events, all taken here. NULL and ERR_SYSTEM without memory. */
struct sim *sim_create(size_t capacity, struct err *e);
void sim_destroy(struct sim *s);

sim_ns sim_now(const struct sim *s);

/* Schedules fn(self, at, arg). at must not lie before now. When the heap is full nothing is
 * scheduled, {0} comes back and sim_full() is true: the run must end and name the limit. */
struct sim_handle sim_at(struct sim *s, sim_ns at, enum sim_class class, sim_fn *fn, void *self,
                         uint64_t arg);
/* Takes an event out again; false when it is stale. */
bool sim_cancel(struct sim *s, struct sim_handle h);
bool sim_pending(const struct sim *s, struct sim_handle h);
bool sim_full(const struct sim *s);

/* Time of the next event, SIM_NEVER when none is pending. */
sim_ns sim_next(const struct sim *s);
/* Fires the next event; its time is the new now. Asserts that one is pending. */
void sim_step(struct sim *s);
/* Events fired so far. */
uint64_t sim_fired(const struct sim *s);

#endif
