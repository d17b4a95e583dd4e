/* bind_overlay: one tree laid over another. */
#ifndef SLUICE_SCENARIOS_RUN_BIND_OVERLAY_H
#define SLUICE_SCENARIOS_RUN_BIND_OVERLAY_H

struct bind;
struct err;
struct json;

/* A new tree: base with the members of over, which win. Objects are merged, anything else is
 * replaced; null in over removes. Each node keeps its own file and place; a merged object has
 * over's. Either may be NULL. NULL and ERR_SYSTEM without memory. */
struct json *bind_overlay(struct bind *b, const struct json *base, const struct json *over,
                          struct err *e);

#endif
