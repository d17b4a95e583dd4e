/* test_nvml: clocks, power and throttling from a library that the test builds itself. */
#include "kernels/nvml.h"
#include "sim/err.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct fake {
    char path[64];
    void *library; /* the same one, for its controls */
    void (*plant)(const char *function, int code);
    void (*reasons)(unsigned long long bits);
    int (*running)(void);
};

/* False, having said so, where there is no compiler. */
static bool fake_create(struct fake *f, const char *flags)
{
    char command[512];
    strcpy(f->path, "/tmp/sluice_nvml_XXXXXX");
    int fd = mkstemp(f->path);
    cr_assert(fd >= 0 && close(fd) == 0);
    snprintf(command, sizeof command, "cc -shared -fPIC %s -o %s %s/tests/fake_nvml.c 2>/dev/null",
             flags, f->path, SLUICE_SOURCE_DIR);
    if (system(command) != 0) {
        fprintf(stderr, "skipped: no compiler for a library of NVML\n");
        unlink(f->path);
        return false;
    }
    f->library = dlopen(f->path, RTLD_NOW | RTLD_LOCAL);
    cr_assert(f->library, "%s", dlerror());
    *(void **)&f->plant = dlsym(f->library, "fake_nvml_plant");
    *(void **)&f->reasons = dlsym(f->library, "fake_nvml_reasons");
    *(void **)&f->running = dlsym(f->library, "fake_nvml_running");
    return true;
}

static void fake_destroy(struct fake *f)
{
    cr_assert_eq(f->running(), 0, "every start has its end");
    dlclose(f->library);
    unlink(f->path);
}

static struct nvml *open_fake(const struct fake *f, struct err *e)
{
    *e = (struct err){0};
    return nvml_create(&(struct nvml_choice){.library = f->path, .bus = "0000:07:00.0"}, e);
}

Test(nvml, tells_what_the_card_tells)
{
    struct fake f;
    struct err e;
    struct nvml_sample s;
    if (!fake_create(&f, ""))
        return;
    struct nvml *n = open_fake(&f, &e);
    cr_assert(n, "%s", e.msg);
    cr_assert_str_eq(nvml_card(n)->name, "Tesla P4");
    cr_assert_str_eq(nvml_card(n)->driver, "525.60.13");
    cr_assert_eq(nvml_sample(n, &s, &e), 0, "%s", e.msg);
    cr_assert_eq(s.sm_clock_mhz, 885);
    cr_assert_eq(s.sm_clock_max_mhz, 1113);
    cr_assert_eq(s.memory_clock_mhz, 3003);
    cr_assert_float_eq(s.power_w, 23.456, 1e-9);
    cr_assert_float_eq(s.power_limit_w, 75, 1e-9);
    cr_assert_eq(s.temperature_c, 41);
    cr_assert_eq(s.memory_used_bytes, 980e6);
    cr_assert_eq(s.memory_total_bytes, 7980e6);
    cr_assert_float_eq(s.busy_share, 0.37, 1e-12);
    cr_assert(s.reasons_known && s.reasons == NVML_REASON_IDLE);
    cr_assert_not(nvml_throttled(&s, 0.9), "an idle card is not throttled");
    nvml_destroy(n);
    fake_destroy(&f);
}

/* Bits and their meaning: NVML API reference, nvmlClocksThrottleReasons. */
Test(nvml, tells_a_power_cap_from_a_card_that_protects_itself)
{
    static const struct {
        unsigned long long bits;
        uint32_t reasons;
        bool slow,
            slow_when_low; /* at 0.8 of the highest clock, and when that is below the limit */
    } rows[] = {
        {0, 0, false, true},
        {0x1, NVML_REASON_IDLE, false, false},
        {0x2, NVML_REASON_SETTING, false, false},
        {0x4, NVML_REASON_POWER_CAP, false, false},
        {0x8, NVML_REASON_SLOWDOWN, true, true},
        {0x8 | 0x40, NVML_REASON_THERMAL, true, true},
        {0x8 | 0x80, NVML_REASON_BRAKE, true, true},
        {0x80, NVML_REASON_BRAKE, true, true},
        {0x10, NVML_REASON_SETTING, false, false},
        {0x20, NVML_REASON_THERMAL, true, true},
        {0x24, NVML_REASON_POWER_CAP | NVML_REASON_THERMAL, true, true},
        {0xc, NVML_REASON_POWER_CAP | NVML_REASON_SLOWDOWN, true, true},
        {0x100, NVML_REASON_SETTING, false, false},
        {0x10000, NVML_REASON_OTHER, false, true},
    };
    struct fake f;
    struct err e;
    struct nvml_sample s;
    if (!fake_create(&f, ""))
        return;
    struct nvml *n = open_fake(&f, &e);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f.reasons(rows[i].bits);
        cr_assert_eq(nvml_sample(n, &s, &e), 0);
        cr_expect_eq(s.reasons, rows[i].reasons, "%llx: %x", rows[i].bits, s.reasons);
        cr_expect_eq(nvml_throttled(&s, 0.75), rows[i].slow, "%llx", rows[i].bits);
        cr_expect_eq(nvml_throttled(&s, 0.85), rows[i].slow_when_low, "%llx", rows[i].bits);
    }
    nvml_destroy(n);
    fake_destroy(&f);
}

Test(nvml, a_clock_far_below_its_maximum_is_throttled)
{
    struct nvml_sample s = {.sm_clock_mhz = 800, .sm_clock_max_mhz = 1000};
    cr_assert_not(nvml_throttled(&s, 0.75));
    s.sm_clock_mhz = 700;
    cr_assert(nvml_throttled(&s, 0.75));
    s.sm_clock_max_mhz = (double)NAN;
    cr_assert_not(nvml_throttled(&s, 0.75), "what is not known does not count");
}

static const char *const figures[] = {
    "nvmlDeviceGetClockInfo",          "nvmlDeviceGetMaxClockInfo",
    "nvmlDeviceGetPowerUsage",         "nvmlDeviceGetTemperature",
    "nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetMemoryInfo",
    "nvmlDeviceGetUtilizationRates",   "nvmlDeviceGetCurrentClocksThrottleReasons"};

Test(nvml, what_a_card_does_not_offer_is_unknown)
{
    static const int absent[] = {3, 4, 13}; /* not supported, no permission, no such function */
    struct fake f;
    struct err e;
    struct nvml_sample s;
    if (!fake_create(&f, ""))
        return;
    struct nvml *n = open_fake(&f, &e);
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
            f.plant(figures[i], absent[k]);
            cr_assert_eq(nvml_sample(n, &s, &e), 0, "%s: %s", figures[i], e.msg);
            cr_assert_eq(isnan(s.sm_clock_mhz) != 0, i == 0);
            cr_assert_eq(isnan(s.memory_clock_mhz) != 0, i == 0);
            cr_assert_eq(isnan(s.sm_clock_max_mhz) != 0, i == 1);
            cr_assert_eq(isnan(s.power_w) != 0, i == 2);
            cr_assert_eq(isnan(s.temperature_c) != 0, i == 3);
            cr_assert_eq(isnan(s.power_limit_w) != 0, i == 4);
            cr_assert_eq(isnan(s.memory_used_bytes) != 0, i == 5);
            cr_assert_eq(isnan(s.busy_share) != 0, i == 6);
            cr_assert_eq(s.reasons_known, i != 7);
        }
    nvml_destroy(n);
    fake_destroy(&f);
}

Test(nvml, a_failing_driver_is_told_by_figure_and_reason)
{
    struct fake f;
    struct err e;
    struct nvml_sample s;
    if (!fake_create(&f, ""))
        return;
    struct nvml *n = open_fake(&f, &e);
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        f.plant(figures[i], 15); /* the GPU is lost */
        e = (struct err){0};
        cr_assert_eq(nvml_sample(n, &s, &e), -1, "%s", figures[i]);
        cr_assert_eq(e.code, ERR_SYSTEM);
        cr_assert(strncmp(e.msg, "NVML: ", 6) == 0 && strstr(e.msg, "Strange (15)"), "%s", e.msg);
    }
    nvml_destroy(n);
    fake_destroy(&f);
}

Test(nvml, each_step_of_the_start_may_fail)
{
    static const struct {
        const char *function;
        int code;
        const char *told;
    } rows[] = {
        {"nvmlInit_v2", 9, "NVML: start: Driver Not Loaded (9)"},
        {"nvmlDeviceGetHandleByPciBusId_v2", 6, "NVML: GPU at 0000:07:00.0: Not Found (6)"},
        {"nvmlDeviceGetName", 15, "NVML: name: Strange (15)"},
        {"nvmlSystemGetDriverVersion", 15, "NVML: driver: Strange (15)"},
    };
    struct fake f;
    struct err e;
    if (!fake_create(&f, ""))
        return;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        f.plant(rows[i].function, rows[i].code);
        cr_assert_null(open_fake(&f, &e));
        cr_assert_eq(e.code, ERR_SYSTEM);
        cr_assert_str_eq(e.msg, rows[i].told);
        cr_assert_eq(f.running(), 0);
    }
    f.plant("", 0);
    e = (struct err){0};
    cr_assert_null(nvml_create(&(struct nvml_choice){.library = f.path, .number = 1}, &e));
    cr_assert_str_eq(e.msg, "NVML: GPU 1: Invalid Argument (2)");
    f.plant("nvmlShutdown", 15); /* nobody is left to tell */
    nvml_destroy(open_fake(&f, &e));
    fake_destroy(&f);
}

Test(nvml, an_old_library_leaves_everything_unknown)
{
    struct fake f;
    struct err e;
    struct nvml_sample s;
    if (!fake_create(&f, "-DFAKE_OLD"))
        return;
    struct nvml *n = open_fake(&f, &e);
    cr_assert(n, "%s", e.msg);
    cr_assert_str_eq(nvml_card(n)->name, "unknown");
    cr_assert_str_eq(nvml_card(n)->driver, "unknown");
    cr_assert_eq(nvml_sample(n, &s, &e), 0);
    cr_assert(isnan(s.power_w) && isnan(s.busy_share) && isnan(s.memory_total_bytes));
    cr_assert_not(s.reasons_known || nvml_throttled(&s, 0.75));
    nvml_destroy(n);
    f.plant("nvmlInit_v2", 9);
    cr_assert_null(open_fake(&f, &e));
    cr_assert_str_eq(e.msg, "NVML: start: failed (9)");
    fake_destroy(&f);
}

Test(nvml, a_library_that_is_none_or_is_missing_is_told)
{
    struct fake f;
    struct err e;
    if (!fake_create(&f, "-DFAKE_BARE"))
        return;
    cr_assert_null(open_fake(&f, &e));
    cr_assert_str_eq(e.msg, "NVML: the library has no function nvmlInit_v2");
    fake_destroy(&f);
    e = (struct err){0};
    cr_assert_null(nvml_create(&(struct nvml_choice){.library = "libno-such-thing.so.1"}, &e));
    cr_assert_eq(e.code, ERR_SYSTEM);
    cr_assert(strstr(e.msg, "libno-such-thing.so.1"), "%s", e.msg);
    nvml_destroy(NULL);
}
