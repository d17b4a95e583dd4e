/* parallel: pieces of work shared out among threads that wait for it.
 *
 * Which thread takes which piece is left to chance, so a piece must not care: it writes what no
 * other piece of the same call reads or writes, and the result is the same for any number of
 * threads. Between two calls the threads watch for work a moment, then sleep. */
#ifndef SLUICE_KERNELS_PARALLEL_H
#define SLUICE_KERNELS_PARALLEL_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct parallel;

#define PARALLEL_MAX_THREADS 1024

/* threads - 1 of them beside the caller's, 1 <= threads <= PARALLEL_MAX_THREADS. NULL and
 * ERR_SYSTEM when memory or threads run out. */
struct parallel *parallel_create(int32_t threads, struct err *e);
void parallel_destroy(struct parallel *p);          /* accepts NULL */
int32_t parallel_threads(const struct parallel *p); /* 1 for NULL */

/* thread: 0..threads-1, for scratch that each thread has of its own. */
typedef void parallel_piece(void *self, size_t piece, int32_t thread);

/* Calls piece for 0..pieces-1 and returns when all are done. With NULL the caller does them one
 * after the other. One call at a time; not from within a piece. */
void parallel_run(struct parallel *p, size_t pieces, parallel_piece *piece, void *self);

/* Into how many pieces to cut `size` of something of which less than `least` is not worth a piece:
 * 1, 2, 4 or a multiple of 8, which most numbers of processors share evenly. */
size_t parallel_pieces(size_t size, size_t least);
/* Where piece i of `pieces` begins in `size`; the next one's beginning is its end. */
size_t parallel_begin(size_t size, size_t pieces, size_t i);

#endif
