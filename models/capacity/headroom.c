/* headroom: placeholder pods. */
#include "models/capacity/headroom.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* Pods of a lower priority than -10 are not worth a node to the autoscaler; the example of its FAQ
 * for placeholders is -1. */
#define PRIORITY -1

int headroom_shape(struct pod_shape *out, const struct pool_config *pool, struct arena *a,
                   struct err *e)
{
    char name[64];
    static const char *tolerates_all = "";
    snprintf(name, sizeof name, "%.40s-headroom", pool->name);
    struct knob_pair *selector = arena_take(a, 1, sizeof *selector, e);
    char *kept = arena_text(a, name, strlen(name), e);
    if (!selector || !kept)
        return -1;
    *selector = (struct knob_pair){"alibabacloud.com/nodepool-id", pool->name};
    *out = (struct pod_shape){
        .name = kept,
        .gpus = 1,
        .cpu_milli = pool->headroom_cpu_milli,
        .memory_bytes = pool->headroom_memory,
        .node_selector = {selector, 1},
        .tolerations = {&tolerates_all, 1},
        .priority = PRIORITY,
        .placeholder = true,
        .never_preempts = true,
    };
    return 0;
}

void headroom_start(struct headroom *h)
{
    for (int32_t i = 0; i < h->pods; i++)
        cluster_ask(h->cluster, h->owner);
}

void headroom_pod_evicted(struct headroom *h, struct pod_ref pod)
{
    cluster_release(h->cluster, pod);
    cluster_ask(h->cluster, h->owner);
}

void headroom_pod_gone(struct headroom *h)
{
    cluster_ask(h->cluster, h->owner);
}
