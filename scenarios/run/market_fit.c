/* market_fit: the parameters of a spot market from recorded prices, stock and lives. */
#include "scenarios/run/market_fit.h"

#include "sim/arena.h"
#include "sim/json.h"
#include "sim/text.h"
#include "sim/zone.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define MAX_COURSE 2000000
/* Machines that a small batch takes: one or two of sixteen. */
#define FEW 0.1

static const double ages[MARKET_FIT_AGES] = {0, .25, .5, 1, 2, 4, 8, 16, 24, 48};

struct fitting {
    struct arena *arena;
    const struct market_fit_setup *s;
    struct market_fit *f;
};

static bool is_wished(const char *wish, const char *name)
{
    return !wish || strcmp(wish, name) == 0;
}

static bool counts(const struct fitting *t, const struct trace_series *s)
{
    return is_wished(t->s->type, s->key.type) && is_wished(t->s->zone, s->key.zone) &&
           is_wished(t->s->product, s->key.product);
}

/* ---- prices ---- */

static int list_price(const struct fitting *t, const struct trace_series *s, int64_t *micro,
                      struct err *e)
{
    const struct money *given = &t->s->on_demand;
    if (given->micro > 0 && s->key.currency[0] && strcmp(given->currency, s->key.currency) != 0)
        return err_set(e, ERR_INPUT, NULL, "--on-demand is in %s, the prices in %.8s",
                       given->currency, s->key.currency);
    *micro = given->micro > 0 ? given->micro : s->list_micro;
    if (*micro > 0)
        return 0;
    return err_set(e, ERR_INPUT, NULL,
                   "prices are fitted as shares of the on-demand price, which the file does not "
                   "state; give it with --on-demand \"3.06 %.8s\"",
                   s->key.currency[0] ? s->key.currency : "USD");
}

static int lay_course(const struct fitting *t, const struct trace_series *s, double list,
                      struct err *e)
{
    struct market_fit *f = t->f;
    int64_t first = s->points[0].ns, length = s->points[s->n - 1].ns - first;
    f->n_course = (size_t)(length / MARKET_FIT_STEP) + 1;
    if (f->n_course > MAX_COURSE)
        return err_set(e, ERR_INPUT, NULL, "the prices span more than %d steps of five minutes",
                       MAX_COURSE);
    f->course = arena_take(t->arena, f->n_course, sizeof *f->course, e);
    if (!f->course)
        return -1;
    for (size_t i = 0, k = 0; i < f->n_course; i++) {
        while (k + 1 < s->n && s->points[k + 1].ns <= first + (int64_t)i * MARKET_FIT_STEP)
            k++;
        f->course[i] = (double)s->points[k].value / list;
        f->above_list += (f->course[i] > 1) / (double)f->n_course;
    }
    return 0;
}

static int fit_price(struct fitting *t, const struct trace_series *s, enum stamp_kind stamps,
                     struct err *e)
{
    int64_t list = 0;
    if (list_price(t, s, &list, e) || lay_course(t, s, (double)list, e))
        return -1;
    double *shocks = arena_take(t->arena, t->f->n_course, sizeof *shocks, e);
    if (!shocks)
        return -1;
    snprintf(t->f->label, sizeof t->f->label, "%.60s%s%.60s%s%.40s", s->key.type,
             s->key.zone[0] ? " in " : "", s->key.zone, s->key.product[0] ? ", " : "",
             s->key.product);
    if (!t->f->label[0])
        snprintf(t->f->label, sizeof t->f->label, "the series");
    t->f->epoch_s = stamps == STAMP_OFFSET ? 0 : s->points[0].ns / SIM_SECOND;
    return reversion_fit(t->f->course, t->f->n_course, shocks, &t->f->price, e);
}

/* Linux of several products, as the scenario takes it; else one series is needed. */
static int find_price(struct fitting *t, const struct trace *trace, struct err *e)
{
    const struct trace_series *lone = NULL, *linux_one = NULL;
    size_t n = 0, n_linux = 0;
    for (size_t i = 0; i < trace->n_series; i++) {
        const struct trace_series *s = &trace->series[i];
        if (!counts(t, s))
            continue;
        n++;
        lone = s;
        if (strcmp(s->key.product, "Linux/UNIX") == 0) {
            n_linux++;
            linux_one = s;
        }
    }
    t->f->n_priced += n;
    if (n == 0)
        return 0;
    if (n > 1 && n_linux == 1)
        lone = linux_one;
    else if (n > 1)
        return err_set(e, ERR_INPUT, trace->path,
                       "%zu series of prices; choose one with --type, --zone and --product "
                       "(`sluice trace info` lists them)",
                       n);
    if (t->f->price.n > 0)
        return err_set(e, ERR_INPUT, trace->path, "a second file of prices; a market has one");
    return fit_price(t, lone, trace->stamps, e);
}

/* ---- lives and spells ---- */

static int grow(struct fitting *t, struct market_fit_lives *l, size_t n, struct err *e)
{
    struct life *more = arena_take(t->arena, l->n + n, sizeof *more, e);
    if (!more)
        return -1;
    if (l->n)
        memcpy(more, l->items, l->n * sizeof *more);
    l->items = more;
    return 0;
}

static void add(struct market_fit_lives *l, int64_t ns, bool ended)
{
    if (ns > 0)
        l->items[l->n++] = (struct life){(double)ns / (double)SIM_HOUR, ended};
}

static int add_lives(struct fitting *t, const struct trace_series *s, struct err *e)
{
    t->f->n_lived++;
    if (grow(t, &t->f->lives, s->n, e))
        return -1;
    for (size_t i = 0; i < s->n; i++)
        add(&t->f->lives, s->points[i].ns, s->points[i].value != 0);
    return 0;
}

/* The first spell began before the file and tells nothing of its length; the last is censored. */
static int add_spells(struct fitting *t, const struct trace_series *s, int64_t end, struct err *e)
{
    size_t from = 0, changes = 0;
    if (grow(t, &t->f->up, s->n, e) || grow(t, &t->f->down, s->n, e))
        return -1;
    for (size_t i = 1; i <= s->n; i++) {
        bool last = i == s->n, up = s->points[from].value > 0;
        if (!last && (s->points[i].value > 0) == up)
            continue;
        int64_t until = last ? end : s->points[i].ns;
        if (changes++ > 0)
            add(up ? &t->f->up : &t->f->down, until - s->points[from].ns, !last);
        from = i;
    }
    return 0;
}

static void count_bulk(struct market_fit_bulk *b, const struct trace_series *s, int64_t end)
{
    for (size_t i = 0; i < s->n; i++) {
        int64_t now = s->points[i].value, next = i + 1 < s->n ? s->points[i + 1].value : now;
        int64_t until = i + 1 < s->n ? s->points[i + 1].ns : end;
        b->most = now > b->most ? now : b->most;
        b->machine_hours += (double)now * (double)(until - s->points[i].ns) / (double)SIM_HOUR;
        if (next >= now)
            continue;
        b->events++;
        b->lost += (size_t)(now - next);
        b->all += next == 0;
    }
}

/* Losses of one machine alone, batches that take all and batches that take few, at rates that give
 * the mean size of a loss and the share that took all, for so many machines as stood on the
 * average before a loss: with b the batch share and a that of whole ones, E = a + (1 - a) few,
 *   losses an own loss of a machine: n (1 - b) + (b / E) (a + (1 - a) (1 - (1 - few)^n)) = n / size
 *   whole ones:                      a b / E = whole n / size
 * Solved for b by halving. */
static double losses(double b, double c, double n, double *a)
{
    double rest = b / c - (1 - FEW);
    *a = c > 0 && rest > 0 ? FEW / rest : 2;
    if (*a > 1)
        *a = 1;
    double e = *a + (1 - *a) * FEW, some = 1 - pow(1 - FEW, n);
    return n * (1 - b) + b / e * (*a + (1 - *a) * some);
}

static void solve_batches(struct market_fit_bulk *b)
{
    double size = (double)b->lost / (double)b->events, n = (double)b->most;
    double c = (double)b->all / (double)b->events * n / size, low = 0, high = 1;
    b->batch_few = FEW;
    if (c <= 0) {
        b->batch_share = size > 1 ? 1 : 0;
        return;
    }
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        if (losses(middle, c, n, &b->batch_all) > n / size)
            low = middle;
        else
            high = middle;
    }
    b->batch_share = (low + high) / 2;
    losses(b->batch_share, c, n, &b->batch_all);
}

static void fit_lives(struct market_fit_lives *l, double tick_hours)
{
    struct err e = {0};
    if (l->n == 0)
        return;
    l->fitted = life_fit_weibull(l->items, l->n, tick_hours, &l->fit, &e) == 0;
    snprintf(l->why, sizeof l->why, "%.150s", e.msg);
    life_fit_rates(l->items, l->n, ages, l->rates, MARKET_FIT_AGES);
    if (!l->fitted)
        return;
    struct life_sample seen = {l->items, l->n, tick_hours};
    l->rates_distance = life_fit_distance_of_rates(&seen, l->rates, MARKET_FIT_AGES);
    l->rates_p = life_fit_p_value(l->rates_distance, l->fit.ended);
}

/* ---- zones ---- */

/* Whether a series has stock at a time, and whether it loses it within a check of it. */
struct look {
    bool up, falls;
};

static struct look look_at(const struct trace_series *s, int64_t ns)
{
    struct look l = {false, false};
    size_t low = 0, high = s->n;
    if (s->points[0].ns > ns)
        return l;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (s->points[middle].ns < ns)
            low = middle;
        else
            high = middle;
    }
    l.up = s->points[low].value > 0;
    for (size_t i = low + 1; l.up && i < s->n && s->points[i].ns < ns + MARKET_FIT_STEP; i++)
        l.falls |= s->points[i].value == 0;
    return l;
}

/* Ends of stock an hour of having it. */
static double fall_rate(const struct trace_series *s)
{
    double hours = 0;
    size_t falls = 0;
    for (size_t i = 0; i + 1 < s->n; i++) {
        if (s->points[i].value == 0)
            continue;
        hours += (double)(s->points[i + 1].ns - s->points[i].ns) / (double)SIM_HOUR;
        falls += s->points[i + 1].value == 0;
    }
    return hours > 0 ? (double)falls / hours : 0;
}

static void count_pair(struct market_fit *f, const struct trace_series *a,
                       const struct trace_series *b, sim_ns tick, double *coincidence)
{
    /* The samples of b that lie within a check. */
    sim_ns window = tick > 0 ? (MARKET_FIT_STEP + tick - 1) / tick * tick : MARKET_FIT_STEP;
    double p = 1 - exp(-fall_rate(b) * (double)window / (double)SIM_HOUR);
    for (size_t i = 1; i < a->n; i++) {
        if (a->points[i].value > 0 || a->points[i - 1].value == 0)
            continue;
        struct look other = look_at(b, a->points[i].ns);
        f->falls += other.up;
        f->falls_together += other.up && other.falls;
        *coincidence += other.up ? p : 0;
    }
}

/* What independent zones would share by coincidence is taken off. */
static void fit_tie(struct fitting *t)
{
    struct market_fit *f = t->f;
    double expected = 0;
    f->tie.value = -1;
    for (size_t i = 0; i < t->s->n; i++)
        for (size_t k = 0; k < t->s->n; k++) {
            const struct trace *a = &t->s->traces[i], *b = &t->s->traces[k];
            if (a->format->kind != TRACE_AVAILABILITY || b->format->kind != TRACE_AVAILABILITY)
                continue;
            for (size_t x = 0; x < a->n_series; x++)
                for (size_t y = 0; y < b->n_series; y++)
                    if ((i != k || x != y) && counts(t, &a->series[x]) && counts(t, &b->series[y]))
                        count_pair(f, &a->series[x], &b->series[y], b->tick, &expected);
        }
    if (f->falls < 5)
        return;
    double n = (double)f->falls, p = expected / n, got = (double)f->falls_together / n;
    double half = 1.96 * sqrt(got * (1 - got) / n) / (1 - p), value = (got - p) / (1 - p);
    f->tie = (struct life_figure){fmax(0, value), fmax(0, value - half), fmin(1, value + half)};
}

/* ---- all of it ---- */

static int read_trace(struct fitting *t, const struct trace *trace, struct err *e)
{
    if (trace->format->kind == TRACE_PRICE)
        return find_price(t, trace, e);
    for (size_t i = 0; i < trace->n_series; i++) {
        const struct trace_series *s = &trace->series[i];
        if (!counts(t, s))
            continue;
        if (trace->format->kind == TRACE_LIFETIME) {
            if (add_lives(t, s, e))
                return -1;
            continue;
        }
        int64_t end = s->points[s->n - 1].ns + trace->tick;
        t->f->n_stocked++;
        count_bulk(&t->f->bulk, s, end);
        if (add_spells(t, s, end, e))
            return -1;
    }
    return 0;
}

static void find_date(struct fitting *t)
{
    char stamp[40];
    snprintf(t->f->date, sizeof t->f->date, "%s", "undated");
    if (t->s->date)
        snprintf(t->f->date, sizeof t->f->date, "%.15s", t->s->date);
    for (size_t i = 0; !t->s->date && i < t->s->n; i++) {
        const struct trace *trace = &t->s->traces[i];
        if (trace->format->kind != TRACE_LIFETIME && trace->stamps == STAMP_UNIX)
            snprintf(t->f->date, sizeof t->f->date, "%.10s",
                     trace_stamp(stamp, STAMP_UNIX, trace_span(trace).end));
    }
}

/* Of the coarsest file, hours. */
static double tick_of(const struct fitting *t)
{
    sim_ns tick = 0;
    for (size_t i = 0; i < t->s->n; i++)
        tick = t->s->traces[i].tick > tick ? t->s->traces[i].tick : tick;
    return (double)tick / (double)SIM_HOUR;
}

static bool has_losses(const struct market_fit *f)
{
    return f->lives.fitted || (f->up.fitted && f->down.fitted) ||
           (f->bulk.most > 1 && f->bulk.events > 0);
}

static int check(const struct fitting *t, struct err *e)
{
    const struct market_fit *f = t->f;
    if (f->n_priced + f->n_stocked + f->n_lived == 0)
        return err_set(e, ERR_INPUT, t->s->traces[0].path,
                       "no series of this --type, --zone and --product (`sluice trace info` lists "
                       "them)");
    if (f->price.n > 0 || has_losses(f))
        return 0;
    const char *why = f->lives.n ? f->lives.why : f->up.n ? f->up.why : f->down.why;
    if (f->n_lived > 0 && f->lives.n == 0)
        return err_set(e, ERR_INPUT, t->s->traces[0].path,
                       "nothing to fit: no life in it is longer than 0 s");
    return err_set(e, ERR_INPUT, t->s->traces[0].path, "nothing to fit: %s",
                   why[0] ? why : "the stock never changes");
}

static int check_setup(const struct market_fit_setup *s, struct err *e)
{
    if (!s->name || s->name[strspn(s->name, " \t")] == '\0')
        return err_set(e, ERR_INPUT, NULL, "--name: the market needs a name");
    if (s->date && !zone_is_date(s->date))
        return err_set(e, ERR_INPUT, NULL, "--date: '%.40s' is no day such as 2026-05-31", s->date);
    for (size_t i = 1; i < s->n; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(s->traces[i].path, s->traces[k].path) == 0)
                return err_set(e, ERR_INPUT, s->traces[i].path,
                               "is given twice: what it holds would count twice");
    return 0;
}

int market_fit(struct market_fit *f, struct arena *a, const struct market_fit_setup *s,
               struct err *e)
{
    struct fitting t = {a, s, f};
    assert(s->n > 0);
    *f = (struct market_fit){0};
    if (check_setup(s, e))
        return -1;
    for (size_t i = 0; i < s->n; i++)
        if (read_trace(&t, &s->traces[i], e))
            return -1;
    double tick = tick_of(&t);
    fit_lives(&f->lives, 0);
    fit_lives(&f->up, tick);
    fit_lives(&f->down, tick);
    fit_tie(&t);
    find_date(&t);
    if (f->bulk.events > 0) {
        double lost = (double)f->bulk.lost, half = 1.96 * sqrt(lost);
        f->bulk.per_hour = (struct life_figure){lost / f->bulk.machine_hours,
                                                fmax(0, lost - half) / f->bulk.machine_hours,
                                                (lost + half) / f->bulk.machine_hours};
        if (f->bulk.most > 1)
            solve_batches(&f->bulk);
    }
    return check(&t, e);
}

/* ---- the catalogue entry ---- */

static void put_text(struct json_out *o, const char *key, const char *value)
{
    json_out_key(o, key);
    json_out_string(o, value);
}

/* Figures of a fit are worth four digits. */
static void put_number(struct json_out *o, const char *key, double v)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.4g", v);
    json_out_key(o, key);
    text_parse_double(digits, &v);
    json_out_number(o, v);
}

static void put_weibull(struct json_out *o, const char *key, const struct life_fit *f)
{
    char scale[40];
    snprintf(scale, sizeof scale, "%.0fs", fmax(1, f->scale_hours.value * 3600));
    json_out_key(o, key);
    json_out_open(o, "{");
    put_text(o, "distribution", "weibull");
    put_number(o, "shape", fmin(1000, fmax(0.1, f->shape.value)));
    put_text(o, "scale", scale);
    json_out_close(o, "}");
}

/* Stretches of ages that nobody reached take the rate before them. */
static void put_rates(struct json_out *o, const struct life_rate *rates)
{
    char age[24];
    json_out_key(o, "hazards");
    json_out_open(o, "[");
    for (size_t i = 0; i < MARKET_FIT_AGES; i++) {
        if (rates[i].exposed_hours <= 0 && i > 0)
            break;
        snprintf(age, sizeof age, "%.0fs", rates[i].from_hours * 3600);
        json_out_open(o, "{");
        put_text(o, "fromAge", age);
        put_number(o, "perHour", fmin(1000, rates[i].per_hour.value));
        json_out_close(o, "}");
    }
    json_out_close(o, "]");
}

static void put_flat(struct json_out *o, double per_hour)
{
    json_out_key(o, "hazards");
    json_out_open(o, "[");
    json_out_open(o, "{");
    put_text(o, "fromAge", "0s");
    put_number(o, "perHour", per_hour);
    json_out_close(o, "}");
    json_out_close(o, "]");
}

static void put_bulk(const struct market_fit *f, struct json_out *o)
{
    put_flat(o, f->bulk.per_hour.value);
    put_number(o, "batchShare", f->bulk.batch_share);
    put_number(o, "batchAll", f->bulk.batch_all);
    put_number(o, "batchFew", f->bulk.batch_few);
    if (f->down.fitted) {
        put_number(o, "stockOutShare", fmin(1, (double)f->bulk.all / (double)f->bulk.events));
        put_weibull(o, "stockOut", &f->down.fit);
    }
}

static void put_losses(const struct market_fit *f, struct json_out *o)
{
    const struct market_fit_lives *l = &f->lives;
    bool falls = l->fitted && l->fit.shape.value <= 1;
    if (falls && l->fit.p_value >= 0.01)
        put_weibull(o, "lifetime", &l->fit);
    else if (l->fitted)
        put_rates(o, l->rates);
    else if (f->bulk.most > 1 && f->bulk.events > 0)
        put_bulk(f, o);
    else if (f->up.fitted && f->down.fitted) {
        put_weibull(o, "stockUp", &f->up.fit);
        put_weibull(o, "stockDown", &f->down.fit);
    } else
        put_flat(o, 0);
    if (f->tie.value > 0)
        put_number(o, "zoneCorrelation", f->tie.value);
}

static double share(double v)
{
    return fmin(1, fmax(0, v));
}

static void put_price(const struct market_fit *f, struct json_out *o)
{
    const struct reversion_fit *p = &f->price;
    double low = share(p->low), high = share(p->high);
    if (p->n == 0)
        return;
    put_number(o, "priceShare", fmin(high, fmax(low, p->mean.value)));
    /* Rounded outwards, so that the mean stays between them. */
    json_out_key(o, "priceLow");
    json_out_number(o, floor(low * 1e4) / 1e4);
    json_out_key(o, "priceHigh");
    json_out_number(o, fmin(1, ceil(high * 1e4) / 1e4));
    put_text(o, "priceStep", "5m");
    put_number(o, "priceReversion", share(p->reversion.value));
    put_number(o, "priceDeviation", share(p->deviation.value));
}

static void put_note(const struct market_fit *f, struct json_out *o)
{
    struct text note = {0};
    if (f->price.n > 0)
        text_printf(&note, "prices of %.160s over %zu %s, shocks %s", f->label, f->price.n,
                    text_plural(f->price.n, "step", "steps"),
                    f->price.p_value < 0.01 ? "not normal" : "normal");
    if (f->price.n > 0 && f->above_list > 0)
        text_printf(&note, ", above list for %.2g %% of the time and cut there",
                    100 * f->above_list);
    const char *join = note.length ? "; " : "";
    if (f->lives.fitted)
        text_printf(&note, "%s%zu %s", join, f->lives.n, text_plural(f->lives.n, "life", "lives"));
    else if (f->bulk.most > 1 && f->bulk.events > 0)
        text_printf(&note, "%s%zu %s of up to %lld machines", join, f->bulk.events,
                    text_plural(f->bulk.events, "loss", "losses"), (long long)f->bulk.most);
    else if (has_losses(f))
        text_printf(&note, "%s%zu %s with stock", join, f->up.n,
                    text_plural(f->up.n, "spell", "spells"));
    else
        text_add(&note, "; the files tell nothing of losses");
    put_text(o, "note", note.s ? note.s : "");
    text_fini(&note);
}

void market_fit_catalog(const struct market_fit *f, const struct market_fit_setup *s,
                        struct text *to)
{
    struct json_out o;
    char source[300];
    json_out_init(&o, to, false);
    json_out_open(&o, "{");
    json_out_key(&o, "sluice");
    json_out_int(&o, 1);
    json_out_key(&o, "spotMarkets");
    json_out_open(&o, "[");
    json_out_open(&o, "{");
    put_text(&o, "name", s->name);
    put_losses(f, &o);
    put_price(f, &o);
    put_text(&o, "quality", "measured");
    put_text(&o, "date", f->date);
    snprintf(source, sizeof source, "sluice trace fit %.250s", s->files);
    put_text(&o, "source", source);
    put_note(f, &o);
    json_out_close(&o, "}");
    json_out_close(&o, "]");
    json_out_close(&o, "}");
    json_out_end(&o);
}
