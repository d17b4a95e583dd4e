/* ingress_routes: the routes that the user's own Ingress objects make. */
#include "scenarios/run/ingress_routes.h"

#include "scenarios/run/manifest.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *written(const struct json *node)
{
    bool plain = node && (node->type == JSON_STRING || node->type == JSON_NUMBER);
    return plain ? node->string : NULL;
}

/* service.port of networking.k8s.io/v1, servicePort of the versions before. */
static const char *port_of(const struct json *backend)
{
    static const char *const paths[] = {"service.port.number", "service.port.name", "servicePort"};
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        if (written(json_at(backend, paths[i])))
            return written(json_at(backend, paths[i]));
    return NULL;
}

static void add(struct ingress_routes *out, const char *namespace, const struct json *backend)
{
    const char *service =
        json_text_at(backend, "service.name", json_text_at(backend, "serviceName", NULL));
    const char *port = port_of(backend);
    if (!service || !port || out->n == INGRESS_ROUTES_MAX)
        return;
    snprintf(out->items[out->n], sizeof out->items[0], "%.63s-%.63s-%.63s", namespace, service,
             port);
    if (!ingress_routes_has(out, out->items[out->n]))
        out->n++;
}

static void add_rules(struct ingress_routes *out, const char *namespace, const struct json *spec)
{
    const struct json *rules = json_get(spec, "rules");
    add(out, namespace, json_get(spec, "defaultBackend"));
    add(out, namespace, json_get(spec, "backend"));
    for (const struct json *r = rules ? rules->first : NULL; r; r = r->next) {
        const struct json *paths = json_at(r, "http.paths");
        for (const struct json *p = paths ? paths->first : NULL; p; p = p->next)
            add(out, namespace, json_get(p, "backend"));
    }
}

void ingress_routes_find(const struct manifest_set *m, const char *namespace,
                         struct ingress_routes *out)
{
    const struct json *root;
    out->n = 0;
    for (size_t i = 0; m && (root = manifest_document(m, i)); i++)
        if (strcmp(json_text_at(root, "kind", ""), "Ingress") == 0 &&
            strcmp(json_text_at(root, "metadata.namespace", "default"), namespace) == 0)
            add_rules(out, namespace, json_get(root, "spec"));
}

bool ingress_routes_has(const struct ingress_routes *r, const char *route)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->items[i], route) == 0)
            return true;
    return false;
}

const char *ingress_routes_nearest(const struct ingress_routes *r, const char *route)
{
    const char *names[INGRESS_ROUTES_MAX];
    assert(r->n > 0);
    for (size_t i = 0; i < r->n; i++)
        names[i] = r->items[i];
    const char *near = text_nearest(route, names, r->n);
    return near ? near : r->items[0];
}
