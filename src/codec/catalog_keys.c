/* catalog_keys.c - see the header. Threads: any; no shared state. */
#include "codec/catalog_keys.h"

#include "base/check.h"

enum {
    HASH_AT = KEY_ID_BYTES, /* as in an item's key */
    MS_HASH_BYTES = HASH_AT + 8 + SIPHASH_BYTES,
};

static uint8_t *begin(struct arena *arena, char letter, size_t len) {
    uint8_t *key = arena_alloc(arena, len);
    key[0] = (uint8_t)letter;
    return key;
}

struct slice catalog_key_of_name(struct arena *arena, char letter, struct slice name) {
    uint8_t *key = begin(arena, letter, 1 + name.len);
    memcpy(key + 1, name.data, name.len);
    return slice_of(key, 1 + name.len);
}

struct slice catalog_key_of_id(struct arena *arena, char letter, uint32_t id) {
    uint8_t *key = begin(arena, letter, 5);
    store_u32_be(key + 1, id);
    return slice_of(key, 5);
}

struct slice catalog_key_of_id_number(struct arena *arena, char letter, uint32_t id,
                                      uint64_t number) {
    uint8_t *key = begin(arena, letter, 13);
    store_u32_be(key + 1, id);
    store_u64_be(key + 5, number);
    return slice_of(key, 13);
}

struct slice catalog_key_of_ms_id(struct arena *arena, char letter, int64_t ms, uint32_t id) {
    uint8_t *key = begin(arena, letter, 13);
    store_u64_be(key + 1, (uint64_t)ms);
    store_u32_be(key + 9, id);
    return slice_of(key, 13);
}

struct slice catalog_key_of_name_label(struct arena *arena, char letter, struct slice name,
                                       struct slice label) {
    size_t len = 2 + name.len + label.len;
    uint8_t *key = begin(arena, letter, len);
    memcpy(key + 1, name.data, name.len);
    key[1 + name.len] = 0;
    if (label.len > 0)
        memcpy(key + 2 + name.len, label.data, label.len);
    return slice_of(key, len);
}

struct slice catalog_key_of_hash(struct arena *arena, char letter, struct slice hash) {
    uint8_t *key = begin(arena, letter, HASH_AT + hash.len);
    memset(key + 1, 0, HASH_AT - 1);
    memcpy(key + HASH_AT, hash.data, hash.len);
    return slice_of(key, HASH_AT + hash.len);
}

struct slice catalog_key_of_ms_hash(struct arena *arena, char letter, uint64_t ms,
                                    struct slice hash) {
    size_t len = HASH_AT + 8 + hash.len;
    uint8_t *key = begin(arena, letter, len);
    memset(key + 1, 0, HASH_AT - 1);
    store_u64_be(key + HASH_AT, ms);
    if (hash.len > 0)
        memcpy(key + HASH_AT + 8, hash.data, hash.len);
    return slice_of(key, len);
}

struct slice catalog_key_hash(struct slice key) {
    CHECK(key.len >= HASH_AT + SIPHASH_BYTES);
    return slice_skip(key, key.len - SIPHASH_BYTES);
}

bool catalog_key_read_ms_hash(struct slice key, uint64_t *ret_ms, struct slice *ret_hash) {
    if (key.len != MS_HASH_BYTES)
        return false;
    *ret_ms = load_u64_be(key.data + HASH_AT);
    *ret_hash = catalog_key_hash(key);
    return true;
}

struct key_range catalog_key_range(struct arena *arena, char letter) {
    uint8_t *bounds = arena_alloc(arena, 2);
    bounds[0] = (uint8_t)letter;
    bounds[1] = (uint8_t)(letter + 1);
    return (struct key_range){slice_of(bounds, 1), slice_of(bounds + 1, 1)};
}
