/* options: parsing arguments by table. */
#include "scenarios/cli/options.h"

#include "sim/text.h"

#include <assert.h>
#include <string.h>

bool options_want_help(int argc, char **argv)
{
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
            return true;
    return false;
}

static const struct option *find(const struct options *o, const char *arg, size_t length)
{
    for (size_t i = 0; i < o->count; i++) {
        const struct option *row = &o->rows[i];
        if (strlen(row->name) == length && strncmp(row->name, arg, length) == 0)
            return row;
        if (row->letter && strlen(row->letter) == length && strncmp(row->letter, arg, length) == 0)
            return row;
    }
    return NULL;
}

static int unknown(const struct options *o, const char *arg, struct err *e)
{
    const char *names[64];
    size_t n = 0;
    for (size_t i = 0; i < o->count && n < 63; i++)
        names[n++] = o->rows[i].name;
    names[n++] = "--help";
    const char *near = text_nearest(arg, names, n);
    return err_set(e, ERR_INPUT, NULL, "unknown option %s%s%s%s; see `%.*s--help`", arg,
                   near ? ", did you mean " : "", near ? near : "", near ? "?" : "",
                   (int)strcspn(o->usage, "["), o->usage);
}

static int store(const struct option *row, const char *value, struct err *e)
{
    int64_t *count = row->out;
    const char **text = row->out;
    struct option_texts *texts = row->out;
    switch (row->kind) {
    case OPTION_FLAG:
        break;
    case OPTION_TEXT:
        *text = value;
        return 0;
    case OPTION_COUNT:
        if (!text_parse_int64(value, count) || *count < 0)
            return err_set(e, ERR_INPUT, NULL, "%s: '%s' is not a whole number of 0 or more",
                           row->name, value);
        return 0;
    case OPTION_TEXTS:
        if (texts->count == OPTIONS_MAX_TEXTS)
            return err_set(e, ERR_INPUT, NULL, "%s: given more than %d times", row->name,
                           OPTIONS_MAX_TEXTS);
        texts->items[texts->count++] = value;
        return 0;
    }
    return -1;
}

static int operand(const struct options *o, const char *arg, struct option_texts *operands,
                   struct err *e)
{
    if (operands->count == o->max_operands)
        return err_set(e, ERR_INPUT, NULL, "'%s' is one argument too many; usage: %s", arg,
                       o->usage);
    operands->items[operands->count++] = arg;
    return 0;
}

/* One option at argv[*i]; moves *i over its value. */
static int one_option(const struct options *o, int argc, char **argv, int *i, struct err *e)
{
    const char *arg = argv[*i], *equals = strchr(arg, '=');
    size_t length = equals ? (size_t)(equals - arg) : strlen(arg);
    const struct option *row = find(o, arg, length);
    if (!row)
        return unknown(o, arg, e);
    if (row->kind == OPTION_FLAG) {
        if (equals)
            return err_set(e, ERR_INPUT, NULL, "%s takes no value", row->name);
        *(bool *)row->out = true;
        return 0;
    }
    if (equals)
        return store(row, equals + 1, e);
    if (*i + 1 >= argc)
        return err_set(e, ERR_INPUT, NULL, "%s needs a value: %s %s", row->name, row->name,
                       row->value);
    return store(row, argv[++*i], e);
}

int options_parse(const struct options *o, int argc, char **argv, struct option_texts *operands,
                  struct err *e)
{
    bool only_operands = false;
    assert(o->max_operands <= OPTIONS_MAX_TEXTS);
    operands->count = 0;
    for (int i = 0; i < argc; i++) {
        bool dash = argv[i][0] == '-' && argv[i][1] != '\0' && !only_operands;
        if (dash && strcmp(argv[i], "--") == 0)
            only_operands = true;
        else if (dash ? one_option(o, argc, argv, &i, e) : operand(o, argv[i], operands, e))
            return -1;
    }
    if (operands->count < o->min_operands)
        return err_set(e, ERR_INPUT, NULL, "too few arguments; usage: %s", o->usage);
    return 0;
}

void options_print(const struct options *o, FILE *to)
{
    fprintf(to, "usage: %s\n\n%s\n", o->usage, o->doc);
    if (o->count > 0)
        fprintf(to, "\noptions:\n");
    for (size_t i = 0; i < o->count; i++) {
        const struct option *row = &o->rows[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s%s%s", row->letter ? row->letter : "",
                 row->letter ? ", " : "", row->name, row->value ? " " : "",
                 row->value ? row->value : "");
        fprintf(to, "  %-26s %s\n", left, row->doc);
    }
}
