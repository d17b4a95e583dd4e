/* decide_herd: reading pods, samples and requests of a case. */
#include "scenarios/run/decide_herd.h"

#include "scenarios/run/decide_read.h"

#include <stdlib.h>
#include <string.h>

static enum scaler_pod_phase read_phase(const struct json *pod, struct err *e)
{
    static const char *const names[] = {"Pending", "Unknown", "Running", "Succeeded", "Failed"};
    const char *s = decide_read_string(pod, "phase", e);
    for (size_t i = 0; s && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(s, names[i]) == 0)
            return (enum scaler_pod_phase)i;
    if (s)
        decide_read_fail(json_get(pod, "phase"), "phase", e,
                         "'%s', but must be Pending, Unknown, Running, Succeeded or Failed", s);
    return SCALER_POD_PENDING;
}

static void read_pod(const struct json *v, struct scaler_pod *pod, struct err *e)
{
    const struct json *ready = decide_read_field(v, "ready", e);
    pod->phase = read_phase(v, e);
    pod->deleting = decide_read_bool_or(v, "deleting", false, e);
    if (ready)
        pod->ready = decide_read_bool(v, "ready", e) ? SCALER_READY_TRUE : SCALER_READY_FALSE;
    pod->started_at = SIM_NEVER;
    if (decide_read_field(v, "start_age_s", e))
        pod->started_at = -decide_read_seconds(v, "start_age_s", e);
    pod->ready_changed_at =
        -decide_read_seconds_or(v, "ready_change_age_s", 1000000000 * SIM_SECOND, e);
}

void decide_herd_read(struct decide_herd *h, const struct json *input, struct err *e)
{
    *h = (struct decide_herd){0};
    const struct json *pods = decide_read_field(input, "pods", e);
    if (pods)
        pods = decide_read_array(input, "pods", e);
    h->given = pods != NULL;
    h->n = pods ? pods->count : 0;
    h->pods = decide_read_room(h->n, sizeof *h->pods, e);
    h->names = decide_read_room(h->n, sizeof *h->names, e);
    h->requests = decide_read_room(h->n, sizeof *h->requests, e);
    size_t i = 0;
    for (const struct json *v = pods ? pods->first : NULL; v && e->code == ERR_NONE;
         v = v->next, i++) {
        h->names[i] = decide_read_string(v, "name", e);
        h->requests[i] = decide_read_field(v, "requests_milli", e);
        read_pod(v, &h->pods[i], e);
    }
}

void decide_herd_free(struct decide_herd *h)
{
    free(h->pods);
    free(h->names);
    free(h->requests);
}

/* Samples mostly come in the order of the pods: look where the last one was found first. */
static uint32_t find(const struct decide_herd *h, const char *name, size_t guess)
{
    if (guess < h->n && strcmp(h->names[guess], name) == 0)
        return (uint32_t)guess;
    for (size_t i = 0; i < h->n; i++)
        if (strcmp(h->names[i], name) == 0)
            return (uint32_t)i;
    return SCALER_NO_POD;
}

/* Sum over containers or the named one; false when there is none. */
static bool sum_milli(const struct json *v, const char *container, int64_t *out, struct err *e)
{
    bool any = false;
    *out = 0;
    for (const struct json *c = v->first; c; c = c->next) {
        if (container && strcmp(c->key, container) != 0)
            continue;
        if (c->type == JSON_NULL)
            return false;
        int64_t one = decide_read_int(v, c->key, 0, INT64_MAX, e);
        *out = one > INT64_MAX - *out ? INT64_MAX : *out + one;
        any = true;
    }
    return any;
}

static bool read_sample(const struct json *v, const char *container, struct scaler_sample *s,
                        struct err *e)
{
    const struct json *milli = decide_read_field(v, "milli", e);
    s->at = -decide_read_seconds_or(v, "age_s", 0, e);
    s->window = decide_read_seconds_or(v, "window_s", 60 * SIM_SECOND, e);
    if (milli && milli->type == JSON_OBJECT)
        return sum_milli(milli, container, &s->milli, e);
    s->milli = decide_read_int(v, "milli", INT64_MIN, INT64_MAX, e);
    return true;
}

/* By pod, unknown ones last; of two for one pod the later in the file counts. */
static void sort(struct decide_reports *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->n; i++) {
        struct scaler_sample s = r->samples[i];
        size_t at = kept;
        while (at > 0 && r->samples[at - 1].pod > s.pod)
            at--;
        if (at > 0 && s.pod != SCALER_NO_POD && r->samples[at - 1].pod == s.pod) {
            r->samples[at - 1] = s;
            continue;
        }
        memmove(&r->samples[at + 1], &r->samples[at], (kept - at) * sizeof s);
        r->samples[at] = s;
        kept++;
    }
    r->n = kept;
}

void decide_herd_reports(const struct decide_herd *h, const struct json *metric,
                         const char *container, struct decide_reports *out, struct err *e)
{
    *out = (struct decide_reports){0};
    const struct json *list = decide_read_array(metric, "samples", e);
    out->samples = decide_read_room(list ? list->count : 0, sizeof *out->samples, e);
    out->requests = decide_read_room(h->n, sizeof *out->requests, e);
    for (const struct json *v = list ? list->first : NULL; v && e->code == ERR_NONE; v = v->next) {
        struct scaler_sample s = {0};
        const char *pod = decide_read_string(v, "pod", e);
        if (!pod || !read_sample(v, container, &s, e))
            continue;
        s.pod = find(h, pod, out->n);
        out->samples[out->n++] = s;
    }
    for (size_t i = 0; i < h->n && e->code == ERR_NONE; i++)
        if (!h->requests[i] || !sum_milli(h->requests[i], container, &out->requests[i], e))
            out->requests[i] = -1;
    sort(out);
}

void decide_herd_reports_free(struct decide_reports *r)
{
    free(r->samples);
    free(r->requests);
}
