/* timings: batch times that other tools measured, read from their own files.
 *
 * What a calibration wants is how long a batch holds the device, without queue and network: each
 * format says which of its figures comes nearest. */
#ifndef SLUICE_KERNELS_TIMINGS_H
#define SLUICE_KERNELS_TIMINGS_H

#include "kernels/batch_fit.h"
#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

#define TIMINGS_MAX 64
#define TIMINGS_MAX_BYTES (16u << 20)

struct timings_source {
    const char *path; /* only named in messages */
    char *text;       /* ends with a NUL; is taken apart while it is read */
    size_t length;
    double batch;       /* of a file that does not say it; 0: not known */
    const char *config; /* of several models or configurations in one file; NULL: the only one */
};

struct timings {
    struct batch_point points[TIMINGS_MAX]; /* ascending batches */
    size_t n;
    char model[96];   /* as the file calls it; may be empty */
    char remark[200]; /* what the reader should know of the figures; may be empty */
};

struct timings_format {
    const char *name, *doc;
    bool (*fits)(const char *text); /* does a file that begins so have this format? */
    int (*read)(struct arena *a, const struct timings_source *s, struct timings *out,
                struct err *e);
};

extern const struct timings_format timings_plain;          /* batch,seconds[,cv[,samples]] */
extern const struct timings_format timings_perf_analyzer;  /* Triton perf_analyzer -f */
extern const struct timings_format timings_model_analyzer; /* Triton Model Analyzer, results */
extern const struct timings_format timings_mlperf;         /* mlperf_log_summary.txt */
extern const struct timings_format timings_mlperf_detail;  /* mlperf_log_detail.txt */

/* format: a name, or NULL to tell it from the text. ERR_INPUT names file and line. The text is
 * changed. */
int timings_read(struct arena *a, const struct timings_source *s, const char *format,
                 struct timings *out, struct err *e);

/* Inside: one more point, which must ascend. line 0: none. */
int timings_add(struct timings *t, const struct timings_source *s, size_t line,
                const struct batch_point *p, struct err *e);
/* cv of a lognormal with these percentiles, or with this mean and 99th; 0 when they say nothing. */
double timings_cv(double p50, double p99);
double timings_cv_of_mean(double mean, double p99);

#endif
