/* yaml: the one door to libyaml; YAML as the same tree of values that JSON gives.
 *
 * Plain scalars are typed as Kubernetes types them (YAML 1.1: null, true and yes, 0644 is octal);
 * quoted ones are strings. Anchors, aliases and merge keys are followed, as far as they add no
 * more than YAML_MAX_ALIASED values. Repeated keys, keys that are no text, tags beyond YAML's own,
 * .inf and .nan, numbers that overflow and more than JSON_MAX_DEPTH levels are ERR_INPUT at
 * file:line:column. The limits of JSON hold too. */
#ifndef SLUICE_SCENARIOS_RUN_YAML_H
#define SLUICE_SCENARIOS_RUN_YAML_H

#include "sim/err.h"
#include "sim/json.h"

#include <stddef.h>

struct arena;

#define YAML_MAX_ALIASED 100000
#define YAML_MAX_ANCHORS 1000
#define YAML_MAX_MERGED 1000 /* keys of a mapping that takes part in a merge */

/* One document; none and several are errors. `file` is only named. NULL on failure. */
struct json *yaml_parse(struct arena *a, const char *file, const char *text, size_t length,
                        struct err *e);
/* Every document, in a list; an empty document is null, an empty file an empty list. */
struct json *yaml_parse_all(struct arena *a, const char *file, const char *text, size_t length,
                            struct err *e);

/* Reads a file as JSON (.json) or YAML (.yaml, .yml); with another name, and for "-", as JSON when
 * it begins with a brace or bracket. */
struct json *yaml_load(struct arena *a, const char *path, struct err *e);

#endif
