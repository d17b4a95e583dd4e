/* test_taint: what keeps pods off a node. */
#include "models/capacity/taint.h"

#include <criterion/criterion.h>
#include <string.h>

/* Expectations by the documentation of Kubernetes, Taints and Tolerations: Equal needs the value,
 * Exists does not; without an effect all effects match; an empty key tolerates everything. */
Test(taint, is_tolerated_by_key_value_and_effect)
{
    static const struct {
        const char *taint, *toleration;
        bool tolerated;
    } rows[] = {
        {"gpu=t4:NoSchedule", "gpu=t4:NoSchedule", true},
        {"gpu=t4:NoSchedule", "gpu=t4", true},
        {"gpu=t4:NoSchedule", "gpu", true},
        {"gpu=t4:NoSchedule", "gpu:NoSchedule", true},
        {"gpu=t4:NoSchedule", "", true},
        {"gpu=t4:NoSchedule", ":NoSchedule", true},
        {"gpu=t4:NoSchedule", ":NoExecute", false},
        {"gpu=t4:NoSchedule", "gpu=v100", false},
        {"gpu=t4:NoSchedule", "gpu=t", false},
        {"gpu=t4:NoSchedule", "gp", false},
        {"gpu=t4:NoSchedule", "gpus", false},
        {"gpu=t4:NoSchedule", "gpu:NoExecute", false},
        {"gpu=t4:NoExecute", "gpu=t4:NoSchedule", false},
        {"gpu:NoSchedule", "gpu", true},
        {"gpu:NoSchedule", "gpu=t4", false},
        {"gpu:NoSchedule", "gpu=", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *items[] = {"other", rows[i].toleration};
        struct knob_texts both = {items, 2}, none = {0};
        cr_assert_eq(taint_tolerated(rows[i].taint, &both), rows[i].tolerated, "row %zu", i);
        cr_assert_not(taint_tolerated(rows[i].taint, &none));
    }
}

Test(taint, only_hard_effects_refuse_and_only_soft_ones_are_disliked)
{
    const char *items[] = {"a:PreferNoSchedule", "b=1:NoSchedule", "c:NoExecute",
                           "d:PreferNoSchedule"};
    struct knob_texts taints = {items, 4}, none = {0};
    cr_assert_str_eq(taint_refusing(&taints, &none), "b=1:NoSchedule");
    cr_assert_eq(taint_disliked(&taints, &none), 2);
    const char *b[] = {"b", "d"};
    struct knob_texts some = {b, 2};
    cr_assert_str_eq(taint_refusing(&taints, &some), "c:NoExecute");
    cr_assert_eq(taint_disliked(&taints, &some), 1);
    const char *all[] = {""};
    struct knob_texts everything = {all, 1};
    cr_assert_null(taint_refusing(&taints, &everything));
}

Test(taint, without_effect_or_key_is_refused)
{
    static const char *const wrong[] = {"gpu",         "gpu=t4",      "gpu=t4:", "gpu:noschedule",
                                        ":NoSchedule", "=1:NoExecute"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err e = {0};
        cr_assert_eq(taint_check(wrong[i], &e), -1, "%s", wrong[i]);
        cr_assert(strstr(e.msg, "key=value:NoSchedule"), "%s", e.msg);
    }
    struct err e = {0};
    cr_assert_eq(taint_check("k8s.io/a=b:NoSchedule", &e), 0);
}
