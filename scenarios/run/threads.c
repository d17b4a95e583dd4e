/* threads: several of them work on one thing together. */
#include "scenarios/run/threads.h"

#include <pthread.h>
#include <stdlib.h>

void threads_work(void *(*work)(void *self), void *self, size_t n)
{
    pthread_t *others = calloc(n + 1, sizeof *others);
    size_t started = 0;
    while (others && started + 1 < n && pthread_create(&others[started], NULL, work, self) == 0)
        started++;
    work(self);
    for (size_t i = 0; i < started; i++)
        pthread_join(others[i], NULL);
    free(others);
}
