/* blas_core: OpenBLAS' kernels for this processor. */
#ifndef SLUICE_SCENARIOS_CLI_BLAS_CORE_H
#define SLUICE_SCENARIOS_CLI_BLAS_CORE_H

/* An OpenBLAS that does not know the processor takes its oldest kernels. What it should take can
 * only be said in the environment and before it is loaded: so the program starts itself again,
 * once. Call it before anything was printed or opened. */
void blas_core_choose(void);

#endif
