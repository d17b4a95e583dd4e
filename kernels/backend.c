/* backend: choice of a backend by its name. */
#include "kernels/backend.h"

#include "sim/text.h"

#include <string.h>

const struct backend *backend_find(const char *name, struct err *e)
{
    if (strcmp(name, "cpu") == 0 || strcmp(name, "auto") == 0)
        return &backend_blas;
    if (strcmp(name, "cuda") == 0)
        err_set(e, ERR_SYSTEM, NULL,
                "--backend cuda: this sluice was built without CUDA; `--backend cpu` measures the "
                "processor");
    else
        err_set(e, ERR_INPUT, NULL, "--backend: '%.*s' is none of cpu, cuda, auto",
                text_cut(name, 80), name);
    return NULL;
}
