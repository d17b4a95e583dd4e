/* demand: how many pods were wanted over the run, and on which kinds of GPU those that there were
 * ran. */
#ifndef SLUICE_MODELS_CAPACITY_DEMAND_H
#define SLUICE_MODELS_CAPACITY_DEMAND_H

#include "sim/clock.h"
#include "sim/err.h"

#include <stddef.h>
#include <stdint.h>

struct demand; /* opaque */
struct otherwise;
struct otherwise_interval;
struct recorder;

struct demand *demand_create(size_t n_owners, struct err *e);
void demand_destroy(struct demand *d);

/* From now on the owner wants so many pods of so many GPUs each. */
void demand_want(struct demand *d, sim_ns now, uint32_t owner, int64_t pods, int64_t gpus);
/* A pod of the owner held this kind (NULL: none) for so long. */
void demand_held(struct demand *d, uint32_t owner, const char *gpu, sim_ns ns);
/* What jobs want; borrowed until demand_write. */
void demand_jobs(struct demand *d, const struct otherwise_interval *jobs, size_t n);

/* Time of a request alone on the slowest kind that the owner's pods held, by alone_ns; 0: not
 * given. */
double demand_slowest(const struct demand *d, uint32_t owner,
                      double (*alone_ns)(const void *self, uint32_t owner, const char *gpu),
                      const void *self);
/* otherwise_write with what was told, at o->horizon; fills o's demand, jobs and peak. */
void demand_write(struct demand *d, struct otherwise *o, struct recorder *r);

#endif
