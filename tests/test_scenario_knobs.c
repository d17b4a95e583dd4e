/* test_scenario_knobs: every row of every table below the scenario is sound. */
#include "scenarios/run/bind.h"
#include "scenarios/run/scenario.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "sim/knob.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MOST 16

static struct arena *arena;
static int rows_seen;

static void visit(const struct knob_table *table, const char *path, int level);

/* A default is a text in the table: nothing but binding it shows that it is a value. */
static void check_preset(const struct knob *row, const struct knob_table *table, const char *path)
{
    if (!row->preset || !*row->preset)
        return;
    struct bind b = {.arena = arena};
    struct err e = {0};
    void *config = calloc(1, table->size);
    bool quoted = row->preset[0] != '{' && row->preset[0] != '[';
    struct json *value = NULL;
    if (row->kind != KNOB_TEXT && row->kind != KNOB_DURATION && row->kind != KNOB_MONEY)
        value = json_parse(arena, "default", row->preset, strlen(row->preset), &(struct err){0});
    if (!value && quoted) {
        value = json_new(arena, JSON_STRING, "default", 1, 1, &e);
        value->string = row->preset;
    }
    cr_assert(value, "%s: its default '%s' is no value", path, row->preset);
    cr_assert_eq(bind_value(&b, row, value, path, config, &e), 0, "%s: %s", path, e.msg);
    free(config);
}

static void check_row(const struct knob *row, const struct knob_table *table, const char *path)
{
    rows_seen++;
    cr_assert(row->doc && *row->doc, "%s: no doc", path);
    cr_assert(row->offset < table->size, "%s: its offset lies outside", path);
    cr_assert(row->quality == QUALITY_NONE || (row->source && *row->source),
              "%s: a default with a quality and no source", path);
    cr_assert(row->kind != KNOB_NAME || row->names, "%s: no names", path);
    cr_assert(row->kind != KNOB_CHOICE || row->options, "%s: no options", path);
    cr_assert(row->kind != KNOB_CUSTOM || (row->read && row->shape), "%s: no reader or shape",
              path);
    for (const struct knob *other = table->rows; other != row; other++)
        cr_assert(strcmp(other->key, row->key) != 0, "%s: its key stands twice", path);
    check_preset(row, table, path);
}

static void visit_options(const struct knob *row, const char *path, int level)
{
    char below[512];
    for (size_t i = 0; row->options[i]; i++) {
        const struct knob_option *o = row->options[i];
        int n = snprintf(below, sizeof below, "%s.%s", path, o->name);
        cr_assert(n > 0 && n < (int)sizeof below, "%s: a longer path than this test holds", path);
        if (o->table)
            visit(o->table, below, level + 1);
        bool found = !o->short_key;
        for (const struct knob *r = o->table ? o->table->rows : NULL; r && r->key; r++)
            found = found || strcmp(r->key, o->short_key) == 0;
        cr_assert(found, "%s: its short key %s is no key", below, o->short_key);
    }
}

static void visit(const struct knob_table *table, const char *path, int level)
{
    char own[512];
    cr_assert(table->name && table->doc, "%s: a table without name or doc", path);
    for (const struct knob *row = table->rows; row->key && level < LEVELS_MOST; row++) {
        snprintf(own, sizeof own, "%s%s%s", path, *path ? "." : "", row->key);
        check_row(row, table, own);
        if (row->kind == KNOB_OBJECT || row->kind == KNOB_POINTER || row->kind == KNOB_LIST) {
            cr_assert(row->table, "%s: no table", own);
            visit(row->table, own, level + 1);
        }
        if (row->kind == KNOB_CHOICE)
            visit_options(row, own, level);
    }
}

Test(scenario_knobs, has_a_meaning_and_a_valid_default_in_every_row)
{
    struct err e = {0};
    arena = arena_create(&e);
    visit(&scenario_knobs, "", 0);
    cr_assert_gt(rows_seen, 100);
    arena_destroy(arena);
}
