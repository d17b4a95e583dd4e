/* planted: small kernels, one right and the others with one known mistake each. */
#ifndef SLUICE_TESTS_CUDA_SHIM_PLANTED_H
#define SLUICE_TESTS_CUDA_SHIM_PLANTED_H

struct device;
struct err;

/* Values that a kernel of this file reads and writes: each is turned around in its block of 64. */
#define PLANTED_VALUES 128

enum planted {
    PLANTED_RIGHT,
    PLANTED_NO_BARRIER,       /* shared memory is read before others have written it */
    PLANTED_RACE,             /* two threads write one place */
    PLANTED_UNINITIALIZED,    /* shared memory that nobody wrote is added */
    PLANTED_WARP_SYNCHRONOUS, /* trusts that a warp runs in step */
    PLANTED_LATE_BLOCK,       /* trusts that blocks run in order */
    PLANTED_SHARED_OVERRUN,   /* one value behind the shared buffer, which ends at its guard page */
    PLANTED_SHARED_CANARY,    /* one value behind a shared buffer of odd size */
    PLANTED_SHARED_UNDERRUN,  /* one value before it */
    PLANTED_GLOBAL_OVERRUN,   /* one value behind the device memory */
    PLANTED_WRONG_STRIDE,     /* walks out of the device memory in steps that are too wide */
    PLANTED_DIVERGENT,        /* half of a block waits at another barrier */
    PLANTED_EARLY_RETURN,     /* some threads leave, the others wait for them */
    PLANTED_SPLIT_WARP,       /* half of a warp shuffles, the other half is at the barrier */
    PLANTED_WRONG_MASK,       /* shuffles with lanes that its mask does not name */
    PLANTED_RECURSION,        /* needs more stack than a thread has */
    PLANTED_LARGE_BLOCK,      /* more threads than a block may have */
    PLANTED_KINDS
};

int planted_run(enum planted what, float *values, struct device *d, struct err *e);

/* Shuffles in all directions and votes, by a warp: 32 results each of xor 5, up 3, down 4, from 7,
 * ballot of odd lanes (low 8 bits), any lane above 30, all below 32. */
#define PLANTED_WARP_VALUES (7 * 32)
int planted_warp(float *values, struct device *d, struct err *e);

#endif
