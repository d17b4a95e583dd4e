/* environment: the processor, as Linux describes it. */
#include "kernels/environment.h"

#include "kernels/gemm.h"

#include <cblas.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* The value behind "key" and a colon in /proc/cpuinfo; false where there is none. */
static bool cpuinfo(const char *key, char *out, size_t size)
{
    char line[512];
    bool found = false;
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && !found && fgets(line, sizeof line, f)) {
        size_t n = strcspn(line, "\t:");
        if (strlen(key) == n && strncmp(line, key, n) == 0 && strchr(line, ':')) {
            const char *value = strchr(line, ':') + 1;
            value += strspn(value, " \t");
            snprintf(out, size, "%.*s", (int)strcspn(value, "\n"), value);
            found = true;
        }
    }
    if (f)
        fclose(f);
    return found;
}

/* The first word of a file. */
static bool word_of(const char *path, char *out, size_t size)
{
    char word[64] = "";
    FILE *f = fopen(path, "r");
    bool found = f && fscanf(f, "%63s", word) == 1;
    if (f)
        fclose(f);
    snprintf(out, size, "%s", word);
    return found;
}

static void read_device(struct environment *env)
{
    char name[80], family[16], model[16];
    if (!cpuinfo("model name", name, sizeof name)) {
        snprintf(env->device, sizeof env->device, "unknown processor");
        return;
    }
    snprintf(env->device, sizeof env->device, "%s", name);
    /* Virtual machines call many processors by one name; the family tells them apart. */
    if (cpuinfo("cpu family", family, sizeof family) && cpuinfo("model", model, sizeof model))
        snprintf(env->device, sizeof env->device, "%s, family %s model %s", name, family, model);
}

static void read_clocks(struct environment *env)
{
    static const char folder[] = "/sys/devices/system/cpu/cpu0/cpufreq/";
    char path[96], governor[32], highest[32];
    snprintf(path, sizeof path, "%sscaling_governor", folder);
    if (!word_of(path, governor, sizeof governor)) {
        snprintf(env->clocks, sizeof env->clocks, "not readable");
        return;
    }
    snprintf(path, sizeof path, "%sscaling_max_freq", folder);
    word_of(path, highest, sizeof highest);
    snprintf(env->clocks, sizeof env->clocks, "governor %s, at most %s kHz", governor,
             highest[0] ? highest : "?");
}

static void read_framework(struct environment *env)
{
    /* "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ...": the first two words say which. */
    const char *config = openblas_get_config();
    size_t n = strcspn(config, " ");
    n += strspn(config + n, " ");
    n += strcspn(config + n, " ");
    snprintf(env->framework, sizeof env->framework, "%.*s", (int)n, config);
}

void environment_processor(struct environment *env)
{
    struct utsname u;
    *env = (struct environment){.backend = "cpu", .threads = gemm_blas_threads(0)};
    read_device(env);
    read_clocks(env);
    read_framework(env);
    snprintf(env->core, sizeof env->core, "%s", gemm_blas_core());
    if (uname(&u) == 0)
        snprintf(env->driver, sizeof env->driver, "%.60s %.60s", u.sysname, u.release);
    else
        snprintf(env->driver, sizeof env->driver, "unknown");
    long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    env->cache_bytes = cache > 0 ? cache : sysconf(_SC_LEVEL2_CACHE_SIZE);
    env->cache_bytes = env->cache_bytes > 0 ? env->cache_bytes : 0;
}

void environment_fields(const struct environment *env,
                        struct environment_field out[ENVIRONMENT_FIELDS], char scratch[16])
{
    snprintf(scratch, 16, "%d", (int)env->threads);
    const struct environment_field fields[ENVIRONMENT_FIELDS] = {
        {"backend", env->backend}, {"device", env->device}, {"core", env->core},
        {"clocks", env->clocks},   {"driver", env->driver}, {"framework", env->framework},
        {"threads", scratch},
    };
    memcpy(out, fields, sizeof fields);
}
