/* test_result: finding figures and series by path. */
#include "sim/result.h"

#include <criterion/criterion.h>

Test(result, finds_by_the_whole_path)
{
    struct figure figures[] = {{.path = "cost", .value = 1}, {.path = "cost.total", .value = 2}};
    struct result_series series[] = {{.path = "a"}, {.path = "b"}};
    struct result r = {.figures = figures, .n_figures = 2, .series = series, .n_series = 2};
    cr_expect_eq(result_figure(&r, "cost.total"), &figures[1]);
    cr_expect_null(result_figure(&r, "cost.tot"));
    cr_expect_eq(result_value(&r, "cost", -1), 1);
    cr_expect_eq(result_value(&r, "cost.byClass", -1), -1);
    cr_expect_eq(result_find_series(&r, "b"), &series[1]);
    cr_expect_null(result_find_series(&r, "c"));
    cr_expect_null(result_figure(&(struct result){0}, "cost"));
}
