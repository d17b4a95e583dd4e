/* test_compare: differences that are more than chance. */
#include "reports/compare.h"
#include "reports/human.h"
#include "sim/arena.h"
#include "sim/json.h"
#include "tests/fixture_result.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

static struct arena *arena;

static void set_up(void)
{
    struct err e = {0};
    arena = arena_create(&e);
}

static void tear_down(void)
{
    arena_destroy(arena);
}

TestSuite(compare, .init = set_up, .fini = tear_down);

static const struct compare_row *row(const struct compare *c, const char *path)
{
    for (size_t i = 0; i < c->n; i++) {
        if (strcmp(c->rows[i].path, path) == 0)
            return &c->rows[i];
    }
    cr_assert(false, "no row %s", path);
    return NULL;
}

static const struct result *with_values(const struct figure *figures, size_t n)
{
    struct result *r = fixture_empty(arena);
    memcpy(r->figures, figures, n * sizeof *figures);
    r->n_figures = n;
    return r;
}

Test(compare, pairs_replications_so_that_common_noise_cancels)
{
    /* b = a + 1 + small; a itself varies by hundreds. t(0.975, 3) = 3.182446; the differences 0.9,
     * 1.1, 1.0, 1.0 have a standard deviation of 0.0816497, so the half width is 0.129922. */
    static const double a[] = {100, 500, 300, 900}, d[] = {0.9, 1.1, 1.0, 1.0};
    const struct result *ra[4], *rb[4];
    for (size_t i = 0; i < 4; i++) {
        ra[i] = with_values((struct figure[]){{"x", "s", FIGURE_MEAN, a[i], false, 0, 0},
                                              {"same", "s", FIGURE_MEAN, a[i], false, 0, 0},
                                              {"noise", "s", FIGURE_MEAN, a[i], false, 0, 0}},
                            3);
        rb[i] = with_values((struct figure[]){{"x", "s", FIGURE_MEAN, a[i] + d[i], false, 0, 0},
                                              {"same", "s", FIGURE_MEAN, a[i], false, 0, 0},
                                              {"noise", "s", FIGURE_MEAN, a[3 - i], false, 0, 0},
                                              {"new", "s", FIGURE_SUM, 7, false, 0, 0}},
                            4);
    }
    struct err e = {0};
    struct compare c;
    cr_assert_eq(compare_paired(&c, ra, rb, 4, arena, &e), 0);
    cr_assert_eq(c.n, 4);
    const struct compare_row *x = row(&c, "x");
    cr_assert(x->a == 450 && x->b == 451 && x->moved);
    cr_assert_float_eq(x->low, 1 - 0.129922, 1e-5);
    cr_assert_float_eq(x->high, 1 + 0.129922, 1e-5);
    cr_assert_not(row(&c, "same")->moved);
    cr_assert_not(row(&c, "noise")->moved);
    cr_assert(isnan(row(&c, "new")->a) && row(&c, "new")->b == 7 && row(&c, "new")->moved);
}

Test(compare, reads_merged_results)
{
    struct err e = {0};
    struct compare c;
    struct result *a = fixture_bert(arena), *b = fixture_bert(arena);
    cr_assert_eq(compare_merged(&c, a, b, arena, &e), 0);
    for (size_t i = 0; i < c.n; i++)
        cr_assert_not(c.rows[i].moved, "%s", c.rows[i].path);
    /* 9714.62 +- 41.2 on both sides: sqrt(2) * 41.2 = 58.27. */
    struct figure *total = NULL;
    for (size_t i = 0; i < b->n_figures; i++) {
        if (strcmp(b->figures[i].path, "cost.total") == 0)
            total = &b->figures[i];
    }
    cr_assert(total);
    for (int k = 0; k < 2; k++) {
        double by = k ? 59 : 58;
        *total = *result_figure(a, "cost.total");
        total->value += by;
        total->low += by;
        total->high += by;
        cr_assert_eq(compare_merged(&c, a, b, arena, &e), 0);
        cr_assert_eq(row(&c, "cost.total")->moved, k == 1);
        cr_assert_float_eq(row(&c, "cost.total")->high, by + 58.2656, 1e-3);
    }
    cr_assert_float_eq(row(&c, "requests.arrived")->a, 511833120 / 20.0, 1e-6);
}

Test(compare, prints_lines_that_fit_and_json_that_parses)
{
    struct err e = {0};
    struct compare c;
    cr_assert_eq(compare_merged(&c, fixture_bert(arena), fixture_hostile(arena), arena, &e), 0);
    struct text t = {0};
    compare_text(&c, false, &t);
    for (char *line = t.s; *line;) {
        char *end = strchr(line, '\n');
        cr_assert(end);
        *end = '\0';
        cr_assert_leq(human_columns(line), 80, "%s", line);
        line = end + 1;
    }
    text_fini(&t);
    compare_json(&c, &t);
    const struct json *j = json_parse(arena, "c", t.s, t.length, &e);
    cr_assert(j, "%s", e.msg);
    cr_assert_str_eq(json_get(j, "schema")->string, "sluice.compare/1");
    cr_assert_eq(json_get(j, "figures")->count, c.n);
    text_fini(&t);
}
