/* explain: the reference of every key, from the knob tables themselves. */
#include "scenarios/run/explain.h"

#include "sim/arena.h"
#include "sim/knob.h"
#include "sim/text.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 80
#define LEVELS_MOST 16 /* a table that holds itself ends here */
#define ENTRIES_MOST 8192

/* One place of the reference: a row, or (row NULL) a table that a choice or the root opens. */
struct entry {
    const char *path; /* "services[].slo.p99" */
    const struct knob *row;
    const struct knob_table *table; /* below the row, NULL for a leaf */
    bool again;                     /* an earlier entry has the same row and table */
};

struct index {
    struct arena *arena;
    struct entry *entries;
    size_t n;
    struct err *e;
};

/* ---- the list of all places ---- */

static bool same_entry(const struct entry *a, const struct entry *b)
{
    return a->row == b->row && a->table == b->table;
}

static int add_entry(struct index *x, const char *path, const struct knob *row,
                     const struct knob_table *table)
{
    assert(x->n < ENTRIES_MOST);
    struct entry *made = &x->entries[x->n];
    made->path = arena_text(x->arena, path, strlen(path), x->e);
    made->row = row;
    made->table = table;
    for (size_t i = 0; i < x->n && !made->again; i++)
        made->again = same_entry(&x->entries[i], made);
    x->n++;
    return made->path ? 0 : -1;
}

static int add_table(struct index *x, const char *path, const struct knob_table *table, int level);

static int add_options(struct index *x, const char *path, const struct knob *row, int level)
{
    char below[512];
    for (size_t i = 0; row->options[i]; i++) {
        const struct knob_option *o = row->options[i];
        int length = snprintf(below, sizeof below, "%s.%s", path, o->name);
        assert(length > 0 && (size_t)length < sizeof below);
        if (!o->table)
            continue;
        if (add_entry(x, below, NULL, o->table) || add_table(x, below, o->table, level + 1))
            return -1;
    }
    return 0;
}

static int add_row(struct index *x, const char *path, const struct knob *row, int level)
{
    char own[512], below[520];
    snprintf(own, sizeof own, "%s%s%s", path, *path ? "." : "", row->key);
    snprintf(below, sizeof below, "%s%s", own, row->kind == KNOB_LIST ? "[]" : "");
    bool nested = row->kind == KNOB_OBJECT || row->kind == KNOB_POINTER || row->kind == KNOB_LIST;
    if (add_entry(x, nested ? below : own, row, nested ? row->table : NULL))
        return -1;
    if (nested)
        return add_table(x, below, row->table, level + 1);
    return row->kind == KNOB_CHOICE ? add_options(x, own, row, level) : 0;
}

static int add_table(struct index *x, const char *path, const struct knob_table *table, int level)
{
    if (level == LEVELS_MOST)
        return 0;
    for (const struct knob *row = table->rows; row->key; row++)
        if (add_row(x, path, row, level))
            return -1;
    return 0;
}

/* Every place below root; the arena is the caller's to destroy. */
static int index_make(struct index *x, const struct knob_table *root, struct err *e)
{
    *x = (struct index){.e = e};
    x->arena = arena_create(e);
    if (!x->arena)
        return -1;
    x->entries = arena_take(x->arena, ENTRIES_MOST, sizeof *x->entries, e);
    if (!x->entries || add_entry(x, "", NULL, root))
        return -1;
    return add_table(x, "", root, 0);
}

/* ---- text of 80 columns ---- */

/* Bytes of the next word, and its width in characters. */
static size_t word_at(const char *s, size_t *width)
{
    size_t n = 0;
    *width = 0;
    for (; s[n] && s[n] != ' '; n++)
        *width += ((unsigned char)s[n] & 0xC0) != 0x80;
    return n;
}

/* Appends words from column `at` on; further lines are indented by `indent`. */
static void put_wrapped(struct text *t, const char *s, size_t indent, size_t at)
{
    size_t column = at;
    bool first = true;
    while (*s) {
        size_t width, n = word_at(s, &width);
        if (!first && column + 1 + width > COLUMNS) {
            text_printf(t, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
        }
        text_printf(t, "%s%.*s", first ? "" : " ", (int)n, s);
        column += width + !first;
        first = false;
        s += n;
        s += strspn(s, " ");
    }
    text_add(t, "\n");
}

static void put_default(struct text *t, const struct knob *row)
{
    if (!row->preset && row->kind == KNOB_OBJECT)
        text_add(t, "its own keys' defaults");
    else if (!row->preset)
        text_add(t, "none, it must be given");
    else if (!*row->preset)
        text_add(t, "absent");
    else
        text_add(t, row->preset);
}

static void put_origin(struct text *t, const struct knob *row)
{
    if (row->quality != QUALITY_NONE)
        text_printf(t, "%s%s", knob_quality_name(row->quality), row->source ? ": " : "");
    if (row->source)
        text_add(t, row->source);
}

/* Appends "label   text" at an indent, if there is a text, and empties it. */
static void put_field(struct text *t, size_t indent, const char *label, struct text *s)
{
    if (s->length) {
        text_printf(t, "%*s%-9s", (int)indent, "", label);
        put_wrapped(t, s->s, indent + 9, indent + 9);
    }
    text_fini(s);
}

static void put_names(struct text *t, size_t indent, const struct knob *row)
{
    struct text s = {0};
    for (const struct knob_name *n = row->names; n->name; n++) {
        if (!n->doc || !*n->doc)
            continue;
        text_printf(&s, "%s: %s", n->name, n->doc);
        put_field(t, indent, "", &s);
    }
}

/* What a row accepts, its default, what it means, and whose word that is. */
static void put_row(struct text *t, size_t indent, const struct knob *row)
{
    struct text s = {0};
    if (row->doc) {
        text_printf(t, "%*s", (int)indent, "");
        put_wrapped(t, row->doc, indent, indent);
    }
    knob_describe(&s, row);
    put_field(t, indent, "value", &s);
    if (row->kind == KNOB_NAME)
        put_names(t, indent, row);
    put_default(&s, row);
    put_field(t, indent, "default", &s);
    put_origin(&s, row);
    put_field(t, indent, "source", &s);
}

static void put_table(struct text *t, const struct knob_table *table)
{
    for (const struct knob *row = table->rows; row->key; row++) {
        text_printf(t, "\n  %s\n", row->key);
        put_row(t, 6, row);
    }
}

static void put_entry(struct text *t, const struct entry *x)
{
    text_printf(t, "%s\n", *x->path ? x->path : x->table->name);
    if (x->row)
        put_row(t, 4, x->row);
    else if (x->table->doc)
        text_printf(t, "    %s\n", x->table->doc);
    if (x->table)
        put_table(t, x->table);
}

static void put_options(struct text *t, const struct knob *row)
{
    for (size_t i = 0; row->options[i]; i++) {
        const struct knob_option *o = row->options[i];
        text_printf(t, "\n  %s\n", o->name);
        if (o->table && o->table->doc) {
            text_add(t, "      ");
            put_wrapped(t, o->table->doc, 6, 6);
        }
    }
}

/* ---- finding ---- */

/* A path without what stands in brackets. */
static void strip_brackets(const char *s, char *out, size_t size)
{
    size_t n = 0;
    bool inside = false;
    for (; *s && n + 1 < size; s++) {
        inside = inside || *s == '[';
        if (!inside)
            out[n++] = *s;
        if (*s == ']')
            inside = false;
    }
    out[n] = '\0';
}

/* How well an entry answers: 3 the whole path, 2 a table's or choice's name, 1 the path's end. */
static int match(const struct entry *x, const char *query)
{
    char plain[512];
    strip_brackets(x->path, plain, sizeof plain);
    size_t n = strlen(plain), m = strlen(query);
    if (strcmp(plain, query) == 0)
        return 3;
    if (x->table && strcmp(x->table->name, query) == 0)
        return 2;
    return n > m && plain[n - m - 1] == '.' && strcmp(plain + n - m, query) == 0;
}

/* The first path that ends as the query does: "services[].traffic.clients" for
 * "services.clients". */
static const char *same_end(const struct index *x, const char *query)
{
    const char *dot = strrchr(query, '.');
    for (size_t i = 0; dot && i < x->n; i++)
        if (match(&x->entries[i], dot + 1) == 1)
            return x->entries[i].path;
    return NULL;
}

static int fail_unknown(const struct index *x, const char *query, struct err *e)
{
    const char *names[2 * ENTRIES_MOST];
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        const struct entry *entry = &x->entries[i];
        names[n++] = *entry->path ? entry->path : NULL;
        names[n++] = entry->row ? entry->row->key : entry->table->name;
    }
    const char *nearest = text_nearest(query, names, n);
    nearest = nearest ? nearest : same_end(x, query);
    if (!nearest)
        return err_set(e, ERR_INPUT, "explain",
                       "unknown key '%.*s'; `sluice explain` lists the keys at the top, `sluice "
                       "explain --all` every key",
                       text_cut(query, 100), query);
    return err_set(e, ERR_INPUT, "explain", "unknown key '%.*s'; did you mean '%s'?",
                   text_cut(query, 100), query, nearest);
}

static int put_matches(struct text *t, const struct index *x, const char *query, struct err *e)
{
    int best = 0;
    bool any = false;
    for (size_t i = 0; i < x->n; i++) {
        int m = match(&x->entries[i], query);
        best = m > best ? m : best;
    }
    if (best == 0)
        return fail_unknown(x, query, e);
    for (size_t i = 0; i < x->n; i++) {
        const struct entry *entry = &x->entries[i];
        if (match(entry, query) != best || (entry->again && best < 3))
            continue;
        text_add(t, any ? "\n" : "");
        put_entry(t, entry);
        if (entry->row && entry->row->kind == KNOB_CHOICE)
            put_options(t, entry->row);
        any = true;
    }
    return text_end(t, e);
}

int explain_key(struct text *t, const struct knob_table *root, const char *query, struct err *e)
{
    assert(t && root && e);
    struct index x;
    char plain[512];
    strip_brackets(query ? query : "", plain, sizeof plain);
    int failed = index_make(&x, root, e) || put_matches(t, &x, plain, e);
    arena_destroy(x.arena);
    return failed ? -1 : 0;
}

/* ---- Markdown ---- */

/* A cell of a table: no bars, no line breaks, and nothing that reads as HTML. */
static void put_cell(struct text *t, const char *s)
{
    for (; *s; s++) {
        if (*s == '|' || *s == '<' || *s == '*' || *s == '_' || *s == '`')
            text_add(t, "\\");
        text_add_bytes(t, *s == '\n' ? " " : s, 1);
    }
}

static void put_cell_text(struct text *t, struct text *s)
{
    text_add(t, " | ");
    put_cell(t, s->s ? s->s : "");
    text_fini(s);
}

static void put_markdown_row(struct text *t, const struct knob *row)
{
    struct text s = {0};
    text_printf(t, "| `%s`", row->key);
    text_add(&s, row->doc ? row->doc : "");
    if (row->kind == KNOB_NAME)
        for (const struct knob_name *n = row->names; n->name; n++)
            text_printf(&s, "%s %s%s%s", n == row->names ? "" : ";", n->name,
                        n->doc && *n->doc ? ": " : "", n->doc ? n->doc : "");
    put_cell_text(t, &s);
    knob_describe(&s, row);
    put_cell_text(t, &s);
    put_default(&s, row);
    put_cell_text(t, &s);
    put_origin(&s, row);
    put_cell_text(t, &s);
    text_add(t, " |\n");
}

static void put_section(struct text *t, const struct entry *x)
{
    text_printf(t, "\n## %s%s%s\n\n", *x->path ? "`" : "", *x->path ? x->path : x->table->name,
                *x->path ? "`" : "");
    if (x->table->doc)
        text_printf(t, "%s\n\n", x->table->doc);
    if (!x->table->rows->key) {
        text_add(t, "It has no settings.\n");
        return;
    }
    text_add(t, "| key | meaning | value | default | source of the default |\n"
                "|---|---|---|---|---|\n");
    for (const struct knob *row = x->table->rows; row->key; row++)
        put_markdown_row(t, row);
}

/* The path at which a table has its section already, or NULL. */
static const char *section_before(const struct index *x, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (x->entries[j].table == x->entries[i].table)
            return x->entries[j].path;
    return NULL;
}

int explain_reference(struct text *t, const struct knob_table *root, struct err *e)
{
    assert(t && root && e);
    struct index x;
    int failed = index_make(&x, root, e);
    for (size_t i = 0; !failed && i < x.n; i++) {
        const char *before = x.entries[i].table ? section_before(&x, i) : NULL;
        if (before)
            text_printf(t, "\n## `%s`\n\nThe same keys as `%s`.\n", x.entries[i].path, before);
        else if (x.entries[i].table)
            put_section(t, &x.entries[i]);
    }
    arena_destroy(x.arena);
    return failed ? -1 : text_end(t, e);
}
