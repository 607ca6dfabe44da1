/* recent.c - numbers by hashes of keys. */
#include "engine/recent.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/key.h"

enum { HASHES = 1 << 16 };

void recent_init(struct recent *recent, const struct store *store) {
    if (store_can(store, STORE_REMOTE)) {
        recent->numbers = calloc(HASHES, sizeof(*recent->numbers));
        CHECK(recent->numbers != NULL);
    }
    atomic_init(&recent->committed, 0);
    atomic_init(&recent->bytes_ahead, 0);
}

void recent_release(struct recent *recent) {
    free(recent->numbers);
}

static uint64_t *number_of(const struct recent *recent, struct slice key) {
    return &recent->numbers[key_whole_hash(key) % HASHES];
}

void recent_begin(struct recent *recent) {
    recent->last++;
}

void recent_note(struct recent *recent, struct slice key) {
    *number_of(recent, key) = recent->last;
}

void recent_committed(struct recent *recent) {
    atomic_store(&recent->committed, recent->last);
}

void recent_forget(struct recent *recent) {
    recent->known_from = ++recent->last;
    atomic_store(&recent->committed, recent->last);
}

bool recent_is_since(const struct recent *recent, struct slice key, uint64_t number) {
    return number >= recent->known_from && *number_of(recent, key) <= number;
}
