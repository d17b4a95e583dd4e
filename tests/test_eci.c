/* test_eci: which instance is bought, what is billed, how fast they come. Expected values: ECI
 * quick start for GPU (2019-05-05), ECI billing page 122385 (2024-03-25), lifecycle page
 * (2025-01-14), limits page. */
#include "models/capacity/eci.h"

#include "models/capacity/catalog.h"
#include "models/capacity/pod_shape.h"
#include "models/capacity/virtual_node.h"
#include "scenarios/run/catalog_files.h"
#include "sim/arena.h"

#include <criterion/criterion.h>
#include <string.h>

static struct arena *arena;
static const struct catalog *catalog;

static void open_catalog(void)
{
    struct err e = {0};
    struct catalog_source source = {.dir = SLUICE_SOURCE_DIR "/scenarios/catalog"};
    arena = arena_create(&e);
    catalog = catalog_files_load(arena, &source, &e);
    cr_assert(catalog, "%s: %s", e.where, e.msg);
}

static void close_catalog(void)
{
    arena_destroy(arena);
}

TestSuite(eci, .init = open_catalog, .fini = close_catalog);

Test(eci, states_are_billed_as_documented)
{
    static const struct {
        const char *name, *phase;
        bool billed;
    } rows[] = {
        {"Scheduling", "Pending", false},  {"Pending", "Pending", true},
        {"Running", "Running", true},      {"Restarting", "Pending", true},
        {"Updating", "Pending", true},     {"Terminating", "Running", true},
        {"Succeeded", "Succeeded", false}, {"Failed", "Failed", false},
        {"Expired", "Failed", false},      {"ScheduleFailed", "Failed", false},
    };
    cr_assert_eq(sizeof rows / sizeof rows[0], ECI_STATES);
    for (int s = 0; s < ECI_STATES; s++) {
        cr_assert_str_eq(eci_state_name((enum eci_state)s), rows[s].name);
        cr_assert_str_eq(eci_state_phase((enum eci_state)s), rows[s].phase);
        cr_assert_eq(eci_state_billed((enum eci_state)s), rows[s].billed, "%s", rows[s].name);
    }
}

Test(eci, a_thousand_calls_take_forty_five_seconds)
{
    struct eci_bucket b = eci_bucket_make(100, 20);
    sim_ns last = 0;
    for (int i = 1; i <= 1000; i++) {
        sim_ns at = eci_bucket_take(&b, 0);
        cr_assert_geq(at, last);
        last = at;
        if (i <= 100)
            cr_assert_eq(at, 0, "call %d waits", i);
        if (i == 101)
            cr_assert_eq(at, SIM_SECOND / 20);
    }
    cr_assert_eq(last, 45 * SIM_SECOND);
}

Test(eci, an_idle_bucket_fills_to_its_burst_and_no_further)
{
    struct eci_bucket b = eci_bucket_make(100, 20);
    for (int i = 0; i < 100; i++)
        eci_bucket_take(&b, 0);
    /* 2 s bring 40 tokens. */
    for (int i = 0; i < 40; i++)
        cr_assert_eq(eci_bucket_take(&b, 2 * SIM_SECOND), 2 * SIM_SECOND);
    cr_assert_gt(eci_bucket_take(&b, 2 * SIM_SECOND), 2 * SIM_SECOND);
    for (int i = 0; i < 100; i++)
        cr_assert_eq(eci_bucket_take(&b, SIM_HOUR), SIM_HOUR);
    cr_assert_gt(eci_bucket_take(&b, SIM_HOUR), SIM_HOUR);
}

/* One pod with up to three annotations "key=value". */
struct asked {
    struct pod_shape pod;
    struct knob_pair pairs[4];
};

static struct pod_shape *pod(struct asked *a, int32_t gpus, const char *const *annotations)
{
    size_t n = 0;
    a->pod = (struct pod_shape){.name = "panda", .gpus = gpus};
    for (; annotations && annotations[2 * n]; n++)
        a->pairs[n] = (struct knob_pair){annotations[2 * n], annotations[2 * n + 1]};
    a->pod.annotations = (struct knob_map){a->pairs, n};
    return &a->pod;
}

static int offers_of(const struct pod_shape *p, int counts, struct eci_offers *out, struct err *e)
{
    struct virtual_node_config v = {.counts = counts};
    struct eci_market m = {catalog, "CNY", &v};
    struct eci_request r;
    *e = (struct err){0};
    return eci_request_read(&v, p, &r, e) || eci_offers_find(&m, &r, out, e) ? -1 : 0;
}

#define GPU_TYPE "k8s.aliyun.com/eci-gpu-type"
#define USE_SPECS "k8s.aliyun.com/eci-use-specs"

Test(eci, the_smallest_size_that_fits_is_bought)
{
    static const struct {
        const char *gpu;
        int32_t gpus;
        int64_t cpu_milli, gib;
        const char *type;
        size_t matching;
    } rows[] = {
        {"P4", 1, 0, 0, "ecs.gn5i-c2g1.large", 6},
        {"P4", 1, 2000, 8, "ecs.gn5i-c2g1.large", 6},
        {"P4", 1, 2001, 8, "ecs.gn5i-c4g1.xlarge", 5},
        {"P4", 1, 0, 33, "ecs.gn5i-c16g1.4xlarge", 3},
        {"P4", 2, 0, 0, "ecs.gn5i-c16g1.8xlarge", 2},
        {"P4", 3, 0, 0, "ecs.gn5i-c28g1.14xlarge", 1},
        {"V100", 1, 0, 0, "ecs.gn6v-c8g1.2xlarge", 3},
        {"V100", 2, 0, 0, "ecs.gn6v-c8g1.8xlarge", 2},
        {"V100", 8, 0, 0, "ecs.gn6v-c8g1.16xlarge", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asked a;
        struct eci_offers o;
        struct err e;
        const char *annotations[] = {GPU_TYPE, rows[i].gpu, NULL};
        pod(&a, rows[i].gpus, annotations);
        a.pod.cpu_milli = rows[i].cpu_milli;
        a.pod.memory_bytes = rows[i].gib << 30;
        cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECI_COUNTS, &o, &e), 0, "%s", e.msg);
        cr_assert_str_eq(o.items[0].type, rows[i].type, "row %zu", i);
        cr_assert_eq(o.matching, rows[i].matching, "row %zu: %zu match", i, o.matching);
    }
}

/* Help 114662: 7 vCPU and 13 GiB become 8 vCPU and 14 GiB in Hangzhou, which has more sizes than
 * others; 2 vCPU and 4 GiB without a word; sizes of 2 vCPU and more as preemptible ones. Prices by
 * hand: 0.1764 a vCPU, 0.022068 a GiB. */
Test(eci, pods_without_a_gpu_get_the_nearest_size_above)
{
    static const struct {
        int64_t cpu_milli, mib;
        const char *region, *strategy, *type; /* type NULL: none */
        int64_t micro;
    } rows[] = {
        {7000, 13 << 10, "cn-hangzhou", NULL, "8-14Gi", 8 * 176400 + 14 * 22068},
        {7000, 13 << 10, NULL, NULL, "8-16Gi", 8 * 176400 + 16 * 22068},
        {7000, 13 << 10, "cn-hangzhou", "SpotAsPriceGo", "8-16Gi", 8 * 176400 + 16 * 22068},
        {0, 0, NULL, NULL, "2-4Gi", 2 * 176400 + 4 * 22068},
        {250, 512, NULL, NULL, "0.25-512Mi", 44100 + 11034},
        {251, 512, NULL, NULL, "0.5-1Gi", 88200 + 22068},
        {0, 300, NULL, NULL, "0.25-512Mi", 44100 + 11034},
        {100, 9 << 10, NULL, NULL, "2-16Gi", 2 * 176400 + 16 * 22068},
        {64000, 512 << 10, NULL, NULL, "64-512Gi", 64 * 176400 + 512 * 22068},
        {64001, 1, NULL, NULL, NULL, 0},
        {1, (512 << 10) + 1, NULL, NULL, NULL, 0},
        {1999, 1, NULL, "SpotAsPriceGo", NULL, 0},
        {0, 300, NULL, "SpotAsPriceGo", "2-1Gi", 2 * 176400 + 22068},
        {2000, 1, NULL, "SpotAsPriceGo", "2-1Gi", 2 * 176400 + 22068},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asked a;
        struct eci_offers o;
        struct err e = {0};
        struct eci_request r;
        struct virtual_node_config v = {.region = rows[i].region,
                                        .market = "calm",
                                        .vcpu_price = {176400, "CNY"},
                                        .memory_price = {22068, "CNY"}};
        struct eci_market m = {catalog, "CNY", &v};
        const char *spot[] = {"k8s.aliyun.com/eci-spot-strategy", rows[i].strategy, NULL};
        pod(&a, 0, rows[i].strategy ? spot : NULL);
        a.pod.cpu_milli = rows[i].cpu_milli;
        a.pod.memory_bytes = rows[i].mib << 20;
        cr_assert_eq(eci_request_read(&v, &a.pod, &r, &e), 0, "%s", e.msg);
        int rc = eci_offers_find(&m, &r, &o, &e);
        cr_assert_eq(rc == 0, rows[i].type != NULL, "row %zu: %s", i, e.msg);
        if (rc)
            continue;
        cr_assert_str_eq(o.items[0].type, rows[i].type, "row %zu", i);
        cr_assert_eq(o.items[0].micro_per_hour, rows[i].micro, "row %zu", i);
        cr_assert(o.items[0].gpus == 0 && !o.items[0].gpu);
    }
}

Test(eci, sizes_without_a_gpu_may_be_listed)
{
    static const struct {
        const char *specs, *types[2], *message;
    } rows[] = {
        {"2-4Gi, 3-5Gi", {"2-4Gi", "4-8Gi"}, NULL},
        {"2-4Gi,ecs.gn6v-c8g1.2xlarge", {0}, "'ecs.gn6v-c8g1.2xlarge' is neither a size"},
        {"two-4Gi", {0}, "'two-4Gi' is neither a size like 2-4Gi"},
        {"1-2Gi", {0}, "1-2Gi is less than the pod asks for"},
        {"65-2Gi", {0}, "no ECI size without a GPU holds 65 vCPU and 2 GiB"},
    };
    struct virtual_node_config v = {.vcpu_price = {176400, "CNY"}, .memory_price = {22068, "CNY"}};
    struct eci_market m = {catalog, "CNY", &v};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asked a;
        struct eci_offers o;
        struct eci_request r;
        struct err e = {0};
        const char *annotations[] = {USE_SPECS, rows[i].specs, NULL};
        pod(&a, 0, annotations);
        a.pod.cpu_milli = 1500;
        cr_assert_eq(eci_request_read(&v, &a.pod, &r, &e), 0, "%s", e.msg);
        int rc = eci_offers_find(&m, &r, &o, &e);
        cr_assert_eq(rc == 0, rows[i].message == NULL, "row %zu: %s", i, e.msg);
        for (size_t k = 0; rc == 0 && k < 2; k++)
            cr_assert_str_eq(o.items[k].type, rows[i].types[k]);
        cr_assert(rc == 0 || strstr(e.msg, rows[i].message), "%s", e.msg);
    }
}

Test(eci, sizes_without_a_gpu_need_a_price_in_the_currency_of_the_run)
{
    struct asked a;
    struct eci_offers o;
    struct eci_request r;
    struct err e = {0};
    struct virtual_node_config v = {.vcpu_price = {176400, "CNY"}, .memory_price = {22068, "CNY"}};
    struct eci_market m = {catalog, "USD", &v};
    const char *kind[] = {GPU_TYPE, "P4", NULL};
    pod(&a, 0, NULL);
    cr_assert_eq(eci_request_read(&v, &a.pod, &r, &e), 0);
    cr_assert_eq(eci_offers_find(&m, &r, &o, &e), -1);
    cr_assert(strstr(e.msg, "give virtualNode.vcpuPrice in USD"), "%s", e.msg);
    v.vcpu_price = (struct money){25000, "USD"};
    e = (struct err){0};
    cr_assert_eq(eci_offers_find(&m, &r, &o, &e), -1);
    cr_assert(strstr(e.msg, "give virtualNode.memoryPrice in USD"), "%s", e.msg);
    pod(&a, 0, kind);
    e = (struct err){0};
    cr_assert_eq(eci_request_read(&v, &a.pod, &r, &e), 0);
    cr_assert_eq(eci_offers_find(&m, &r, &o, &e), -1);
    cr_assert(strstr(e.msg, "eci-gpu-type: 'P4'; the pod has no limit nvidia.com/gpu"), "%s",
              e.msg);
}

Test(eci, the_largest_p4_size_has_four_gpus_or_two_by_document)
{
    struct asked a;
    struct eci_offers o;
    struct err e;
    const char *p4[] = {GPU_TYPE, "P4", NULL};
    pod(&a, 4, p4);
    cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECI_COUNTS, &o, &e), 0);
    cr_assert_eq(o.items[0].gpus, 4);
    cr_assert_eq(o.items[0].cpu_milli / 1000, 56);
    cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECS_COUNTS, &o, &e), -1);
    cr_assert(strstr(e.msg, "no ECI size holds 4 GPUs P4"), "%s", e.msg);
    const char *type[] = {USE_SPECS, "ecs.gn5i-c28g1.14xlarge", NULL};
    pod(&a, 2, type);
    cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECS_COUNTS, &o, &e), 0);
    cr_assert_eq(o.items[0].gpus, 2);
}

Test(eci, one_of_several_kinds_of_gpu_will_do)
{
    const char *kinds[] = {"V100|P4"};
    struct asked a;
    struct eci_offers o;
    struct err e;
    pod(&a, 1, NULL);
    a.pod.gpu_types = (struct knob_texts){kinds, 1};
    cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECI_COUNTS, &o, &e), 0, "%s", e.msg);
    cr_assert_str_eq(o.items[0].type, "ecs.gn5i-c2g1.large");
    const char *annotations[] = {GPU_TYPE, "V100", NULL};
    pod(&a, 1, annotations);
    a.pod.gpu_types = (struct knob_texts){kinds, 1};
    cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECI_COUNTS, &o, &e), 0, "%s", e.msg);
    cr_assert_str_eq(o.items[0].gpu, "V100");
}

Test(eci, a_list_of_specs_keeps_its_order)
{
    struct asked a;
    struct eci_offers o;
    struct err e;
    const char *list[] = {USE_SPECS, "ecs.gn6i-c4g1.xlarge, ecs.gn5i-c2g1.large", NULL};
    pod(&a, 1, list);
    cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECI_COUNTS, &o, &e), 0, "%s", e.msg);
    cr_assert_eq(o.n, 2);
    cr_assert_str_eq(o.items[0].type, "ecs.gn6i-c4g1.xlarge");
    cr_assert_str_eq(o.items[0].gpu, "T4");
    cr_assert_str_eq(o.items[1].type, "ecs.gn5i-c2g1.large");
}

Test(eci, wrong_annotations_are_refused_by_name)
{
    static const struct {
        const char *key, *value, *says;
    } rows[] = {
        {USE_SPECS, "2-4Gi", "is no instance type with GPUs"},
        {USE_SPECS, "a,b,c,d,e,f", "at most 5 specs"},
        {USE_SPECS, "ecs.gn5i-c2g1.large,ecs.c6.xlarge", "'ecs.c6.xlarge'"},
        {GPU_TYPE, "A100", "no ECI size has a 'A100'; known: P4, V100"},
        {"k8s.aliyun.com/eci-image-cache", "yes", "allowed are \"true\" and \"false\""},
        {"k8s.aliyun.com/eci-spot-strategy", "Cheap", "allowed are NoSpot"},
        {"k8s.aliyun.com/eci-spot-strategy", "SpotAsPriceGo", "virtualNode.spotMarket"},
        {"k8s.aliyun.com/eci-spot-price-limit", "0.25", "goes with SpotWithPriceLimit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asked a;
        struct eci_offers o;
        struct err e;
        const char *annotations[] = {rows[i].key, rows[i].value, NULL};
        pod(&a, 1, annotations);
        cr_assert_eq(offers_of(&a.pod, VIRTUAL_NODE_ECI_COUNTS, &o, &e), -1, "row %zu", i);
        cr_assert(strstr(e.msg, rows[i].says), "row %zu: %s", i, e.msg);
    }
}

Test(eci, a_share_of_a_gpu_is_refused_with_the_price_of_a_whole_one)
{
    struct eci_market m = {catalog, "CNY", NULL};
    struct err e = {0};
    cr_assert_eq(eci_share_refused(&m, "P4", "nvidia.com/gpu: 0.5", &e), -1);
    cr_assert_eq(e.code, ERR_INPUT);
    cr_assert(strstr(e.msg, "nvidia.com/gpu: 0.5"), "%s", e.msg);
    cr_assert(strstr(e.msg, "A whole P4, ecs.gn5i-c2g1.large"), "%s", e.msg);
    cr_assert(strstr(e.msg, "10.47 CNY an hour"), "%s", e.msg);
}

/* ---- zones and the other annotations ---- */

#define KEY(name) "k8s.aliyun.com/" name

static const char *zone_names[] = {"cn-hangzhou-h", "cn-hangzhou-i"};
static struct knob_pair vswitches[] = {{"vsw-a", "cn-hangzhou-i"}, {"vsw-b", "cn-hangzhou-h"}};

static int request_of(const char *const *annotations, struct asked *a, struct eci_request *r,
                      struct err *e)
{
    struct virtual_node_config v = {
        .zones = {zone_names, 2}, .vswitches = {vswitches, 2}, .protection = SIM_HOUR};
    *e = (struct err){0};
    return eci_request_read(&v, pod(a, 1, annotations), r, e);
}

Test(eci, vswitches_name_zones_in_their_order)
{
    struct asked a;
    struct eci_request r;
    struct err e;
    cr_assert_eq(request_of(NULL, &a, &r, &e), 0);
    cr_assert(r.n_zones == 2 && r.zones[0] == 0 && r.zones[1] == 1 && !r.random_zones);
    const char *both[] = {KEY("eci-vswitch"), "vsw-a, vsw-b", KEY("eci-schedule-strategy"),
                          "VSwitchRandom", NULL};
    cr_assert_eq(request_of(both, &a, &r, &e), 0, "%s", e.msg);
    cr_assert(r.n_zones == 2 && r.zones[0] == 1 && r.zones[1] == 0 && r.random_zones);
    const char *one[] = {KEY("eci-vswitch"), "vsw-b", NULL};
    cr_assert_eq(request_of(one, &a, &r, &e), 0);
    cr_assert(r.n_zones == 1 && r.zones[0] == 0);
}

Test(eci, the_other_annotations_are_read)
{
    struct asked a;
    struct eci_request r;
    struct err e;
    const char *cache[] = {KEY("eci-imc-id"), "imc-1", KEY("eci-extra-ephemeral-storage"), "50Gi",
                           NULL};
    cr_assert_eq(request_of(cache, &a, &r, &e), 0);
    cr_assert(r.image_cache && r.extra_storage == INT64_C(50) << 30 && !r.unknown);
    const char *hours[] = {KEY("eci-spot-duration"), "0", KEY("eci-snack"), "yes", NULL};
    cr_assert_eq(request_of(hours, &a, &r, &e), 0);
    cr_assert_eq(r.protection, 0);
    cr_assert_str_eq(r.unknown, KEY("eci-snack"));
    const char *spec[] = {KEY("eci-instance-spec"), "ecs.gn5i-c2g1.large", NULL};
    cr_assert_eq(request_of(spec, &a, &r, &e), 0);
    cr_assert_null(r.unknown, "the system writes it");
    cr_assert_eq(r.protection, SIM_HOUR);
}

Test(eci, what_an_annotation_cannot_mean_is_refused)
{
    static const struct {
        const char *key, *value, *says;
    } rows[] = {
        {KEY("eci-vswitch"), "vsw-c", "must say in which zone"},
        {KEY("eci-schedule-strategy"), "Ordered", "allowed are VSwitchOrdered"},
        {KEY("eci-spot-duration"), "2", "allowed are 0 and 1"},
        {KEY("eci-extra-ephemeral-storage"), "much", "an amount like 50Gi"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct asked a;
        struct eci_request r;
        struct err e;
        const char *annotations[] = {rows[i].key, rows[i].value, NULL};
        cr_assert_eq(request_of(annotations, &a, &r, &e), -1, "row %zu", i);
        cr_assert(strstr(e.msg, rows[i].says), "row %zu: %s", i, e.msg);
    }
    struct asked a;
    struct eci_request r;
    struct err e;
    const char *limit[] = {KEY("eci-spot-strategy"), "SpotWithPriceLimit",
                           KEY("eci-spot-price-limit"), "0.2501", NULL};
    cr_assert_eq(request_of(limit, &a, &r, &e), -1);
    cr_assert(strstr(e.msg, "at most three decimals"), "%s", e.msg);
}
