/* gate: is a measurement slower than an earlier one, beyond what both scatter? */
#ifndef SLUICE_KERNELS_GATE_H
#define SLUICE_KERNELS_GATE_H

/* A median with its 95 % interval; all above 0. */
struct gate_median {
    double value, low, high;
};

enum gate_verdict { GATE_FASTER = -1, GATE_SAME, GATE_SLOWER };

struct gate {
    double ratio;     /* new / old */
    double low, high; /* its 95 % interval: both scatter independently, in the logarithm */
    enum gate_verdict verdict;
};

/* Slower only when the whole interval lies above 1 + tolerance, so that the gate is as wide as the
 * noise that was measured; faster alike. tolerance: a share that nobody minds, 0 or more. */
struct gate gate_judge(const struct gate_median *before, const struct gate_median *now,
                       double tolerance);

#endif
