/* eci_size: container instances without GPUs: their sizes by vCPU and memory, and what they cost.
 *
 * What a pod asks for is rounded up to the nearest size that is sold; without a request it is 2
 * vCPU and 4 GiB. Some sizes are sold in some regions only, and not as preemptible instances, which
 * have 2 vCPU at least. An hour costs the vCPUs and the GiB of the size. Sources: Alibaba Cloud ECI
 * help 114662 and 451261 (2021-05-07 to 2026-06-20), ACK documentation (2021-07-15). */
#ifndef SLUICE_MODELS_CAPACITY_ECI_SIZE_H
#define SLUICE_MODELS_CAPACITY_ECI_SIZE_H

#include "sim/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct catalog;
struct eci_market;

/* Open data. */
struct eci_size {
    int64_t cpu_milli, memory;
};

struct eci_size_wish {
    int64_t cpu_milli, memory;
    const char *region; /* NULL: sizes of every region alone */
    bool spot;
};

/* "2-4Gi", "0.25-512Mi": vCPU and memory, as eci-use-specs writes them. */
bool eci_size_parse(const char *text, struct eci_size *out);
/* The same words for a size. */
char *eci_size_name(char *buf, size_t size, const struct eci_size *s);
/* The smallest size that holds the wish: fewest vCPU, then least memory. matching: sizes that do.
 * False when there is none. */
bool eci_size_find(const struct catalog *c, const struct eci_size_wish *wish, struct eci_size *out,
                   size_t *matching);
/* Micro-units an hour, half up. ERR_INPUT that names the key when the run's currency has no price.
 */
int eci_size_price(const struct eci_market *m, const struct eci_size *s, int64_t *micro_per_hour,
                   struct err *e);

#endif
