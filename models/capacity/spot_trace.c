/* spot_trace: recorded prices and stock of a spot market, put on the simulated clock. */
#include "models/capacity/spot_trace.h"

#include "models/capacity/catalog.h"
#include "models/capacity/pool.h"
#include "sim/arena.h"
#include "sim/text.h"
#include "sim/wide.h"
#include "workloads/trace.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Points of one series once it is repeated up to the horizon. */
#define MAX_STEPS 10000000
#define DEFAULT_PRODUCT "Linux/UNIX"

/* ---- knobs ---- */

static const struct knob_name aligns[] = {
    {"start", SPOT_TRACE_START, "the file begins, `start` apart, when the run begins"},
    {"clock", SPOT_TRACE_CLOCK, "by date: the scenario's start is looked up in the file"},
    {0},
};

static const struct knob_name afters[] = {
    {"refuse", SPOT_TRACE_WHOLE, "the file must reach to the horizon"},
    {"hold", SPOT_TRACE_HOLD, "the last value holds"},
    {"loop", SPOT_TRACE_LOOP, "it begins again"},
    {0},
};

#define AT(member) .offset = offsetof(struct spot_trace_config, member)

#define WHERE                                                                                      \
    {.key = "file",                                                                                \
     .kind = KNOB_TEXT,                                                                            \
     AT(file),                                                                                     \
     .doc = "Trace file, relative to the scenario; `sluice trace info` tells what is in it."},     \
        {.key = "zone",                                                                            \
         .kind = KNOB_TEXT,                                                                        \
         AT(zone),                                                                                 \
         .doc = "Zone of the pool that it is for; absent: every zone.",                            \
         .preset = ""},                                                                            \
        {.key = "traceZone",                                                                       \
         .kind = KNOB_TEXT,                                                                        \
         AT(trace_zone),                                                                           \
         .doc = "Zone in the file; absent: the one of the same name.",                             \
         .preset = ""},                                                                            \
        {.key = "align",                                                                           \
         .kind = KNOB_NAME,                                                                        \
         AT(align),                                                                                \
         .doc = "How the file is put on the clock.",                                               \
         .preset = "start",                                                                        \
         .names = aligns},                                                                         \
    {                                                                                              \
        .key = "start", .kind = KNOB_DURATION, AT(start),                                          \
        .doc = "Position in the file, from its first row, at which the run begins; with "          \
               "clock: what is added to the run's time.",                                          \
        .preset = "0s", .min = 0, .max = 3.2e9                                                     \
    }

static const struct knob price_rows[] = {
    WHERE,
    {.key = "instanceType",
     .kind = KNOB_TEXT,
     AT(type),
     .doc = "Instance type of the pool that it is for; absent: every type.",
     .preset = ""},
    {.key = "traceType",
     .kind = KNOB_TEXT,
     AT(trace_type),
     .doc = "Instance type in the file; absent: the one of the same name.",
     .preset = ""},
    {.key = "product",
     .kind = KNOB_TEXT,
     AT(product),
     .doc = "ProductDescription of EC2; absent: Linux/UNIX, or the only one that there is.",
     .preset = ""},
    {.key = "currency",
     .kind = KNOB_TEXT,
     AT(currency),
     .doc = "Currency of the prices, when the file does not name it.",
     .preset = ""},
    {.key = "onDemand",
     .kind = KNOB_MONEY,
     AT(on_demand),
     .doc = "On-demand price of the traced machine: prices then count as shares of it and of the "
            "pool's own list price. Needed when the file is in another currency without a rate in "
            "exchangeRates.",
     .preset = ""},
    {.key = "after",
     .kind = KNOB_NAME,
     AT(after),
     .doc = "What holds after the end of the file; a price stands until it is changed.",
     .preset = "hold",
     .names = afters},
    {0},
};

static const struct knob stock_rows[] = {
    WHERE,
    {.key = "traceType",
     .kind = KNOB_TEXT,
     AT(trace_type),
     .doc = "Instance type in the file, when it has several.",
     .preset = ""},
    {.key = "scale",
     .kind = KNOB_NUMBER,
     AT(scale),
     .unit = "machines",
     .doc =
         "Machines of the pool for each machine of the file, rounded down. At the largest number "
         "in the file the probe asked for no more: there the pool has no limit.",
     .preset = "1",
     .min = 0.001,
     .max = 1e6},
    {.key = "after",
     .kind = KNOB_NAME,
     AT(after),
     .doc = "What holds after the end of the file.",
     .preset = "refuse",
     .names = afters},
    {0},
};

const struct knob_table spot_trace_price_knobs = {
    .name = "spotPriceTrace",
    .doc = "Recorded spot prices in place of the market's own: JSON of EC2 or ECS, or CSV.",
    .rows = price_rows,
    .size = sizeof(struct spot_trace_config),
};

const struct knob_table spot_trace_stock_knobs = {
    .name = "spotAvailabilityTrace",
    .doc = "Recorded numbers of machines that a zone could have, in place of the market's losses "
           "and stock: ticks of SkyPilot's spot traces, or CSV.",
    .rows = stock_rows,
    .size = sizeof(struct spot_trace_config),
};

/* ---- loading ---- */

struct loading {
    struct arena *arena;
    const struct spot_trace_buyer *buyer;
    const struct spot_trace_frame *frame;
    const struct spot_trace_config *config; /* of the item at hand */
    struct trace trace;
    char where[200]; /* path of the item */
    struct spot_traces *out;
    struct steps *prices, *stock;
};

static int fail(const struct loading *l, const char *key, struct err *e, const char *msg)
{
    char where[260];
    snprintf(where, sizeof where, "%s.%s", l->where, key);
    return err_set(e, ERR_INPUT, where, "%s", msg);
}

static char *path_of(struct loading *l, struct err *e)
{
    char path[4096];
    const char *dir = l->frame->base_dir, *file = l->config->file;
    bool beside = file[0] != '/' && dir && dir[0] != '\0';
    int n = snprintf(path, sizeof path, "%s%s%s", beside ? dir : "", beside ? "/" : "", file);
    if (n < 0 || (size_t)n >= sizeof path) {
        fail(l, "file", e, "the name is too long");
        return NULL;
    }
    return arena_text(l->arena, path, (size_t)n, e);
}

/* Adds to the fault of a file who asks for it. */
static int name_item(const struct loading *l, struct err *e)
{
    struct err whole = {0};
    if (e->code != ERR_INPUT)
        return -1;
    err_set(&whole, ERR_INPUT, e->where, "%.*s (%s)", text_cut(e->msg, 700), e->msg, l->where);
    *e = whole;
    return -1;
}

static int read_file(struct loading *l, enum trace_kind kind, struct err *e)
{
    char msg[256];
    const char *path = path_of(l, e);
    if (!path)
        return -1;
    if (trace_load(&l->trace, l->arena, path, e))
        return name_item(l, e);
    if (l->trace.format->kind == kind)
        return 0;
    snprintf(msg, sizeof msg, "%.100s is a trace of %s (%s); one of %s is needed here",
             l->config->file, trace_kind_name(l->trace.format->kind), l->trace.format->name,
             trace_kind_name(kind));
    return fail(l, "file", e, msg);
}

/* A file that says nothing of zones or types holds for all of them; wanted NULL: any will do. */
static bool is_called(const char *in_file, const char *wanted)
{
    return !wanted || in_file[0] == '\0' || strcmp(in_file, wanted) == 0;
}

/* The series of a type in a zone: of several products the wished one, then Linux, then a lone one.
 */
static const struct trace_series *find_series(const struct loading *l, const char *type,
                                              const char *zone, size_t *matching)
{
    const struct spot_trace_config *c = l->config;
    const char *product = c->product ? c->product : DEFAULT_PRODUCT;
    const struct trace_series *lone = NULL;
    *matching = 0;
    for (size_t i = 0; i < l->trace.n_series; i++) {
        const struct trace_series *s = &l->trace.series[i];
        if (!is_called(s->key.type, c->trace_type ? c->trace_type : type) ||
            !is_called(s->key.zone, c->trace_zone ? c->trace_zone : zone))
            continue;
        if (strcmp(s->key.product, product) == 0)
            return s;
        (*matching)++;
        lone = s;
    }
    return *matching == 1 && !c->product ? lone : NULL;
}

static int fail_series(const struct loading *l, struct err *e)
{
    char msg[700];
    size_t used = 0;
    int n = snprintf(msg, sizeof msg,
                     "%.100s has no series, or several, for the types and zones of the %s (name it "
                     "with traceType, traceZone or product); it has",
                     l->config->file, l->buyer->what);
    used = n > 0 ? (size_t)n : 0;
    for (size_t i = 0; i < l->trace.n_series && i < 6; i++) {
        const struct trace_key *k = &l->trace.series[i].key;
        n = snprintf(msg + used, sizeof msg - used, "%s %.40s in %.40s%s%.30s", i ? "," : "",
                     k->type[0] ? k->type : "a type without name",
                     k->zone[0] ? k->zone : "a zone without name", k->product[0] ? ", " : "",
                     k->product);
        used += n > 0 ? (size_t)n : 0;
    }
    return err_set(e, ERR_INPUT, l->where, "%s%s", msg, l->trace.n_series > 6 ? ", ..." : "");
}

/* Whether the item is for this type and zone; its own names must be ones of the pool. */
static bool is_for(const char *wished, const char *name)
{
    return !wished || strcmp(wished, name) == 0;
}

static bool is_listed(const struct knob_texts *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], name) == 0)
            return true;
    return false;
}

static int check_name(const struct loading *l, const char *key, const char *name,
                      const struct knob_texts *list, struct err *e)
{
    char msg[300];
    if (!name || is_listed(list, name))
        return 0;
    const char *near = text_nearest(name, list->items, list->count);
    snprintf(msg, sizeof msg, "'%.80s' is none of the %s's; %s '%.80s'", name, l->buyer->what,
             near ? "did you mean" : "it has", near ? near : list->items[0]);
    return fail(l, key, e, msg);
}

/* ---- time ---- */

/* What simulated time a stamp of the file has. */
static int find_origin(const struct loading *l, int64_t first, int64_t *origin, struct err *e)
{
    const struct spot_trace_config *c = l->config;
    *origin = first + c->start;
    if (c->align == SPOT_TRACE_START)
        return 0;
    if (l->trace.stamps != STAMP_UNIX)
        return fail(l, "align", e, "clock needs time stamps with a date and a zone");
    *origin = l->frame->epoch_s * SIM_SECOND + c->start;
    return 0;
}

static int check_span(const struct loading *l, struct trace_span span, int64_t origin,
                      struct err *e)
{
    char msg[300], has[48], needs[48];
    if (l->config->after != SPOT_TRACE_LOOP && origin > span.end) {
        text_duration(has, sizeof has, origin - span.end);
        snprintf(msg, sizeof msg, "the file ends %s before the run begins", has);
        return fail(l, l->config->align == SPOT_TRACE_CLOCK ? "align" : "start", e, msg);
    }
    if (l->config->after != SPOT_TRACE_WHOLE || span.end - origin >= l->frame->horizon)
        return 0;
    text_duration(has, sizeof has, span.end > origin ? span.end - origin : 0);
    text_duration(needs, sizeof needs, l->frame->horizon);
    snprintf(msg, sizeof msg,
             "the file has %s from there on, the run takes %s; \"hold\" keeps its last value, "
             "\"loop\" begins it again",
             has, needs);
    return fail(l, "after", e, msg);
}

/* Values of the file on the way into the run. */
struct laying {
    const struct trace_series *series;
    struct trace_span span;
    int64_t origin;
    sim_ns period; /* 0: once */
    sim_ns *at;
    int64_t *value;
    size_t n;
};

static void lay_point(struct laying *y, sim_ns at, int64_t value, sim_ns horizon)
{
    if (at >= horizon)
        return;
    if (at <= 0 || (y->n > 0 && y->at[y->n - 1] == at))
        y->n -= y->n > 0; /* what came before it does not matter */
    y->at[y->n] = at < 0 ? 0 : at;
    y->value[y->n++] = value;
}

static int lay(struct loading *l, struct laying *y, struct err *e)
{
    sim_ns horizon = l->frame->horizon, length = y->span.end - y->span.first;
    size_t turns = 1;
    y->period = l->config->after == SPOT_TRACE_LOOP && length > 0 ? length : 0;
    int64_t skipped = y->period && y->origin > y->span.first
                          ? (y->origin - y->span.first) / y->period * y->period
                          : 0;
    y->origin -= skipped;
    if (y->period)
        turns = (size_t)((horizon + y->origin - y->span.first) / y->period) + 1;
    if (turns > MAX_STEPS / y->series->n)
        return fail(l, "after", e, "repeated up to the horizon it has more than 10000000 points");
    y->at = arena_take(l->arena, turns * y->series->n, sizeof *y->at, e);
    y->value = arena_take(l->arena, turns * y->series->n, sizeof *y->value, e);
    if (!y->at || !y->value)
        return -1;
    for (size_t turn = 0; turn < turns; turn++)
        for (size_t i = 0; i < y->series->n; i++)
            lay_point(y, y->series->points[i].ns - y->origin + (sim_ns)turn * y->period,
                      y->series->points[i].value, horizon);
    return 0;
}

static int put_on_clock(struct loading *l, const struct trace_series *s, struct laying *y,
                        struct err *e)
{
    char msg[200], late[48];
    *y = (struct laying){.series = s, .span = trace_span(&l->trace)};
    if (find_origin(l, y->span.first, &y->origin, e) || check_span(l, y->span, y->origin, e) ||
        lay(l, y, e))
        return -1;
    if (y->n > 0 && y->at[0] <= 0)
        return 0;
    /* The series of one zone may begin a little after those of others. */
    if (y->n > 0 && l->config->align == SPOT_TRACE_START && l->config->start == 0) {
        y->at[0] = 0;
        return 0;
    }
    text_duration(late, sizeof late, y->n > 0 ? y->at[0] : l->frame->horizon);
    snprintf(msg, sizeof msg, "the file says nothing of the run's first %s", late);
    return fail(l, l->config->align == SPOT_TRACE_CLOCK ? "align" : "start", e, msg);
}

/* ---- prices ---- */

/* Hourly price of the pool's own machine for a price in the file. */
struct exchange {
    int64_t from, to; /* value x to / from */
};

static int64_t exchanged(const struct exchange *x, int64_t value)
{
    if (x->from == x->to)
        return value;
    return (int64_t)(((wide_u128)value * (uint64_t)x->to + (uint64_t)x->from / 2) /
                     (uint64_t)x->from);
}

#define RATE_UNIT 1000000

/* Where the scenario says what the currency is worth, in millionths. */
static bool rate_of(const struct spot_trace_frame *f, const char *currency, int64_t *millionths)
{
    double rate;
    for (size_t i = 0; f->rates && i < f->rates->count; i++) {
        const struct knob_pair *p = &f->rates->items[i];
        if (strcmp(p->key, currency) != 0 || !text_parse_double(p->value, &rate))
            continue;
        *millionths = (int64_t)(rate * RATE_UNIT + 0.5);
        return true;
    }
    return false;
}

static int find_exchange(const struct loading *l, const struct trace_series *s, const char *type,
                         struct exchange *out, struct err *e)
{
    const struct spot_trace_config *c = l->config;
    const char *currency = s->key.currency[0] ? s->key.currency : c->currency;
    char msg[300];
    *out = (struct exchange){1, 1};
    if (!currency && c->on_demand.micro == 0)
        return fail(l, "currency", e,
                    "the file does not say in which currency its prices are; name it, or give "
                    "onDemand");
    if (currency && c->on_demand.micro > 0 && strcmp(c->on_demand.currency, currency) != 0) {
        snprintf(msg, sizeof msg, "it is in %s, the file's prices in %.8s", c->on_demand.currency,
                 currency);
        return fail(l, "onDemand", e, msg);
    }
    if (c->on_demand.micro == 0 && strcmp(currency, l->frame->currency) == 0)
        return 0;
    out->from = c->on_demand.micro > 0 ? c->on_demand.micro : s->list_micro;
    if (out->from == 0 && rate_of(l->frame, currency, &out->to)) {
        out->from = RATE_UNIT;
        return 0;
    }
    if (out->from == 0) {
        snprintf(msg, sizeof msg,
                 "the file is in %.8s, the run in %s: give the on-demand price of the traced "
                 "machine, such as \"3.06 %.8s\", or exchangeRates.%.8s",
                 currency, l->frame->currency, currency, currency);
        return fail(l, "onDemand", e, msg);
    }
    struct catalog_price_key key = {type, l->buyer->region, l->frame->currency, PRICE_ON_DEMAND};
    const struct price *p = catalog_price(l->frame->catalog, &key);
    if (!p)
        return err_set(e, ERR_INPUT, l->where, "the catalogue has no on-demand price of %s in %s",
                       type, l->frame->currency);
    out->to = p->per_hour.micro;
    return 0;
}

static int load_price(struct loading *l, const struct trace_series *s, const char *type,
                      struct steps *out, struct err *e)
{
    struct laying y;
    struct exchange x;
    if (find_exchange(l, s, type, &x, e) || put_on_clock(l, s, &y, e))
        return -1;
    for (size_t i = 0; i < y.n; i++)
        y.value[i] = exchanged(&x, y.value[i]);
    *out = (struct steps){.value = y.value, .at = y.at, .n = y.n};
    return 0;
}

static int load_prices(struct loading *l, struct err *e)
{
    const struct spot_trace_config *c = l->config;
    const struct spot_trace_buyer *p = l->buyer;
    size_t found = 0, matching = 0, n_types = p->types.count;
    if (check_name(l, "instanceType", c->type, &p->types, e) ||
        check_name(l, "zone", c->zone, &p->zones, e) || read_file(l, TRACE_PRICE, e))
        return -1;
    for (size_t z = 0; z < p->zones.count; z++)
        for (size_t t = 0; t < n_types; t++) {
            const char *type = p->types.items[t], *zone = p->zones.items[z];
            if (!is_for(c->type, type) || !is_for(c->zone, zone))
                continue;
            const struct trace_series *s = find_series(l, type, zone, &matching);
            if (!s && matching > 1)
                return fail_series(l, e);
            if (!s)
                continue;
            found++;
            if (load_price(l, s, type, &l->prices[z * n_types + t], e))
                return -1;
        }
    return found > 0 ? 0 : fail_series(l, e);
}

/* ---- stock ---- */

static int load_zone(struct loading *l, const struct trace_series *s, struct steps *out,
                     struct err *e)
{
    struct laying y;
    int64_t most = 0;
    if (put_on_clock(l, s, &y, e))
        return -1;
    for (size_t i = 0; i < s->n; i++)
        most = s->points[i].value > most ? s->points[i].value : most;
    for (size_t i = 0; i < y.n; i++)
        y.value[i] = y.value[i] == most && most > 0
                         ? INT64_MAX
                         : (int64_t)floor((double)y.value[i] * l->config->scale);
    *out = (struct steps){.value = y.value, .at = y.at, .n = y.n};
    return 0;
}

static int load_stock(struct loading *l, struct err *e)
{
    const struct spot_trace_config *c = l->config;
    const struct spot_trace_buyer *p = l->buyer;
    size_t found = 0, matching = 0;
    if (check_name(l, "zone", c->zone, &p->zones, e) || read_file(l, TRACE_AVAILABILITY, e))
        return -1;
    for (size_t z = 0; z < p->zones.count; z++) {
        if (!is_for(c->zone, p->zones.items[z]))
            continue;
        const struct trace_series *s = find_series(l, NULL, p->zones.items[z], &matching);
        if (!s && matching > 1)
            return fail_series(l, e);
        if (!s)
            continue;
        found++;
        if (load_zone(l, s, &l->stock[z], e))
            return -1;
    }
    return found > 0 ? 0 : fail_series(l, e);
}

static int load_items(struct loading *l, const struct knob_list *items, const char *key,
                      int (*load)(struct loading *l, struct err *e), struct err *e)
{
    const struct spot_trace_config *c = items->items;
    for (size_t i = 0; i < items->count; i++) {
        l->config = &c[i];
        snprintf(l->where, sizeof l->where, "%.100s.%s[%zu]", l->buyer->path, key, i);
        if (load(l, e))
            return -1;
    }
    return 0;
}

struct spot_trace_buyer spot_trace_pool(const struct pool_config *pool, char *path, size_t size)
{
    snprintf(path, size, "nodePools.%s", pool->name);
    return (struct spot_trace_buyer){
        .path = path,
        .what = "pool",
        .region = pool->region,
        .zones = pool->zones,
        .types = pool->instance_types,
        .price_traces = &pool->price_traces,
        .stock_traces = &pool->stock_traces,
    };
}

const struct spot_traces *spot_trace_load(struct arena *a, const struct spot_trace_buyer *buyer,
                                          const struct spot_trace_frame *frame, struct err *e)
{
    size_t pairs = buyer->zones.count * buyer->types.count;
    struct loading l = {.arena = a, .buyer = buyer, .frame = frame};
    l.out = arena_take(a, 1, sizeof *l.out, e);
    l.prices = arena_take(a, pairs, sizeof *l.prices, e);
    l.stock = arena_take(a, buyer->zones.count, sizeof *l.stock, e);
    if (!l.out || !l.prices || !l.stock ||
        load_items(&l, buyer->price_traces, "spotPriceTraces", load_prices, e) ||
        load_items(&l, buyer->stock_traces, "spotAvailabilityTraces", load_stock, e))
        return NULL;
    l.out->types = buyer->types;
    l.out->prices = l.prices;
    l.out->stock = l.stock;
    return l.out;
}
