/* nvml: the one door to the NVIDIA management library. */
#include "kernels/nvml.h"

#include "sim/err.h"

#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers and layouts of the library's own interface. */
#define NVML_SUCCESS 0
#define NVML_NOT_SUPPORTED 3
#define NVML_NO_PERMISSION 4
#define NVML_FUNCTION_NOT_FOUND 13
#define NVML_CLOCK_SM 1U
#define NVML_CLOCK_MEMORY 2U
#define NVML_TEMPERATURE_GPU 0U
#define NVML_REASONS_IDLE UINT64_C(0x1)
#define NVML_REASONS_APPLICATION_CLOCKS UINT64_C(0x2)
#define NVML_REASONS_SW_POWER_CAP UINT64_C(0x4)
#define NVML_REASONS_HW_SLOWDOWN UINT64_C(0x8) /* bits 0x40 and 0x80 tell why, on newer cards */
#define NVML_REASONS_SYNC_BOOST UINT64_C(0x10)
#define NVML_REASONS_SW_THERMAL UINT64_C(0x20)
#define NVML_REASONS_HW_THERMAL UINT64_C(0x40)
#define NVML_REASONS_HW_POWER_BRAKE UINT64_C(0x80)
#define NVML_REASONS_DISPLAY_CLOCK UINT64_C(0x100)

typedef void *nvml_device;
struct nvml_memory {
    unsigned long long total, free, used;
};
struct nvml_utilization {
    unsigned gpu, memory; /* percent */
};

struct nvml {
    void *library;
    nvml_device device;
    bool initialized;
    struct nvml_card card;
    /* What must be there. */
    int (*init)(void);
    int (*shutdown)(void);
    int (*by_number)(unsigned number, nvml_device *out);
    int (*by_bus)(const char *bus, nvml_device *out);
    /* What an old or small library may lack; NULL then. */
    const char *(*text)(int code);
    int (*driver)(char *out, unsigned size);
    int (*name)(nvml_device d, char *out, unsigned size);
    int (*clock)(nvml_device d, unsigned which, unsigned *mhz);
    int (*max_clock)(nvml_device d, unsigned which, unsigned *mhz);
    int (*power)(nvml_device d, unsigned *mw);
    int (*power_limit)(nvml_device d, unsigned *mw);
    int (*temperature)(nvml_device d, unsigned sensor, unsigned *celsius);
    int (*memory)(nvml_device d, struct nvml_memory *out);
    int (*utilization)(nvml_device d, struct nvml_utilization *out);
    int (*reasons)(nvml_device d, unsigned long long *out);
};

struct entry {
    const char *name;
    size_t offset;
    bool needed;
};

static const struct entry entries[] = {
    {"nvmlInit_v2", offsetof(struct nvml, init), true},
    {"nvmlShutdown", offsetof(struct nvml, shutdown), true},
    {"nvmlDeviceGetHandleByIndex_v2", offsetof(struct nvml, by_number), true},
    {"nvmlDeviceGetHandleByPciBusId_v2", offsetof(struct nvml, by_bus), true},
    {"nvmlErrorString", offsetof(struct nvml, text), false},
    {"nvmlSystemGetDriverVersion", offsetof(struct nvml, driver), false},
    {"nvmlDeviceGetName", offsetof(struct nvml, name), false},
    {"nvmlDeviceGetClockInfo", offsetof(struct nvml, clock), false},
    {"nvmlDeviceGetMaxClockInfo", offsetof(struct nvml, max_clock), false},
    {"nvmlDeviceGetPowerUsage", offsetof(struct nvml, power), false},
    {"nvmlDeviceGetEnforcedPowerLimit", offsetof(struct nvml, power_limit), false},
    {"nvmlDeviceGetTemperature", offsetof(struct nvml, temperature), false},
    {"nvmlDeviceGetMemoryInfo", offsetof(struct nvml, memory), false},
    {"nvmlDeviceGetUtilizationRates", offsetof(struct nvml, utilization), false},
    {"nvmlDeviceGetCurrentClocksThrottleReasons", offsetof(struct nvml, reasons), false},
};

/* POSIX gives functions as data pointers; C has no cast for it. */
static int find_functions(struct nvml *n, struct err *e)
{
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
        void *found = dlsym(n->library, entries[i].name);
        *(void **)((char *)n + entries[i].offset) = found;
        if (!found && entries[i].needed)
            return err_set(e, ERR_SYSTEM, NULL, "NVML: the library has no function %s",
                           entries[i].name);
    }
    return 0;
}

static int told(const struct nvml *n, int code, const char *what, struct err *e)
{
    const char *text = n->text ? n->text(code) : NULL;
    if (code == NVML_SUCCESS)
        return 0;
    return err_set(e, ERR_SYSTEM, NULL, "NVML: %s: %s (%d)", what, text ? text : "failed", code);
}

/* What the card does not offer is no failure. */
static bool is_absent(int code)
{
    return code == NVML_NOT_SUPPORTED || code == NVML_NO_PERMISSION ||
           code == NVML_FUNCTION_NOT_FOUND;
}

static int read_card(struct nvml *n, struct err *e)
{
    struct nvml_card *c = &n->card;
    int name = n->name ? n->name(n->device, c->name, sizeof c->name) : NVML_NOT_SUPPORTED;
    int driver = n->driver ? n->driver(c->driver, sizeof c->driver) : NVML_NOT_SUPPORTED;
    if (name != NVML_SUCCESS)
        snprintf(c->name, sizeof c->name, "unknown");
    if (driver != NVML_SUCCESS)
        snprintf(c->driver, sizeof c->driver, "unknown");
    return (!is_absent(name) && told(n, name, "name", e)) ||
                   (!is_absent(driver) && told(n, driver, "driver", e))
               ? -1
               : 0;
}

static int start(struct nvml *n, const struct nvml_choice *choice, struct err *e)
{
    const char *name = choice->library ? choice->library : "libnvidia-ml.so.1";
    n->library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!n->library) {
        const char *why = dlerror();
        return err_set(e, ERR_SYSTEM, NULL, "NVML: %s", why ? why : name);
    }
    if (find_functions(n, e) || told(n, n->init(), "start", e))
        return -1;
    n->initialized = true;
    int code = choice->bus ? n->by_bus(choice->bus, &n->device)
                           : n->by_number((unsigned)choice->number, &n->device);
    char what[64];
    if (choice->bus)
        snprintf(what, sizeof what, "GPU at %.40s", choice->bus);
    else
        snprintf(what, sizeof what, "GPU %d", (int)choice->number);
    return told(n, code, what, e) || read_card(n, e) ? -1 : 0;
}

struct nvml *nvml_create(const struct nvml_choice *choice, struct err *e)
{
    struct nvml *n = calloc(1, sizeof *n);
    if (!n) {
        err_set(e, ERR_SYSTEM, NULL, "out of memory for NVML");
        return NULL;
    }
    if (start(n, choice, e) == 0)
        return n;
    nvml_destroy(n);
    return NULL;
}

void nvml_destroy(struct nvml *n)
{
    if (!n)
        return;
    if (n->initialized)
        n->shutdown();
    if (n->library)
        dlclose(n->library);
    free(n);
}

const struct nvml_card *nvml_card(const struct nvml *n)
{
    return &n->card;
}

/* A figure of the card: by one of two kinds of function, in its unit. */
struct figure {
    int (*read)(nvml_device d, unsigned *out);
    int (*read_of)(nvml_device d, unsigned which, unsigned *out);
    unsigned which;
    const char *what;
    double unit;
    double *out; /* NAN where the card does not tell */
};

static int read_figure(const struct nvml *n, const struct figure *f, struct err *e)
{
    unsigned value = 0;
    int code = f->read      ? f->read(n->device, &value)
               : f->read_of ? f->read_of(n->device, f->which, &value)
                            : NVML_FUNCTION_NOT_FOUND;
    *f->out = code == NVML_SUCCESS ? value * f->unit : (double)NAN;
    return is_absent(code) ? 0 : told(n, code, f->what, e);
}

static int read_memory(const struct nvml *n, struct nvml_sample *out, struct err *e)
{
    struct nvml_memory m = {0};
    int code = n->memory ? n->memory(n->device, &m) : NVML_NOT_SUPPORTED;
    out->memory_used_bytes = code == NVML_SUCCESS ? (double)m.used : (double)NAN;
    out->memory_total_bytes = code == NVML_SUCCESS ? (double)m.total : (double)NAN;
    return is_absent(code) ? 0 : told(n, code, "memory", e);
}

static int read_utilization(const struct nvml *n, struct nvml_sample *out, struct err *e)
{
    struct nvml_utilization u = {0};
    int code = n->utilization ? n->utilization(n->device, &u) : NVML_NOT_SUPPORTED;
    out->busy_share = code == NVML_SUCCESS ? u.gpu / 100.0 : (double)NAN;
    return is_absent(code) ? 0 : told(n, code, "utilization", e);
}

static uint32_t reasons_of(uint64_t bits)
{
    static const struct {
        uint64_t bits;
        enum nvml_reason reason;
    } table[] = {
        {NVML_REASONS_IDLE, NVML_REASON_IDLE},
        {NVML_REASONS_SW_POWER_CAP, NVML_REASON_POWER_CAP},
        {NVML_REASONS_APPLICATION_CLOCKS | NVML_REASONS_SYNC_BOOST | NVML_REASONS_DISPLAY_CLOCK,
         NVML_REASON_SETTING},
        {NVML_REASONS_SW_THERMAL | NVML_REASONS_HW_THERMAL, NVML_REASON_THERMAL},
        {NVML_REASONS_HW_POWER_BRAKE, NVML_REASON_BRAKE},
        {NVML_REASONS_HW_SLOWDOWN, NVML_REASON_SLOWDOWN},
    };
    uint32_t reasons = 0;
    if (bits & (NVML_REASONS_HW_THERMAL | NVML_REASONS_HW_POWER_BRAKE))
        bits &= ~NVML_REASONS_HW_SLOWDOWN; /* explained by them */
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        reasons |= bits & table[i].bits ? (uint32_t)table[i].reason : 0U;
        bits &= ~table[i].bits;
    }
    return reasons | (bits ? (uint32_t)NVML_REASON_OTHER : 0U);
}

static int read_reasons(const struct nvml *n, struct nvml_sample *out, struct err *e)
{
    unsigned long long bits = 0;
    int code = n->reasons ? n->reasons(n->device, &bits) : NVML_NOT_SUPPORTED;
    out->reasons_known = code == NVML_SUCCESS;
    out->reasons = out->reasons_known ? reasons_of(bits) : 0;
    return is_absent(code) ? 0 : told(n, code, "throttle reasons", e);
}

int nvml_sample(struct nvml *n, struct nvml_sample *out, struct err *e)
{
    *out = (struct nvml_sample){0};
    const struct figure figures[] = {
        {NULL, n->clock, NVML_CLOCK_SM, "SM clock", 1, &out->sm_clock_mhz},
        {NULL, n->max_clock, NVML_CLOCK_SM, "highest SM clock", 1, &out->sm_clock_max_mhz},
        {NULL, n->clock, NVML_CLOCK_MEMORY, "memory clock", 1, &out->memory_clock_mhz},
        {n->power, NULL, 0, "power", 1e-3, &out->power_w},
        {n->power_limit, NULL, 0, "power limit", 1e-3, &out->power_limit_w},
        {NULL, n->temperature, NVML_TEMPERATURE_GPU, "temperature", 1, &out->temperature_c},
    };
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
        if (read_figure(n, &figures[i], e))
            return -1;
    return read_memory(n, out, e) || read_utilization(n, out, e) || read_reasons(n, out, e) ? -1
                                                                                            : 0;
}

bool nvml_throttled(const struct nvml_sample *s, double share)
{
    bool low = s->sm_clock_mhz < share * s->sm_clock_max_mhz; /* false where one is NAN */
    return (s->reasons & NVML_REASONS_OF_FAULT) || (low && !(s->reasons & NVML_REASONS_OF_USE));
}
