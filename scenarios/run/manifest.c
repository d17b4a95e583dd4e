/* manifest: rows of "this field there is that key here", walked over the user's documents. */
#include "scenarios/run/manifest.h"

#include "scenarios/run/carry.h"
#include "scenarios/run/elastic.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/indent.h"
#include "scenarios/run/pool_body.h"
#include "scenarios/run/request.h"
#include "scenarios/run/scheduling.h"
#include "scenarios/run/yaml.h"
#include "sim/arena.h"
#include "sim/file.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST_MAX_DOCUMENTS 4096

struct document {
    const struct json *root;
    const char *kind, *name, *namespace;
};

struct manifest_set {
    struct arena *arena;
    struct document *documents;
    struct manifest_note *notes;
    size_t n;
};

/* ---- reading ---- */

static const char *use_of(const char *kind)
{
    static const char *const rows[][2] = {
        {"Deployment", "read"},
        {"Pod", "read"},
        {"Job", "read"},
        {"HorizontalPodAutoscaler", "read"},
        {"NodePool", "read"},
        {"PersistentVolume", "not read: volume attributes may hold credentials"},
        {"PersistentVolumeClaim", "not read: the model's size is in the scenario"},
        {"Secret", "not read: secrets are never read"},
        {"Service", "not read: routing is in the scenario"},
        {"Ingress", "read: its routes, which lint sets the HPA's against"},
        {"ConfigMap", "not read"},
        {"ElasticWorkload", "read: units of its workload"},
        {"ResourcePolicy", "read: units of the pods that it selects"},
        {"PriorityClass", "read: the priority of pods that name it"},
        {"Namespace", "read: its labels for the virtual node"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(kind, rows[i][0]) == 0)
            return rows[i][1];
    return "not read: no model uses this kind";
}

static int add_document(struct manifest_set *m, struct json *root, struct err *e)
{
    char place[512], words[300];
    if (root->type == JSON_NULL)
        return 0; /* an empty document between two "---" */
    if (root->type != JSON_OBJECT)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, root),
                       "a manifest is an object with kind and metadata; found %s",
                       json_type_name(root->type));
    if (m->n == MANIFEST_MAX_DOCUMENTS)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, root),
                       "more than %d manifest documents", MANIFEST_MAX_DOCUMENTS);
    struct document d = {.root = root};
    const char *repaired = NULL;
    if (indent_repair(root, words, sizeof words)) {
        repaired = arena_text(m->arena, words, strlen(words), e);
        if (!repaired)
            return -1;
    }
    bool pool = json_get(root, "scaling_group") || json_get(root, "nodepool_info");
    d.kind = pool ? "NodePool" : json_text_at(root, "kind", NULL);
    if (!d.kind)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, root),
                       "kind is missing: a Kubernetes object has one, an ACK node pool has "
                       "nodepool_info and scaling_group");
    d.name = json_text_at(root, pool ? "nodepool_info.name" : "metadata.name", "");
    d.namespace = json_text_at(root, "metadata.namespace", "default");
    const char *use = elastic_is_profile(root) ? "read: eci-profile" : use_of(d.kind);
    m->notes[m->n] = (struct manifest_note){root->file, root->line, d.kind, d.name, use, repaired};
    m->documents[m->n++] = d;
    return 0;
}

static int add_file(struct manifest_set *m, const char *path, struct err *e)
{
    size_t length;
    char *text = file_read(m->arena, path, 16u << 20, &length, e);
    if (!text)
        return -1;
    struct json *all = yaml_parse_all(m->arena, path, text, length, e);
    if (!all)
        return -1;
    for (struct json *root = all->first, *next; root; root = next) {
        next = root->next;
        if (add_document(m, root, e))
            return -1;
    }
    return 0;
}

static int add_folder(struct manifest_set *m, const char *path, struct err *e)
{
    struct folder f;
    if (folder_list(&f, m->arena, path, ".yaml .yml .json", e))
        return -1;
    if (f.n == 0)
        return err_set(e, ERR_INPUT, path, "no *.yaml, *.yml or *.json file in this folder");
    for (size_t i = 0; i < f.n; i++)
        if (add_file(m, f.paths[i], e))
            return -1;
    return 0;
}

static int add_path(struct manifest_set *m, const char *base_dir, const struct json *node,
                    struct err *e)
{
    char place[512];
    struct stat st;
    if (node->type != JSON_STRING)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, node),
                       "manifests: a file or folder name is expected; found %s",
                       json_type_name(node->type));
    char *path = folder_join(m->arena, base_dir, node->string, e);
    if (!path)
        return -1;
    if (stat(path, &st) != 0)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, node),
                       "manifests: '%s' does not exist (looked for %s)", node->string, path);
    return S_ISDIR(st.st_mode) ? add_folder(m, path, e) : add_file(m, path, e);
}

struct manifest_set *manifest_read(struct arena *a, const char *base_dir, const struct json *paths,
                                   struct err *e)
{
    struct manifest_set *m = arena_take(a, 1, sizeof *m, e);
    if (!m)
        return NULL;
    m->arena = a;
    m->documents = arena_take(a, MANIFEST_MAX_DOCUMENTS, sizeof *m->documents, e);
    m->notes = arena_take(a, MANIFEST_MAX_DOCUMENTS, sizeof *m->notes, e);
    if (!m->documents || !m->notes)
        return NULL;
    if (!paths)
        return m;
    if (paths->type != JSON_ARRAY)
        return add_path(m, base_dir, paths, e) ? NULL : m;
    for (const struct json *p = paths->first; p; p = p->next)
        if (add_path(m, base_dir, p, e))
            return NULL;
    return m;
}

/* ---- Deployment and HPA ---- */

const struct json *manifest_serving(const struct json *pod)
{
    const struct json *list = json_get(pod, "containers");
    for (const struct json *c = list ? list->first : NULL; c; c = c->next) {
        const struct json *limits = json_at(c, "resources.limits");
        if (limits && json_get(limits, "nvidia.com/gpu"))
            return c;
    }
    return list ? list->first : NULL;
}

static const struct carry_row pod_rows[] = {
    {"nodeSelector", "nodeSelector", CARRY_AS_IS},
    {"nodeName", "nodeName", CARRY_AS_IS},
    {"terminationGracePeriodSeconds", "terminationGracePeriod", CARRY_SECONDS},
    {0},
};

static const struct carry_row probe_rows[] = {
    {"initialDelaySeconds", "initialDelay", CARRY_SECONDS},
    {"periodSeconds", "period", CARRY_SECONDS},
    {"failureThreshold", "failureThreshold", CARRY_AS_IS},
    {0},
};

/* What sends a pod to the virtual node, or asks for something there. */
static bool for_virtual_node(const char *key)
{
    return strncmp(key, "k8s.aliyun.com/", 15) == 0 || strncmp(key, "alibabacloud.com/", 17) == 0 ||
           strcmp(key, "virtual-node-affinity-injection") == 0;
}

/* The entries of a map of labels or annotations that concern the virtual node; nothing is added
 * when there are none. */
static int carry_marks(struct arena *a, struct json *pod, const struct json *map, const char *key,
                       struct err *e)
{
    struct json *o = NULL;
    for (const struct json *c = map && map->type == JSON_OBJECT ? map->first : NULL; c;
         c = c->next) {
        if (!for_virtual_node(c->key))
            continue;
        struct json *kept = carry_copy(a, c, c->key, e);
        if (!o)
            o = carry_object(a, key, map, e);
        if (!kept || !o)
            return -1;
        json_append(o, kept);
    }
    if (o)
        json_append(pod, o);
    return 0;
}

static const struct json *namespace_labels(const struct manifest_set *m, const char *name)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->documents[i].kind, "Namespace") == 0 &&
            strcmp(m->documents[i].name, name) == 0)
            return json_at(m->documents[i].root, "metadata.labels");
    return NULL;
}

/* metadata: of the pod or of its template. */
static int add_marks(struct manifest_set *m, struct json *owner, const char *namespace,
                     const struct json *metadata, const struct json *spec, struct err *e)
{
    struct json *pod = owner->first;
    while (pod && strcmp(pod->key, "pod") != 0)
        pod = pod->next;
    if (!pod)
        return 0;
    return carry_marks(m->arena, pod, json_get(metadata, "annotations"), "annotations", e) ||
                   carry_marks(m->arena, pod, json_get(metadata, "labels"), "labels", e) ||
                   carry_marks(m->arena, pod, namespace_labels(m, namespace), "namespaceLabels",
                               e) ||
                   scheduling_tolerations(m->arena, pod, json_get(spec, "tolerations"), e) ||
                   scheduling_priority(m->arena, m, pod, spec, e)
               ? -1
               : 0;
}

static bool names_gpu(const struct json *resources)
{
    for (const struct json *c = resources ? resources->first : NULL; c; c = c->next)
        if (strstr(c->key, "gpu"))
            return true;
    return false;
}

/* Pods that ask for CPU or memory and for no kind of GPU have none; those that say nothing leave it
 * to the scenario. */
static int carry_no_gpu(struct arena *a, struct json *pod, const struct json *spec, struct err *e)
{
    const struct json *list = json_get(spec, "containers");
    const struct json *asked =
        json_get(pod, "cpu") ? json_get(pod, "cpu") : json_get(pod, "memory");
    for (const struct json *c = list ? list->first : NULL; c; c = c->next)
        if (names_gpu(json_at(c, "resources.requests")) ||
            names_gpu(json_at(c, "resources.limits")))
            return 0;
    if (!asked || json_get(pod, "gpus"))
        return 0;
    struct json *none = carry_text(a, "gpus", "0", asked, e);
    if (!none)
        return -1;
    json_append(pod, none);
    return 0;
}

static int add_pod(struct arena *a, struct json *service, const struct json *spec, struct err *e)
{
    struct json *pod = carry_object(a, "pod", spec, e);
    if (!pod || carry_rows(a, pod, spec, pod_rows, e) || request_add(a, pod, spec, e))
        return -1;
    if (carry_no_gpu(a, pod, spec, e))
        return -1;
    json_append(service, pod);
    return 0;
}

static int add_probe(struct arena *a, struct json *startup, const struct json *probe,
                     const char *key, struct err *e)
{
    if (!probe || probe->type != JSON_OBJECT)
        return 0;
    struct json *o = carry_object(a, key, probe, e);
    if (!o || carry_rows(a, o, probe, probe_rows, e))
        return -1;
    json_append(startup, o);
    return 0;
}

static int add_probes(struct arena *a, struct json *service, const struct json *spec, struct err *e)
{
    const struct json *container = manifest_serving(spec);
    const struct json *liveness = json_get(container, "livenessProbe");
    const struct json *readiness = json_get(container, "readinessProbe");
    struct json *startup = carry_object(a, "startup", container ? container : spec, e);
    if (!startup)
        return -1;
    if (add_probe(a, startup, readiness, "readinessProbe", e) ||
        add_probe(a, startup, liveness, "livenessProbe", e))
        return -1;
    json_append(service, startup);
    return 0;
}

/* {"hpa": spec}, with the API version beside the spec's own keys. */
static int add_hpa(struct arena *a, struct json *service, const struct json *hpa, struct err *e)
{
    const struct json *spec = json_get(hpa, "spec");
    const struct json *version = json_get(hpa, "apiVersion");
    char place[512];
    if (!spec || spec->type != JSON_OBJECT)
        return err_set(e, ERR_INPUT, json_place(place, sizeof place, hpa),
                       "HorizontalPodAutoscaler: spec is missing");
    struct json *scaler = carry_object(a, "autoscaler", hpa, e);
    struct json *own = carry_object(a, "hpa", spec, e);
    if (!scaler || !own)
        return -1;
    if (version) {
        struct json *v = carry_copy(a, version, "apiVersion", e);
        if (!v)
            return -1;
        json_append(own, v);
    }
    for (const struct json *c = spec->first; c; c = c->next) {
        struct json *kept =
            strcmp(c->key, "scaleTargetRef") == 0 ? NULL : carry_copy(a, c, c->key, e);
        if (kept)
            json_append(own, kept);
        else if (e->code != ERR_NONE)
            return -1;
    }
    json_append(scaler, own);
    json_append(service, scaler);
    return 0;
}

static bool same_deployment(const struct document *d, const char *asked)
{
    const char *slash = strchr(asked, '/');
    if (!slash)
        return strcmp(d->name, asked) == 0;
    size_t n = (size_t)(slash - asked);
    return strlen(d->namespace) == n && strncmp(d->namespace, asked, n) == 0 &&
           strcmp(d->name, slash + 1) == 0;
}

static const struct document *find_deployment(const struct manifest_set *m, const char *asked)
{
    for (size_t i = 0; i < m->n; i++)
        if (strcmp(m->documents[i].kind, "Deployment") == 0 &&
            same_deployment(&m->documents[i], asked))
            return &m->documents[i];
    return NULL;
}

static struct elastic_workload workload_of(const struct manifest_set *m, const struct document *d,
                                           const struct json *metadata)
{
    return (struct elastic_workload){d->kind, d->name, d->namespace, metadata,
                                     namespace_labels(m, d->namespace)};
}

/* An HPA scales the Deployment, or the ElasticWorkload that spreads it. */
static bool is_target(const struct manifest_set *m, const struct json *hpa,
                      const struct document *d)
{
    struct elastic_workload w = workload_of(m, d, NULL);
    const struct json *spread = elastic_workload_of(m, &w);
    const char *name = json_text_at(hpa, "spec.scaleTargetRef.name", "");
    bool elastic =
        strcmp(json_text_at(hpa, "spec.scaleTargetRef.kind", ""), "ElasticWorkload") == 0;
    if (elastic)
        return spread && strcmp(name, json_text_at(spread, "metadata.name", "")) == 0;
    return strcmp(name, d->name) == 0;
}

static const struct document *find_hpa(const struct manifest_set *m, const struct document *d)
{
    for (size_t i = 0; i < m->n; i++) {
        const struct document *h = &m->documents[i];
        if (strcmp(h->kind, "HorizontalPodAutoscaler") == 0 &&
            strcmp(h->namespace, d->namespace) == 0 && is_target(m, h->root, d))
            return h;
    }
    return NULL;
}

struct json *manifest_service(struct manifest_set *m, const char *deployment, struct err *e)
{
    const struct document *d = find_deployment(m, deployment);
    const struct document *h = d ? find_hpa(m, d) : NULL;
    const struct json *spec = d ? json_at(d->root, "spec.template.spec") : NULL;
    const struct json *metadata = d ? json_at(d->root, "spec.template.metadata") : NULL;
    static const struct carry_row top[] = {{"spec.replicas", "initialReplicas", CARRY_AS_IS}, {0}};
    char place[512];
    if (!d)
        return NULL;
    if (!spec || !manifest_serving(spec)) {
        err_set(e, ERR_INPUT, json_place(place, sizeof place, d->root),
                "Deployment '%s': spec.template.spec.containers is missing", d->name);
        return NULL;
    }
    struct json *service = carry_object(m->arena, NULL, d->root, e);
    struct elastic_workload w = workload_of(m, d, metadata);
    const struct json *spread = elastic_workload_of(m, &w);
    const struct json *sized = spread && json_at(spread, "spec.replicas") ? spread : d->root;
    if (!service || carry_rows(m->arena, service, sized, top, e) ||
        add_pod(m->arena, service, spec, e) ||
        add_marks(m, service, d->namespace, metadata, spec, e) ||
        elastic_add(m->arena, m, &w, carry_child(service, "pod"), e) ||
        add_probes(m->arena, service, spec, e) || (h && add_hpa(m->arena, service, h->root, e)))
        return NULL;
    return service;
}

/* ---- Pod and Job ---- */

static const struct document *find_job(const struct manifest_set *m, const char *asked)
{
    for (size_t i = 0; i < m->n; i++) {
        const char *kind = m->documents[i].kind;
        if ((strcmp(kind, "Pod") == 0 || strcmp(kind, "Job") == 0) &&
            same_deployment(&m->documents[i], asked))
            return &m->documents[i];
    }
    return NULL;
}

/* restartPolicy Always does not go with a job: it is left for the binder to refuse. */
static const struct carry_row run_rows[] = {{"restartPolicy", "restartPolicy", CARRY_AS_IS}, {0}};
static const struct carry_row bare_rows[] = {
    {"activeDeadlineSeconds", "activeDeadline", CARRY_SECONDS}, {0}};
static const struct carry_row job_rows[] = {
    {"spec.backoffLimit", "backoffLimit", CARRY_AS_IS},
    {"spec.completions", "completions", CARRY_AS_IS},
    {"spec.parallelism", "parallelism", CARRY_AS_IS},
    {"spec.activeDeadlineSeconds", "activeDeadline", CARRY_SECONDS},
    {0}};

struct json *manifest_job(struct manifest_set *m, const char *name, struct err *e)
{
    const struct document *d = find_job(m, name);
    bool bare = d && strcmp(d->kind, "Pod") == 0;
    const struct json *spec = d ? json_at(d->root, bare ? "spec" : "spec.template.spec") : NULL;
    char place[512];
    if (!d)
        return NULL;
    if (!spec || !manifest_serving(spec)) {
        err_set(e, ERR_INPUT, json_place(place, sizeof place, d->root),
                "%s '%s': its containers are missing", d->kind, d->name);
        return NULL;
    }
    const struct json *metadata = json_at(d->root, bare ? "metadata" : "spec.template.metadata");
    struct json *job = carry_object(m->arena, NULL, d->root, e);
    struct elastic_workload w = workload_of(m, d, metadata);
    if (!job || add_pod(m->arena, job, spec, e) ||
        add_marks(m, job, d->namespace, metadata, spec, e) ||
        elastic_add(m->arena, m, &w, carry_child(job, "pod"), e) ||
        carry_rows(m->arena, job, spec, run_rows, e) ||
        carry_rows(m->arena, job, bare ? spec : d->root, bare ? bare_rows : job_rows, e))
        return NULL;
    return job;
}

/* ---- node pools ---- */

struct json *manifest_pool(struct manifest_set *m, const char *name, size_t n, struct err *e)
{
    for (size_t i = 0, seen = 0; i < m->n; i++) {
        const struct document *d = &m->documents[i];
        if (strcmp(d->kind, "NodePool") != 0)
            continue;
        if (name ? strcmp(d->name, name) != 0 : seen++ != n)
            continue;
        struct json *pool = carry_object(m->arena, NULL, d->root, e);
        return pool && pool_body_add(m->arena, pool, d->root, e) == 0 ? pool : NULL;
    }
    return NULL;
}

const struct json *manifest_document(const struct manifest_set *m, size_t n)
{
    return n < m->n ? m->documents[n].root : NULL;
}

const struct manifest_note *manifest_notes(const struct manifest_set *m, size_t *n)
{
    *n = m->n;
    return m->notes;
}

size_t manifest_deployments(const struct manifest_set *m, const char **out, size_t cap)
{
    size_t n = 0;
    for (size_t i = 0; i < m->n && n < cap; i++)
        if (strcmp(m->documents[i].kind, "Deployment") == 0)
            out[n++] = m->documents[i].name;
    return n;
}
