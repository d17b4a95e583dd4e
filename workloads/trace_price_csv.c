/* trace_price_csv: a table of prices: a time, a price an hour, and as far as there are such columns
 * instance type, zone, product, currency and on-demand price. The currency may stand in the
 * name of the price column: price_usd, spot_price_usd_per_h. */
#include "sim/text.h"
#include "workloads/trace.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *const price_names[] = {"price", "spotPrice", "spot_price", NULL};
static const char *const list_names[] = {"onDemand", "on_demand", "originPrice", "origin_price",
                                         NULL};
static const char *const currency_names[] = {"currency", NULL};
static const char *const product_names[] = {"product", "productDescription", "product_description",
                                            NULL};

struct columns {
    int time, price, list, currency, product, type, zone;
    char unit[4]; /* of the price column's name */
};

/* price_usd, spot_price_cny_per_h -> the currency. */
static bool price_with_unit(const char *name, char unit[4])
{
    size_t n = strncasecmp(name, "spot_price_", 11) == 0 ? 11
               : strncasecmp(name, "price_", 6) == 0     ? 6
                                                         : 0;
    const char *rest = name + n;
    if (n == 0 || strlen(rest) < 3 ||
        (rest[3] != '\0' && strcasecmp(rest + 3, "_per_h") != 0 &&
         strcasecmp(rest + 3, "_per_hour") != 0))
        return false;
    for (int i = 0; i < 3; i++)
        unit[i] = (char)toupper((unsigned char)rest[i]);
    unit[3] = '\0';
    return true;
}

static struct columns find(const struct trace_input *in)
{
    struct columns c = {
        .time = trace_column(in, trace_time_names),
        .price = trace_column(in, price_names),
        .list = trace_column(in, list_names),
        .currency = trace_column(in, currency_names),
        .product = trace_column(in, product_names),
        .type = trace_column(in, trace_type_names),
        .zone = trace_column(in, trace_zone_names),
    };
    for (size_t i = 0; c.price < 0 && i < in->n_names; i++)
        if (price_with_unit(in->names[i], c.unit))
            c.price = (int)i;
    return c;
}

static bool knows(const struct trace_input *in)
{
    struct columns c = find(in);
    return !in->root && c.time >= 0 && c.price >= 0;
}

static int read_row(const struct trace_input *in, const struct columns *c, size_t i,
                    struct trace *t, struct err *e)
{
    char *f[TRACE_MAX_COLUMNS];
    struct stamp stamp;
    uint32_t line = in->lines[i].line;
    if (trace_fields(in, i, f, e) || trace_time(in->path, line, f[c->time], &stamp, e))
        return -1;
    struct trace_row out = {
        .key = {trace_field(f, c->type), trace_field(f, c->zone), trace_field(f, c->product),
                c->currency < 0 ? c->unit : f[c->currency]},
        .ns = stamp.ns,
        .stamps = stamp.kind,
        .line = line,
    };
    if (strlen(out.key.currency) != 3 && out.key.currency[0])
        return trace_fault(in->path, line, e, "\"%.40s\" is no currency such as CNY",
                           out.key.currency);
    if (!trace_price(f[c->price], &out.value))
        return trace_fault(in->path, line, e, "\"%.60s\" is no price in 0..1e6", f[c->price]);
    const char *list = trace_field(f, c->list);
    if (*list && !trace_price(list, &out.list_micro))
        return trace_fault(in->path, line, e, "\"%.60s\" is no price in 0..1e6", list);
    return trace_add(t, &out, e);
}

static int read(const struct trace_input *in, struct trace *t, struct err *e)
{
    struct columns c = find(in);
    for (size_t i = 1; i < in->n_lines; i++)
        if (read_row(in, &c, i, t, e))
            return -1;
    return 0;
}

static void add_quoted(struct text *to, const char *s)
{
    if (!s[strcspn(s, ",\"\n")]) {
        text_add(to, s);
        return;
    }
    text_add(to, "\"");
    for (; *s; s++)
        text_printf(to, *s == '"' ? "\"\"" : "%c", *s);
    text_add(to, "\"");
}

static void write_row(struct text *to, const struct trace *t, const struct trace_series *s,
                      const struct trace_point *p)
{
    char time[40];
    text_printf(to, "%s,", trace_stamp(time, t->stamps, p->ns));
    add_quoted(to, s->key.type);
    text_add(to, ",");
    add_quoted(to, s->key.zone);
    text_add(to, ",");
    add_quoted(to, s->key.product);
    text_printf(to, ",%s,%lld.%06lld,", s->key.currency, (long long)(p->value / 1000000),
                (long long)(p->value % 1000000));
    if (s->list_micro > 0)
        text_printf(to, "%lld.%06lld", (long long)(s->list_micro / 1000000),
                    (long long)(s->list_micro % 1000000));
    text_add(to, "\n");
}

static void write(const struct trace *t, struct text *to)
{
    text_add(to, "time,instanceType,zone,product,currency,price,onDemand\n");
    for (size_t i = 0; i < t->n_series; i++)
        for (size_t k = 0; k < t->series[i].n; k++)
            write_row(to, t, &t->series[i], &t->series[i].points[k]);
}

const struct trace_format trace_price_csv = {
    .name = "priceCsv",
    .doc = "CSV with the columns time and price",
    .kind = TRACE_PRICE,
    .knows = knows,
    .read = read,
    .write = write,
};
