/* trace_aws_price: what `aws ec2 describe-spot-price-history` prints: SpotPriceHistory, a list of
 * AvailabilityZone, InstanceType, ProductDescription, SpotPrice (a string, in USD) and Timestamp,
 * the newest first. A price holds until the next change. */
#include "sim/json.h"
#include "sim/text.h"
#include "workloads/trace.h"

#include <stdio.h>
#include <string.h>

static bool knows(const struct trace_input *in)
{
    return json_get(in->root, "SpotPriceHistory") != NULL;
}

static int read_row(const struct json *row, struct trace *t, struct err *e)
{
    const char *price = json_text_at(row, "SpotPrice", NULL),
               *time = json_text_at(row, "Timestamp", NULL);
    const char *product = json_text_at(row, "ProductDescription", NULL);
    struct trace_row out = {.key = {json_text_at(row, "InstanceType", NULL),
                                    json_text_at(row, "AvailabilityZone", NULL),
                                    product ? product : "", "USD"},
                            .line = row->line};
    struct stamp stamp;
    if (!out.key.type || !out.key.zone || !time || !price)
        return trace_fault_at(
            row, e,
            "a row of SpotPriceHistory needs InstanceType, AvailabilityZone, SpotPrice "
            "and Timestamp, all strings");
    if (!trace_price(price, &out.value))
        return trace_fault_at(json_get(row, "SpotPrice"), e, "SpotPrice is no price in 0..1e6");
    if (!stamp_parse(time, STAMP_UNIT_ISO, &stamp))
        return trace_fault_at(json_get(row, "Timestamp"), e,
                              "Timestamp is no time such as 2024-03-01T02:00:00Z");
    out.ns = stamp.ns;
    out.stamps = stamp.kind;
    return trace_add(t, &out, e);
}

static int read(const struct trace_input *in, struct trace *t, struct err *e)
{
    const struct json *list = json_get(in->root, "SpotPriceHistory");
    if (list->type != JSON_ARRAY)
        return trace_fault_at(list, e, "SpotPriceHistory is no list");
    for (const struct json *row = list->first; row; row = row->next)
        if (read_row(row, t, e))
            return -1;
    return 0;
}

static void write_row(struct json_out *o, const struct trace *t, const struct trace_series *s,
                      const struct trace_point *p)
{
    char text[40];
    json_out_open(o, "{");
    json_out_key(o, "AvailabilityZone");
    json_out_string(o, s->key.zone);
    json_out_key(o, "InstanceType");
    json_out_string(o, s->key.type);
    json_out_key(o, "ProductDescription");
    json_out_string(o, s->key.product);
    json_out_key(o, "SpotPrice");
    snprintf(text, sizeof text, "%lld.%06lld", (long long)(p->value / 1000000),
             (long long)(p->value % 1000000));
    json_out_string(o, text);
    json_out_key(o, "Timestamp");
    json_out_string(o, trace_stamp(text, t->stamps, p->ns));
    json_out_close(o, "}");
}

static void write(const struct trace *t, struct text *to)
{
    struct json_out o;
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    json_out_key(&o, "SpotPriceHistory");
    json_out_open(&o, "[");
    for (size_t i = 0; i < t->n_series; i++)
        for (size_t k = t->series[i].n; k-- > 0;)
            write_row(&o, t, &t->series[i], &t->series[i].points[k]);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}

const struct trace_format trace_aws_price = {
    .name = "awsSpotPrice",
    .doc = "JSON of aws ec2 describe-spot-price-history",
    .kind = TRACE_PRICE,
    .knows = knows,
    .read = read,
    .write = write,
};
