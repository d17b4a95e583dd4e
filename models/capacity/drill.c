/* drill: something that goes wrong on purpose. */
#include "models/capacity/drill.h"

#include "models/capacity/cluster_config.h"
#include "models/capacity/virtual_node.h"
#include "sim/text.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const names[] = {
    [DRILL_SPOT_LOSS] = "spot-loss",         [DRILL_STOCK_OUT] = "stock-out",
    [DRILL_METRIC_FROZEN] = "metric-frozen", [DRILL_ZONE_LOSS] = "zone-loss",
    [DRILL_REGISTRY_SLOW] = "registry-slow",
};
#define KINDS (sizeof names / sizeof names[0])

static const char *const examples[] = {
    [DRILL_SPOT_LOSS] = "spot-loss=7/10@10h",
    [DRILL_STOCK_OUT] = "stock-out=2h@9h",
    [DRILL_METRIC_FROZEN] = "metric-frozen=2h@9h",
    [DRILL_ZONE_LOSS] = "zone-loss=cn-hangzhou-h@12h or zone-loss=cn-hangzhou-h/2h@12h",
    [DRILL_REGISTRY_SLOW] = "registry-slow=10x@8h or registry-slow=10x/2h@8h",
};

const char *drill_name(enum drill_kind k)
{
    assert((size_t)k < KINDS);
    return names[k];
}

static int unlike(const struct drill *d, const char *what, const char *found, struct err *e)
{
    return err_set(e, ERR_INPUT, NULL, "%.100s: %s '%.60s'; a drill of this kind reads %s", d->text,
                   what, found, examples[d->kind]);
}

/* "7/10" */
static int read_share(struct drill *d, char *value, struct err *e)
{
    char *of = strchr(value, '/');
    if (of)
        *of++ = '\0';
    if (!of || !text_parse_int64(value, &d->lose) || !text_parse_int64(of, &d->of) || d->lose < 1 ||
        d->of < d->lose || d->of > 1000000)
        return unlike(d, "no share of the nodes in", d->text, e);
    return 0;
}

static int read_lasts(struct drill *d, const char *value, struct err *e)
{
    if (!value) {
        d->lasts = SIM_NEVER;
        return 0;
    }
    if (!text_parse_duration(value, &d->lasts) || d->lasts == 0)
        return unlike(d, "no duration:", value, e);
    return 0;
}

static int read_factor(struct drill *d, char *value, struct err *e)
{
    size_t n = strlen(value);
    if (n > 0 && value[n - 1] == 'x')
        value[n - 1] = '\0';
    if (n < 2 || !text_parse_double(value, &d->factor) || d->factor < 1 || d->factor > 1e6)
        return unlike(d, "no factor of 1x or more:", value, e);
    return 0;
}

/* What stands between '=' and '@'. */
static int read_value(struct drill *d, char *value, struct err *e)
{
    if (d->kind == DRILL_SPOT_LOSS)
        return read_share(d, value, e);
    if (d->kind == DRILL_STOCK_OUT || d->kind == DRILL_METRIC_FROZEN)
        return read_lasts(d, value, e);
    char *lasts = strchr(value, '/');
    if (lasts)
        *lasts++ = '\0';
    if (read_lasts(d, lasts, e))
        return -1;
    if (d->kind == DRILL_REGISTRY_SLOW)
        return read_factor(d, value, e);
    if (value[0] == '\0' || strlen(value) >= sizeof d->zone)
        return unlike(d, "no zone:", value, e);
    snprintf(d->zone, sizeof d->zone, "%s", value);
    return 0;
}

static int read_kind(struct drill *d, const char *name, struct err *e)
{
    const char *near = text_nearest(name, names, KINDS);
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(names[i], name) == 0) {
            d->kind = (enum drill_kind)i;
            return 0;
        }
    return err_set(e, ERR_INPUT, NULL,
                   "%.100s: no drill '%.60s'; allowed are spot-loss, stock-out, metric-frozen, "
                   "zone-loss and registry-slow%s%s%s",
                   d->text, name, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
}

int drill_parse(const char *text, struct drill *out, struct err *e)
{
    char copy[sizeof out->text];
    *out = (struct drill){0};
    if (strlen(text) >= sizeof copy)
        return err_set(e, ERR_INPUT, NULL, "a drill of %zu characters; it reads like %s",
                       strlen(text), examples[DRILL_SPOT_LOSS]);
    snprintf(copy, sizeof copy, "%s", text);
    snprintf(out->text, sizeof out->text, "%s", text);
    char *value = strchr(copy, '='), *at = strrchr(copy, '@');
    if (value)
        *value++ = '\0';
    if (read_kind(out, copy, e))
        return -1;
    if (!value || !at || at < value)
        return unlike(out, "no value and time in", text, e);
    *at++ = '\0';
    if (!text_parse_duration(at, &out->at))
        return unlike(out, "no time after the start:", at, e);
    return read_value(out, value, e);
}

static bool any_spot(const struct cluster_config *c)
{
    const struct pool_config *pools = c->pools.items;
    for (size_t i = 0; i < c->pools.count; i++)
        if (pool_uses_spot(&pools[i]))
            return true;
    return c->virtual_node && c->virtual_node->market;
}

/* "there is 'cn-hangzhou-h'", "there are 'cn-hangzhou-h', 'cn-hangzhou-i'"; each name once. */
static void list_once(const char *const *names_of, size_t n, char *out, size_t size)
{
    char list[170] = "";
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        bool again = false;
        size_t at = strlen(list);
        for (size_t k = 0; k < i; k++)
            again = again || strcmp(names_of[k], names_of[i]) == 0;
        if (again)
            continue;
        snprintf(list + at, sizeof list - at, "%s'%s'", kept++ ? ", " : "", names_of[i]);
    }
    snprintf(out, size, "%s %s", kept == 1 ? "there is" : "there are", list);
}

static int check_zone(const struct drill *d, const struct cluster_config *c, struct err *e)
{
    const struct pool_config *pools = c->pools.items;
    const char *zones[64] = {0};
    size_t n = 0;
    for (size_t i = 0; i < c->pools.count; i++)
        for (size_t z = 0; z < pools[i].zones.count; z++) {
            if (strcmp(pools[i].zones.items[z], d->zone) == 0)
                return 0;
            if (n < sizeof zones / sizeof zones[0])
                zones[n++] = pools[i].zones.items[z];
        }
    for (size_t z = 0; c->virtual_node && z < c->virtual_node->zones.count; z++) {
        if (strcmp(c->virtual_node->zones.items[z], d->zone) == 0)
            return 0;
        if (n < sizeof zones / sizeof zones[0])
            zones[n++] = c->virtual_node->zones.items[z];
    }
    const char *near = text_nearest(d->zone, zones, n);
    char all[200];
    if (n == 0)
        return err_set(e, ERR_INPUT, NULL, "%s: there is no node pool", d->text);
    if (near)
        return err_set(e, ERR_INPUT, NULL,
                       "%s: no pool has machines in zone '%s'; did you mean '%s'?", d->text,
                       d->zone, near);
    list_once(zones, n, all, sizeof all);
    return err_set(e, ERR_INPUT, NULL, "%s: no pool has machines in zone '%s'; %s", d->text,
                   d->zone, all);
}

int drill_check(const struct drill *d, const struct cluster_config *c, sim_ns horizon,
                struct err *e)
{
    if (d->at >= horizon)
        return err_set(e, ERR_INPUT, NULL, "%s: the run ends after %lld s", d->text,
                       (long long)(horizon / SIM_SECOND));
    if (d->kind == DRILL_ZONE_LOSS)
        return check_zone(d, c, e);
    if ((d->kind == DRILL_SPOT_LOSS || d->kind == DRILL_STOCK_OUT) && !any_spot(c))
        return err_set(e, ERR_INPUT, NULL, "%s: no pool buys spot machines; give one a spotMarket",
                       d->text);
    return 0;
}

int64_t drill_share(const struct drill *d, int64_t there)
{
    assert(d->kind == DRILL_SPOT_LOSS && d->of > 0 && there >= 0);
    return (2 * there * d->lose + d->of) / (2 * d->of);
}

sim_ns drill_end(const struct drill *d)
{
    return d->lasts >= SIM_NEVER - d->at ? SIM_NEVER : d->at + d->lasts;
}
