/* bench_against: `sluice bench compare A B`. */
#include "scenarios/cli/bench.h"
#include "scenarios/cli/bench_compare.h"
#include "scenarios/cli/bench_setup.h"
#include "scenarios/cli/show.h"
#include "sim/arena.h"

#include <stdio.h>

static int compare(struct arena *arena, const struct bench_arguments *a, struct err *e)
{
    struct bench_compare_rule rule = {.force = a->force, .db = a->db};
    struct result before, now;
    struct text t = {0};
    if (bench_setup_tolerance(a->tolerance, &rule.tolerance, e) ||
        bench_compare_load(arena, a->before, a->db, &before, e) ||
        bench_compare_load(arena, a->now, a->db, &now, e))
        return -1;
    int rc = bench_compare(&before, &now, &rule, &t, e);
    if (rc >= 0 && show_print(&t, e) == 0)
        return rc;
    text_fini(&t);
    return -1;
}

int bench_against(const struct bench_arguments *a, struct err *e)
{
    struct arena *arena = arena_create(e);
    int rc = arena ? compare(arena, a, e) : -1;
    arena_destroy(arena);
    return rc;
}
