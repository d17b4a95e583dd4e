/* gemm_table: the table of algorithms and its file. */
#include "kernels/gemm_table.h"

#include "sim/arena.h"
#include "sim/err.h"
#include "sim/file.h"
#include "sim/json.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GEMM_TABLE_SCHEMA "sluice.gemmAlgorithms/1"
#define GEMM_TABLE_ALIGNED 256 /* what files without alignments were searched with */
#define GEMM_TABLE_BYTES ((size_t)4 << 20)
#define GEMM_TABLE_NUMBERS 11 /* of a row's shape */

struct gemm_table *gemm_table_create(const char *device, int32_t library, struct err *e)
{
    struct gemm_table *t = calloc(1, sizeof *t);
    if (!t) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for a table of algorithms");
        return NULL;
    }
    snprintf(t->device, sizeof t->device, "%s", device);
    t->library = library;
    return t;
}

void gemm_table_destroy(struct gemm_table *t)
{
    free(t);
}

/* The shape as numbers, in the file's order. */
static void numbers_of(const struct batched_gemm_shape *s, double out[GEMM_TABLE_NUMBERS])
{
    const double all[GEMM_TABLE_NUMBERS] = {s->count,
                                            s->m,
                                            s->n,
                                            s->k,
                                            s->b_transposed,
                                            s->lda,
                                            s->ldb,
                                            s->ldc,
                                            (double)s->a_step,
                                            (double)s->b_step,
                                            (double)s->c_step};
    memcpy(out, all, sizeof all);
}

static bool same(const struct batched_gemm_shape *a, const struct batched_gemm_shape *b)
{
    double x[GEMM_TABLE_NUMBERS], y[GEMM_TABLE_NUMBERS];
    numbers_of(a, x);
    numbers_of(b, y);
    for (size_t i = 0; i < GEMM_TABLE_NUMBERS; i++)
        if (x[i] != y[i])
            return false;
    return a->precision == b->precision;
}

/* Linear: a search reads a few dozen rows, next to a product of many microseconds. */
const struct gemm_choice *gemm_table_find(const struct gemm_table *t,
                                          const struct batched_gemm_shape *s, int32_t alignment)
{
    for (size_t i = 0; t && i < t->count; i++)
        if (t->rows[i].alignment <= alignment && same(&t->rows[i].shape, s))
            return &t->rows[i];
    return NULL;
}

bool gemm_table_add(struct gemm_table *t, const struct gemm_choice *c)
{
    if (t->count == GEMM_TABLE_ROWS)
        return false;
    t->rows[t->count++] = *c;
    return true;
}

void gemm_table_refuse(struct gemm_table *t, const struct gemm_choice *c)
{
    assert(c >= t->rows && c < t->rows + t->count);
    t->rows[c - t->rows].own = true;
    t->refused++;
}

static int fault(const struct json *at, struct err *e, const char *what)
{
    char place[512];
    return err_set(e, ERR_INPUT, json_place(place, sizeof place, at),
                   "%s; delete the file to search anew", what);
}

static int load_shape(const struct json *list, struct batched_gemm_shape *s, struct err *e)
{
    double v[GEMM_TABLE_NUMBERS];
    size_t n = 0;
    if (list->type != JSON_ARRAY || list->count != GEMM_TABLE_NUMBERS)
        return fault(list, e, "a shape is a list of 11 numbers");
    for (const struct json *i = list->first; i; i = i->next, n++) {
        v[n] = i->number;
        if (i->type != JSON_NUMBER || v[n] < 0 || v[n] >= 2147483648.0 ||
            v[n] != (double)(int64_t)v[n])
            return fault(i, e, "a shape's number is a whole one, 0 or more");
    }
    *s = (struct batched_gemm_shape){(int32_t)v[0], (int32_t)v[1], (int32_t)v[2], (int32_t)v[3],
                                     v[4] != 0,     (int32_t)v[5], (int32_t)v[6], (int32_t)v[7],
                                     (size_t)v[8],  (size_t)v[9],  (size_t)v[10], PRECISION_FP32};
    return 0;
}

/* 16 hexadecimal digits a word. */
static int load_algorithm(const struct json *text, struct gemm_choice *c, struct err *e)
{
    if (text->type != JSON_STRING || strlen(text->string) != 16 * 8 ||
        strspn(text->string, "0123456789abcdef") != 16 * 8)
        return fault(text, e, "an algorithm is 128 hexadecimal digits");
    for (size_t i = 0; i < 8; i++) {
        char word[17] = {0};
        memcpy(word, text->string + 16 * i, 16);
        c->algorithm[i] = strtoull(word, NULL, 16);
    }
    return 0;
}

static int load_row(const struct json *o, struct gemm_choice *c, struct err *e)
{
    const struct json *shape = json_get(o, "shape"), *algorithm = json_get(o, "algorithm");
    const struct json *time = json_get(o, "time"), *own = json_get(o, "ownTime");
    const struct json *alignment = json_get(o, "alignment");
    *c = (struct gemm_choice){.own = !algorithm};
    if (!shape || !time || !own || time->type != JSON_NUMBER || own->type != JSON_NUMBER)
        return fault(o, e, "a product has shape, time and ownTime");
    c->time_s = time->number;
    c->own_time_s = own->number;
    c->alignment = GEMM_TABLE_ALIGNED;
    if (alignment && (alignment->type != JSON_NUMBER || alignment->number < 4 ||
                      alignment->number > GEMM_TABLE_ALIGNED))
        return fault(alignment, e, "an alignment is of 4 to 256 bytes");
    if (alignment)
        c->alignment = (int32_t)alignment->number;
    return load_shape(shape, &c->shape, e) || (algorithm && load_algorithm(algorithm, c, e)) ? -1
                                                                                             : 0;
}

static int load_head(const struct gemm_table *t, const struct json *root, struct err *e)
{
    const struct json *schema = json_get(root, "schema"), *device = json_get(root, "device");
    const struct json *library = json_get(root, "cublas"), *rows = json_get(root, "products");
    if (!schema || schema->type != JSON_STRING || strcmp(schema->string, GEMM_TABLE_SCHEMA) != 0)
        return fault(root, e,
                     "this is no table of algorithms (\"schema\": \"" GEMM_TABLE_SCHEMA "\")");
    if (!device || device->type != JSON_STRING || strcmp(device->string, t->device) != 0)
        return fault(device ? device : root, e, "the algorithms are of another GPU");
    if (!library || library->type != JSON_NUMBER || library->number != (double)t->library)
        return fault(library ? library : root, e, "the algorithms are of another cuBLAS");
    if (!rows || rows->type != JSON_ARRAY || rows->count > GEMM_TABLE_ROWS)
        return fault(rows ? rows : root, e, "products is a list of at most 1024");
    return 0;
}

int gemm_table_load(struct gemm_table *t, const char *path, struct err *e)
{
    struct arena *a = arena_create(e);
    size_t length = 0;
    char *text = a ? file_read(a, path, GEMM_TABLE_BYTES, &length, e) : NULL;
    const struct json *root = text ? json_parse(a, path, text, length, e) : NULL;
    int rc = root ? load_head(t, root, e) : -1;
    const struct json *row = rc == 0 ? json_get(root, "products")->first : NULL;
    for (; rc == 0 && row; row = row->next) {
        struct gemm_choice c;
        rc = load_row(row, &c, e);
        if (rc == 0 && !gemm_table_find(t, &c.shape, c.alignment))
            gemm_table_add(t, &c);
    }
    arena_destroy(a);
    return rc;
}

static void save_row(struct json_out *o, const struct gemm_choice *c)
{
    double v[GEMM_TABLE_NUMBERS];
    char digits[16 * 8 + 1];
    numbers_of(&c->shape, v);
    json_out_open(o, "{");
    json_out_key(o, "shape");
    json_out_open(o, "[");
    for (size_t i = 0; i < GEMM_TABLE_NUMBERS; i++)
        json_out_int(o, (int64_t)v[i]);
    json_out_close(o, "]");
    json_out_key(o, "alignment");
    json_out_int(o, c->alignment);
    if (!c->own) {
        for (size_t i = 0; i < 8; i++)
            snprintf(digits + 16 * i, 17, "%016" PRIx64, c->algorithm[i]);
        json_out_key(o, "algorithm");
        json_out_string(o, digits);
    }
    json_out_key(o, "time");
    json_out_number(o, c->time_s);
    json_out_key(o, "ownTime");
    json_out_number(o, c->own_time_s);
    json_out_close(o, "}");
}

static int write_text(const char *path, const char *text, struct err *e)
{
    char part[512];
    int length = snprintf(part, sizeof part, "%s.part", path);
    if (length < 0 || (size_t)length >= sizeof part)
        return err_set(e, ERR_INPUT, path, "the name is too long");
    FILE *f = fopen(part, "w");
    if (!f)
        return err_set(e, ERR_SYSTEM, part, "cannot be written: %s", strerror(errno));
    bool whole = fputs(text, f) >= 0;
    whole = fclose(f) == 0 && whole;
    if (whole && rename(part, path) == 0)
        return 0;
    int rc = err_set(e, ERR_SYSTEM, path, "cannot be written: %s", strerror(errno));
    remove(part);
    return rc;
}

int gemm_table_save(const struct gemm_table *t, const char *path, struct err *e)
{
    struct text text = {0};
    struct json_out o;
    json_out_init(&o, &text, false);
    json_out_open(&o, "{");
    json_out_key(&o, "schema");
    json_out_string(&o, GEMM_TABLE_SCHEMA);
    json_out_key(&o, "device");
    json_out_string(&o, t->device);
    json_out_key(&o, "cublas");
    json_out_int(&o, t->library);
    json_out_key(&o, "products");
    json_out_open(&o, "[");
    for (size_t i = 0; i < t->count; i++)
        save_row(&o, &t->rows[i]);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
    int rc = text_end(&text, e);
    if (rc == 0)
        rc = write_text(path, text.s, e);
    text_fini(&text);
    return rc;
}
