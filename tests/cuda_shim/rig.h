/* rig: a device of the shim, values on it, and what must be true when it is given back. */
#ifndef SLUICE_TESTS_CUDA_SHIM_RIG_H
#define SLUICE_TESTS_CUDA_SHIM_RIG_H

#include "kernels/device.h"
#include "sim/err.h"
#include "tests/cuda_shim/shim.h"
#include "tests/pair.h"

struct rig {
    struct device *device;
    struct err e;
};

static inline struct rig rig_create(enum shim_order order)
{
    struct rig r = {0};
    shim_lane_order(order);
    r.device = device_create(0, &r.e);
    cr_assert(r.device, "%s", r.e.msg);
    return r;
}

/* Nothing went wrong in a kernel, and nothing is left over. */
static inline void rig_destroy(struct rig *r, const char *what)
{
    const char *fault = shim_fault();
    device_destroy(r->device);
    cr_assert_str_empty(fault, "%s: %s", what, fault);
    fault = shim_fault();
    cr_assert_str_empty(fault, "%s: %s", what, fault);
    cr_assert_eq(r->e.code, ERR_NONE, "%s: %s", what, r->e.msg);
    cr_assert_eq(shim_live(), 0, "%s: %lld things were not given back", what,
                 (long long)shim_live());
}

/* The pair's float values in memory of exactly their size. */
static inline float *rig_put(struct rig *r, const struct pair *p)
{
    float *at = device_take(r->device, p->n * sizeof *at, &r->e);
    cr_assert(at && device_put(r->device, at, p->f, p->n * sizeof *at, &r->e) == 0, "%s", r->e.msg);
    return at;
}

static inline void rig_get(struct rig *r, struct pair *p, const float *at)
{
    int rc = device_get(r->device, p->f, at, p->n * sizeof *at, &r->e);
    cr_assert_eq(rc, 0, "%s %s", r->e.msg, shim_fault());
}

static inline float *rig_scratch(struct rig *r, size_t n)
{
    float *at = device_take(r->device, n * sizeof *at, &r->e);
    cr_assert(at, "%s", r->e.msg);
    return at;
}

#endif
