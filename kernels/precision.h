/* precision: the number format that an operator calculates in. */
#ifndef SLUICE_KERNELS_PRECISION_H
#define SLUICE_KERNELS_PRECISION_H

/* A parameter of every operator. FP32 is the only one there is so far; the double of the reference
 * versions is the measure of all of them, not one of them. */
enum precision { PRECISION_FP32 };

#endif
