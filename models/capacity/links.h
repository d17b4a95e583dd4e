/* links: downloads that share a rate. Each link gives every flow on it an equal share, at most the
 * flow's own rate. */
#ifndef SLUICE_MODELS_CAPACITY_LINKS_H
#define SLUICE_MODELS_CAPACITY_LINKS_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct sim;
struct links; /* opaque */

struct links_setup {
    size_t n_links, n_flows; /* flows are named 0..n_flows-1 by the caller */
    struct sim *sim;
    void *self;
    void (*done)(void *self, sim_ns now, uint32_t flow);
};

struct links *links_create(const struct links_setup *s, struct err *e);
void links_destroy(struct links *l);
/* Bytes/s of the link as a whole; 0: no limit. May change while flows run. */
void links_rate(struct links *l, sim_ns now, uint32_t link, int64_t bytes_per_s);
/* bytes > 0; flow_rate in bytes/s, 0: no limit of its own. Link and flow may not both be
 * unlimited. done comes at the simulated time of the last byte, never within the call. */
struct links_flow {
    uint32_t link, flow;
    int64_t bytes, flow_rate;
};
void links_begin(struct links *l, sim_ns now, const struct links_flow *f);
/* Takes a flow out; returns the bytes it still lacked. The flow must run. */
int64_t links_end(struct links *l, sim_ns now, uint32_t flow);

#endif
