/* startup_source: where images and models come from. */
#include "models/capacity/startup_source.h"

#include "models/capacity/catalog.h"
#include "models/capacity/startup.h"
#include "sim/dist.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool needs_registry(const struct startup_image *im)
{
    return im->size > 0 && !im->bandwidth && im->time.mean <= 0 && (!im->cached || im->lazy);
}

static int find_registry(const struct startup_source_setup *s, size_t i, struct startup_source *out,
                         struct err *e)
{
    const struct startup_image *im = &s->configs[i].image;
    const struct catalog_store *r = catalog_registry(s->catalog, im->registry);
    char where[128];
    out->pull_rate = im->bandwidth;
    out->registry_rate = im->shared_bandwidth ? im->shared_bandwidth : r ? r->shared_bandwidth : 0;
    if (!needs_registry(im))
        return 0;
    snprintf(where, sizeof where, "services.%s.startup.image.registry", s->owner_names[i]);
    if (!r)
        return catalog_missing(s->catalog, CATALOG_REGISTRY, im->registry ? im->registry : "",
                               where, e);
    out->pull_rate = r->bandwidth;
    return 0;
}

static int find_store(const struct startup_source_setup *s, size_t i, struct startup_source *out,
                      struct err *e)
{
    const struct startup_model *m = &s->configs[i].model;
    const struct catalog_store *r = catalog_model_store(s->catalog, m->store);
    char where[128];
    out->load_rate = m->bandwidth;
    out->store_rate = m->shared_bandwidth ? m->shared_bandwidth : r ? r->shared_bandwidth : 0;
    if (m->size == 0 || m->time.mean > 0 || m->bandwidth)
        return 0;
    snprintf(where, sizeof where, "services.%s.startup.model.store", s->owner_names[i]);
    if (!r)
        return catalog_missing(s->catalog, CATALOG_STORE, m->store ? m->store : "", where, e);
    out->load_rate = r->bandwidth;
    return 0;
}

static bool same_text(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Owners that read from the same store, or pull from the same registry, share its link. */
static int number_links(const struct startup_source_setup *s, struct startup_source *out)
{
    int n = 0;
    for (size_t i = 0; i < s->n_owners; i++) {
        size_t store = i, registry = i;
        for (size_t j = i; j-- > 0;) {
            store = same_text(s->configs[j].model.store, s->configs[i].model.store) ? j : store;
            registry = same_text(s->configs[j].image.registry, s->configs[i].image.registry)
                           ? j
                           : registry;
        }
        out[i].store = store < i ? out[store].store : s->first_link + (uint32_t)n++;
        out[i].registry = registry < i ? out[registry].registry : s->first_link + (uint32_t)n++;
    }
    return n;
}

int startup_source_find(const struct startup_source_setup *s, struct startup_source *out,
                        struct err *e)
{
    for (size_t i = 0; i < s->n_owners; i++)
        if (find_registry(s, i, &out[i], e) || find_store(s, i, &out[i], e))
            return -1;
    return number_links(s, out);
}

int64_t startup_source_lazy_bytes(const struct startup_config *c)
{
    const struct startup_image *im = &c->image;
    double bytes = im->lazy ? (double)im->size * im->lazy->share : 0;
    return im->lazy ? (int64_t)(bytes + 0.5) : 0;
}

int64_t startup_source_pull_bytes(const struct startup_config *c)
{
    const struct startup_image *im = &c->image;
    double bytes = (double)im->size * (1 - im->cached_share);
    if (im->lazy || im->cached)
        return 0;
    return im->cached_share > 0 ? (int64_t)(bytes + 0.5) : im->size;
}

static int64_t transfer(int64_t bytes, int64_t rate, const struct catalog_store *r)
{
    rate = rate ? rate : r ? r->bandwidth : 0;
    return rate > 0 ? (int64_t)((double)bytes / (double)rate * 1e9) : 0;
}

typedef double time_fn(const struct dist *d);

static sim_ns start(const struct startup_config *c, const struct catalog *catalog, time_fn *of)
{
    const struct startup_image *im = &c->image;
    const struct startup_model *m = &c->model;
    double time =
        of(&c->volume_mount) + of(&c->container_start) + of(&c->framework_init) + of(&c->warm_up);
    if (c->instant)
        return 0;
    int64_t bytes = startup_source_pull_bytes(c) + startup_source_lazy_bytes(c);
    int64_t rate = im->lazy ? im->lazy->bandwidth : im->bandwidth;
    if (bytes > 0 && !im->lazy)
        time += of(&im->overhead);
    if (bytes > 0)
        time += im->time.mean > 0
                    ? of(&im->time)
                    : (double)transfer(bytes, rate, catalog_registry(catalog, im->registry));
    if (m->time.mean > 0)
        time += of(&m->time);
    else
        time += (double)transfer(m->size, m->bandwidth, catalog_model_store(catalog, m->store));
    return (sim_ns)time;
}

sim_ns startup_source_least(const struct startup_config *c, const struct catalog *catalog)
{
    return start(c, catalog, dist_least);
}

static double mean_of(const struct dist *d)
{
    return d->mean;
}

sim_ns startup_source_mean(const struct startup_config *c, const struct catalog *catalog)
{
    return start(c, catalog, mean_of);
}
