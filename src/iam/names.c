/* names.c - see names.h. */
#include "iam/names.h"

#include "base/base64.h"

bool name_is_valid(struct slice name, size_t min, size_t max) {
    if (name.len < min || name.len > max)
        return false;
    for (size_t i = 0; i < name.len; i++) {
        uint8_t c = name.data[i];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        if (!letter && (c == 0 || strchr("+=,.@_-", c) == NULL))
            return false;
    }
    return true;
}

/* 32 characters: a random byte gives each the same chance. */
struct slice key_make_id(struct arena *arena, const struct random *random, const char *prefix) {
    static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    size_t len = strlen(prefix);
    uint8_t *id = arena_alloc(arena, KEY_ID_CHARS);
    memcpy(id, prefix, len);
    random_fill(random, id + len, KEY_ID_CHARS - len);
    for (size_t i = len; i < KEY_ID_CHARS; i++)
        id[i] = (uint8_t)alphabet[id[i] % 32];
    return slice_of(id, KEY_ID_CHARS);
}

struct slice key_make_secret(struct arena *arena, const struct random *random) {
    uint8_t bytes[SECRET_CHARS / 4 * 3];
    uint8_t *text = arena_alloc(arena, SECRET_CHARS);
    random_fill(random, bytes, sizeof(bytes));
    base64_encode(slice_of(bytes, sizeof(bytes)), text);
    return slice_of(text, SECRET_CHARS);
}
