/* threads: several of them work on one thing together. */
#ifndef SLUICE_SCENARIOS_RUN_THREADS_H
#define SLUICE_SCENARIOS_RUN_THREADS_H

#include <stddef.h>

/* Runs work(self) on `n` threads, the calling one among them, and waits for all. Where a thread
 * cannot be had the others do its part, so `work` takes what is left piece by piece. */
void threads_work(void *(*work)(void *self), void *self, size_t n);

#endif
