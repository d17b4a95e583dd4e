/* scenario_fingerprint: two runs with one key have read the same. */
#include "scenarios/run/folder.h"
#include "scenarios/run/scenario_inside.h"
#include "sim/file.h"
#include "sim/json.h"

/* Objects in key order and numbers by value, so that layout, order of keys and notation do not
 * count. */
static void digest_tree(struct digest *d, const struct json *node)
{
    digest_u64(d, (uint64_t)node->type);
    switch (node->type) {
    case JSON_NULL:
        break;
    case JSON_BOOL:
        digest_u64(d, node->boolean);
        break;
    case JSON_NUMBER:
        digest_bytes(d, &node->number, sizeof node->number);
        break;
    case JSON_STRING:
        digest_text(d, node->string);
        break;
    case JSON_ARRAY:
        for (const struct json *c = node->first; c; c = c->next)
            digest_tree(d, c);
        break;
    case JSON_OBJECT: {
        /* Order-free: each member has a digest of its own, and these are added up. */
        uint64_t sum = 0;
        for (const struct json *c = node->first; c; c = c->next) {
            struct digest member = {0};
            digest_text(&member, c->key);
            digest_tree(&member, c);
            sum += digest_value(&member);
        }
        digest_u64(d, sum);
        break;
    }
    }
    digest_u64(d, node->count);
}

static int digest_file(struct scenario_loading *l, const char *path, struct err *e)
{
    size_t length;
    char *text = path ? file_read(l->arena, path, JSON_MAX_BYTES, &length, e) : NULL;
    if (!text)
        return -1;
    digest_bytes(&l->files, text, length);
    return 0;
}

/* A file beside the scenario; NULL: none is named. */
static int digest_beside(struct scenario_loading *l, const char *file, struct err *e)
{
    return file ? digest_file(l, folder_join(l->arena, l->base_dir, file, e), e) : 0;
}

/* Traces and calibrations by content, as the catalogue's files: two runs with one key read the
 * same bytes. */
static int digest_files(struct scenario_loading *l, struct err *e)
{
    const struct service_config *c = l->s->services.items;
    for (size_t i = 0; i < l->s->services.count; i++) {
        const struct traffic_config *t = &c[i].traffic;
        if (digest_beside(l, t->requests ? t->requests : t->qps.file, e))
            return -1;
        const struct service_time *times = c[i].serving.times.items;
        for (size_t k = 0; k < c[i].serving.times.count; k++)
            if (digest_beside(l, times[k].file, e))
                return -1;
    }
    const struct job_config *jobs = l->s->jobs.items;
    for (size_t i = 0; i < l->s->jobs.count; i++)
        if (digest_beside(l, jobs[i].pod_list, e))
            return -1;
    if (digest_beside(l, l->s->cluster.node_list, e))
        return -1;
    for (size_t i = 0; i < l->calibration.n; i++)
        if (digest_file(l, l->calibration.files[i].file, e))
            return -1;
    return 0;
}

int scenario_fingerprint(struct scenario_loading *l, struct err *e)
{
    if (digest_files(l, e))
        return -1;
    for (uint64_t half = 0; half < 2; half++) {
        struct digest d = {0};
        digest_u64(&d, half);
        digest_u64(&d, SCENARIO_MODEL_VERSION);
        digest_tree(&d, l->root);
        digest_u64(&d, digest_value(&l->files));
        digest_u64(&d, (uint64_t)l->s->seed);
        digest_u64(&d, (uint64_t)l->s->replications);
        for (size_t i = 0; i < l->s->n_assumptions; i++)
            digest_text(&d, l->s->assumptions[i].value);
        l->s->content[half] = digest_value(&d);
    }
    return 0;
}
