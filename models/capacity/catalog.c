/* catalog: the figures of the world that models look up by name. */
#include "models/capacity/catalog.h"

#include "models/money/quality.h"
#include "sim/text.h"

#include <assert.h>
#include <string.h>

static const struct knob store_rows[] = {
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct catalog_store, name),
     .doc = "Name by which a service's startup asks for it."},
    {.key = "bandwidth",
     .kind = KNOB_BYTES,
     .offset = offsetof(struct catalog_store, bandwidth),
     .unit = "bytes/s",
     .doc = "Rate into one node (registry) or one pod (model store).",
     .min = 1,
     .max = 1e13},
    {.key = "sharedBandwidth",
     .kind = KNOB_BYTES,
     .offset = offsetof(struct catalog_store, shared_bandwidth),
     .unit = "bytes/s",
     .doc = "Rate of all readers together; 0: no limit.",
     .preset = "0",
     .min = 0,
     .max = 1e15},
    QUALITY_ROWS(struct catalog_store),
    {0},
};

static const struct knob_table store_knobs = {
    .name = "store",
    .doc = "Where images (`registries`) or models (`modelStores`) come from.",
    .rows = store_rows,
    .size = sizeof(struct catalog_store),
};

static const struct knob delivery_rows[] = {
    {.key = "name",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct catalog_delivery, name),
     .doc = "Name by which a pool asks for it."},
    {.key = "time",
     .kind = KNOB_DIST,
     .offset = offsetof(struct catalog_delivery, time),
     .doc = "Purchase until the node is Ready."},
    QUALITY_ROWS(struct catalog_delivery),
    {0},
};

static const struct knob_table delivery_knobs = {
    .name = "delivery",
    .doc = "How long a pool waits for a machine.",
    .rows = delivery_rows,
    .size = sizeof(struct catalog_delivery),
};

static const struct knob eci_rows[] = {
    {.key = "vcpu",
     .kind = KNOB_INT32,
     .offset = offsetof(struct catalog_eci_spec, vcpu),
     .unit = "vCPU",
     .doc = "Virtual CPUs.",
     .min = 1,
     .max = 1024},
    {.key = "memory",
     .kind = KNOB_BYTES,
     .offset = offsetof(struct catalog_eci_spec, memory),
     .doc = "Memory.",
     .min = 1,
     .max = 1e15},
    {.key = "gpu",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct catalog_eci_spec, gpu),
     .doc = "Kind of GPU."},
    {.key = "gpus",
     .kind = KNOB_INT32,
     .offset = offsetof(struct catalog_eci_spec, gpus),
     .unit = "GPUs",
     .doc = "GPUs as the ECI documents count them.",
     .min = 1,
     .max = 64},
    {.key = "catalogueGpus",
     .kind = KNOB_INT32,
     .offset = offsetof(struct catalog_eci_spec, catalogue_gpus),
     .unit = "GPUs",
     .doc = "GPUs of the instance type of this size in the ECS catalogue.",
     .min = 1,
     .max = 64},
    {.key = "type",
     .kind = KNOB_TEXT,
     .offset = offsetof(struct catalog_eci_spec, type),
     .doc = "Instance type of the same size; its price is paid."},
    QUALITY_ROWS(struct catalog_eci_spec),
    {0},
};

static const struct knob_table eci_knobs = {
    .name = "eciSpec",
    .doc = "An elastic container instance with GPUs.",
    .rows = eci_rows,
    .size = sizeof(struct catalog_eci_spec),
};

static const struct knob size_rows[] = {
    {.key = "cpu",
     .kind = KNOB_QUANTITY,
     .offset = offsetof(struct catalog_eci_size, cpu_milli),
     .doc = "Virtual CPUs.",
     .min = 0.001,
     .max = 1024},
    {.key = "memory",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct catalog_eci_size, memory),
     .doc = "Amounts of memory that are sold with them."},
    {.key = "regions",
     .kind = KNOB_TEXTS,
     .offset = offsetof(struct catalog_eci_size, regions),
     .doc = "Regions that sell them; absent: all.",
     .preset = ""},
    QUALITY_ROWS(struct catalog_eci_size),
    {0},
};

static int check_size(const void *config, const char **key, struct err *e)
{
    const struct catalog_eci_size *s = config;
    *key = "memory";
    for (size_t i = 0; i < s->memory.count; i++) {
        int64_t bytes;
        if (!text_parse_bytes(s->memory.items[i], &bytes) || bytes <= 0)
            return err_set(e, ERR_INPUT, NULL, "'%.60s'; an amount like 4Gi is expected",
                           s->memory.items[i]);
    }
    return 0;
}

static const struct knob_table size_knobs = {
    .name = "eciSize",
    .doc = "Elastic container instances without GPUs.",
    .rows = size_rows,
    .size = sizeof(struct catalog_eci_size),
    .check = check_size,
};

#define LIST(json_key, member, rows_of, words)                                                     \
    {                                                                                              \
        .key = json_key, .kind = KNOB_LIST, .offset = offsetof(struct catalog_part, member),       \
        .doc = words, .preset = "", .table = &(rows_of)                                            \
    }

static const struct knob part_rows[] = {
    {.key = "sluice",
     .kind = KNOB_INT,
     .offset = offsetof(struct catalog_part, version),
     .doc = "Version of the format.",
     .min = 1,
     .max = 1},
    LIST("instances", instances, instance_knobs, "Instance types."),
    LIST("prices", prices, price_knobs, "Prices."),
    LIST("spotMarkets", spots, spot_preset_knobs, "Spot markets."),
    LIST("registries", registries, store_knobs, "Image registries."),
    LIST("modelStores", stores, store_knobs, "Model stores."),
    LIST("deliveries", deliveries, delivery_knobs, "Delivery times of machines."),
    LIST("eciSpecs", eci_specs, eci_knobs, "Elastic container instances with GPUs."),
    LIST("eciSizes", eci_sizes, size_knobs, "Elastic container instances without GPUs."),
    {0},
};

const struct knob_table catalog_part_knobs = {
    .name = "catalog",
    .doc = "A catalogue file: figures of the world, each with its source.",
    .rows = part_rows,
    .size = sizeof(struct catalog_part),
};

/* ---- lookup ---- */

/* The lists that are looked up by a name, which is the first field of each of their structs. */
static const struct section {
    size_t list;
    const struct knob_table *table;
    const char *what, *key;
} sections[CATALOG_KINDS] = {
    [CATALOG_INSTANCE] = {offsetof(struct catalog_part, instances), &instance_knobs,
                          "instance type", "instances"},
    [CATALOG_SPOT] = {offsetof(struct catalog_part, spots), &spot_preset_knobs, "spot market",
                      "spotMarkets"},
    [CATALOG_REGISTRY] = {offsetof(struct catalog_part, registries), &store_knobs, "registry",
                          "registries"},
    [CATALOG_STORE] = {offsetof(struct catalog_part, stores), &store_knobs, "model store",
                       "modelStores"},
    [CATALOG_DELIVERY] = {offsetof(struct catalog_part, deliveries), &delivery_knobs,
                          "delivery time", "deliveries"},
};

static const struct knob_list *list_of(const struct catalog_part *p, enum catalog_kind kind)
{
    return (const struct knob_list *)(const void *)((const char *)p + sections[kind].list);
}

static const void *item_of(const struct knob_list *l, enum catalog_kind kind, size_t i)
{
    return (const char *)l->items + i * sections[kind].table->size;
}

static const char *name_of(const void *item)
{
    const char *name;
    memcpy(&name, item, sizeof name);
    return name;
}

static const void *find(const struct catalog *c, enum catalog_kind kind, const char *name)
{
    if (!c || !name)
        return NULL;
    for (size_t p = c->n_parts; p-- > 0;) {
        const struct knob_list *l = list_of(&c->parts[p], kind);
        for (size_t i = 0; i < l->count; i++) {
            const void *item = item_of(l, kind, i);
            if (strcmp(name_of(item), name) == 0)
                return item;
        }
    }
    return NULL;
}

const struct instance_type *catalog_instance(const struct catalog *c, const char *name)
{
    return find(c, CATALOG_INSTANCE, name);
}

const struct spot_preset *catalog_spot(const struct catalog *c, const char *name)
{
    return find(c, CATALOG_SPOT, name);
}

const struct catalog_store *catalog_registry(const struct catalog *c, const char *name)
{
    return find(c, CATALOG_REGISTRY, name);
}

const struct catalog_store *catalog_model_store(const struct catalog *c, const char *name)
{
    return find(c, CATALOG_STORE, name);
}

const struct catalog_delivery *catalog_find_delivery(const struct catalog *c, const char *name)
{
    return find(c, CATALOG_DELIVERY, name);
}

/* 0: another thing's price; 1: holds anywhere; 2: holds in this region. */
static int price_rank(const struct price *p, const struct catalog_price_key *key)
{
    if (p->billing != (int)key->billing || strcmp(p->type, key->type) != 0 ||
        strcmp(p->per_hour.currency, key->currency) != 0)
        return 0;
    if (!p->region)
        return 1;
    return key->region && strcmp(p->region, key->region) == 0 ? 2 : 0;
}

const struct price *catalog_price(const struct catalog *c, const struct catalog_price_key *key)
{
    const struct price *best = NULL;
    int best_rank = 0;
    for (size_t p = c ? c->n_parts : 0; p-- > 0;) {
        const struct knob_list *l = &c->parts[p].prices;
        const struct price *prices = l->items;
        for (size_t i = 0; i < l->count; i++) {
            int rank = price_rank(&prices[i], key);
            if (rank > best_rank) {
                best = &prices[i];
                best_rank = rank;
            }
        }
        if (best)
            break; /* a later file wins as a whole */
    }
    return best;
}

/* ---- messages and checks ---- */

#define NAMES_MAX 512

int catalog_missing(const struct catalog *c, enum catalog_kind kind, const char *name,
                    const char *where, struct err *e)
{
    const char *names[NAMES_MAX];
    size_t n = 0;
    for (size_t p = 0; p < (c ? c->n_parts : 0); p++) {
        const struct knob_list *l = list_of(&c->parts[p], kind);
        for (size_t i = 0; i < l->count && n < NAMES_MAX; i++)
            names[n++] = name_of(item_of(l, kind, i));
    }
    const char *near = text_nearest(name, names, n);
    return err_set(e, ERR_INPUT, where,
                   "the catalogue has no %s \"%s\"%s%s%s; it knows %zu (add yours under `%s` in a "
                   "catalogue file)",
                   sections[kind].what, name, near ? "; did you mean \"" : "", near ? near : "",
                   near ? "\"?" : "", n, sections[kind].key);
}

static int check_names(const struct catalog_part *p, enum catalog_kind kind, struct err *e)
{
    const struct knob_list *l = list_of(p, kind);
    for (size_t i = 0; i < l->count; i++)
        for (size_t j = 0; j < i; j++) {
            const char *name = name_of(item_of(l, kind, i));
            if (strcmp(name, name_of(item_of(l, kind, j))) == 0)
                return err_set(e, ERR_INPUT, p->file, "%s[%zu] and %s[%zu] are both \"%s\"",
                               sections[kind].key, j, sections[kind].key, i, name);
        }
    return 0;
}

static bool same_price(const struct price *a, const struct price *b)
{
    if (a->billing != b->billing || strcmp(a->type, b->type) != 0 ||
        strcmp(a->per_hour.currency, b->per_hour.currency) != 0)
        return false;
    return a->region && b->region ? strcmp(a->region, b->region) == 0 : a->region == b->region;
}

int catalog_check_part(const struct catalog_part *p, struct err *e)
{
    for (int kind = 0; kind < CATALOG_KINDS; kind++)
        if (check_names(p, (enum catalog_kind)kind, e))
            return -1;
    const struct price *prices = p->prices.items;
    for (size_t i = 0; i < p->prices.count; i++)
        for (size_t j = 0; j < i; j++)
            if (same_price(&prices[i], &prices[j]))
                return err_set(e, ERR_INPUT, p->file,
                               "prices[%zu] and prices[%zu] are both for %s, %s", j, i,
                               prices[i].type, price_billing_name(prices[i].billing));
    return 0;
}
