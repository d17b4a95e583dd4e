/* test_gpu_watch: looks at a card whose library the test builds itself. */
#include "kernels/gpu_watch.h"
#include "kernels/nvml.h"
#include "sim/err.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

Test(gpu_watch, without_a_driver_watches_nothing_and_is_no_error)
{
    struct gpu_watch w;
    struct gpu_usage u;
    struct err e = {0};
    gpu_watch_open(&w, &(struct nvml_choice){.library = "/no/such/library.so"});
    cr_expect_eq(gpu_watch_look(&w, &e), 0);
    gpu_watch_read(&w, &u);
    cr_expect(u.samples == 0 && isnan(u.power_w) && u.driver[0] == '\0');
    gpu_watch_close(&w);
    gpu_watch_close(&w);
}

Test(gpu_watch, sums_up_its_looks)
{
    char command[512], path[] = "/tmp/sluice_gpu_watch_XXXXXX";
    int fd = mkstemp(path);
    cr_assert(fd >= 0 && close(fd) == 0);
    snprintf(command, sizeof command, "cc -shared -fPIC -o %s %s/tests/fake_nvml.c 2>/dev/null",
             path, SLUICE_SOURCE_DIR);
    if (system(command) != 0) {
        fprintf(stderr, "skipped: no compiler for a library of NVML\n");
        unlink(path);
        return;
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void (*plant)(const char *, int), (*reasons)(unsigned long long);
    cr_assert(library);
    *(void **)&plant = dlsym(library, "fake_nvml_plant");
    *(void **)&reasons = dlsym(library, "fake_nvml_reasons");
    struct gpu_watch w;
    struct gpu_usage u;
    struct gpu_watch_words words;
    struct err e = {0};
    gpu_watch_open(&w, &(struct nvml_choice){.library = path, .bus = "0000:07:00.0"});
    cr_assert(w.nvml);
    /* the fake's clock is 885 of 1113 MHz, 0.8 of it, at 23.456 W; at first it is idle */
    cr_expect_eq(gpu_watch_look(&w, &e), 0);
    gpu_watch_read(&w, &u);
    cr_expect(u.samples == 1 && u.idle == 1 && u.memory_bytes == 980e6);
    cr_expect(isnan(u.power_w) && isnan(u.busy_share) && isnan(u.clock_low_mhz));
    reasons(0);
    cr_expect_eq(gpu_watch_look(&w, &e), 0);
    reasons(4); /* a power cap: how the card is set */
    cr_expect_eq(gpu_watch_look(&w, &e), 0);
    reasons(4 | 8 | 0x40); /* and too hot */
    cr_expect_eq(gpu_watch_look(&w, &e), 1);
    gpu_watch_read(&w, &u);
    cr_expect(u.samples == 4 && u.idle == 1);
    cr_expect_eq(u.throttled, 1);
    cr_expect_eq(u.capped, 2);
    cr_expect(u.clock_mhz == 885 && u.clock_low_mhz == 885 && u.clock_max_mhz == 1113);
    cr_expect_float_eq(u.power_w, 23.456, 1e-9);
    cr_expect(u.power_limit_w == 75 && u.temperature_c == 41 && u.memory_bytes == 980e6);
    gpu_watch_reasons(u.reasons, &words);
    cr_expect_str_eq(words.s, "power cap, heat");
    gpu_watch_reasons(u.faults, &words);
    cr_expect_str_eq(words.s, "heat");
    gpu_watch_reasons(~0U, &words);
    cr_expect_str_eq(words.s, "power cap, clock setting, heat, power brake, hardware, other");
    cr_expect_str_eq(u.driver, "525.60.13");
    gpu_watch_close(&w);
    dlclose(library);
    unlink(path);
}
