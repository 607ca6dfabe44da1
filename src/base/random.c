/* random.c - the kernel's randomness, and numbers and UUIDs made of any. */
#include "base/random.h"

#include <errno.h>
#include <sys/random.h>

#include "base/bytes.h"
#include "base/check.h"

enum { UUID_BYTES = 16, UUID_TEXT = 36 };

static void system_fill(const struct random *random, void *bytes, size_t size) {
    (void)random;
    uint8_t *at = bytes;
    while (size > 0) {
        ssize_t got = getrandom(at, size, 0);
        if (got < 0) {
            CHECK(errno == EINTR);
            continue;
        }
        at += got;
        size -= (size_t)got;
    }
}

const struct random system_random = {system_fill};

uint64_t random_below(const struct random *random, uint64_t bound) {
    uint64_t bits;
    random_fill(random, &bits, sizeof(bits));
    return (uint64_t)((__uint128_t)bits * bound >> 64);
}

struct slice random_uuid(const struct random *random, struct arena *arena) {
    uint8_t bytes[UUID_BYTES];
    random_fill(random, bytes, sizeof(bytes));
    bytes[6] = (uint8_t)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (uint8_t)((bytes[8] & 0x3f) | 0x80);
    char *text = arena_alloc(arena, UUID_TEXT);
    char *at = text;
    for (size_t i = 0; i < UUID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            *at++ = '-';
        hex_print(bytes + i, 1, at);
        at += 2;
    }
    return slice_of(text, UUID_TEXT);
}
