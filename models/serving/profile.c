/* profile: service times from calibration files. */
#include "models/serving/profile.h"

#include "models/money/quality.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const struct knob point_rows[] = {
    {.key = "batch",
     .kind = KNOB_INT,
     .offset = offsetof(struct profile_point, batch),
     .unit = "items",
     .doc = "Items in one batch.",
     .min = 1,
     .max = 1e6},
    {.key = "itemsPerSecond",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct profile_point, items_per_s),
     .unit = "items/s",
     .doc = "Throughput back to back at this batch.",
     .min = 1e-6,
     .max = 1e9},
    {0},
};

static const struct knob spread_rows[] = {
    {.key = "share",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct dist_point, share),
     .doc = "Share of the batches that took at most this time.",
     .min = 0,
     .max = 1},
    {.key = "time",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct dist_point, value),
     .unit = "of the mean",
     .doc = "Time of a batch as a multiple of the mean.",
     .min = 1e-6,
     .max = 1e6},
    {0},
};

static const struct knob_table spread_knobs = {
    .name = "calibrationSpread",
    .doc = "How a batch's time scatters around its mean, as measured.",
    .rows = spread_rows,
    .size = sizeof(struct dist_point),
};

static const struct knob_table point_knobs = {
    .name = "calibrationPoint",
    .doc = "A measured batch.",
    .rows = point_rows,
    .size = sizeof(struct profile_point),
};

#define PROFILE_TEXT(field, doc_, preset_)                                                         \
    {                                                                                              \
        .key = #field, .kind = KNOB_TEXT, .offset = offsetof(struct profile, field), .doc = doc_,  \
        .preset = preset_                                                                          \
    }

static const struct knob profile_rows[] = {
    PROFILE_TEXT(name, "What a scenario calls it: model/GPU/precision.", NULL),
    PROFILE_TEXT(model, "Network; part of the key.", NULL),
    PROFILE_TEXT(gpu, "Kind of GPU, as instance types name it.", NULL),
    PROFILE_TEXT(framework, "Software that ran it; part of the key.", NULL),
    PROFILE_TEXT(precision, "fp32, fp16, int8; part of the key.", NULL),
    PROFILE_TEXT(device, "Exact board, where known; part of the key.", ""),
    PROFILE_TEXT(clocks, "How its clocks were set, where known; part of the key.", ""),
    PROFILE_TEXT(driver, "Driver, where known; part of the key.", ""),
    {.key = "sequence",
     .kind = KNOB_INT,
     .offset = offsetof(struct profile, sequence),
     .unit = "tokens",
     .doc = "Sequence length of a language model; part of the key.",
     .preset = "0",
     .min = 0,
     .max = 1e6},
    {.key = "t0",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct profile, t0),
     .doc = "Fixed part of a batch's time: t(b) = t0 + perItem x b.",
     .min = 0,
     .max = 3600},
    {.key = "perItem",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct profile, per_item),
     .doc = "Part that grows with the batch.",
     .min = 0,
     .max = 3600},
    {.key = "fitResidual",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct profile, fit_residual),
     .doc = "Largest relative distance of a point from the fit.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "points",
     .kind = KNOB_LIST,
     .offset = offsetof(struct profile, points),
     .doc = "Measured batches; they go before the fit.",
     .preset = "",
     .table = &point_knobs},
    {.key = "cv",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct profile, cv),
     .doc = "Spread of one batch's time: deviation / mean.",
     .preset = "0",
     .min = 0,
     .max = 10},
    {.key = "spread",
     .kind = KNOB_LIST,
     .offset = offsetof(struct profile, spread),
     .doc = "Spread of one batch's time as measured; goes before cv.",
     .preset = "",
     .table = &spread_knobs},
    {.key = "heldOutMape",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct profile, mape),
     .doc = "Mean error of the fit for batches that were left out of it.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "heldOutWorst",
     .kind = KNOB_SHARE,
     .offset = offsetof(struct profile, worst),
     .doc = "Largest error of the fit for a batch that was left out of it.",
     .preset = "0",
     .min = 0,
     .max = 1},
    {.key = "heldOutWorstBatch",
     .kind = KNOB_INT,
     .offset = offsetof(struct profile, worst_batch),
     .unit = "items",
     .doc = "The batch of that error.",
     .preset = "0",
     .min = 0,
     .max = 1e6},
    {.key = "quality",
     .kind = KNOB_NAME,
     .offset = offsetof(struct profile, quality),
     .doc = "How far the figures may be trusted.",
     .names = quality_names},
    PROFILE_TEXT(source, "Document that the figures are from.", NULL),
    PROFILE_TEXT(date, "Date of the document.", NULL),
    PROFILE_TEXT(note, "Derivation and cautions.", ""),
    {0},
};

static int check_points(const void *config, const char **key, struct err *e)
{
    const struct profile *p = config;
    const struct profile_point *points = p->points.items;
    *key = "points";
    for (size_t i = 1; i < p->points.count; i++)
        if (points[i].batch <= points[i - 1].batch)
            return err_set(e, ERR_INPUT, NULL, "batches must ascend; %lld follows %lld",
                           (long long)points[i].batch, (long long)points[i - 1].batch);
    struct dist d;
    *key = "spread";
    if (p->spread.count > 0 && dist_measured(&d, 1, p->spread.items, p->spread.count, e))
        return -1;
    *key = "t0";
    if (p->t0 == 0 && p->per_item == 0)
        return err_set(e, ERR_INPUT, NULL, "t0 and perItem are both 0: a batch would take no time");
    return 0;
}

static const struct knob_table profile_knobs = {
    .name = "calibrationProfile",
    .doc = "Time of a batch on one kind of GPU.",
    .rows = profile_rows,
    .size = sizeof(struct profile),
    .check = check_points,
};

static const struct knob profile_file_rows[] = {
    {.key = "calibration",
     .kind = KNOB_INT,
     .offset = offsetof(struct profile_file, version),
     .doc = "Version of the format.",
     .min = 1,
     .max = 1},
    {.key = "profiles",
     .kind = KNOB_LIST,
     .offset = offsetof(struct profile_file, profiles),
     .doc = "Profiles; two of one name differ in their key, and a reference then says which.",
     .table = &profile_knobs},
    {0},
};

/* ---- the key ---- */

static bool says(const char *wanted, const char *found)
{
    return !wanted || strcmp(wanted, found ? found : "") == 0;
}

bool profile_fits(const struct profile *p, const struct profile_key *key)
{
    return says(key->device, p->device) && says(key->clocks, p->clocks) &&
           says(key->driver, p->driver) && says(key->framework, p->framework) &&
           says(key->precision, p->precision) && says(key->model, p->model) &&
           (key->sequence < 0 || key->sequence == p->sequence);
}

bool profile_same_key(const struct profile *a, const struct profile *b)
{
    struct profile_key key = {a->device ? a->device : "",
                              a->clocks ? a->clocks : "",
                              a->driver ? a->driver : "",
                              a->framework ? a->framework : "",
                              a->precision ? a->precision : "",
                              a->model ? a->model : "",
                              a->sequence};
    return profile_fits(b, &key);
}

void profile_key_text(const struct profile *p, char out[PROFILE_KEY_TEXT])
{
    const struct {
        const char *name, *value;
    } parts[] = {{"device", p->device},       {"clocks", p->clocks},       {"driver", p->driver},
                 {"framework", p->framework}, {"precision", p->precision}, {"model", p->model}};
    int n = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].value && parts[i].value[0])
            n += snprintf(out + n, PROFILE_KEY_TEXT - (size_t)n, "%s%s %.*s", n ? "; " : "",
                          parts[i].name, text_cut(parts[i].value, 48), parts[i].value);
    if (p->sequence > 0)
        snprintf(out + n, PROFILE_KEY_TEXT - (size_t)n, "%ssequence %lld", n ? "; " : "",
                 (long long)p->sequence);
}

/* Name and key are all that a scenario has to tell one from another. */
static int check_names(const void *config, const char **key, struct err *e)
{
    const struct profile_file *file = config;
    const struct profile *p = file->profiles.items;
    char words[PROFILE_KEY_TEXT];
    *key = "profiles";
    for (size_t i = 0; i < file->profiles.count; i++)
        for (size_t j = 0; j < i; j++) {
            if (strcmp(p[i].name, p[j].name) != 0 || !profile_same_key(&p[i], &p[j]))
                continue;
            profile_key_text(&p[i], words);
            return err_set(e, ERR_INPUT, NULL, "'%s' is the name of two profiles of one key: %s",
                           p[i].name, words);
        }
    return 0;
}

const struct knob_table profile_file_knobs = {
    .name = "calibration",
    .doc = "Measured and published service times.",
    .rows = profile_file_rows,
    .size = sizeof(struct profile_file),
    .check = check_names,
};

sim_ns profile_time_ns(const struct profile *p, int64_t batch)
{
    const struct profile_point *points = p->points.items;
    assert(batch > 0);
    for (size_t i = 0; i < p->points.count; i++)
        if (points[i].batch == batch)
            return (sim_ns)((double)batch / points[i].items_per_s * 1e9 + 0.5);
    return p->t0 + p->per_item * batch;
}

int64_t profile_max_batch(const struct profile *p)
{
    const struct profile_point *points = p->points.items;
    return p->points.count > 0 ? points[p->points.count - 1].batch : 0;
}

int64_t profile_min_batch(const struct profile *p)
{
    const struct profile_point *points = p->points.items;
    return p->points.count > 0 ? points[0].batch : 0;
}

struct dist profile_dist(const struct profile *p, int64_t batch)
{
    struct dist d;
    struct err e = {0};
    double mean = (double)profile_time_ns(p, batch);
    if (p->spread.count > 0 && dist_measured(&d, mean, p->spread.items, p->spread.count, &e) == 0)
        return d;
    if (p->cv <= 0 || dist_make(&d, DIST_LOGNORMAL, mean, p->cv, &e))
        d = dist_constant(mean);
    return d;
}
