/* test_market_fit: the parameters of a market found again in what it would have left as records. */
#include "models/capacity/batch.h"
#include "models/capacity/catalog.h"
#include "models/capacity/spot.h"
#include "models/capacity/stock.h"
#include "scenarios/run/catalog_files.h"
#include "scenarios/run/market_fit.h"
#include "sim/arena.h"
#include "tests/shared_data.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <math.h>

struct fitted {
    struct arena *arena;
    struct trace traces[4];
    struct market_fit_setup setup;
    struct market_fit f;
    struct err e;
};

static void open_fit(struct fitted *t)
{
    *t = (struct fitted){.arena = arena_create(NULL)};
    t->setup = (struct market_fit_setup){.traces = t->traces, .name = "mine", .files = "x"};
}

static void add_text(struct fitted *t, const char *text)
{
    struct temp_file f = temp_text(text);
    struct err e = {0};
    cr_assert_eq(trace_load(&t->traces[t->setup.n++], t->arena, f.path, &e), 0, "%s: %s", e.where,
                 e.msg);
    temp_drop(&f);
}

static void fit(struct fitted *t)
{
    cr_assert_eq(market_fit(&t->f, t->arena, &t->setup, &t->e), 0, "%s: %s", t->e.where, t->e.msg);
}

/* The entry as a user's catalogue file would be read. */
static const struct spot_preset *read_entry(struct fitted *t)
{
    struct text text = {0};
    struct err e = {0};
    market_fit_catalog(&t->f, &t->setup, &text);
    struct temp_file f = temp_text(text.s);
    const char *path = f.path;
    struct catalog_source s = {SLUICE_SOURCE_DIR "/scenarios/catalog", &path, 1, NULL};
    const struct catalog *c = catalog_files_load(t->arena, &s, &e);
    cr_assert(c, "%s: %s\n%s", e.where, e.msg, text.s);
    text_fini(&text);
    temp_drop(&f);
    const struct spot_preset *p = catalog_spot(c, "mine");
    cr_assert(p);
    return p;
}

static bool holds(const struct life_figure *f, double v)
{
    return f->low <= v && v <= f->high;
}

/* Ticks of five minutes over a zone whose stock the model draws. */
static void add_zone(struct fitted *t, const struct spot_preset *p, uint64_t zone, int days)
{
    struct steps s;
    struct text text = {0};
    struct stock_setup setup = {p, chance_stream(9, 0, CHANCE_TEST, zone),
                                chance_stream(9, 0, CHANCE_TEST, 1000), days * SIM_DAY};
    cr_assert_eq(stock_draw(&s, &setup, &t->e), 0);
    text_add(&text, "{\"metadata\": {\"gap_seconds\": 300}, \"data\": [");
    for (sim_ns at = 0; at < days * SIM_DAY; at += 5 * SIM_MINUTE)
        text_printf(&text, "%s%d", at ? ", " : "", steps_at(&s, at) > 0);
    text_add(&text, "]}");
    add_text(t, text.s);
    text_fini(&text);
    stock_free(&s);
}

Test(market_fit, finds_the_spells_and_the_tie_of_zones_again)
{
    struct fitted t;
    struct spot_preset p = {.name = "m", .check = 5 * SIM_MINUTE, .zone_correlation = 0.4};
    struct err e = {0};
    cr_assert_eq(dist_shape(&p.stock_up, DIST_WEIBULL, 0.9, 4 * 3600e9, &e), 0);
    cr_assert_eq(dist_shape(&p.stock_down, DIST_WEIBULL, 0.8, 2 * 3600e9, &e), 0);
    open_fit(&t);
    add_zone(&t, &p, 1, 90);
    add_zone(&t, &p, 2, 90);
    fit(&t);
    /* Spells are seen by whole ticks, which draws the shape up by some hundredths. */
    cr_assert_float_eq(t.f.up.fit.shape.value, 0.9, 0.1, "%g", t.f.up.fit.shape.value);
    cr_assert_float_eq(t.f.up.fit.scale_hours.value, 4, 0.6, "%g", t.f.up.fit.scale_hours.value);
    cr_assert_float_eq(t.f.down.fit.shape.value, 0.8, 0.1);
    cr_assert_float_eq(t.f.down.fit.scale_hours.value, 2, 0.3);
    cr_assert_gt(t.f.up.fit.p_value, 0.01, "%g", t.f.up.fit.p_value);
    cr_assert_float_eq(t.f.tie.value, 0.4, 0.1, "%g", t.f.tie.value);
    const struct spot_preset *entry = read_entry(&t);
    cr_assert_float_eq(entry->stock_up.a, t.f.up.fit.shape.value, 1e-3);
    cr_assert_float_eq(entry->stock_down.b / 3600e9, t.f.down.fit.scale_hours.value, 1e-3);
    cr_assert_float_eq(entry->zone_correlation, t.f.tie.value, 1e-3);
    arena_destroy(t.arena);
}

Test(market_fit, finds_independent_zones_untied)
{
    struct fitted t;
    struct spot_preset p = {.name = "m", .check = 5 * SIM_MINUTE};
    p.stock_up = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 3 * 3600e9};
    p.stock_down = (struct dist){.kind = DIST_EXPONENTIAL, .mean = 1 * 3600e9};
    open_fit(&t);
    add_zone(&t, &p, 1, 90);
    add_zone(&t, &p, 2, 90);
    fit(&t);
    cr_assert_leq(t.f.tie.low, 0.01, "%g [%g", t.f.tie.value, t.f.tie.low);
    cr_assert_lt(t.f.tie.value, 0.05);
    arena_destroy(t.arena);
}

/* Lives from the model's own table, censored after two days. */
Test(market_fit, finds_the_rates_of_lives_by_age)
{
    struct fitted t;
    struct spot_hazard rows[] = {{0, .9}, {SIM_HOUR, .3}, {4 * SIM_HOUR, .08}};
    struct spot_preset p = {.name = "m", .hazards = {rows, 3}, .check = SIM_MINUTE};
    struct text text = {0};
    text_add(&text, "lifetime_h,lost\n");
    for (uint64_t m = 0; m < 4000; m++) {
        struct spot_terms terms = {.share = 1, .chance = chance_stream(2, 0, CHANCE_TEST, m)};
        sim_ns at = spot_loss_at(&p, &terms, 0, 2 * SIM_DAY);
        bool lost = at != SIM_NEVER;
        text_printf(&text, "%.6f,%d\n", (double)(lost ? at : 2 * SIM_DAY) / 3600e9, lost);
    }
    open_fit(&t);
    add_text(&t, text.s);
    fit(&t);
    cr_assert_eq(t.f.lives.n, 4000);
    static const double want[MARKET_FIT_AGES] = {.9, .9, .9, .3, .3, .08, .08, .08, .08, 0};
    size_t held = 0;
    for (size_t i = 0; i + 1 < MARKET_FIT_AGES; i++)
        held += holds(&t.f.lives.rates[i].per_hour, want[i]);
    cr_assert_geq(held, 8, "95 %% intervals: one of nine may miss");
    cr_assert_gt(t.f.lives.rates_p, 0.01);
    cr_assert_lt(t.f.lives.fit.p_value, 0.01, "no Weibull has these steps");
    const struct spot_preset *entry = read_entry(&t);
    cr_assert_float_eq(spot_hazard_at(entry, 90 * SIM_MINUTE), .3, 0.05);
    cr_assert_float_eq(spot_hazard_at(entry, 10 * SIM_HOUR), .08, 0.02);
    text_fini(&text);
    arena_destroy(t.arena);
}

Test(market_fit, finds_the_price_process_again)
{
    enum { N = 8000 };
    static int64_t price[N];
    struct fitted t;
    struct spot_preset p = {.price_share = 0.4, .price_low = 0.1, .price_high = 1};
    struct text text = {0};
    p.price_reversion = 0.05;
    p.price_deviation = 0.01;
    spot_prices(&p, chance_stream(4, 0, CHANCE_TEST, 1), price, N);
    text_add(&text, "time,price_cny\n");
    for (size_t i = 0; i < N; i++)
        text_printf(&text, "%zu,%.6f\n", i * 300, (double)price[i] / 1e6 * 26);
    open_fit(&t);
    add_text(&t, text.s);
    cr_assert_eq(market_fit(&t.f, t.arena, &t.setup, &t.e), -1);
    cr_assert(strstr(t.e.msg, "--on-demand \"3.06 CNY\""), "%s", t.e.msg);
    t.e = (struct err){0};
    t.setup.on_demand = (struct money){26000000, "USD"};
    cr_assert_eq(market_fit(&t.f, t.arena, &t.setup, &t.e), -1);
    cr_assert(strstr(t.e.msg, "in USD, the prices in CNY"), "%s", t.e.msg);
    t.e = (struct err){0};
    t.setup.on_demand = (struct money){26000000, "CNY"};
    fit(&t);
    cr_assert(holds(&t.f.price.mean, 0.4), "%g", t.f.price.mean.value);
    cr_assert(holds(&t.f.price.reversion, 0.05), "%g", t.f.price.reversion.value);
    cr_assert(holds(&t.f.price.deviation, 0.01), "%g", t.f.price.deviation.value);
    cr_assert_gt(t.f.price.p_value, 0.01);
    const struct spot_preset *entry = read_entry(&t);
    cr_assert_float_eq(entry->price_share, 0.4, 0.02);
    cr_assert_eq(entry->price_step, 5 * SIM_MINUTE);
    cr_assert_eq(spot_highest_hazard(entry), 0, "nothing was recorded of losses");
    text_fini(&text);
    arena_destroy(t.arena);
}

/* By hand: of the spell that was going on at the first tick nobody knows the length; the one at the
 * last tick goes on. */
Test(market_fit, cuts_spells_where_their_ends_are_seen)
{
    static const double up[] = {1, 1, 1, 1, 2}, down[] = {1, 1, 1, 1, 3};
    struct fitted t;
    open_fit(&t);
    add_text(&t, "{\"metadata\": {\"gap_seconds\": 3600}, "
                 "\"data\": [1, 1, 0, 0, 0, 1, 0, 1, 1, 0, 1, 0, 1, 0, 1]}");
    cr_assert_eq(market_fit(&t.f, t.arena, &t.setup, &t.e), -1);
    cr_assert(strstr(t.e.msg, "4 of 5 have ended"), "%s", t.e.msg);
    cr_assert(t.f.up.n == 5 && t.f.down.n == 5);
    for (size_t i = 0; i < 5; i++) {
        cr_assert_float_eq(t.f.up.items[i].hours, up[i], 1e-9);
        cr_assert_float_eq(t.f.down.items[i].hours, down[i], 1e-9);
    }
    arena_destroy(t.arena);
}

Test(market_fit, refuses_what_tells_nothing)
{
    static const struct {
        const char *text, *message;
    } rows[] = {
        {"{\"metadata\": {\"gap_seconds\": 60}, \"data\": [1, 1, 1]}", "nothing to fit"},
        {"{\"metadata\": {\"gap_seconds\": 60}, \"data\": [1, 0, 1, 0, 1]}", "needs five at least"},
        {"lifetime,lost\n1,0\n", "0 of 1 have ended"},
        {"lifetime,lost\n0,1\n0,1\n", "no life in it is longer than 0 s"},
        {"time,price_cny,onDemand\n0,1,2\n3600,1,2\n", "never changes"},
        {"time,price_cny,onDemand,zone\n0,1,2,a\n0,1,2,b\n", "choose one with --type"},
        {"time,price_cny,onDemand,zone\n0,1,2,a\n", "ten at least"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fitted t;
        open_fit(&t);
        add_text(&t, rows[i].text);
        cr_assert_eq(market_fit(&t.f, t.arena, &t.setup, &t.e), -1, "%zu", i);
        cr_assert_eq(t.e.code, ERR_INPUT);
        cr_assert(strstr(t.e.msg, rows[i].message), "%zu: %s", i, t.e.msg);
        arena_destroy(t.arena);
    }
}

Test(market_fit, refuses_a_name_a_date_and_a_file_that_cannot_be_meant)
{
    static const struct {
        const char *name, *date, *message;
        bool twice;
    } rows[] = {
        {"", NULL, "the market needs a name", false},
        {" ", NULL, "the market needs a name", false},
        {"m", "nope", "'nope' is no day", false},
        {"m", "2026-02-29", "'2026-02-29' is no day", false},
        {"m", "2026-13-01", "is no day", false},
        {"m", "", "is no day", false},
        {"m", NULL, "is given twice", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fitted t;
        open_fit(&t);
        add_text(&t, "lifetime,lost\n1,0\n");
        t.setup.name = rows[i].name;
        t.setup.date = rows[i].date;
        if (rows[i].twice)
            t.traces[t.setup.n++] = t.traces[0];
        cr_assert_eq(market_fit(&t.f, t.arena, &t.setup, &t.e), -1, "%zu", i);
        cr_assert_eq(t.e.code, ERR_INPUT);
        cr_assert(strstr(t.e.msg, rows[i].message), "%zu: %s", i, t.e.msg);
        arena_destroy(t.arena);
    }
}

/* Rates by age of the four zones of us-east-1, as another program counted them in the same files,
 * and of sixteen machines of us-east-2b: 136 losses of 910 machines, 36 % of them all. */
Test(market_fit, finds_the_published_figures_of_the_probes)
{
    static const char *const zones[] = {"a", "c", "d", "f"};
    static const double want[] = {1.47, 1.29, 1.05, .61, .24, .24, .165, .090, .118};
    struct fitted t;
    char path[512], name[128];
    open_fit(&t);
    for (size_t i = 0; i < 4; i++) {
        snprintf(name, sizeof name,
                 "data/nolicence-spot-skypilot/availability/1-node/aws-02-15-2023/"
                 "us-east-1%s_v100_1.json",
                 zones[i]);
        if (!shared_data_path(path, sizeof path, name)) {
            arena_destroy(t.arena);
            return;
        }
        cr_assert_eq(trace_load(&t.traces[t.setup.n++], t.arena, path, &t.e), 0);
    }
    fit(&t);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++)
        cr_assert_float_eq(t.f.up.rates[i].per_hour.value, want[i], 0.006, "from %g h: %g",
                           t.f.up.rates[i].from_hours, t.f.up.rates[i].per_hour.value);
    arena_destroy(t.arena);
    open_fit(&t);
    if (shared_data_path(path, sizeof path,
                         "data/nolicence-spot-skypilot/availability/16-node/aws-08-27-2023/"
                         "us-east-2b_v100_1.json")) {
        cr_assert_eq(trace_load(&t.traces[t.setup.n++], t.arena, path, &t.e), 0);
        fit(&t);
        cr_assert_eq(t.f.bulk.events, 136);
        cr_assert_eq(t.f.bulk.lost, 910);
        cr_assert_eq(t.f.bulk.all, 49);
        cr_assert_float_eq(t.f.bulk.per_hour.value, 0.384, 0.001);
        /* Put back into the rates they are solved from: mean size and whole share. */
        double b = t.f.bulk.batch_share, a = t.f.bulk.batch_all, f = t.f.bulk.batch_few;
        double e = a + (1 - a) * f, some = 1 - pow(1 - f, 16), whole = a * b / e;
        double rate = 16 * (1 - b) + whole + (1 - a) * b / e * some;
        cr_assert_float_eq(16 / rate, 910.0 / 136, 0.05, "%g", 16 / rate);
        cr_assert_float_eq(whole / rate, 49.0 / 136, 0.01, "%g", whole / rate);
        cr_assert_float_eq(read_entry(&t)->batch_share, b, 1e-3);
    }
    arena_destroy(t.arena);
}
