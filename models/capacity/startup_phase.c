/* startup_phase: the phases of a start, their order and their names. */
#include "models/capacity/startup.h"

#include <assert.h>

/* In the order of a start. */
static const struct {
    enum startup_phase phase;
    const char *name;
} phases[STARTUP_PHASES] = {
    {STARTUP_WAIT_NODE, "waitNode"},
    {STARTUP_NODE_BOOT, "nodeBoot"},
    {STARTUP_GPU_READY, "gpuReady"},
    {STARTUP_CREATE, "create"},
    {STARTUP_IMAGE_PULL, "imagePull"},
    {STARTUP_VOLUME_MOUNT, "volumeMount"},
    {STARTUP_CONTAINER_START, "containerStart"},
    {STARTUP_FIRST_USE, "firstUse"},
    {STARTUP_MODEL_LOAD, "modelLoad"},
    {STARTUP_FRAMEWORK_INIT, "frameworkInit"},
    {STARTUP_WARM_UP, "warmUp"},
    {STARTUP_READINESS, "readiness"},
    {STARTUP_RESTART, "restart"},
};

enum startup_phase startup_phase_order(int n)
{
    assert(n >= 0 && n < STARTUP_PHASES);
    return phases[n].phase;
}

const char *startup_phase_name(enum startup_phase p)
{
    assert((unsigned)p < STARTUP_PHASES);
    int i = 0;
    while (phases[i].phase != p)
        i++;
    return phases[i].name;
}
