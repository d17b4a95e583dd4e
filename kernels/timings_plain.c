/* timings_plain: rows of batch,seconds[,cv[,samples]]; a first row of words is a header. */
#include "kernels/timings.h"

#include "kernels/timings_table.h"
#include "sim/text.h"

static bool fits(const char *text)
{
    (void)text;
    return true;
}

static int read_row(const struct timings_source *s, char *row, size_t line, struct timings *out,
                    struct err *e)
{
    char place[TIMINGS_PLACE], *fields[TIMINGS_TABLE_FIELDS];
    double v[4] = {0};
    size_t n = timings_table_fields(row, fields);
    if (n == 1 && fields[0][0] == '\0')
        return 0;
    if (line == 1 && !text_is_number(fields[0]))
        return 0;
    timings_table_place(s, line, place);
    if (n < 2 || n > 4)
        return err_set(e, ERR_INPUT, place, "a row is batch,seconds[,cv[,samples]]; %zu fields", n);
    for (size_t i = 0; i < n; i++)
        if (!text_parse_double(fields[i], &v[i]))
            return err_set(e, ERR_INPUT, place,
                           "a row is batch,seconds[,cv[,samples]] in numbers; '%.*s' is none",
                           text_cut(fields[i], 40), fields[i]);
    struct batch_point p = {v[0], v[1], v[2], v[3] > 0 && v[3] < 1e15 ? (size_t)v[3] : 0};
    return timings_add(out, s, line, &p, e);
}

static int read(struct arena *a, const struct timings_source *s, struct timings *out, struct err *e)
{
    struct timings_table t = {s->text, 0};
    (void)a;
    for (char *row; (row = timings_table_line(&t));)
        if (read_row(s, row, t.line, out, e))
            return -1;
    return 0;
}

const struct timings_format timings_plain = {"csv", "rows of batch,seconds[,cv[,samples]]", fits,
                                             read};
