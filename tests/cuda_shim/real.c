/* real: the shim's questions on a real GPU, for the tests that kernels/check_gpu.sh builds. */
#include "tests/cuda_shim/shim.h"

/* A GPU chooses its order itself, reports its faults by its calls, and does not count. */
void shim_lane_order(enum shim_order order)
{
    (void)order;
}

const char *shim_fault(void)
{
    return "";
}

int64_t shim_live(void)
{
    return 0;
}
