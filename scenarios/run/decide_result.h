/* decide_result: the named results of a case, written as JSON and held against what is expected. */
#ifndef SLUICE_SCENARIOS_RUN_DECIDE_RESULT_H
#define SLUICE_SCENARIOS_RUN_DECIDE_RESULT_H

#include "sim/json.h"
#include "sim/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct decide_trial;

#define DECIDE_RESULT_MOST 12

enum decide_type {
    DECIDE_INT,
    DECIDE_NUMBER,
    DECIDE_BOOL,
    DECIDE_TEXT, /* NULL is null */
    DECIDE_INTS,
    DECIDE_NUMBERS,
    DECIDE_TEXTS,
    DECIDE_CHANGES, /* {"change", "outdated"} */
};

struct decide_change {
    int64_t change;
    bool outdated;
};

/* Borrowed pointers; open data. */
struct decide_value {
    const char *key;
    enum decide_type type;
    union {
        int64_t integer;
        double number;
        bool boolean;
        const char *text;
        const int64_t *ints;
        const double *numbers;
        const char *const *texts;
        const struct decide_change *changes;
    } as;
    size_t n; /* of lists */
};

/* {0} is empty. */
struct decide_result {
    struct decide_value values[DECIDE_RESULT_MOST];
    size_t n;
};

void decide_result_int(struct decide_result *r, const char *key, int64_t v);
void decide_result_number(struct decide_result *r, const char *key, double v);
void decide_result_bool(struct decide_result *r, const char *key, bool v);
void decide_result_text(struct decide_result *r, const char *key, const char *v);
void decide_result_ints(struct decide_result *r, const char *key, const int64_t *v, size_t n);
void decide_result_numbers(struct decide_result *r, const char *key, const double *v, size_t n);
void decide_result_texts(struct decide_result *r, const char *key, const char *const *v, size_t n);
void decide_result_changes(struct decide_result *r, const char *key, const struct decide_change *v,
                           size_t n);

/* Writes them as the trial's result and judges them by what it expects. Always 0. */
int decide_result_finish(const struct decide_result *r, struct decide_trial *trial);

/* One object. Whole numbers beyond 2^53 become strings of digits. */
void decide_result_write(const struct decide_result *r, struct json_out *out);
/* True when every key of expect has its value; a null list is not checked. Says in `reason` what
 * differs first. Numbers agree within 1e-9 of their size. */
bool decide_result_matches(const struct decide_result *r, const struct json *expect,
                           struct text *reason);

#endif
