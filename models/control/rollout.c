/* rollout: rolling updates. */
#include "models/control/rollout.h"

#include "sim/err.h"
#include "sim/json.h"
#include "sim/text.h"

#include <assert.h>
#include <stddef.h>
#include <string.h>

#define KUBERNETES "kubernetes/kubernetes pkg/apis/apps/v1/defaults.go, read 2026-08"

/* 2, or "25%". */
static int read_bound(const struct knob_given *g, struct err *e)
{
    struct rollout_bound *bound = g->out;
    const struct json *value = g->value;
    char digits[16];
    int64_t n = -1;
    if (value->type == JSON_NUMBER && value->number >= 0 && value->number <= 100000)
        n = (int64_t)value->number;
    bool whole = n >= 0 && (double)n == value->number;
    size_t length = value->type == JSON_STRING ? strlen(value->string) : 0;
    bool percent = length > 1 && length < sizeof digits && value->string[length - 1] == '%';
    if (percent) {
        memcpy(digits, value->string, length - 1);
        digits[length - 1] = '\0';
        percent = text_parse_int64(digits, &n) && n >= 0 && n <= 100;
    }
    if (!whole && !percent)
        return err_set(e, ERR_INPUT, NULL,
                       "allowed are a whole number of pods, or a percentage such as \"25%%\"");
    *bound = (struct rollout_bound){percent, (int32_t)n};
    return 0;
}

#define BOUND_ROW(word, field, text)                                                               \
    {                                                                                              \
        .key = (word), .kind = KNOB_CUSTOM, .offset = offsetof(struct rollout_config, field),      \
        .doc = (text), .preset = "25%", .quality = QUALITY_OFFICIAL, .source = KUBERNETES,         \
        .read = read_bound, .shape = "pods, or a percentage such as \"25%\""                       \
    }

static const struct knob rows[] = {
    {.key = "at",
     .kind = KNOB_DURATION,
     .offset = offsetof(struct rollout_config, at),
     .doc = "When the pod template changes, from the start of the run."},
    BOUND_ROW("maxSurge", surge, "Pods above the size, rounded up."),
    BOUND_ROW("maxUnavailable", unavailable, "Pods below the size, rounded down."),
    {0},
};

const struct knob_table rollout_knobs = {
    .name = "rollout",
    .doc = "A rolling update of the deployment: every pod is replaced by one of a new template.",
    .rows = rows,
    .size = sizeof(struct rollout_config),
};

int32_t rollout_surge(const struct rollout_config *c, int32_t size)
{
    const struct rollout_bound *b = &c->surge;
    return b->percent ? (int32_t)(((int64_t)size * b->value + 99) / 100) : b->value;
}

int32_t rollout_unavailable(const struct rollout_config *c, int32_t size)
{
    const struct rollout_bound *b = &c->unavailable;
    int32_t n = b->percent ? (int32_t)((int64_t)size * b->value / 100) : b->value;
    return n == 0 && rollout_surge(c, size) == 0 ? 1 : n;
}

static int32_t least(int32_t a, int32_t b)
{
    return a < b ? a : b;
}

static int32_t not_negative(int32_t n)
{
    return n > 0 ? n : 0;
}

/* One sync of the controller: it starts pods if it may, and only else stops some. Of the old ones
 * those that are not ready go first, and never so many that those which are not available, the
 * fresh ones that still start included, exceed maxUnavailable. */
struct rollout_step rollout_next(const struct rollout_config *c, int32_t size,
                                 const struct rollout_pods *p)
{
    assert(size >= 0 && p->old_ready <= p->old && p->fresh_ready <= p->fresh);
    struct rollout_step step = {0};
    int32_t all = p->old + p->fresh, least_available = size - rollout_unavailable(c, size);
    step.start = not_negative(least(size + rollout_surge(c, size) - all, size - p->fresh));
    if (step.start > 0)
        return step;
    int32_t spare = not_negative(all - least_available - (p->fresh - p->fresh_ready));
    step.stop_unready = least(p->old - p->old_ready, spare);
    int32_t available = p->old_ready + p->fresh_ready;
    step.stop_ready = least(
        p->old_ready, not_negative(least(available - least_available, spare - step.stop_unready)));
    return step;
}
