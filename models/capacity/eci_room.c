/* eci_room: how many pods of one kind the virtual node can ever have at once. */
#include "models/capacity/eci_room.h"

#include "models/capacity/cluster_config.h"
#include "models/capacity/eci.h"
#include "models/capacity/quota.h"
#include "models/capacity/route.h"
#include "models/capacity/virtual_node.h"

#include <stdbool.h>
#include <stdio.h>

static bool is_always(const struct quota *l, const struct eci_room_ask *a)
{
    return l->from <= a->since && (l->lasts == 0 || l->from + l->lasts >= a->horizon);
}

/* Instances of a size in a zone that the limits which hold all the while leave. */
static int64_t left(const struct eci_room_ask *a, const struct quota_machine *m)
{
    const struct virtual_node_config *v = a->config->virtual_node;
    const struct quota *l = v->stock_limits.items;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < v->stock_limits.count; i++)
        if (is_always(&l[i], a) && quota_counts(&l[i], m) && l[i].most < least)
            least = l[i].most;
    return least;
}

static int64_t by_stock(const struct eci_room_ask *a, const struct eci_request *r,
                        const struct eci_offers *offers)
{
    const struct virtual_node_config *v = a->config->virtual_node;
    int64_t sum = 0;
    for (size_t i = 0; i < offers->n; i++)
        for (size_t z = 0; z < r->n_zones; z++) {
            struct quota_machine m = {offers->items[i].type, eci_zone_name(v, r->zones[z]),
                                      r->spot};
            int64_t n = left(a, &m);
            if (n == INT64_MAX)
                return n;
            sum += n;
        }
    return sum;
}

static int64_t least_cpu(const struct eci_offers *offers)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < offers->n; i++)
        least = offers->items[i].cpu_milli < least ? offers->items[i].cpu_milli : least;
    return least;
}

void eci_room_of(const struct eci_room_ask *a, struct eci_room *out)
{
    const struct cluster_config *c = a->config;
    const struct virtual_node_config *v = c->virtual_node;
    struct eci_request r;
    struct eci_offers offers;
    struct route route;
    struct err ignored = {0}; /* the run itself refuses what is wrong */
    *out = (struct eci_room){.pods = INT64_MAX};
    if (!v || route_of(v, a->pod, &route, &ignored) ||
        (route.to != ROUTE_ECI && !(a->bursts && route.to == ROUTE_BURST)))
        return;
    struct eci_market m = {a->catalog, c->currency ? c->currency : "CNY", v};
    if (eci_request_read(v, a->pod, &r, &ignored) || eci_offers_find(&m, &r, &offers, &ignored))
        return;
    int64_t each = least_cpu(&offers);
    if (v->vcpu_quota > 0) {
        out->pods = v->vcpu_quota * INT64_C(1000) / each;
        out->by_quota = true;
        snprintf(out->words, sizeof out->words,
                 "virtualNode.vcpuQuota is %d, and an instance has %.4g vCPU", (int)v->vcpu_quota,
                 (double)each / 1000);
    }
    int64_t stock = by_stock(a, &r, &offers);
    if (stock < out->pods) {
        out->pods = stock;
        out->by_quota = false;
        snprintf(out->words, sizeof out->words, "virtualNode.stockLimits sell no more");
    }
}
