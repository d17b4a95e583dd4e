/* arena: memory with one lifetime. */
#include "sim/arena.h"

#include "sim/err.h"

#include <assert.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Blocks grow with the arena, so that a small scenario takes little and a large trace few calls. */
#define BLOCK_FIRST ((size_t)16 << 10)
#define BLOCK_LARGEST ((size_t)1 << 20)

struct block {
    struct block *previous;
    size_t used, size; /* of bytes[] */
    alignas(max_align_t) unsigned char bytes[];
};

struct arena {
    struct block *newest; /* the only one with free room worth looking at */
    size_t next_size;
};

struct arena *arena_create(struct err *e)
{
    struct arena *a = calloc(1, sizeof *a);
    if (!a) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory");
        return NULL;
    }
    a->next_size = BLOCK_FIRST;
    return a;
}

void arena_destroy(struct arena *a)
{
    if (!a)
        return;
    for (struct block *b = a->newest; b;) {
        struct block *previous = b->previous;
        free(b);
        b = previous;
    }
    free(a);
}

void arena_clear(struct arena *a)
{
    struct block *kept = a->newest;
    if (!kept)
        return;
    for (struct block *b = kept->previous; b;) {
        struct block *previous = b->previous;
        free(b);
        b = previous;
    }
    kept->previous = NULL;
    memset(kept->bytes, 0, kept->used);
    kept->used = 0;
}

static struct block *block_create(size_t size, struct err *e)
{
    struct block *b = NULL;
    if (size <= SIZE_MAX - sizeof *b)
        b = calloc(1, sizeof *b + size);
    if (!b) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory: %zu bytes more are needed", size);
        return NULL;
    }
    b->size = size;
    return b;
}

/* A block with room for `need` bytes. One that is larger than the usual block is put behind the
 * newest, whose free room stays in use. */
static struct block *block_for(struct arena *a, size_t need, struct err *e)
{
    struct block *newest = a->newest;
    if (newest && newest->size - newest->used >= need)
        return newest;
    bool large = need > a->next_size / 2;
    struct block *b = block_create(large ? need : a->next_size, e);
    if (!b)
        return NULL;
    if (large && newest) {
        b->previous = newest->previous;
        newest->previous = b;
        return b;
    }
    b->previous = newest;
    a->newest = b;
    if (!large && a->next_size < BLOCK_LARGEST)
        a->next_size *= 2;
    return b;
}

void *arena_take(struct arena *a, size_t count, size_t size, struct err *e)
{
    assert(a && e);
    const size_t align = alignof(max_align_t);
    bool small = (count | size) < (size_t)1 << 24; /* no division for the usual piece */
    if (!small && size && count > (SIZE_MAX - align) / size) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory: %zu times %zu bytes are needed", count, size);
        return NULL;
    }
    size_t need = (count * size + align - 1) / align * align;
    if (need == 0)
        need = align;
    struct block *b = block_for(a, need, e);
    if (!b)
        return NULL;
    void *taken = b->bytes + b->used;
    b->used += need;
    return taken;
}

char *arena_text(struct arena *a, const char *s, size_t length, struct err *e)
{
    assert(s || length == 0);
    char *copy = length < SIZE_MAX ? arena_take(a, length + 1, 1, e) : NULL;
    if (copy && length)
        memcpy(copy, s, length);
    return copy;
}
