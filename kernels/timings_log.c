/* timings_log: from a run's figures to a point. */
#include "kernels/timings_log.h"

#include "kernels/timings.h"
#include "kernels/timings_table.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

void timings_log_scenario(struct timings_log *l, const char *name)
{
    snprintf(l->scenario, sizeof l->scenario, "%.*s", text_cut(name, sizeof l->scenario - 1), name);
}

int timings_log_put(struct timings_log *l, enum timings_log_figure figure,
                    const struct timings_source *s, size_t line, const char *value, struct err *e)
{
    char place[TIMINGS_PLACE];
    if (text_parse_double(value, &l->v[figure]) && l->v[figure] >= 0)
        return 0;
    timings_table_place(s, line, place);
    return err_set(e, ERR_INPUT, place, "'%.*s' is no number of 0 or more", text_cut(value, 40),
                   value);
}

static int offline(const struct timings_log *l, const struct timings_source *s,
                   struct batch_point *p, struct err *e)
{
    if (s->batch <= 0)
        return err_set(e, ERR_INPUT, s->path,
                       "an offline log does not say the batch that the system ran: give it by "
                       "--batches");
    if (l->v[TIMINGS_LOG_RATE] <= 0)
        return err_set(e, ERR_INPUT, s->path, "no samples per second were found");
    *p = (struct batch_point){.batch = s->batch, .time_s = s->batch / l->v[TIMINGS_LOG_RATE]};
    return 0;
}

static int stream(const struct timings_log *l, const struct timings_source *s, double samples,
                  struct batch_point *p, struct err *e)
{
    double mean = l->v[TIMINGS_LOG_MEAN];
    if (mean <= 0)
        return err_set(e, ERR_INPUT, s->path, "no mean latency was found");
    *p = (struct batch_point){.batch = samples,
                              .time_s = mean * 1e-9,
                              .cv = timings_cv(l->v[TIMINGS_LOG_P50], l->v[TIMINGS_LOG_P99])};
    return 0;
}

int timings_log_point(const struct timings_log *l, const struct timings_source *s,
                      struct timings *out, struct err *e)
{
    struct batch_point p;
    int rc;
    if (strcmp(l->scenario, "SingleStream") == 0)
        rc = stream(l, s, 1, &p, e);
    else if (strcmp(l->scenario, "MultiStream") == 0)
        rc = stream(l, s, l->v[TIMINGS_LOG_SAMPLES] > 0 ? l->v[TIMINGS_LOG_SAMPLES] : 8, &p, e);
    else if (strcmp(l->scenario, "Offline") == 0)
        rc = offline(l, s, &p, e);
    else if (strcmp(l->scenario, "Server") == 0)
        rc = err_set(e, ERR_INPUT, s->path,
                     "latencies of the server scenario hold waiting; a calibration needs single "
                     "stream, multi stream or offline");
    else
        rc = err_set(e, ERR_INPUT, s->path, "the log names no scenario that is known%s%.32s",
                     l->scenario[0] ? ": " : "", l->scenario);
    if (rc)
        return -1;
    if (l->invalid)
        snprintf(out->remark, sizeof out->remark, "LoadGen calls this run INVALID.");
    return timings_add(out, s, 0, &p, e);
}
