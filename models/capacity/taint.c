/* taint: what keeps pods off a node. */
#include "models/capacity/taint.h"

#include <stddef.h>
#include <string.h>

static const char *const effects[] = {
    [TAINT_NO_SCHEDULE] = "NoSchedule",
    [TAINT_NO_EXECUTE] = "NoExecute",
    [TAINT_PREFER_NO_SCHEDULE] = "PreferNoSchedule",
};

/* A text in its parts; value NULL: none is named. */
struct parts {
    const char *key, *value;
    size_t key_length, value_length;
    enum taint_effect effect;
};

static enum taint_effect named(const char *effect)
{
    for (int i = TAINT_NO_SCHEDULE; i <= TAINT_PREFER_NO_SCHEDULE; i++)
        if (strcmp(effect, effects[i]) == 0)
            return (enum taint_effect)i;
    return TAINT_ANY;
}

static struct parts split(const char *text)
{
    const char *colon = strrchr(text, ':');
    struct parts p = {.key = text, .effect = colon ? named(colon + 1) : TAINT_ANY};
    size_t length = p.effect != TAINT_ANY ? (size_t)(colon - text) : strlen(text);
    const char *equals = memchr(text, '=', length);
    p.key_length = equals ? (size_t)(equals - text) : length;
    if (equals) {
        p.value = equals + 1;
        p.value_length = length - p.key_length - 1;
    }
    return p;
}

static bool same(const char *a, size_t a_length, const char *b, size_t b_length)
{
    return a_length == b_length && (a_length == 0 || memcmp(a, b, a_length) == 0);
}

static bool tolerates(const struct parts *toleration, const struct parts *taint)
{
    if (toleration->effect != TAINT_ANY && toleration->effect != taint->effect)
        return false;
    if (toleration->key_length == 0)
        return true;
    return same(toleration->key, toleration->key_length, taint->key, taint->key_length) &&
           (!toleration->value ||
            same(toleration->value, toleration->value_length, taint->value, taint->value_length));
}

int taint_check(const char *taint, struct err *e)
{
    struct parts p = split(taint);
    if (p.effect == TAINT_ANY)
        return err_set(e, ERR_INPUT, NULL,
                       "'%s' names no effect; a taint is key=value:NoSchedule, with NoSchedule, "
                       "NoExecute or PreferNoSchedule",
                       taint);
    if (p.key_length == 0)
        return err_set(e, ERR_INPUT, NULL, "'%s' has no key; a taint is key=value:NoSchedule",
                       taint);
    return 0;
}

enum taint_effect taint_effect_of(const char *taint)
{
    return split(taint).effect;
}

bool taint_tolerated(const char *taint, const struct knob_texts *tolerations)
{
    struct parts asked = split(taint);
    for (size_t i = 0; i < tolerations->count; i++) {
        struct parts t = split(tolerations->items[i]);
        if (tolerates(&t, &asked))
            return true;
    }
    return false;
}

const char *taint_refusing(const struct knob_texts *taints, const struct knob_texts *tolerations)
{
    for (size_t i = 0; i < taints->count; i++)
        if (taint_effect_of(taints->items[i]) != TAINT_PREFER_NO_SCHEDULE &&
            !taint_tolerated(taints->items[i], tolerations))
            return taints->items[i];
    return NULL;
}

int taint_disliked(const struct knob_texts *taints, const struct knob_texts *tolerations)
{
    int n = 0;
    for (size_t i = 0; i < taints->count; i++)
        n += taint_effect_of(taints->items[i]) == TAINT_PREFER_NO_SCHEDULE &&
             !taint_tolerated(taints->items[i], tolerations);
    return n;
}
