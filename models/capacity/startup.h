/* startup: what a pod goes through between its node and its first answer.
 *
 * Phases in their order: boot of the node that was bought meanwhile and its GPUs, or creation of a
 * container instance; image pull, volume mount, container start, first use of an image that is
 * loaded lazily, model load, framework initialisation, warm-up. Pulls share the node's download
 * rate and the registry's, and leave the image on the node; loads share the model store. Every
 * other phase is a distribution, drawn by (pod, attempt, phase), so another autoscaler does not
 * change how long pod 7 takes. */
#ifndef SLUICE_MODELS_CAPACITY_STARTUP_H
#define SLUICE_MODELS_CAPACITY_STARTUP_H

#include "sim/clock.h"
#include "sim/dist.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct recorder;
struct sim;

/* The container starts at once; what it touches first is read then. */
struct startup_lazy {
    double share;      /* 0..1: bytes that the first use touches */
    int64_t bandwidth; /* bytes/s of reads on first touch */
};

struct startup_image {
    const char *name;     /* pods with the same name share a node's copy; NULL: the owner's own */
    int64_t size;         /* bytes to download */
    const char *registry; /* preset of the catalogue */
    int64_t bandwidth;    /* bytes/s into one node; 0: the registry's */
    int64_t shared_bandwidth; /* bytes/s of the registry for all; 0: the registry's */
    struct dist time;         /* of a download, instead of bytes / rate, when its mean is above 0 */
    struct dist overhead;     /* before the first byte */
    bool cached;              /* on every node from the start */
    double cached_share;      /* 0..1: layers that every node has from the start */
    const struct startup_lazy *lazy; /* NULL: all bytes come before the container starts */
};

struct startup_model {
    int64_t size;             /* bytes to read; 0: none */
    const char *store;        /* preset of the catalogue */
    int64_t bandwidth;        /* bytes/s into one pod; 0: the store's */
    int64_t shared_bandwidth; /* bytes/s for all pods that load at once; 0: the store's */
    struct dist time;         /* instead of bytes / bandwidth, when its mean is above 0 */
};

struct startup_probe {
    sim_ns initial_delay, period;
    int32_t failures; /* in a row that end the container (liveness) */
};

/* From the start of a container until the probe has failed so often that it ends one that does not
 * answer: the first probe comes initial_delay after the start, the others each period (Kubernetes
 * documentation, Configure Probes, 2024). What answers at that very moment is late. */
sim_ns startup_probe_patience(const struct startup_probe *p);

/* Open data. */
struct startup_config {
    bool instant; /* not in the table: no phases at all, ready when placed */
    struct startup_image image;
    struct startup_model model;
    struct dist volume_mount, container_start, framework_init, warm_up;
    struct startup_probe
        *readiness;                 /* NULL: none: the pod is an endpoint once its container runs */
    struct startup_probe *liveness; /* NULL: none */
};

extern const struct knob_table startup_knobs; /* "startup" */

enum startup_phase {
    STARTUP_WAIT_NODE, /* asked for until placed on a node: counted here, played by the cluster */
    STARTUP_CREATE,    /* of a place of its own: creation call until the image download */
    STARTUP_IMAGE_PULL,
    STARTUP_VOLUME_MOUNT,
    STARTUP_CONTAINER_START,
    STARTUP_MODEL_LOAD,
    STARTUP_FRAMEWORK_INIT,
    STARTUP_WARM_UP,
    STARTUP_READINESS, /* until the probe looks */
    STARTUP_RESTART, /* time lost to containers that the liveness probe ended, back-off included */
    STARTUP_NODE_BOOT, /* part of the wait: its node was bought and was not Ready */
    STARTUP_GPU_READY, /* part of the wait: its node was Ready without its GPUs */
    STARTUP_FIRST_USE, /* bytes of a lazily loaded image */
    STARTUP_PHASES
};
const char *startup_phase_name(enum startup_phase p); /* "imagePull", ... */
/* The n-th phase of a start, 0..STARTUP_PHASES-1. */
enum startup_phase startup_phase_order(int n);

struct startup; /* opaque: the starts in progress */

struct startup_setup {
    const struct startup_config *configs; /* one per owner */
    const char *const *owner_names;
    size_t n_owners;
    const struct catalog *catalog; /* may be NULL when no preset is named */
    size_t max_pods, max_nodes;
    struct sim *sim;
    struct recorder *recorder;
    uint64_t seed, replication;
    /* Upward calls at the simulated now, by pod slot. */
    void *self;
    void (*loading)(void *self, sim_ns now, uint32_t pod, bool listed);
    void (*unlisted)(void *self, sim_ns now, uint32_t pod); /* its container ends and is remade */
    void (*ready)(void *self, sim_ns now, uint32_t pod);
    /* The image download of a pod with a place of its own starts; may be NULL. */
    void (*pulling)(void *self, sim_ns now, uint32_t pod);
};

/* NULL with ERR_INPUT when a preset is unknown. */
struct startup *startup_create(const struct startup_setup *s, struct err *e);
void startup_destroy(struct startup *s);

/* Who starts. */
struct startup_pod {
    uint32_t slot, owner;
    uint64_t number; /* of the pod among its owner's, from 0: its identity for draws */
    uint32_t node;   /* UINT32_MAX: a place of its own, nothing cached, nothing shared */
    sim_ns created;
    const char *name; /* "bert-7": track of its spans; must live until startup_end */
    sim_ns create;    /* of a place of its own; 0: it is there */
    sim_ns image;     /* how long the image takes; 0: by size and rate */
    sim_ns node_bought, node_ready, node_complete; /* of its node; 0: before the pod */
};
void startup_begin(struct startup *s, sim_ns now, const struct startup_pod *pod);
/* Its container has ended and is made again after `wait`: a start of its own, which is counted and
 * timed from now. Only for a pod that got ready. */
void startup_again(struct startup *s, sim_ns now, uint32_t pod, sim_ns wait);
/* The pod goes: whatever phase runs is dropped. No effect on a pod that does not start. */
void startup_end(struct startup *s, sim_ns now, uint32_t pod);
/* Another machine stands at this node slot now: only images that are `cached` are on it. */
void startup_node_new(struct startup *s, uint32_t node);
/* The image of this owner is on the node already. */
void startup_node_cache(struct startup *s, uint32_t node, uint32_t owner);
/* From now on images come at 1/factor of their rate, those that are on their way too. */
void startup_slow_pulls(struct startup *s, sim_ns now, double factor);
/* Writes what startup_tally.h says. */
void startup_close(struct startup *s);

#endif
