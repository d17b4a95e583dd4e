/* fake_nvml: a management library with one card, built and loaded by test_nvml.
 *
 * FAKE_OLD leaves out all that an old library may lack, FAKE_BARE the rest too. The test plants a
 * status for one function through fake_nvml_plant. */
#include <stdio.h>
#include <string.h>

static const char *planted = "";
static int planted_code;
static unsigned long long reasons = 1;
static int running;

void fake_nvml_plant(const char *function, int code);
void fake_nvml_plant(const char *function, int code)
{
    planted = function;
    planted_code = code;
}
void fake_nvml_reasons(unsigned long long bits);
void fake_nvml_reasons(unsigned long long bits)
{
    reasons = bits;
}
int fake_nvml_running(void);
int fake_nvml_running(void)
{
    return running;
}

#ifndef FAKE_BARE
#define ENTER()                                                                                    \
    if (strcmp(planted, __func__) == 0)                                                            \
    return planted_code

static int card;

int nvmlInit_v2(void);
int nvmlInit_v2(void)
{
    ENTER();
    running++;
    return 0;
}
int nvmlShutdown(void);
int nvmlShutdown(void)
{
    running--;
    ENTER();
    return 0;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **out);
int nvmlDeviceGetHandleByIndex_v2(unsigned number, void **out)
{
    ENTER();
    *out = &card;
    return number == 0 ? 0 : 2;
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out);
int nvmlDeviceGetHandleByPciBusId_v2(const char *bus, void **out)
{
    ENTER();
    *out = &card;
    return strcmp(bus, "0000:07:00.0") == 0 ? 0 : 6;
}
#ifndef FAKE_OLD
const char *nvmlErrorString(int code);
const char *nvmlErrorString(int code)
{
    return code == 2   ? "Invalid Argument"
           : code == 6 ? "Not Found"
           : code == 9 ? "Driver Not Loaded"
                       : "Strange";
}
int nvmlSystemGetDriverVersion(char *out, unsigned size);
int nvmlSystemGetDriverVersion(char *out, unsigned size)
{
    ENTER();
    snprintf(out, size, "525.60.13");
    return 0;
}
int nvmlDeviceGetName(void *d, char *out, unsigned size);
int nvmlDeviceGetName(void *d, char *out, unsigned size)
{
    ENTER();
    snprintf(out, size, "Tesla P4");
    return d == &card ? 0 : 2;
}
int nvmlDeviceGetClockInfo(void *d, unsigned which, unsigned *out);
int nvmlDeviceGetClockInfo(void *d, unsigned which, unsigned *out)
{
    ENTER();
    *out = which == 1 ? 885 : 3003;
    return d == &card && (which == 1 || which == 2) ? 0 : 2;
}
int nvmlDeviceGetMaxClockInfo(void *d, unsigned which, unsigned *out);
int nvmlDeviceGetMaxClockInfo(void *d, unsigned which, unsigned *out)
{
    ENTER();
    *out = 1113;
    return d == &card && which == 1 ? 0 : 2;
}
int nvmlDeviceGetPowerUsage(void *d, unsigned *out);
int nvmlDeviceGetPowerUsage(void *d, unsigned *out)
{
    ENTER();
    *out = 23456;
    return d == &card ? 0 : 2;
}
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *out);
int nvmlDeviceGetEnforcedPowerLimit(void *d, unsigned *out)
{
    ENTER();
    *out = 75000;
    return d == &card ? 0 : 2;
}
int nvmlDeviceGetTemperature(void *d, unsigned sensor, unsigned *out);
int nvmlDeviceGetTemperature(void *d, unsigned sensor, unsigned *out)
{
    ENTER();
    *out = 41;
    return d == &card && sensor == 0 ? 0 : 2;
}
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long out[3]);
int nvmlDeviceGetMemoryInfo(void *d, unsigned long long out[3])
{
    ENTER();
    out[0] = 7980000000;
    out[1] = 7000000000;
    out[2] = 980000000;
    return d == &card ? 0 : 2;
}
int nvmlDeviceGetUtilizationRates(void *d, unsigned out[2]);
int nvmlDeviceGetUtilizationRates(void *d, unsigned out[2])
{
    ENTER();
    out[0] = 37;
    out[1] = 12;
    return d == &card ? 0 : 2;
}
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *out);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *d, unsigned long long *out)
{
    ENTER();
    *out = reasons;
    return d == &card ? 0 : 2;
}
#endif
#endif
