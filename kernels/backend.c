/* backend: choice of a backend by its name. */
#include "kernels/backend.h"

#include "sim/text.h"

#include <string.h>

#if HAVE_CUDA
#include "kernels/device.h"

/* A GPU that answers; else NULL, and *why tells what is missing. */
static const struct backend *cuda(struct err *why)
{
    return device_count(why) > 0 ? &backend_cuda : NULL;
}
#else
static const struct backend *cuda(struct err *why)
{
    err_set(why, ERR_SYSTEM, NULL, "this sluice was built without CUDA");
    return NULL;
}
#endif

const struct backend *backend_find(const char *name, struct err *why, struct err *e)
{
    *why = (struct err){0};
    if (strcmp(name, "cpu") == 0)
        return &backend_blas;
    if (strcmp(name, "cuda") != 0 && strcmp(name, "auto") != 0) {
        err_set(e, ERR_INPUT, NULL, "--backend: '%.*s' is none of cpu, cuda, auto",
                text_cut(name, 80), name);
        return NULL;
    }
    const struct backend *gpu = cuda(why);
    if (gpu || strcmp(name, "auto") == 0)
        return gpu ? gpu : &backend_blas;
    err_set(e, ERR_SYSTEM, NULL, "--backend cuda: %.900s; `--backend cpu` measures the processor",
            why->msg);
    return NULL;
}
