/* pool_share: how far the on-demand share of a pool is from the one that was asked for. */
#ifndef SLUICE_MODELS_CAPACITY_POOL_SHARE_H
#define SLUICE_MODELS_CAPACITY_POOL_SHARE_H

#include "sim/clock.h"

struct group;
struct pools;

/* Begins a series "nodes.<pool>.onDemandDrift" for each pool that mixes on demand and spot, and
 * says what its rule makes of one to ten nodes (finding "on-demand-split"). */
void pool_share_start(struct pools *s);
/* A node came or went; also once when those of the start are there. */
void pool_share_note(struct pools *s, sim_ns now, const struct group *g);
/* Says which pools drifted over the run (finding "on-demand-share"). */
void pool_share_close(struct pools *s, sim_ns now);

#endif
