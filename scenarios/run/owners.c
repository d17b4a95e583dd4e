/* owners: whose pods the cluster of a scenario has. */
#include "scenarios/run/owners.h"

#include "models/capacity/headroom.h"
#include "models/capacity/job_list.h"
#include "models/capacity/node_list.h"
#include "scenarios/run/folder.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"

#include <stdio.h>
#include <string.h>

uint32_t owners_first(const struct scenario *s, enum owners_kind kind, uint32_t index)
{
    for (uint32_t i = 0; i < s->n_owners; i++)
        if (s->roles[i].kind == kind && s->roles[i].index == index)
            return i;
    return UINT32_MAX;
}

/* A file that cannot be opened is an error of the scenario, one inside of it is the file's. */
static int list_error(const struct err *cause, const char *path, const char *key, struct err *e)
{
    bool inside =
        strchr(cause->where + (strncmp(cause->where, path, strlen(path)) == 0 ? strlen(path) : 0),
               ':') != NULL;
    if (inside)
        return err_set(e, cause->code, cause->where, "%s: %s", key, cause->msg);
    return err_set(e, cause->code, NULL, "%s: '%s' %s", key, path, cause->msg);
}

static int load_pods(struct scenario *s, struct job_config *c, const char *base_dir, struct err *e)
{
    struct pod_list list;
    struct err cause = {0};
    char key[128];
    char *path = folder_join(s->arena, base_dir, c->pod_list, e);
    struct job_list *made = path ? arena_take(s->arena, 1, sizeof *made, e) : NULL;
    struct job_list_setup set = {&list, &c->pod, c->shares, &c->kinds, c->pod_list_from};
    if (!made)
        return -1;
    snprintf(key, sizeof key, "jobs.%.60s.podList", c->name);
    if (pod_list_load(&list, s->arena, path, &cause) || job_list_make(made, &set, s->arena, &cause))
        return list_error(&cause, path, key, e);
    for (size_t k = 0; k < made->n_shapes; k++) {
        char name[64];
        snprintf(name, sizeof name, "%.40s.%zu", c->name, k);
        made->shapes[k].name = arena_text(s->arena, name, strlen(name), e);
        if (!made->shapes[k].name)
            return -1;
    }
    c->list = made;
    return 0;
}

static int load_nodes(struct scenario *s, const char *base_dir, struct err *e)
{
    struct err cause = {0};
    const char *file = s->cluster.node_list;
    char *path = file ? folder_join(s->arena, base_dir, file, e) : NULL;
    struct node_list *made = path ? arena_take(s->arena, 1, sizeof *made, e) : NULL;
    if (!file)
        return 0;
    if (!made)
        return -1;
    if (node_list_load(made, s->arena, path, &cause))
        return list_error(&cause, path, "nodeList", e);
    s->cluster.nodes = made;
    return 0;
}

static size_t count(const struct scenario *s)
{
    const struct job_config *jobs = s->jobs.items;
    const struct pool_config *pools = s->cluster.pools.items;
    size_t n = s->services.count;
    for (size_t i = 0; i < s->jobs.count; i++)
        n += jobs_owners(&jobs[i]);
    for (size_t i = 0; i < s->cluster.pools.count; i++)
        n += pools[i].headroom > 0;
    return n;
}

/* What is filled, one owner after the other. */
struct filling {
    struct pod_shape *shapes;
    struct startup_config *startups;
    struct owners_role *roles;
    size_t n;
};

static void add(struct filling *f, const struct pod_shape *shape,
                const struct startup_config *startup, struct owners_role role)
{
    f->shapes[f->n] = *shape;
    f->startups[f->n] = *startup;
    f->roles[f->n++] = role;
}

static void add_job(struct filling *f, const struct job_config *c, uint32_t index)
{
    struct owners_role role = {OWNERS_JOB, index};
    if (!c->list)
        add(f, &c->pod, &c->startup, role);
    for (size_t k = 0; c->list && k < c->list->n_shapes; k++)
        add(f, &c->list->shapes[k], &c->startup, role);
}

static int fill(struct scenario *s, struct filling *f, struct err *e)
{
    const struct service_config *services = s->services.items;
    const struct job_config *jobs = s->jobs.items;
    const struct pool_config *pools = s->cluster.pools.items;
    const struct startup_config instant = {.instant = true};
    for (uint32_t i = 0; i < s->services.count; i++)
        add(f, &services[i].pod, &services[i].startup, (struct owners_role){OWNERS_SERVICE, i});
    for (uint32_t i = 0; i < s->jobs.count; i++)
        add_job(f, &jobs[i], i);
    for (uint32_t i = 0; i < s->cluster.pools.count; i++) {
        struct pod_shape shape;
        if (pools[i].headroom == 0)
            continue;
        if (headroom_shape(&shape, &pools[i], s->arena, e))
            return -1;
        add(f, &shape, &instant, (struct owners_role){OWNERS_HEADROOM, i});
    }
    return 0;
}

int owners_make(struct scenario *s, const char *base_dir, struct err *e)
{
    struct job_config *jobs = s->jobs.items;
    if (load_nodes(s, base_dir, e))
        return -1;
    for (size_t i = 0; i < s->jobs.count; i++)
        if (jobs[i].pod_list && load_pods(s, &jobs[i], base_dir, e))
            return -1;
    size_t n = count(s);
    struct filling f = {
        .shapes = arena_take(s->arena, n + 1, sizeof *f.shapes, e),
        .startups = arena_take(s->arena, n + 1, sizeof *f.startups, e),
        .roles = arena_take(s->arena, n + 1, sizeof *f.roles, e),
    };
    if (!f.shapes || !f.startups || !f.roles || fill(s, &f, e))
        return -1;
    s->shapes = f.shapes;
    s->startups = f.startups;
    s->roles = f.roles;
    s->n_owners = f.n;
    return 0;
}
