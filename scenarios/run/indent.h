/* indent: manifests whose indentation was lost on the way (copied from a page), nested again.
 *
 * A flattened manifest is YAML as long as no key comes twice: `metadata:` and `spec:` stand empty
 * and what belongs to them follows beside them. That much is mended; where a key comes twice YAML
 * has refused the file already. */
#ifndef SLUICE_SCENARIOS_RUN_INDENT_H
#define SLUICE_SCENARIOS_RUN_INDENT_H

#include "sim/json.h"

#include <stdbool.h>
#include <stddef.h>

/* Nests again what belongs under an empty metadata, spec and their like. True when something was
 * moved; words: what, for a warning ("metadata.name, spec.containers"). */
bool indent_repair(struct json *root, char *words, size_t size);

#endif
