/* fuzz_trace: the entry that libFuzzer calls; build with -DSLUICE_FUZZ=ON and clang. */
#include "tests/fixture_fuzz.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fixture_fuzz_trace((const char *)data, size);
    return 0;
}
