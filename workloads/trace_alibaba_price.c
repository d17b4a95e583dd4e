/* trace_alibaba_price: an answer of ECS DescribeSpotPriceHistory: Currency, and under
 * SpotPrices.SpotPriceType a list of ZoneId, InstanceType, Timestamp, SpotPrice and OriginPrice
 * (numbers; the latter is the on-demand price). */
#include "sim/json.h"
#include "sim/text.h"
#include "workloads/trace.h"

#include <string.h>

static bool knows(const struct trace_input *in)
{
    return json_at(in->root, "SpotPrices") != NULL;
}

static bool price_of(const struct json *row, const char *key, int64_t *micro)
{
    const struct json *v = json_get(row, key);
    return v && (v->type == JSON_NUMBER || v->type == JSON_STRING) && trace_price(v->string, micro);
}

static int read_row(const struct json *row, const char *currency, struct trace *t, struct err *e)
{
    const char *time = json_text_at(row, "Timestamp", NULL),
               *product = json_text_at(row, "NetworkType", NULL);
    struct trace_row out = {.key = {json_text_at(row, "InstanceType", NULL),
                                    json_text_at(row, "ZoneId", NULL), "", currency},
                            .line = row->line};
    struct stamp stamp;
    out.key.product = product ? product : "";
    if (!out.key.type || !out.key.zone || !time)
        return trace_fault_at(
            row, e, "a row of SpotPriceType needs the strings InstanceType, ZoneId and Timestamp");
    if (!price_of(row, "SpotPrice", &out.value))
        return trace_fault_at(row, e, "a row of SpotPriceType needs SpotPrice, a number in 0..1e6");
    if (json_get(row, "OriginPrice") && !price_of(row, "OriginPrice", &out.list_micro))
        return trace_fault_at(row, e, "OriginPrice is no number in 0..1e6");
    if (!stamp_parse(time, STAMP_UNIT_ISO, &stamp))
        return trace_fault_at(json_get(row, "Timestamp"), e,
                              "Timestamp is no time such as 2024-03-01T02:00:00Z");
    out.ns = stamp.ns;
    out.stamps = stamp.kind;
    return trace_add(t, &out, e);
}

static int read(const struct trace_input *in, struct trace *t, struct err *e)
{
    const char *currency = json_text_at(in->root, "Currency", NULL);
    const struct json *list = json_at(in->root, "SpotPrices.SpotPriceType");
    if (!list || list->type != JSON_ARRAY)
        return trace_fault_at(json_get(in->root, "SpotPrices"), e,
                              "SpotPrices has no list SpotPriceType");
    if (!currency || strlen(currency) != 3)
        return trace_fault_at(in->root, e, "the answer needs Currency, such as \"CNY\"");
    for (const struct json *row = list->first; row; row = row->next)
        if (read_row(row, currency, t, e))
            return -1;
    return 0;
}

static void write_row(struct json_out *o, const struct trace *t, const struct trace_series *s,
                      const struct trace_point *p)
{
    char time[40];
    json_out_open(o, "{");
    json_out_key(o, "ZoneId");
    json_out_string(o, s->key.zone);
    json_out_key(o, "InstanceType");
    json_out_string(o, s->key.type);
    json_out_key(o, "NetworkType");
    json_out_string(o, s->key.product);
    json_out_key(o, "Timestamp");
    json_out_string(o, trace_stamp(time, t->stamps, p->ns));
    if (s->list_micro > 0) {
        json_out_key(o, "OriginPrice");
        json_out_number(o, (double)s->list_micro / 1e6);
    }
    json_out_key(o, "SpotPrice");
    json_out_number(o, (double)p->value / 1e6);
    json_out_close(o, "}");
}

static void write(const struct trace *t, struct text *to)
{
    struct json_out o;
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    json_out_key(&o, "Currency");
    json_out_string(&o, t->series[0].key.currency);
    json_out_key(&o, "SpotPrices");
    json_out_open(&o, "{");
    json_out_key(&o, "SpotPriceType");
    json_out_open(&o, "[");
    for (size_t i = 0; i < t->n_series; i++)
        for (size_t k = 0; k < t->series[i].n; k++)
            write_row(&o, t, &t->series[i], &t->series[i].points[k]);
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_close(&o, "}");
    json_out_end(&o);
}

const struct trace_format trace_alibaba_price = {
    .name = "alibabaSpotPrice",
    .doc = "JSON of ECS DescribeSpotPriceHistory",
    .kind = TRACE_PRICE,
    .knows = knows,
    .read = read,
    .write = write,
};
