/* profile: how long a batch takes on one kind of GPU, as measured or published. */
#ifndef SLUICE_MODELS_SERVING_PROFILE_H
#define SLUICE_MODELS_SERVING_PROFILE_H

#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile_point {
    int64_t batch;
    double items_per_s;
};

/* What a profile is of: the same card differs by a factor of three between two frameworks. Texts
 * are NULL, and sequence is -1, where a reference does not say. */
struct profile_key {
    const char *device, *clocks, *driver, *framework, *precision, *model;
    int64_t sequence; /* tokens; 0 where there are none */
};

/* Open data, one entry of a calibration file: a name for people, and the seven fields of its key.
 */
struct profile {
    const char *name; /* "bert-base-128/V100/fp32" */
    const char *model, *gpu, *framework, *precision, *device, *clocks, *driver;
    int64_t sequence;        /* tokens; 0 where there are none */
    sim_ns t0, per_item;     /* t(b) = t0 + per_item * b */
    double fit_residual;     /* largest relative residual of the fit over the points */
    struct knob_list points; /* struct profile_point, ascending batches; may be empty */
    double cv;               /* spread of one batch's time: deviation / mean */
    struct knob_list spread; /* struct dist_point: shares of batches and their time / mean; may be
                                empty */
    double mape, worst;      /* of batches left out of the fit, as shares; 0: not known */
    int64_t worst_batch;     /* 0: not known */
    int quality;
    const char *source, *date, *note;
};

struct profile_file {
    const char *file; /* not in the table */
    int64_t version;
    struct knob_list profiles;
};

extern const struct knob_table profile_file_knobs; /* "calibration" */

/* Whether the profile is of what `key` says, as far as it says. */
bool profile_fits(const struct profile *p, const struct profile_key *key);
bool profile_same_key(const struct profile *a, const struct profile *b);
/* "device V100-SXM2-16GB; framework TensorFlow 1.x; precision fp16; model bert; sequence 128": what
 * is known of the key. */
#define PROFILE_KEY_TEXT 400
void profile_key_text(const struct profile *p, char out[PROFILE_KEY_TEXT]);

/* Seconds are nowhere: ns of a batch of this size, from the table where it has the batch, from the
 * fit elsewhere. batch > 0. */
sim_ns profile_time_ns(const struct profile *p, int64_t batch);
/* The largest batch that was measured; 0 when only the fit is known. */
int64_t profile_max_batch(const struct profile *p);
/* The smallest batch that was measured; 0 when only the fit is known. */
int64_t profile_min_batch(const struct profile *p);
/* Time of one batch as a distribution: the measured spread around the mean, else lognormal with the
 * profile's cv, or constant. Borrows from the profile. */
struct dist profile_dist(const struct profile *p, int64_t batch);

#endif
