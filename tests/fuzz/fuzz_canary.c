/* fuzz_canary.c - a target that must fail on its corpus: proof that the harness notices. */
#include <string.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    CHECK(size < 6 || memcmp(data, "canary", 6) != 0);
    return 0;
}
