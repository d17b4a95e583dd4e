/* instance: a machine shape that a cloud sells. */
#ifndef SLUICE_MODELS_CAPACITY_INSTANCE_H
#define SLUICE_MODELS_CAPACITY_INSTANCE_H

#include "sim/err.h"
#include "sim/knob.h"

#include <stdbool.h>
#include <stdint.h>

/* Open data, one row of a catalogue file's `instances`. */
struct instance_type {
    const char *name; /* "ecs.gn6v-c8g1.2xlarge" */
    const char *provider;
    const char *gpu;                /* "V100"; NULL: none */
    struct knob_texts gpu_variants; /* names of the same GPU that tell more: "V100M32" */
    int32_t gpus;
    int64_t gpu_memory; /* bytes a GPU; 0: not said */
    int32_t vcpu;
    int64_t memory; /* bytes of capacity, not allocatable */
    double network_gbit;
    bool kubernetes_node; /* false: too small for a node of ACK, sold as ECI only */
    int quality;          /* enum knob_quality */
    const char *date, *source, *note;
};

extern const struct knob_table instance_knobs; /* "instance" */

/* Whether its GPUs are of this kind, or this variant of it. */
bool instance_has_gpu(const struct instance_type *t, const char *kind);

#endif
