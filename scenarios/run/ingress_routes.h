/* ingress_routes: the routes that the user's own Ingress objects make.
 *
 * ingress-nginx names an upstream NAMESPACE-SERVICE-PORT, with the port as the Ingress writes it, a
 * number or a name; that text is the route in its log (proxy_upstream_name; ingress-nginx
 * documentation, log format, 2024). */
#ifndef SLUICE_SCENARIOS_RUN_INGRESS_ROUTES_H
#define SLUICE_SCENARIOS_RUN_INGRESS_ROUTES_H

#include <stdbool.h>
#include <stddef.h>

struct manifest_set;

#define INGRESS_ROUTES_MAX 64

/* Open data. */
struct ingress_routes {
    char items[INGRESS_ROUTES_MAX][200];
    size_t n; /* those beyond are dropped */
};

/* The routes of the Ingress objects of this namespace. m may be NULL. */
void ingress_routes_find(const struct manifest_set *m, const char *namespace,
                         struct ingress_routes *out);
bool ingress_routes_has(const struct ingress_routes *r, const char *route);
/* The one that was meant, or else the first. Only when there is one. */
const char *ingress_routes_nearest(const struct ingress_routes *r, const char *route);

#endif
