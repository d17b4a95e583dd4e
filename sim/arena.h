/* arena: memory with one lifetime, given back in one call. */
#ifndef SLUICE_SIM_ARENA_H
#define SLUICE_SIM_ARENA_H

#include <stddef.h>

struct err;
struct arena;

/* NULL and ERR_SYSTEM when the machine is out of memory. */
struct arena *arena_create(struct err *e);
/* Accepts NULL. Frees all that was taken from the arena. */
void arena_destroy(struct arena *a);
/* What was taken is invalid; the arena begins anew and keeps its newest block, for many small lives
 * one after another. */
void arena_clear(struct arena *a);

/* Zeroed, aligned for any type, valid until arena_destroy or arena_clear. count * size is checked
 * for overflow. NULL and ERR_SYSTEM when the machine is out of memory. count or size 0 gives a
 * valid pointer. */
void *arena_take(struct arena *a, size_t count, size_t size, struct err *e);
/* A copy of the first length bytes of s, with a final NUL. */
char *arena_text(struct arena *a, const char *s, size_t length, struct err *e);

#endif
