/* knob: the words for a settings row. */
#include "sim/knob.h"

#include "sim/text.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>

const char *knob_quality_name(enum knob_quality q)
{
    static const char *const names[] = {
        [QUALITY_NONE] = "none",         [QUALITY_OFFICIAL] = "official",
        [QUALITY_MEASURED] = "measured", [QUALITY_THIRD_PARTY] = "third-party",
        [QUALITY_ASSUMED] = "assumed",
    };
    assert((unsigned)q < sizeof names / sizeof names[0]);
    return names[q];
}

static void put_bound(struct text *t, enum knob_kind kind, double v)
{
    char buf[64];
    double ns = v * 1e9;
    if ((kind == KNOB_DURATION || kind == KNOB_DIST) && fabs(ns) < 9e18)
        text_add(t, text_duration(buf, sizeof buf, (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5)));
    else
        text_number(t, v);
}

void knob_bounds(struct text *t, const struct knob *k)
{
    double min = k->min, max = k->max;
    if (min == 0 && max == 0) {
        if (k->kind != KNOB_SHARE && k->kind != KNOB_PERCENT)
            return;
        max = k->kind == KNOB_SHARE ? 1 : 100;
    }
    bool above = isfinite(min), below = isfinite(max) && max >= min;
    if (above && below) {
        put_bound(t, k->kind, min);
        text_add(t, "..");
        put_bound(t, k->kind, max);
    } else if (above || below) {
        text_add(t, above ? "at least " : "at most ");
        put_bound(t, k->kind, above ? min : max);
    }
}

static void put_names(struct text *t, const struct knob *k)
{
    text_add(t, "one of ");
    for (const struct knob_name *n = k->names; n->name; n++)
        text_printf(t, "%s%s", n == k->names ? "" : ", ", n->name);
}

static void put_options(struct text *t, const struct knob *k)
{
    text_add(t, "one of ");
    for (size_t i = 0; k->options[i]; i++)
        text_printf(t, "%s%s", i ? ", " : "", k->options[i]->name);
    text_add(t, ", alone or as {\"name\": {settings}}");
}

static const char *kind_words(enum knob_kind kind)
{
    static const char *const words[] = {
        [KNOB_BOOL] = "true or false",
        [KNOB_INT] = "a whole number",
        [KNOB_INT32] = "a whole number",
        [KNOB_NUMBER] = "a number",
        [KNOB_SHARE] = "a share",
        [KNOB_PERCENT] = "a percentage",
        [KNOB_DURATION] = "a duration such as \"15s\"",
        [KNOB_BYTES] = "an amount of bytes such as \"16Gi\"",
        [KNOB_QUANTITY] = "a quantity such as 10 or \"500m\"",
        [KNOB_MONEY] = "an amount such as \"60000 CNY\"",
        [KNOB_TEXT] = "a text",
        [KNOB_DIST] = "a duration such as \"12ms\", or "
                      "{\"distribution\": \"lognormal\", \"mean\": \"12ms\", \"cv\": 0.2}",
        [KNOB_OBJECT] = "an object",
        [KNOB_POINTER] = "an object",
        [KNOB_LIST] = "a list of objects",
        [KNOB_TEXTS] = "a list of texts, or one text",
        [KNOB_MAP] = "an object of texts",
    };
    assert((unsigned)kind < sizeof words / sizeof *words && words[kind]);
    return words[kind];
}

static bool counts_elements(enum knob_kind kind)
{
    return kind == KNOB_LIST || kind == KNOB_TEXTS || kind == KNOB_MAP;
}

void knob_describe(struct text *t, const struct knob *k)
{
    struct text bounds = {0};
    if (k->kind == KNOB_NAME)
        put_names(t, k);
    else if (k->kind == KNOB_CHOICE)
        put_options(t, k);
    else if (k->kind == KNOB_CUSTOM)
        text_add(t, k->shape ? k->shape : "a value");
    else
        text_add(t, kind_words(k->kind));
    knob_bounds(&bounds, k);
    if (bounds.s && counts_elements(k->kind))
        text_printf(t, ", %s of them", bounds.s);
    else if (bounds.s)
        text_printf(t, "%s%s", k->min <= k->max && isfinite(k->min) ? " in " : ", ", bounds.s);
    if (k->unit)
        text_printf(t, " (%s)", k->unit);
    text_fini(&bounds);
}
