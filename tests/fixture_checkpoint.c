/* fixture_checkpoint: writes safetensors. */
#include "tests/fixture_checkpoint.h"

#include "sim/text.h"

#include <criterion/criterion.h>
#include <stdint.h>

struct writer {
    struct text header;
    const struct weight_source *source;
    fixture_checkpoint_naming *naming;
    float *values; /* of all tensors, when there is a source */
    size_t n;
};

static void add(struct writer *w, const struct weight *tensor)
{
    char name[WEIGHT_NAME + 16];
    struct err e = {0};
    size_t count = weight_count(tensor);
    snprintf(name, sizeof name, "%s", tensor->name);
    if (w->naming)
        w->naming(tensor->name, name);
    if (name[0] == '\0')
        return;
    text_printf(&w->header, "%s\"%s\":{\"dtype\":\"F32\",\"shape\":[", w->n ? "," : "{", name);
    for (int32_t i = 0; i < tensor->rank; i++)
        text_printf(&w->header, "%s%d", i ? "," : "", tensor->extents[i]);
    text_printf(&w->header, "],\"data_offsets\":[%zu,%zu]}", w->n * 4, (w->n + count) * 4);
    if (w->source) {
        w->values = realloc(w->values, (w->n + count) * sizeof *w->values);
        cr_assert(w->values);
        cr_assert_eq(w->source->read(w->source->self, tensor, w->values + w->n, &e), 0);
    }
    w->n += count;
}

static void add_norm(struct writer *w, const struct network_weight *row)
{
    static const struct {
        const char *name;
        enum weight_kind kind;
    } parts[4] = {{"weight", WEIGHT_GAIN},
                  {"bias", WEIGHT_SHIFT},
                  {"running_mean", WEIGHT_SHIFT},
                  {"running_var", WEIGHT_VARIANCE}};
    for (int i = row->norm_gain ? 0 : 1; i < 4; i++) {
        struct weight v = {.kind = parts[i].kind, .rank = 1, .extents = {row->weight.extents[0]}};
        snprintf(v.name, sizeof v.name, "%.80s.%s", row->norm, parts[i].name);
        add(w, &v);
    }
}

static struct temp_file write_out(struct writer *w)
{
    unsigned char length[8];
    struct temp_file t = temp_text("");
    FILE *f = fopen(t.path, "wb");
    for (int i = 0; i < 8; i++)
        length[i] = (unsigned char)((uint64_t)w->header.length >> (8 * i));
    cr_assert(f && !w->header.failed);
    fwrite(length, 1, 8, f);
    fwrite(w->header.s, 1, w->header.length, f);
    if (w->source)
        fwrite(w->values, sizeof *w->values, w->n, f);
    cr_assert_eq(fclose(f), 0);
    cr_assert_eq(truncate(t.path, (long)(8 + w->header.length + 4 * w->n)), 0);
    return t;
}

struct temp_file fixture_checkpoint(const struct network *plan, const struct weight_source *source,
                                    fixture_checkpoint_naming *naming, const char *extra)
{
    struct writer w = {.source = source, .naming = naming};
    for (size_t i = 0; i < plan->n_weights; i++) {
        add(&w, &plan->weights[i].weight);
        if (plan->weights[i].norm[0])
            add_norm(&w, &plan->weights[i]);
    }
    if (extra) {
        struct weight more = {.kind = WEIGHT_SHIFT, .rank = 1, .extents = {1}};
        snprintf(more.name, sizeof more.name, "%s", extra);
        w.naming = NULL;
        add(&w, &more);
    }
    text_add(&w.header, "}");
    struct temp_file t = write_out(&w);
    text_fini(&w.header);
    free(w.values);
    return t;
}
