/* instance: a machine shape that a cloud sells. */
#include "models/capacity/instance.h"

#include "models/money/quality.h"

#include <string.h>

static const struct knob rows[] = {
    {.key = "type",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct instance_type, name),
     .doc = "Name by which pools and prices refer to it."},
    {.key = "provider",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct instance_type, provider),
     .doc = "Who sells it.",
     .preset = "alibaba"},
    {.key = "vcpu",
     .kind = KNOB_INT32,
     .offset = offsetof(struct instance_type, vcpu),
     .unit = "vCPU",
     .doc = "Virtual CPUs.",
     .min = 1,
     .max = 1024},
    {.key = "memory",
     .kind = KNOB_BYTES,
     .offset = offsetof(struct instance_type, memory),
     .doc = "Memory of the machine; nodes offer less (see reservedMemory of a pool).",
     .min = 1,
     .max = 1e15},
    {.key = "gpu",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct instance_type, gpu),
     .doc = "Kind of GPU, such as V100.",
     .preset = ""},
    {.key = "gpuVariants",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct instance_type, gpu_variants),
     .doc = "Names of the same GPU that tell its memory, such as V100M16 and V100M32 of the openb "
            "trace; pods may ask for the kind or for a variant.",
     .preset = ""},
    {.key = "gpus",
     .kind = KNOB_INT32,
     .offset = offsetof(struct instance_type, gpus),
     .unit = "GPUs",
     .doc = "Whole GPUs.",
     .preset = "0",
     .min = 0,
     .max = 64},
    {.key = "gpuMemory",
     .kind = KNOB_BYTES,
     .offset = offsetof(struct instance_type, gpu_memory),
     .doc = "Memory of each GPU as the driver reports it.",
     .preset = "",
     .min = 0,
     .max = 1e15},
    {.key = "networkGbit",
     .kind = KNOB_NUMBER,
     .offset = offsetof(struct instance_type, network_gbit),
     .unit = "Gbit/s",
     .doc = "Network bandwidth.",
     .preset = "",
     .min = 0,
     .max = 1e5},
    {.key = "kubernetesNode",
     .kind = KNOB_BOOL,
     .offset = offsetof(struct instance_type, kubernetes_node),
     .doc = "Whether ACK takes it as a node (at least 4 vCPU and 8 GiB).",
     .preset = "true",
     .quality = QUALITY_OFFICIAL,
     .source = "Alibaba Cloud ACK documentation, limits, 2021-07-15"},
    QUALITY_ROWS(struct instance_type),
    {0},
};

static int check(const void *config, const char **key, struct err *e)
{
    const struct instance_type *t = config;
    *key = "gpuVariants";
    if (!t->gpu && t->gpu_variants.count > 0)
        return err_set(e, ERR_INPUT, NULL, "a variant goes with `gpu`, the kind that it is of");
    if ((t->gpus > 0) == (t->gpu != NULL))
        return 0;
    *key = t->gpu ? "gpus" : "gpu";
    return err_set(e, ERR_INPUT, NULL, "`gpu` (the kind) and `gpus` (how many) go together");
}

bool instance_has_gpu(const struct instance_type *t, const char *kind)
{
    for (size_t i = 0; i < t->gpu_variants.count; i++)
        if (strcmp(t->gpu_variants.items[i], kind) == 0)
            return true;
    return t->gpu && strcmp(t->gpu, kind) == 0;
}

const struct knob_table instance_knobs = {
    .name = "instance",
    .doc = "An instance type: one row of `instances` in a catalogue file.",
    .rows = rows,
    .size = sizeof(struct instance_type),
    .check = check,
};
