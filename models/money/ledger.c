/* ledger: what was paid for, by resource and by what it was good for. */
#include "models/money/ledger.h"

#include "sim/money.h"
#include "sim/recorder.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum class {
    CLASS_SERVING,
    CLASS_IDLE,
    CLASS_STARTING,
    CLASS_DRAINING,
    CLASS_FRAGMENTATION,
    CLASS_PREMIUM,
    CLASS_DUPLICATE,
    CLASSES
};

static const char *const class_names[CLASSES] = {
    "serving",          "idle", "starting", "draining", "fragmentation", "onDemandPremium",
    "duplicateScaleUp",
};

static const enum class class_of_use[LEDGER_USES] = {
    [LEDGER_IDLE] = CLASS_IDLE,
    [LEDGER_STARTING] = CLASS_STARTING,
    [LEDGER_DRAINING] = CLASS_DRAINING,
    [LEDGER_FRAGMENTATION] = CLASS_FRAGMENTATION,
};

struct account {
    bool open;
    struct ledger_item item;
    sim_ns opened, from; /* from: start of the stretch at this price */
    sim_ns used_at;      /* unit-times hold up to here */
    sim_ns billed_ns;    /* of closed stretches */
    int64_t micro;       /* of closed stretches */
};

struct ledger {
    struct ledger_setup set;
    size_t n_uses; /* LEDGER_USES + owners */
    struct account *accounts;
    uint32_t *units;    /* [account * n_uses + use]: units in that use now */
    int64_t *unit_ns;   /* [...]: unit-time of the open stretch */
    int64_t *use_micro; /* [...]: money of closed stretches; premium apart */
    int64_t *premium;   /* [account] */
    int64_t *busy_ns;   /* [owner] */
    int64_t *serving;   /* [owner]: money */
    int64_t *serving_ns;
    int64_t *by_group;
    int64_t by_class[CLASSES], by_billing[PRICE_BILLINGS];
    int64_t total;
    int64_t from_bills; /* the bills added up once more, from their prices and times */
    bool closed;
};

static void *zeroed(size_t n, size_t size, bool *failed)
{
    void *p = calloc(n ? n : 1, size);
    *failed = *failed || !p;
    return p;
}

struct ledger *ledger_create(const struct ledger_setup *s, struct err *e)
{
    bool failed = false;
    struct ledger *l = zeroed(1, sizeof *l, &failed);
    if (l) {
        size_t uses = LEDGER_USES + s->n_owners;
        l->set = *s;
        l->n_uses = uses;
        l->accounts = zeroed(s->n_accounts, sizeof *l->accounts, &failed);
        l->units = zeroed(s->n_accounts * uses, sizeof *l->units, &failed);
        l->unit_ns = zeroed(s->n_accounts * uses, sizeof *l->unit_ns, &failed);
        l->use_micro = zeroed(s->n_accounts * uses, sizeof *l->use_micro, &failed);
        l->premium = zeroed(s->n_accounts, sizeof *l->premium, &failed);
        l->busy_ns = zeroed(s->n_owners, sizeof *l->busy_ns, &failed);
        l->serving = zeroed(s->n_owners, sizeof *l->serving, &failed);
        l->serving_ns = zeroed(s->n_owners, sizeof *l->serving_ns, &failed);
        l->by_group = zeroed(s->n_groups, sizeof *l->by_group, &failed);
    }
    if (failed) {
        ledger_destroy(l);
        err_set(e, ERR_SYSTEM, NULL, "out of memory for %zu accounts", s->n_accounts);
        return NULL;
    }
    for (size_t i = 0; i < s->n_owners; i++)
        l->busy_ns[i] = INT64_MAX;
    return l;
}

void ledger_destroy(struct ledger *l)
{
    if (!l)
        return;
    free(l->accounts);
    free(l->units);
    free(l->unit_ns);
    free(l->use_micro);
    free(l->premium);
    free(l->busy_ns);
    free(l->serving);
    free(l->serving_ns);
    free(l->by_group);
    free(l);
}

static struct account *account_at(struct ledger *l, uint32_t account)
{
    assert(account < l->set.n_accounts);
    return &l->accounts[account];
}

bool ledger_is_open(const struct ledger *l, uint32_t account)
{
    assert(account < l->set.n_accounts);
    return l->accounts[account].open;
}

void ledger_open(struct ledger *l, uint32_t account, sim_ns now, const struct ledger_item *item)
{
    struct account *a = account_at(l, account);
    assert(!a->open && !l->closed && item->units >= 1 && item->billing_step > 0);
    assert(item->group < l->set.n_groups);
    assert(item->premium_micro_per_hour <= item->micro_per_hour);
    size_t at = account * l->n_uses;
    *a = (struct account){.open = true, .item = *item, .opened = now, .from = now, .used_at = now};
    memset(&l->units[at], 0, l->n_uses * sizeof *l->units);
    memset(&l->unit_ns[at], 0, l->n_uses * sizeof *l->unit_ns);
    memset(&l->use_micro[at], 0, l->n_uses * sizeof *l->use_micro);
    l->premium[account] = 0;
    l->units[at + LEDGER_STARTING] = item->units;
}

static void add_unit_time(struct ledger *l, uint32_t account, sim_ns now)
{
    struct account *a = account_at(l, account);
    size_t at = account * l->n_uses;
    assert(now >= a->used_at);
    for (size_t u = 0; u < l->n_uses; u++)
        l->unit_ns[at + u] += l->units[at + u] * (now - a->used_at);
    a->used_at = now;
}

/* Splits `amount` over the uses by their unit-time: rounded down, the rest to the largest. */
static void split(struct ledger *l, uint32_t account, int64_t amount)
{
    size_t at = account * l->n_uses;
    int64_t whole = 0, left = amount;
    size_t largest = 0;
    for (size_t u = 0; u < l->n_uses; u++) {
        whole += l->unit_ns[at + u];
        if (l->unit_ns[at + u] > l->unit_ns[at + largest])
            largest = u;
    }
    for (size_t u = 0; u < l->n_uses && whole > 0; u++) {
        int64_t part = money_part(amount, l->unit_ns[at + u], whole);
        l->use_micro[at + u] += part;
        left -= part;
    }
    assert(left >= 0 && (left == 0 || whole == 0 || left < (int64_t)l->n_uses));
    l->use_micro[at + largest] += left;
}

static void bill(struct ledger *l, const struct account *a, sim_ns to, int64_t amount)
{
    struct result_bill b = {
        .resource = a->item.resource,
        .group = l->set.group_names[a->item.group],
        .type = a->item.type,
        .zone = a->item.zone,
        .billing = price_billing_name(a->item.billing),
        .from = a->from,
        .to = to,
        .micro_per_hour = a->item.micro_per_hour,
        .amount_micro = amount,
        .currency = l->set.currency,
    };
    recorder_bill(l->set.recorder, &b);
    l->from_bills += money_for(b.micro_per_hour, b.to - b.from);
}

/* Closes the stretch at one price. */
static void close_stretch(struct ledger *l, uint32_t account, sim_ns to)
{
    struct account *a = account_at(l, account);
    if (to == a->from)
        return;
    add_unit_time(l, account, to);
    int64_t amount = money_for(a->item.micro_per_hour, to - a->from);
    int64_t premium = money_for(a->item.premium_micro_per_hour, to - a->from);
    premium = premium < amount ? premium : amount;
    bill(l, a, to, amount);
    split(l, account, amount - premium);
    l->premium[account] += premium;
    a->micro += amount;
    a->billed_ns += to - a->from;
    a->from = to;
    size_t at = account * l->n_uses;
    int64_t unit_time = 0;
    for (size_t u = 0; u < l->n_uses; u++)
        unit_time += l->unit_ns[at + u];
    assert(unit_time >= 0);
    for (size_t o = 0; o < l->set.n_owners; o++)
        l->serving_ns[o] += l->unit_ns[at + LEDGER_USES + o];
    memset(&l->unit_ns[at], 0, l->n_uses * sizeof *l->unit_ns);
}

void ledger_price(struct ledger *l, uint32_t account, sim_ns now, int64_t micro_per_hour)
{
    struct account *a = account_at(l, account);
    assert(a->open && micro_per_hour >= 0);
    if (micro_per_hour == a->item.micro_per_hour)
        return;
    close_stretch(l, account, now);
    a->item.micro_per_hour = micro_per_hour;
}

void ledger_use(struct ledger *l, uint32_t account, sim_ns now, const uint32_t *uses)
{
    struct account *a = account_at(l, account);
    uint64_t sum = 0;
    for (size_t u = 0; u < l->n_uses; u++)
        sum += uses[u];
    assert(a->open && sum == a->item.units);
    add_unit_time(l, account, now);
    memcpy(&l->units[account * l->n_uses], uses, l->n_uses * sizeof *uses);
}

/* Moves an ended account into the sums. */
static void settle(struct ledger *l, uint32_t account, bool useless)
{
    struct account *a = account_at(l, account);
    size_t at = account * l->n_uses;
    assert(a->billed_ns == a->from - a->opened);
    if (useless) {
        l->by_class[CLASS_DUPLICATE] += a->micro;
    } else {
        for (size_t u = 0; u < LEDGER_USES; u++)
            l->by_class[class_of_use[u]] += l->use_micro[at + u];
        for (size_t o = 0; o < l->set.n_owners; o++)
            l->serving[o] += l->use_micro[at + LEDGER_USES + o];
        l->by_class[CLASS_PREMIUM] += l->premium[account];
    }
    l->by_group[a->item.group] += a->micro;
    l->by_billing[a->item.billing] += a->micro;
    l->total += a->micro;
    a->open = false;
}

void ledger_end(struct ledger *l, uint32_t account, sim_ns now, bool useless)
{
    struct account *a = account_at(l, account);
    assert(a->open && now >= a->from);
    sim_ns step = a->item.billing_step;
    sim_ns steps = (now - a->opened + step - 1) / step;
    sim_ns to = a->opened + steps * step;
    close_stretch(l, account, to);
    settle(l, account, useless);
}

void ledger_busy(struct ledger *l, uint32_t owner, int64_t busy_unit_ns)
{
    assert(owner < l->set.n_owners && busy_unit_ns >= 0 && !l->closed);
    l->busy_ns[owner] = busy_unit_ns;
}

static void share_serving(struct ledger *l)
{
    for (size_t o = 0; o < l->set.n_owners; o++) {
        int64_t held = l->serving_ns[o], busy = l->busy_ns[o];
        int64_t serving = l->serving[o];
        if (busy < held)
            serving = money_part(serving, busy, held);
        l->by_class[CLASS_SERVING] += serving;
        l->by_class[CLASS_IDLE] += l->serving[o] - serving;
    }
}

static void assert_laws(const struct ledger *l)
{
    int64_t classes = 0, groups = 0, billings = 0;
    for (int c = 0; c < CLASSES; c++) {
        assert(l->by_class[c] >= 0);
        classes += l->by_class[c];
    }
    for (size_t g = 0; g < l->set.n_groups; g++)
        groups += l->by_group[g];
    for (int b = 0; b < PRICE_BILLINGS; b++)
        billings += l->by_billing[b];
    assert(classes == l->total && groups == l->total && billings == l->total);
    assert(l->from_bills == l->total);
}

static double units(int64_t micro)
{
    return (double)micro / 1e6;
}

static void figure(struct ledger *l, const char *by, const char *name, int64_t micro)
{
    char path[160];
    snprintf(path, sizeof path, "cost.%s.%s", by, name);
    recorder_figure(l->set.recorder, path, l->set.currency, FIGURE_MEAN, units(micro));
}

static void write_figures(struct ledger *l, sim_ns horizon)
{
    struct recorder *r = l->set.recorder;
    double per_hour = horizon > 0 ? units(l->total) * (double)SIM_HOUR / (double)horizon : 0;
    recorder_figure(r, "cost.total", l->set.currency, FIGURE_MEAN, units(l->total));
    recorder_figure(r, "cost.perHour", l->set.currency, FIGURE_MEAN, per_hour);
    recorder_figure(r, "cost.perMonth", l->set.currency, FIGURE_MEAN,
                    per_hour * (double)SIM_MONTH / (double)SIM_HOUR);
    for (int c = 0; c < CLASSES; c++)
        figure(l, "byClass", class_names[c], l->by_class[c]);
    for (int b = 0; b < PRICE_BILLINGS; b++)
        if (l->by_billing[b] || b == PRICE_ON_DEMAND || b == PRICE_SPOT)
            figure(l, "byBilling", price_billing_name((enum price_billing)b), l->by_billing[b]);
    for (size_t g = 0; g < l->set.n_groups; g++)
        figure(l, "byResource", l->set.group_names[g], l->by_group[g]);
}

void ledger_close(struct ledger *l, sim_ns horizon)
{
    assert(!l->closed);
    for (uint32_t i = 0; i < l->set.n_accounts; i++)
        if (l->accounts[i].open) {
            close_stretch(l, i, horizon);
            settle(l, i, false);
        }
    share_serving(l);
    assert_laws(l);
    write_figures(l, horizon);
    l->closed = true;
}

int64_t ledger_total_micro(const struct ledger *l)
{
    assert(l->closed);
    return l->total;
}

int64_t ledger_serving_ns(const struct ledger *l, uint32_t owner)
{
    assert(owner < l->set.n_owners);
    return l->serving_ns[owner];
}
