/* backend: choice of a backend by its name. */
#include "kernels/backend.h"

#include "sim/text.h"

#include <string.h>

#if HAVE_CUDA
#include "kernels/device.h"

/* A GPU that answers; the reason why there is none goes into e. */
static const struct backend *cuda(struct err *e)
{
    struct err why = {0};
    if (device_count(&why) > 0)
        return &backend_cuda;
    err_set(e, ERR_SYSTEM, NULL, "--backend cuda: %s; `--backend cpu` measures the processor",
            why.msg);
    return NULL;
}
#else
static const struct backend *cuda(struct err *e)
{
    err_set(e, ERR_SYSTEM, NULL,
            "--backend cuda: this sluice was built without CUDA; `--backend cpu` measures the "
            "processor");
    return NULL;
}
#endif

const struct backend *backend_find(const char *name, struct err *e)
{
    struct err none = {0};
    if (strcmp(name, "cpu") == 0)
        return &backend_blas;
    if (strcmp(name, "cuda") == 0)
        return cuda(e);
    if (strcmp(name, "auto") != 0) {
        err_set(e, ERR_INPUT, NULL, "--backend: '%.*s' is none of cpu, cuda, auto",
                text_cut(name, 80), name);
        return NULL;
    }
    const struct backend *gpu = cuda(&none);
    return gpu ? gpu : &backend_blas;
}
