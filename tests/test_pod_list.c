/* test_pod_list: pods as a cluster trace lists them. */
#include "workloads/pod_list.h"

#include "sim/arena.h"
#include "tests/temp_file.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define TRACES SLUICE_SOURCE_DIR "/scenarios/traces/"
#define HEADER                                                                                     \
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"            \
    "deletion_time,scheduled_time\n"

/* Counted over the published file with awk: rows, GPUs, shares, phases, the last creation. */
Test(pod_list, holds_what_the_published_file_holds)
{
    struct arena *a = arena_create(NULL);
    struct pod_list l;
    struct err e = {0};
    cr_assert_eq(pod_list_load(&l, a, TRACES "openb-pod-list-default.csv.zst", &e), 0, "%s: %s",
                 e.where, e.msg);
    int64_t gpus = 0, with_gpu = 0, failed = 0, never = 0, last = 0;
    for (size_t i = 0; i < l.n; i++) {
        const struct pod_list_item *p = &l.items[i];
        gpus += p->gpus;
        with_gpu += p->gpus > 0;
        failed += p->failed;
        never += !p->scheduled;
        cr_assert_geq(p->created, last);
        last = p->created;
    }
    cr_assert_eq(l.n, 8152);
    cr_assert_eq(with_gpu, 7064);
    cr_assert_eq(gpus, 7433);
    cr_assert_eq(l.shared, 3078);
    cr_assert_eq(failed, 1870);
    cr_assert_eq(never, 897, "phase Pending");
    cr_assert_eq(last, INT64_C(12901761) * SIM_SECOND);
    cr_assert_str_eq(l.items[0].name, "openb-pod-0000");
    cr_assert_eq(l.items[0].memory_bytes, INT64_C(16384) << 20);
    cr_assert_eq(l.items[0].run, INT64_C(12537496) * SIM_SECOND);
    arena_destroy(a);
}

Test(pod_list, keeps_the_alternatives_of_a_kind)
{
    struct arena *a = arena_create(NULL);
    struct pod_list l;
    struct err e = {0};
    size_t bound = 0, either = 0, t4 = 0;
    cr_assert_eq(pod_list_load(&l, a, TRACES "openb-pod-list-gpuspec33.csv.zst", &e), 0);
    for (size_t i = 0; i < l.n; i++) {
        bound += l.items[i].gpu_spec[0] != '\0';
        either += strcmp(l.items[i].gpu_spec, "V100M16|V100M32") == 0;
        t4 += strcmp(l.items[i].gpu_spec, "T4") == 0;
    }
    cr_assert_eq(bound, 2388);
    cr_assert_eq(either, 141);
    cr_assert_eq(t4, 1291);
    arena_destroy(a);
}

Test(pod_list, is_put_in_order_and_ties_stay)
{
    struct temp_file f = temp_text(HEADER "b,1000,1,1,250,,LS,Running,20,50,30\n"
                                          "a,1000,1,0,0,,LS,Failed,10,40,\n"
                                          "c,1000,1,2,1000,T4,LS,Running,10,10,10\n");
    struct arena *a = arena_create(NULL);
    struct pod_list l;
    struct err e = {0};
    cr_assert_eq(pod_list_load(&l, a, f.path, &e), 0, "%s", e.msg);
    cr_assert_str_eq(l.items[0].name, "a");
    cr_assert_str_eq(l.items[1].name, "c");
    cr_assert_eq(l.items[0].run, 30 * SIM_SECOND, "never scheduled: from its creation");
    cr_assert_eq(l.items[1].run, 0);
    cr_assert_eq(l.items[2].run, 20 * SIM_SECOND, "from its start, not its creation");
    cr_assert_eq(l.items[2].share_milli, 250);
    arena_destroy(a);
    remove(f.path);
}

Test(pod_list, names_file_line_and_column_of_what_is_wrong)
{
    static const struct {
        const char *text, *says;
        int line;
    } rows[] = {
        {HEADER "a,x,1,0,0,,LS,Running,0,1,0\n", "cpu_milli: 'x' is no whole number", 2},
        {HEADER "a,1,1,0,0,,LS,Running,0,1,0\nb,1,1,65,0,,LS,Running,0,1,0\n",
         "num_gpu: 65 is out of range; allowed is 0..64", 3},
        {HEADER "a,1,1,2,500,,LS,Running,0,1,0\n", "500 of each of 2 GPUs", 2},
        {HEADER "a,1,1,1,1000,,LS,Running,5,4,\n", "does not end before it begins", 2},
        {HEADER "a,1,1,1,1000,,LS,Running,5,9,4\n", "does not end before it begins", 2},
        {HEADER "a,1,1\n", "3 fields; the header has 11", 2},
        {"name,cpu_milli\na,1\n", "no column 'memory_mib'; there are: name, cpu_milli", 1},
        {HEADER, "no pod in this file", 0},
        {"", "the file is empty", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct temp_file f = temp_text(rows[i].text);
        struct arena *a = arena_create(NULL);
        struct pod_list l;
        struct err e = {0};
        char place[32] = "";
        if (rows[i].line)
            snprintf(place, sizeof place, ":%d", rows[i].line);
        cr_assert_eq(pod_list_load(&l, a, f.path, &e), -1, "row %zu", i);
        cr_assert(strstr(e.msg, rows[i].says), "row %zu: %s", i, e.msg);
        cr_assert(strstr(e.where, place), "row %zu: %s", i, e.where);
        arena_destroy(a);
        remove(f.path);
    }
}
