/* secret.h - bytes that nobody else may learn. */
#ifndef GRAMME_BASE_SECRET_H
#define GRAMME_BASE_SECRET_H

#include "base/slice.h"

/* Overwrites them, also where the compiler sees that nobody reads them again. */
static inline void secret_wipe(void *data, size_t size) {
    memset(data, 0, size);
    __asm__ volatile("" : : "r"(data) : "memory");
}

/* Takes as long whatever the bytes are; only the lengths may be learnt from it. The differences are
 * hidden from the compiler, which could else stop at the first. */
static inline bool secret_equal(struct slice a, struct slice b) {
    if (a.len != b.len)
        return false;
    uint8_t differences = 0;
    for (size_t i = 0; i < a.len; i++) {
        differences = (uint8_t)(differences | (a.data[i] ^ b.data[i]));
        __asm__ volatile("" : "+r"(differences));
    }
    return differences == 0;
}

#endif
