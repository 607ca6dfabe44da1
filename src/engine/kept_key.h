/* kept_key.h - a store key that outlives the transaction it came from. Zero is none. */
#ifndef GRAMME_ENGINE_KEPT_KEY_H
#define GRAMME_ENGINE_KEPT_KEY_H

#include <stdlib.h>

#include "base/check.h"
#include "base/slice.h"

struct kept_key {
    struct slice key; /* absent: none */
    uint8_t *bytes;
};

static inline void kept_key_set(struct kept_key *kept, struct slice key) {
    uint8_t *copy = malloc(key.len + 1);
    CHECK(copy != NULL);
    memcpy(copy, key.data, key.len);
    free(kept->bytes);
    kept->bytes = copy;
    kept->key = slice_of(copy, key.len);
}

static inline void kept_key_release(struct kept_key *kept) {
    free(kept->bytes);
    *kept = (struct kept_key){0};
}

#endif
