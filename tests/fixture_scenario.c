/* fixture_scenario: a scenario of tests/scenarios played with some keys set, and what it said. */
#include "tests/fixture_scenario.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

struct fixture_scenario fixture_play(const char *name, const char *const *sets)
{
    struct fixture_scenario p = {0};
    struct err e = {0};
    char path[512];
    size_t n = 0;
    while (sets && sets[n])
        n++;
    snprintf(path, sizeof path, SLUICE_SOURCE_DIR "/tests/scenarios/%s.json", name);
    struct scenario_source source = {
        .path = path, .sets = sets, .n_sets = n, .data_dir = SLUICE_SOURCE_DIR "/scenarios"};
    p.scenario = scenario_load(&source, &e);
    cr_assert(p.scenario, "%s: %s", e.where, e.msg);
    struct run_options options = {.threads = 2, .command = "test"};
    p.run = run_scenario(p.scenario, &options, &e);
    cr_assert(p.run, "%s: %s", e.where, e.msg);
    p.r = run_result(p.run);
    return p;
}

void fixture_stop(struct fixture_scenario *p)
{
    run_destroy(p->run);
    scenario_free(p->scenario);
}

double fixture_value(const struct fixture_scenario *p, const char *path)
{
    const struct figure *f = result_figure(p->r, path);
    cr_assert(f, "there is no figure %s", path);
    return f->value;
}

const char *fixture_path(const struct fixture_scenario *p, const char *subject, char *out,
                         size_t size)
{
    out[0] = '\0';
    for (size_t i = 0; i < p->r->n_entries; i++) {
        const struct result_entry *entry = &p->r->entries[i];
        const char *arrow = strstr(entry->what, " -> ");
        if (strcmp(entry->subject, subject) != 0 || !arrow)
            continue;
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%s", used ? arrow : entry->what);
    }
    return out;
}

static bool holds(const char *text, const char *part)
{
    return !part || strstr(text, part);
}

const struct result_entry *fixture_line(const struct fixture_scenario *p, const char *subject,
                                        const char *what, const char *reason, sim_ns from)
{
    for (size_t i = 0; i < p->r->n_entries; i++) {
        const struct result_entry *entry = &p->r->entries[i];
        bool mine = !subject || strncmp(entry->subject, subject, strlen(subject)) == 0;
        if (mine && entry->at >= from && holds(entry->what, what) && holds(entry->reason, reason))
            return entry;
    }
    return NULL;
}

const char *fixture_finding(const struct fixture_scenario *p, const char *code)
{
    for (size_t i = 0; i < p->r->n_findings; i++)
        if (strcmp(p->r->findings[i].code, code) == 0)
            return p->r->findings[i].text;
    return NULL;
}

double fixture_level(const struct fixture_scenario *p, const char *path, sim_ns at)
{
    const struct result_series *s = result_find_series(p->r, path);
    cr_assert(s, "there is no series %s", path);
    size_t bin = (size_t)(at / s->step);
    cr_assert_lt(bin, s->n);
    return s->mean[bin];
}
