/* safetensors: header by sim/json, values by seeking. */
#include "kernels/safetensors.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In these messages a tensor's name stands behind the file's, as its place. */
#define SAFETENSORS_PLACE 512

struct safetensors {
    const char *path;
    FILE *file;
    uint64_t data, size; /* where the values begin, and how many bytes they are */
    const struct json *header;
};

static int fail(const struct safetensors *f, const char *tensor, struct err *e, const char *msg)
{
    char place[SAFETENSORS_PLACE];
    snprintf(place, sizeof place, "%s%s%s", f->path, tensor ? ": tensor " : "",
             tensor ? tensor : "");
    return err_set(e, ERR_INPUT, place, "%s", msg);
}

static uint64_t little_endian(const unsigned char bytes[8])
{
    uint64_t n = 0;
    for (int i = 7; i >= 0; i--)
        n = n << 8 | bytes[i];
    return n;
}

static bool is_count(const struct json *j)
{
    return j && j->type == JSON_NUMBER && j->number >= 0 && j->number <= 9007199254740992.0 &&
           j->number == (double)(uint64_t)j->number;
}

static size_t bytes_of(const char *type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                 {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U64", 8},  {"U32", 4},
                 {"U16", 2}, {"U8", 1},  {"BOOL", 1}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].name, type) == 0)
            return types[i].bytes;
    return 0;
}

/* -1 when the shape is none; else the values in *n. */
static int count_values(const struct json *shape, double *n)
{
    *n = 1;
    if (!shape || shape->type != JSON_ARRAY)
        return -1;
    for (const struct json *d = shape->first; d; d = d->next) {
        if (!is_count(d))
            return -1;
        *n *= d->number;
    }
    return 0;
}

static int check_tensor(const struct safetensors *f, const struct json *t, struct err *e)
{
    const struct json *type = json_get(t, "dtype"), *place = json_get(t, "data_offsets");
    char msg[200];
    double n;
    if (!type || type->type != JSON_STRING || bytes_of(type->string) == 0) {
        snprintf(msg, sizeof msg, "dtype '%.*s' is unknown; F32 is read",
                 type && type->type == JSON_STRING ? text_cut(type->string, 40) : 0,
                 type && type->type == JSON_STRING ? type->string : "");
        return fail(f, t->key, e, msg);
    }
    if (count_values(json_get(t, "shape"), &n))
        return fail(f, t->key, e, "shape must be a list of sizes");
    if (!place || place->type != JSON_ARRAY || place->count != 2 || !is_count(place->first) ||
        !is_count(place->last) || place->last->number < place->first->number)
        return fail(f, t->key, e, "data_offsets must be two ascending places");
    if (place->last->number > (double)f->size) {
        snprintf(msg, sizeof msg, "ends at byte %.0f of %llu: the file is cut short or damaged",
                 place->last->number, (unsigned long long)f->size);
        return fail(f, t->key, e, msg);
    }
    double bytes = place->last->number - place->first->number;
    if (bytes != n * (double)bytes_of(type->string)) {
        snprintf(msg, sizeof msg, "%.0f bytes do not hold its shape of %.0f %s values", bytes, n,
                 type->string);
        return fail(f, t->key, e, msg);
    }
    return 0;
}

/* ---- places ---- */

static int by_place(const void *a, const void *b)
{
    const struct json *x = json_get(*(const struct json *const *)a, "data_offsets");
    const struct json *y = json_get(*(const struct json *const *)b, "data_offsets");
    if (x->first->number != y->first->number)
        return x->first->number < y->first->number ? -1 : 1;
    return (x->last->number > y->last->number) - (x->last->number < y->last->number);
}

static int misplaced(const struct safetensors *f, const struct json *t, const struct json *before,
                     double end, struct err *e)
{
    char msg[300];
    double begin = json_get(t, "data_offsets")->first->number;
    if (begin < end)
        snprintf(msg, sizeof msg, "begins at byte %.0f, inside tensor %.*s, which ends at %.0f",
                 begin, text_cut(before->key, 150), before->key, end);
    else
        snprintf(msg, sizeof msg, "begins at byte %.0f, and bytes %.0f to %.0f belong to no tensor",
                 begin, end, begin);
    return fail(f, t->key, e, msg);
}

/* The format lets tensors lie in any order, but each byte belongs to exactly one. */
static int check_places(const struct safetensors *f, struct arena *a, struct err *e)
{
    size_t n = 0;
    const struct json **all = arena_take(a, f->header->count + 1, sizeof(struct json *), e);
    double end = 0;
    char msg[200];
    if (!all)
        return -1;
    for (const struct json *t = f->header->first; t; t = t->next)
        if (strcmp(t->key, "__metadata__") != 0)
            all[n++] = t;
    qsort(all, n, sizeof(struct json *), by_place);
    for (size_t i = 0; i < n; i++) {
        const struct json *place = json_get(all[i], "data_offsets");
        if (place->first->number != end)
            return misplaced(f, all[i], i ? all[i - 1] : all[i], end, e);
        end = place->last->number;
    }
    if (end == (double)f->size)
        return 0;
    snprintf(msg, sizeof msg, "%.0f bytes lie behind the last tensor", (double)f->size - end);
    return fail(f, NULL, e, msg);
}

static int read_header(struct safetensors *f, struct arena *a, struct err *e)
{
    unsigned char first[8];
    if (fseek(f->file, 0, SEEK_END) != 0)
        return fail(f, NULL, e, "is no regular file");
    long end = ftell(f->file);
    rewind(f->file);
    if (end < 8 || fread(first, 1, 8, f->file) != 8)
        return fail(f, NULL, e, "is no safetensors file: shorter than 8 bytes");
    uint64_t length = little_endian(first);
    if (length > SAFETENSORS_MAX_HEADER || length > (uint64_t)end - 8)
        return fail(f, NULL, e, "is no safetensors file: its header would be longer than it is");
    char *text = arena_take(a, (size_t)length + 1, 1, e);
    if (!text)
        return -1;
    if (fread(text, 1, (size_t)length, f->file) != length)
        return err_set(e, ERR_SYSTEM, f->path, "could not be read");
    f->data = 8 + length;
    f->size = (uint64_t)end - f->data;
    f->header = json_parse(a, f->path, text, (size_t)length, e);
    if (!f->header)
        return -1;
    if (f->header->type != JSON_OBJECT)
        return fail(f, NULL, e, "its header is no JSON object");
    for (const struct json *t = f->header->first; t; t = t->next)
        if (strcmp(t->key, "__metadata__") != 0 && check_tensor(f, t, e))
            return -1;
    return check_places(f, a, e);
}

struct safetensors *safetensors_open(struct arena *a, const char *path, struct err *e)
{
    struct safetensors *f = arena_take(a, 1, sizeof *f, e);
    if (!f)
        return NULL;
    f->path = path;
    f->file = fopen(path, "rb");
    if (!f->file) {
        err_set(e, ERR_INPUT, path, "cannot be opened: %s", strerror(errno));
        return NULL;
    }
    if (read_header(f, a, e)) {
        safetensors_close(f);
        return NULL;
    }
    return f;
}

void safetensors_close(struct safetensors *f)
{
    if (f && f->file)
        fclose(f->file);
    if (f)
        f->file = NULL;
}

size_t safetensors_count(const struct safetensors *f)
{
    return f->header->count - (json_get(f->header, "__metadata__") ? 1 : 0);
}

const char *safetensors_path(const struct safetensors *f)
{
    return f->path;
}

const char *safetensors_name(const struct safetensors *f, size_t i)
{
    for (const struct json *t = f->header->first; t; t = t->next)
        if (strcmp(t->key, "__metadata__") != 0 && i-- == 0)
            return t->key;
    return NULL;
}

/* Old names of a norm's two vectors: .gamma and .beta for .weight and .bias. */
static bool is_old_norm_name(const char *in_file, const char *name)
{
    const char *norm = strstr(name, "LayerNorm.");
    size_t stem = norm ? (size_t)(norm - name) + strlen("LayerNorm.") : 0;
    return norm && strncmp(in_file, name, stem) == 0 &&
           strcmp(in_file + stem, strcmp(name + stem, "weight") == 0 ? "gamma" : "beta") == 0;
}

bool safetensors_means(const char *in_file, const char *name)
{
    const char *bare = strncmp(in_file, "bert.", 5) == 0 ? in_file + 5 : in_file;
    return strcmp(in_file, name) == 0 || strcmp(bare, name) == 0 || is_old_norm_name(bare, name);
}

static const struct json *find(const struct safetensors *f, const char *name)
{
    const struct json *exact = json_get(f->header, name);
    for (const struct json *t = f->header->first; t && !exact; t = t->next)
        if (safetensors_means(t->key, name))
            return t;
    return exact;
}

int32_t safetensors_extents(const struct safetensors *f, const char *name,
                            int32_t out[WEIGHT_MAX_RANK])
{
    const struct json *t = find(f, name), *shape = t ? json_get(t, "shape") : NULL;
    int32_t rank = 0;
    if (!t)
        return -1;
    for (const struct json *d = shape->first; d; d = d->next, rank++)
        if (rank < WEIGHT_MAX_RANK)
            out[rank] = d->number > INT32_MAX ? INT32_MAX : (int32_t)d->number;
    return rank;
}

#define SAFETENSORS_MAX_NAMES 4096

static int missing(const struct safetensors *f, const char *name, struct err *e)
{
    const char *names[SAFETENSORS_MAX_NAMES];
    char msg[300];
    size_t n = 0;
    for (const struct json *t = f->header->first; t && n < SAFETENSORS_MAX_NAMES; t = t->next)
        names[n++] = t->key;
    const char *near = text_nearest(name, names, n);
    snprintf(msg, sizeof msg, "is missing%s%.*s%s", near ? "; there is '" : "",
             near ? text_cut(near, 200) : 0, near ? near : "", near ? "'" : "");
    return fail(f, name, e, msg);
}

static bool same_shape(const struct json *t, const struct weight *w)
{
    const struct json *d = json_get(t, "shape")->first;
    for (int32_t i = 0; i < w->rank; i++, d = d->next)
        if (!d || d->number != w->extents[i])
            return false;
    return d == NULL;
}

/* A half's bits as those of a float: eight exponent bits for five, subnormals made normal. */
static uint32_t from_half(uint32_t h)
{
    uint32_t sign = (h & 0x8000) << 16, exponent = h >> 10 & 31, fraction = h & 1023;
    if (exponent == 31)
        return sign | 0x7F800000 | fraction << 13;
    if (exponent == 0 && fraction == 0)
        return sign;
    if (exponent == 0)
        for (exponent = 1; fraction < 1024; exponent--)
            fraction <<= 1;
    return sign | (exponent + 112) << 23 | (fraction & 1023) << 13;
}

static uint32_t from_float(uint32_t bits)
{
    return bits;
}

static uint32_t from_bfloat(uint32_t bits)
{
    return bits << 16;
}

struct format {
    const char *dtype;
    size_t bytes;
    uint32_t (*to_float)(uint32_t bits);
};

static const struct format *format_of(const struct json *t)
{
    static const struct format formats[] = {
        {"F32", 4, from_float}, {"F16", 2, from_half}, {"BF16", 2, from_bfloat}};
    const char *dtype = json_get(t, "dtype")->string;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (strcmp(formats[i].dtype, dtype) == 0)
            return &formats[i];
    return NULL;
}

#define SAFETENSORS_BLOCK 4096 /* values */

static int read_values(const struct safetensors *f, const struct json *t, size_t n, float *out,
                       struct err *e)
{
    unsigned char bytes[4 * SAFETENSORS_BLOCK];
    const struct format *format = format_of(t);
    uint64_t at = f->data + (uint64_t)json_get(t, "data_offsets")->first->number;
    if (fseek(f->file, (long)at, SEEK_SET) != 0)
        return err_set(e, ERR_SYSTEM, f->path, "could not be read");
    for (size_t i = 0; i < n; i += SAFETENSORS_BLOCK) {
        size_t block = n - i < SAFETENSORS_BLOCK ? n - i : SAFETENSORS_BLOCK;
        if (fread(bytes, format->bytes, block, f->file) != block)
            return err_set(e, ERR_SYSTEM, f->path, "could not be read");
        for (size_t j = 0; j < block; j++) {
            uint32_t bits = 0;
            for (size_t k = format->bytes; k-- > 0;)
                bits = bits << 8 | bytes[j * format->bytes + k];
            bits = format->to_float(bits);
            memcpy(&out[i + j], &bits, sizeof bits);
        }
    }
    return 0;
}

/* A network would carry what is no number to its end, or lose it on the way. */
static int check_values(const struct safetensors *f, const struct json *t, const struct weight *w,
                        const float *values, struct err *e)
{
    char msg[120];
    for (size_t i = 0, n = weight_count(w); i < n; i++) {
        bool negative = w->kind == WEIGHT_VARIANCE && values[i] < 0;
        if (isfinite(values[i]) && !negative)
            continue;
        snprintf(msg, sizeof msg, "value %zu of %zu is %g; %s", i, n, (double)values[i],
                 negative ? "a variance is 0 or more" : "weights are finite");
        return fail(f, t->key, e, msg);
    }
    return 0;
}

static int read(void *self, const struct weight *w, float *out, struct err *e)
{
    struct safetensors *f = self;
    const struct json *t = find(f, w->name);
    if (!t)
        return missing(f, w->name, e);
    if (!format_of(t))
        return fail(f, t->key, e, "only F32, F16 and BF16 are read; convert the file");
    if (!same_shape(t, w)) {
        struct text msg = {0};
        text_add(&msg, "another shape is needed:");
        for (int32_t i = 0; i < w->rank; i++)
            text_printf(&msg, "%s %d", i ? " x" : "", w->extents[i]);
        int rc = text_end(&msg, e) ? -1 : fail(f, t->key, e, msg.s);
        text_fini(&msg);
        return rc;
    }
    return read_values(f, t, weight_count(w), out, e) || check_values(f, t, w, out, e) ? -1 : 0;
}

struct weight_source safetensors_source(struct safetensors *f)
{
    return (struct weight_source){read, f};
}
