/* links: downloads that share a rate. Each link gives every flow on it an equal share; a flow gets
 * the least of its links' shares, at most its own rate. */
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
/* bytes > 0; flow_rate in bytes/s, 0: no limit of its own. Links and flow may not all be
 * unlimited. done comes at the simulated time of the last byte, never within the call. */
struct links_flow {
    uint32_t link, flow;
    int64_t bytes, flow_rate;
    uint32_t upstream; /* 1 + another link that it passes as well; 0: none */
};
void links_begin(struct links *l, sim_ns now, const struct links_flow *f);
/* Another rate of its own for a flow that runs. */
void links_flow_rate(struct links *l, sim_ns now, uint32_t flow, int64_t flow_rate);
/* Takes a flow out; returns the bytes it still lacked. The flow must run. */
int64_t links_end(struct links *l, sim_ns now, uint32_t flow);

#endif
