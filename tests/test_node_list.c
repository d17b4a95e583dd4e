/* test_node_list: machines that are simply there. */
#include "models/capacity/node_list.h"

#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* Nodes and GPUs of a kind, counted over the published file with awk. */
Test(node_list, holds_what_the_published_file_holds)
{
    static const struct {
        const char *kind;
        int64_t nodes, gpus;
    } rows[] = {{"G2", 549, 4392},    {"T4", 404, 842},     {"P100", 134, 265}, {"G3", 39, 312},
                {"V100M32", 30, 204}, {"V100M16", 55, 195}, {"A10", 2, 2},      {NULL, 310, 0}};
    struct arena *a = arena_create(NULL);
    struct node_list l;
    struct err e = {0};
    cr_assert_eq(
        node_list_load(&l, a,
                       SLUICE_SOURCE_DIR "/scenarios/traces/openb-node-list-all-node.csv.zst", &e),
        0, "%s: %s", e.where, e.msg);
    cr_assert_eq(l.n, 1523);
    cr_assert_eq(l.gpus, 6212);
    cr_assert_eq(l.n_types, 27);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        int64_t nodes = 0, gpus = 0;
        for (size_t i = 0; i < l.n; i++) {
            const struct instance_type *t = &l.types[l.type_of[i]];
            bool same = rows[k].kind ? t->gpu && strcmp(t->gpu, rows[k].kind) == 0 : !t->gpu;
            nodes += same;
            gpus += same ? t->gpus : 0;
        }
        cr_assert(nodes == rows[k].nodes && gpus == rows[k].gpus, "%s: %lld with %lld",
                  rows[k].kind ? rows[k].kind : "no GPU", (long long)nodes, (long long)gpus);
    }
    arena_destroy(a);
}

/* V100M32 tells its memory: it is asked for by that name, or as a V100. */
Test(node_list, a_model_with_its_memory_is_of_its_kind_too)
{
    static const struct {
        const char *model, *kind;
        bool has;
    } rows[] = {{"V100M32", "V100M32", true},  {"V100M32", "V100", true}, {"V100M32", "T4", false},
                {"V100M32", "V100M16", false}, {"M40", "", false},        {"T4M", "T4", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[120];
        snprintf(text, sizeof text, "sn,cpu_milli,memory_mib,gpu,model\na,1000,1,1,%s\n",
                 rows[i].model);
        struct temp_file f = temp_text(text);
        struct arena *a = arena_create(NULL);
        struct node_list l;
        struct err e = {0};
        cr_assert_eq(node_list_load(&l, a, f.path, &e), 0, "%s", e.msg);
        cr_expect_eq(instance_has_gpu(&l.types[0], rows[i].kind), rows[i].has, "%s as %s",
                     rows[i].model, rows[i].kind);
        arena_destroy(a);
        temp_drop(&f);
    }
}

Test(node_list, names_file_and_line_of_what_is_wrong)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"sn,cpu_milli,memory_mib,gpu,model\na,1500,1,0,\n", "1500 is no whole number of CPUs"},
        {"sn,cpu_milli,memory_mib,gpu,model\na,1000,1,1,\n", "gpu and model go together"},
        {"sn,cpu_milli,memory_mib,gpu,model\na,1000,1,0,T4\n", "gpu and model go together"},
        {"sn,cpu_milli,memory_mib,gpu,model\na,1000,1,65,T4\n", "allowed is 0..64"},
        {"sn,cpu_milli,memory_mib,gpu\na,1000,1,1\n", "no column 'model'"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct temp_file f = temp_text(rows[i].text);
        struct arena *a = arena_create(NULL);
        struct node_list l;
        struct err e = {0};
        cr_assert_eq(node_list_load(&l, a, f.path, &e), -1, "row %zu", i);
        cr_assert(strstr(e.msg, rows[i].says), "row %zu: %s", i, e.msg);
        arena_destroy(a);
        remove(f.path);
    }
}
