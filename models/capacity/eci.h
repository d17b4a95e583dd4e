/* eci: the rules of elastic container instances: which size is bought, what is billed, how fast
 * instances can be created.
 *
 * A pod without GPUs gets vCPUs and memory: eci_size.h. A GPU pod gets whole GPUs. Its size comes
 * from the annotation eci-use-specs (up to five instance types, tried in order) or
 * eci-instance-type, or from eci-gpu-type and the limit nvidia.com/gpu: of all sizes that hold the
 * pod the smallest is bought. It costs what the ECS type of that size costs. Sources: Alibaba Cloud
 * ECI quick start for GPU (2019-05-05), ACK documentation (2021-07-15), ECI help pages as named
 * below. */
#ifndef SLUICE_MODELS_CAPACITY_ECI_H
#define SLUICE_MODELS_CAPACITY_ECI_H

#include "sim/clock.h"
#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct pod_shape;
struct virtual_node_config;

/* ---- states (ECI lifecycle page, 2025-01-14; billing page 122385, 2024-03-25) ---- */

enum eci_state {
    ECI_SCHEDULING,
    ECI_PENDING, /* the image download has started */
    ECI_RUNNING,
    ECI_RESTARTING,
    ECI_UPDATING,
    ECI_TERMINATING,
    ECI_SUCCEEDED,
    ECI_FAILED,
    ECI_EXPIRED, /* a preemptible one was taken back */
    ECI_SCHEDULE_FAILED,
    ECI_STATES
};
const char *eci_state_name(enum eci_state s);
/* As Kubernetes shows it: "Pending", "Running", "Succeeded", "Failed". */
const char *eci_state_phase(enum eci_state s);
bool eci_state_billed(enum eci_state s);

/* ---- the rate of creation calls: a token bucket ---- */

struct eci_bucket {
    int64_t burst;  /* tokens at most */
    sim_ns refill;  /* one token */
    sim_ns full_at; /* when it would be full again */
};
struct eci_bucket eci_bucket_make(int64_t burst, double per_second);
/* Takes the next token: the time, not before now, when the call is accepted. */
sim_ns eci_bucket_take(struct eci_bucket *b, sim_ns now);

/* ---- what a pod asks for ---- */

#define ECI_SPECS_MAX 5
#define ECI_ZONES_MAX 16

struct eci_request {
    const char *gpu;               /* kind by annotation; NULL: the pod's gpuTypes, or any */
    const struct pod_shape *pod;   /* limits and kinds */
    char specs[ECI_SPECS_MAX][64]; /* ordered instance types; n_specs 0: by size */
    size_t n_specs;
    bool spot, image_cache, reschedule;
    int64_t limit_micro;           /* most that an hour may cost; 0: as the price goes */
    sim_ns protection;             /* time in which a preemptible one is not taken back */
    uint32_t zones[ECI_ZONES_MAX]; /* in the virtual node's list, in the order of the vSwitches */
    size_t n_zones;                /* at least 1 */
    bool random_zones;             /* VSwitchRandom */
    int64_t extra_storage;         /* bytes beyond what every instance has */
    const char *unknown;           /* an annotation k8s.aliyun.com/eci-* without effect; NULL */
};
/* "" for a virtual node that names no zone. */
const char *eci_zone_name(const struct virtual_node_config *v, uint32_t zone);
/* Annotations k8s.aliyun.com/eci-* over the virtual node's own settings. ERR_INPUT begins with the
 * path below the pod ("annotations.k8s.aliyun.com/eci-use-specs: ..."). */
int eci_request_read(const struct virtual_node_config *v, const struct pod_shape *pod,
                     struct eci_request *out, struct err *e);

/* ---- what the cloud offers for it ---- */

struct eci_offer {
    const char *type; /* ECS type of the size; "2-4Gi" without a GPU, in the list's own memory */
    const char *gpu;  /* NULL: none */
    int32_t gpus;
    int64_t cpu_milli, memory;
    int64_t micro_per_hour;              /* on demand */
    int64_t subscription_micro_per_hour; /* 0: no such price */
    int64_t spot_micro_per_hour;         /* on the mean, by a price row; 0: by the market's share */
    struct knob_texts gpu_variants;      /* instance.h */
};
/* The item of the pod's gpuTypes that the offer's GPU is of; NULL: none. */
const char *eci_offer_item(const struct eci_offer *o, const struct pod_shape *pod);

struct eci_market {
    const struct catalog *catalog;
    const char *currency;
    const struct virtual_node_config *node; /* whose region, prices and counts; NULL: none */
};

struct eci_offers {
    struct eci_offer items[ECI_SPECS_MAX]; /* in the order in which they are tried */
    size_t n;
    size_t matching; /* sizes that hold the pod */
    char names[ECI_SPECS_MAX][32];
};
/* "1 x V100, 8 vCPU", "2 vCPU, 4 GiB". Returns buf. */
char *eci_offer_words(const struct eci_offer *o, char *buf, size_t size);

/* ERR_INPUT when nothing fits, or a price is missing. */
int eci_offers_find(const struct eci_market *m, const struct eci_request *r, struct eci_offers *out,
                    struct err *e);

/* Refuses a share of a GPU: ERR_INPUT with what the smallest whole one costs. asked: as written.
 * gpu NULL: any kind. Returns -1. */
int eci_share_refused(const struct eci_market *m, const char *gpu, const char *asked,
                      struct err *e);

#endif
