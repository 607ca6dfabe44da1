/* fuzz.h - what every fuzz target has.
 *
 * A target is one function that takes any bytes and fails a CHECK when a promise is broken. With
 * -Dfuzz=true it is linked with libFuzzer; in every other build with replay_main.c, which runs the
 * corpus as a test. */
#ifndef GRAMME_TESTS_FUZZ_H
#define GRAMME_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "base/check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
