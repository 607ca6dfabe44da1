/* placeholders.c - the maps of names and values that a request brings for its expressions. */
#include <stdlib.h>

#include "expr/expr.h"
#include "model/limits.h"
#include "model/value_fault.h"

/* ---- keys ---- */

static bool is_word(uint8_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool key_is_valid(struct slice key, uint8_t first) {
    if (key.len < 2 || key.data[0] != first)
        return false;
    for (size_t i = 1; i < key.len; i++)
        if (!is_word(key.data[i]))
            return false;
    return true;
}

static struct error *check_key(struct arena *arena, const char *member, struct slice key,
                               uint8_t first) {
    if (key.len > LIMIT_PLACEHOLDER_BYTES)
        return error_request(arena,
                             "%s contains invalid key: The expression attribute map contains a key "
                             "that is too long; size of key: %zu",
                             member, key.len);
    if (key_is_valid(key, first))
        return NULL;
    return error_request(arena, "%s contains invalid key: Syntax error; key: \"%.*s\"", member,
                         SLICE_ARGS(key));
}

/* Keys, names and values of both maps together. The text is gramme's own. */
static struct error *check_total_size(struct arena *arena, const struct expr_placeholders *given) {
    size_t size = 0;
    for (size_t i = 0; i < given->name_count; i++)
        size += given->names[i].key.len + given->names[i].name.len;
    for (size_t i = 0; i < given->value_count; i++) {
        const struct expr_placeholder *p = &given->values[i];
        size += p->key.len + (value_present(p->value) ? value_size(p->value) : 0);
    }
    if (size <= LIMIT_PLACEHOLDERS_BYTES)
        return NULL;
    return error_request(arena, "ExpressionAttributeValues contains invalid value: The expression "
                                "attribute map exceeds the maximum allowed size");
}

struct error *expr_placeholders_check(struct arena *arena, const struct expr_placeholders *given) {
    for (size_t i = 0; i < given->name_count; i++) {
        const struct expr_placeholder *p = &given->names[i];
        TRY(check_key(arena, "ExpressionAttributeNames", p->key, '#'));
        if (!attribute_name_fits(p->name))
            return error_request(
                arena, "ExpressionAttributeNames contains invalid value: %.*s for key %.*s",
                SLICE_ARGS(attribute_name_error(arena, p->name)->message), SLICE_ARGS(p->key));
    }
    for (size_t i = 0; i < given->value_count; i++)
        TRY(check_key(arena, "ExpressionAttributeValues", given->values[i].key, ':'));
    return check_total_size(arena, given);
}

/* ---- what no expression used ---- */

/* The service keeps the keys in a hash set and prints them in the order of its table. */
struct unused {
    struct slice key;
    uint32_t bucket;
    size_t position;
};

static uint32_t bucket_of(struct slice key, uint32_t buckets) {
    uint32_t hash = 0;
    for (size_t i = 0; i < key.len; i++)
        hash = 31 * hash + key.data[i];
    return (hash ^ hash >> 16) & (buckets - 1);
}

/* The table has room for all keys of the request at a load of three quarters. */
static uint32_t bucket_count(size_t keys) {
    uint32_t buckets = 16;
    while (buckets < keys * 4 / 3 + 1)
        buckets *= 2;
    return buckets;
}

static int compare_unused(const void *a, const void *b) {
    const struct unused *x = a, *y = b;
    if (x->bucket != y->bucket)
        return x->bucket < y->bucket ? -1 : 1;
    return x->position < y->position ? -1 : 1;
}

static struct error *unused_error(struct arena *arena, const char *member,
                                  const struct unused *unused, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += unused[i].key.len + 2;
    char *keys = arena_alloc(arena, size);
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(keys + len, unused[i].key.data, unused[i].key.len);
        len += unused[i].key.len;
        memcpy(keys + len, ", ", 2);
        len += 2;
    }
    return error_request(arena, "Value provided in %s unused in expressions: keys: {%.*s}", member,
                         (int)(len - 2), keys);
}

static struct error *check_unused(struct arena *arena, const char *member,
                                  const struct expr_placeholder *all, size_t count) {
    size_t unused_count = 0;
    for (size_t i = 0; i < count; i++)
        unused_count += !all[i].used;
    if (unused_count == 0)
        return NULL;
    struct unused *unused = arena_alloc(arena, unused_count * sizeof(*unused));
    uint32_t buckets = bucket_count(count);
    size_t at = 0;
    for (size_t i = 0; i < count; i++)
        if (!all[i].used)
            unused[at++] = (struct unused){all[i].key, bucket_of(all[i].key, buckets), i};
    qsort(unused, unused_count, sizeof(*unused), compare_unused);
    return unused_error(arena, member, unused, unused_count);
}

struct error *expr_placeholders_check_unused(struct arena *arena,
                                             const struct expr_placeholders *given) {
    TRY(check_unused(arena, "ExpressionAttributeNames", given->names, given->name_count));
    return check_unused(arena, "ExpressionAttributeValues", given->values, given->value_count);
}
