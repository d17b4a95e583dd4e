/* demand: how many pods were wanted over the run. */
#include "models/capacity/demand.h"

#include "models/capacity/otherwise.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define KINDS_MAX 16 /* beyond, a kind is not told apart from the others */

struct wish {
    int64_t pods, gpus; /* gpus: of all of them */
    sim_ns since;
    sim_ns held[KINDS_MAX];
};

struct demand {
    size_t n;
    struct wish *wishes;             /* [owner] */
    struct otherwise_demand *totals; /* [owner] */
    const char *kinds[KINDS_MAX];
    size_t n_kinds;
    int64_t gpus, peak_gpus; /* of all owners */
    const struct otherwise_interval *jobs;
    size_t n_jobs;
};

struct demand *demand_create(size_t n_owners, struct err *e)
{
    struct demand *d = calloc(1, sizeof *d);
    if (d) {
        d->n = n_owners;
        d->wishes = calloc(n_owners + 1, sizeof *d->wishes);
        d->totals = calloc(n_owners + 1, sizeof *d->totals);
    }
    if (d && d->wishes && d->totals)
        return d;
    demand_destroy(d);
    err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu owners of pods", n_owners);
    return NULL;
}

void demand_destroy(struct demand *d)
{
    if (!d)
        return;
    free(d->wishes);
    free(d->totals);
    free(d);
}

void demand_want(struct demand *d, sim_ns now, uint32_t owner, int64_t pods, int64_t gpus)
{
    assert(owner < d->n && pods >= 0 && gpus >= 0);
    struct wish *w = &d->wishes[owner];
    struct otherwise_demand *t = &d->totals[owner];
    t->pod_ns += w->pods * (now - w->since);
    t->peak = pods > t->peak ? pods : t->peak;
    d->gpus += pods * gpus - w->gpus;
    d->peak_gpus = d->gpus > d->peak_gpus ? d->gpus : d->peak_gpus;
    w->pods = pods;
    w->gpus = pods * gpus;
    w->since = now;
}

void demand_held(struct demand *d, uint32_t owner, const char *gpu, sim_ns ns)
{
    size_t k = 0;
    assert(owner < d->n && ns >= 0);
    while (gpu && k < d->n_kinds && strcmp(d->kinds[k], gpu) != 0)
        k++;
    if (!gpu || k == KINDS_MAX)
        return;
    d->kinds[k] = gpu;
    d->n_kinds = k == d->n_kinds ? k + 1 : d->n_kinds;
    d->wishes[owner].held[k] += ns;
}

void demand_jobs(struct demand *d, const struct otherwise_interval *jobs, size_t n)
{
    d->jobs = jobs;
    d->n_jobs = n;
}

double demand_slowest(const struct demand *d, uint32_t owner,
                      double (*alone_ns)(const void *self, uint32_t owner, const char *gpu),
                      const void *self)
{
    double slowest = 0;
    for (size_t k = 0; alone_ns && k < d->n_kinds; k++) {
        double ns = d->wishes[owner].held[k] > 0 ? alone_ns(self, owner, d->kinds[k]) : 0;
        slowest = ns > slowest ? ns : slowest;
    }
    return slowest;
}

/* What one pod did, in pods of the kind that was held for the most time. */
static double worth(const struct demand *d, const struct otherwise *o, uint32_t owner,
                    const char *most)
{
    const struct wish *w = &d->wishes[owner];
    double all = 0, done = 0, own = o->alone_ns ? o->alone_ns(o->self, owner, most) : 0;
    for (size_t k = 0; k < d->n_kinds; k++) {
        double other = w->held[k] > 0 && own > 0 ? o->alone_ns(o->self, owner, d->kinds[k]) : 0;
        all += (double)w->held[k];
        done += (double)w->held[k] * (other > 0 ? own / other : 1);
    }
    return all > 0 ? done / all : 1;
}

static void close_owner(struct demand *d, const struct otherwise *o, uint32_t owner)
{
    const struct wish *w = &d->wishes[owner];
    struct otherwise_demand *t = &d->totals[owner];
    size_t most = 0;
    t->pod_ns += w->pods * (o->horizon - w->since);
    t->worth = 1;
    for (size_t k = 1; k < d->n_kinds; k++)
        most = w->held[k] > w->held[most] ? k : most;
    if (d->n_kinds == 0 || w->held[most] == 0)
        return;
    t->gpu = d->kinds[most];
    t->worth = worth(d, o, owner, t->gpu);
}

void demand_write(struct demand *d, struct otherwise *o, struct recorder *r)
{
    assert(o->n_owners == d->n);
    for (size_t i = 0; i < d->n_jobs; i++)
        d->totals[d->jobs[i].owner].pod_ns += d->jobs[i].to - d->jobs[i].from;
    for (uint32_t i = 0; i < d->n; i++)
        close_owner(d, o, i);
    o->demand = d->totals;
    o->jobs = d->jobs;
    o->n_jobs = d->n_jobs;
    o->peak_gpus = d->peak_gpus;
    for (uint32_t i = 0; i < d->n; i++) {
        d->totals[i].gpu = otherwise_gpu(o, i);
        d->totals[i].resolved = true;
    }
    otherwise_write(o, r);
}
