/* checkpoint: compares the names of a file with those of a plan. */
#include "kernels/checkpoint.h"

#include "kernels/safetensors.h"
#include "sim/arena.h"
#include "sim/text.h"

#include <stdio.h>
#include <string.h>

void checkpoint_inception(const struct safetensors *f, struct inception_config *c)
{
    int32_t extents[WEIGHT_MAX_RANK];
    if (safetensors_extents(f, "fc.weight", extents) == 2)
        c->classes = extents[0];
    c->gain = safetensors_extents(f, "Conv2d_1a_3x3.bn.weight", extents) >= 0;
}

void checkpoint_bert(const struct safetensors *f, struct bert_config *c)
{
    int32_t extents[WEIGHT_MAX_RANK];
    if (safetensors_extents(f, "embeddings.word_embeddings.weight", extents) == 2)
        c->vocabulary = extents[0];
    if (safetensors_extents(f, "embeddings.position_embeddings.weight", extents) == 2)
        c->positions = extents[0];
    if (safetensors_extents(f, "embeddings.token_type_embeddings.weight", extents) == 2)
        c->segments = extents[0];
}

/* Every name that a network reads: its tensors and the vectors of their norms. */
struct names {
    char (*all)[WEIGHT_NAME];
    size_t n;
};

static void names_of(const struct network *n, struct names *out)
{
    static const char *const parts[] = {"weight", "bias", "running_mean", "running_var"};
    for (size_t i = 0; i < n->n_weights; i++) {
        const struct network_weight *w = &n->weights[i];
        snprintf(out->all[out->n++], WEIGHT_NAME, "%s", w->weight.name);
        for (int k = w->norm_gain ? 0 : 1; w->norm[0] && k < 4; k++)
            snprintf(out->all[out->n++], WEIGHT_NAME, "%.80s.%s", w->norm, parts[k]);
    }
}

static bool starts(const char *s, const char *with)
{
    return strncmp(s, with, strlen(with)) == 0;
}

static bool ends(const char *s, const char *with)
{
    return strlen(s) >= strlen(with) && strcmp(s + strlen(s) - strlen(with), with) == 0;
}

static bool may_be_there(const char *name)
{
    return starts(name, "AuxLogits.") || starts(name, "cls.") || starts(name, "classifier.") ||
           starts(name, "qa_outputs.") || ends(name, ".num_batches_tracked") ||
           ends(name, "embeddings.position_ids");
}

/* near: the nearest name that there is, or NULL. */
static int tensor_fault(const struct safetensors *f, const char *tensor, const char *what,
                        const char *near, struct err *e)
{
    char place[512];
    snprintf(place, sizeof place, "%s: tensor %s", safetensors_path(f), tensor);
    return err_set(e, ERR_INPUT, place, "%s%s%.*s%s", what, near ? "; nearest is '" : "",
                   near ? text_cut(near, 200) : 0, near ? near : "", near ? "'" : "");
}

static size_t place_of(const struct names *names, const char *in_file)
{
    size_t i = 0;
    while (i < names->n && !safetensors_means(in_file, names->all[i]))
        i++;
    return i;
}

/* What the file has: by place the tensor of each name, and strangers, of which the nearest to a
 * name may be a misspelling. */
struct content {
    const char *of[4 * NETWORK_MAX_WEIGHTS], *strange[NETWORK_MAX_WEIGHTS];
    size_t strangers;
};

/* "X" and "bert.X" mean one tensor: which of both would count? */
static int sort_out(const struct safetensors *f, const struct names *names, struct content *c,
                    struct err *e)
{
    for (size_t i = 0; i < safetensors_count(f); i++) {
        const char *name = safetensors_name(f, i);
        size_t at = place_of(names, name);
        if (at < names->n && c->of[at])
            return tensor_fault(f, name, "is there under another name too", c->of[at], e);
        if (at < names->n)
            c->of[at] = name;
        else if (!may_be_there(name) && c->strangers < NETWORK_MAX_WEIGHTS)
            c->strange[c->strangers++] = name;
    }
    return 0;
}

static int compare(const struct safetensors *f, const struct names *names, struct err *e)
{
    struct content c = {.strangers = 0};
    const char *ours[4 * NETWORK_MAX_WEIGHTS];
    if (sort_out(f, names, &c, e))
        return -1;
    for (size_t i = 0; i < names->n; i++) {
        ours[i] = names->all[i];
        if (!c.of[i])
            return tensor_fault(f, ours[i], "is missing",
                                text_nearest(ours[i], c.strange, c.strangers), e);
    }
    if (c.strangers == 0)
        return 0;
    return tensor_fault(f, c.strange[0], "is not part of this network",
                        text_nearest(c.strange[0], ours, names->n), e);
}

int checkpoint_check(const struct safetensors *f, const struct network *n, struct err *e)
{
    static const size_t most = (size_t)4 * NETWORK_MAX_WEIGHTS;
    struct arena *a = arena_create(e);
    struct names names = {a ? arena_take(a, most, sizeof *names.all, e) : NULL, 0};
    int rc = -1;
    if (names.all && 4 * n->n_weights <= most) {
        names_of(n, &names);
        rc = compare(f, &names, e);
    }
    arena_destroy(a);
    return rc;
}
