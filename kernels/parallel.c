/* parallel: a pool of threads that take pieces from a counter. */
#include "kernels/parallel.h"

#include "sim/err.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* How often a waiting thread looks and lets others run before it sleeps: some tenths of a
 * millisecond, more than lies between two steps of a network, less than anyone misses. */
#define PARALLEL_LOOKS 500

struct worker {
    struct parallel *pool;
    int32_t thread;
    pthread_t id;
};

struct parallel {
    int32_t threads, started;
    struct worker *workers;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    /* of the call that runs */
    parallel_piece *piece;
    void *self;
    size_t pieces;
    atomic_size_t next;
    atomic_int busy;   /* workers that have not finished the round */
    atomic_uint round; /* calls so far; the last one of all has piece NULL and ends the workers */
};

static void take_pieces(struct parallel *p, int32_t thread)
{
    for (;;) {
        size_t i = atomic_fetch_add(&p->next, 1);
        if (i >= p->pieces)
            return;
        p->piece(p->self, i, thread);
    }
}

/* Until a round after `seen` begins. */
static void await_round(struct parallel *p, unsigned seen)
{
    for (int i = 0; i < PARALLEL_LOOKS; i++) {
        if (atomic_load(&p->round) != seen)
            return;
        sched_yield();
    }
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->round) == seen)
        pthread_cond_wait(&p->wake, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void await_workers(struct parallel *p)
{
    for (int i = 0; i < PARALLEL_LOOKS; i++) {
        if (atomic_load(&p->busy) == 0)
            return;
        sched_yield();
    }
    pthread_mutex_lock(&p->lock);
    while (atomic_load(&p->busy) != 0)
        pthread_cond_wait(&p->done, &p->lock);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *arg)
{
    struct worker *w = arg;
    struct parallel *p = w->pool;
    for (unsigned seen = 0;; seen++) {
        await_round(p, seen);
        if (!p->piece)
            return NULL;
        take_pieces(p, w->thread);
        if (atomic_fetch_sub(&p->busy, 1) == 1) {
            pthread_mutex_lock(&p->lock);
            pthread_cond_signal(&p->done);
            pthread_mutex_unlock(&p->lock);
        }
    }
}

static void begin_round(struct parallel *p, size_t pieces, parallel_piece *piece, void *self)
{
    p->piece = piece;
    p->self = self;
    p->pieces = pieces;
    atomic_store(&p->next, 0);
    atomic_store(&p->busy, p->started);
    pthread_mutex_lock(&p->lock);
    atomic_fetch_add(&p->round, 1);
    pthread_cond_broadcast(&p->wake);
    pthread_mutex_unlock(&p->lock);
}

struct parallel *parallel_create(int32_t threads, struct err *e)
{
    assert(threads >= 1 && threads <= PARALLEL_MAX_THREADS);
    struct parallel *p = calloc(1, sizeof *p);
    struct worker *workers = calloc((size_t)threads, sizeof *workers);
    if (!p || !workers) {
        free(p);
        free(workers);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %d threads", threads);
        return NULL;
    }
    p->threads = threads;
    p->workers = workers;
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->wake, NULL);
    pthread_cond_init(&p->done, NULL);
    for (; p->started < threads - 1; p->started++) {
        struct worker *w = &workers[p->started];
        *w = (struct worker){.pool = p, .thread = p->started + 1};
        if (pthread_create(&w->id, NULL, work, w)) {
            err_set(e, ERR_SYSTEM, NULL, "%d threads could not be started", threads);
            parallel_destroy(p);
            return NULL;
        }
    }
    return p;
}

void parallel_destroy(struct parallel *p)
{
    if (!p)
        return;
    begin_round(p, 0, NULL, NULL);
    for (int32_t i = 0; i < p->started; i++)
        pthread_join(p->workers[i].id, NULL);
    pthread_cond_destroy(&p->done);
    pthread_cond_destroy(&p->wake);
    pthread_mutex_destroy(&p->lock);
    free(p->workers);
    free(p);
}

int32_t parallel_threads(const struct parallel *p)
{
    return p ? p->threads : 1;
}

void parallel_run(struct parallel *p, size_t pieces, parallel_piece *piece, void *self)
{
    assert(piece);
    if (!p || p->started == 0 || pieces <= 1) {
        for (size_t i = 0; i < pieces; i++)
            piece(self, i, 0);
        return;
    }
    begin_round(p, pieces, piece, self);
    take_pieces(p, 0);
    await_workers(p);
}

size_t parallel_pieces(size_t size, size_t least)
{
    size_t n = size / least;
    return n < 2 ? 1 : n < 4 ? 2 : n < 8 ? 4 : n / 8 * 8;
}

size_t parallel_begin(size_t size, size_t pieces, size_t i)
{
    assert(pieces >= 1 && i <= pieces);
    return size / pieces * i + (i < size % pieces ? i : size % pieces);
}
