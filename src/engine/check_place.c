/* check_place.c - see check_place.h. */
#include "engine/check_place.h"

#include "codec/backup.h"
#include "codec/expiry_key.h"
#include "codec/history.h"
#include "codec/item.h"
#include "codec/stream.h"
#include "engine/keyspaces.h"
#include "model/key.h"
#include "model/number.h"

enum { SHOWN_MAX = 80 };

/* ---- keys ---- */

static struct slice cut(struct slice text) {
    return text.len <= SHOWN_MAX ? text : slice_first(text, SHOWN_MAX);
}

static const char *dots(struct slice text) {
    return text.len <= SHOWN_MAX ? "" : "...";
}

static struct slice hex(struct arena *arena, struct slice bytes) {
    static const char digits[] = "0123456789abcdef";
    struct slice shown = cut(bytes);
    char *text = arena_alloc(arena, 2 * shown.len + 1);
    for (size_t i = 0; i < shown.len; i++) {
        text[2 * i] = digits[shown.data[i] >> 4];
        text[2 * i + 1] = digits[shown.data[i] & 15];
    }
    text[2 * shown.len] = '\0';
    return arena_printf(arena, "%s%s", text, dots(bytes));
}

static struct slice value_text(struct arena *arena, struct value value) {
    struct slice scalar = value_scalar(value);
    char number[NUMBER_TEXT_MAX];
    if (value_type(value) == VALUE_S)
        return arena_printf(arena, "\"%.*s%s\"", SLICE_ARGS(cut(scalar)), dots(scalar));
    if (value_type(value) == VALUE_N)
        return arena_printf(arena, "%.*s", (int)number_format(scalar, number), number);
    return hex(arena, scalar);
}

/* {pk: "a", sk: 5}; absent when the item cannot be read. */
static struct slice item_text(struct arena *arena, const struct key_schema *keys,
                              struct slice stored) {
    struct stored_item item;
    struct slice text = SLICE_LITERAL("{");
    if (keys == NULL || !slice_present(stored) || item_decode(arena, stored, &item) != NULL ||
        !key_is_good(keys, item.item))
        return SLICE_NONE;
    for (size_t i = 0; i < key_part_count(keys); i++) {
        struct slice name = key_part(keys, i)->name;
        struct slice shown = value_text(arena, value_map_find(item.item, name));
        text = arena_printf(arena, "%.*s%s%.*s: %.*s", SLICE_ARGS(text), i == 0 ? "" : ", ",
                            SLICE_ARGS(name), SLICE_ARGS(shown));
    }
    return arena_printf(arena, "%.*s}", SLICE_ARGS(text));
}

static struct slice item_or_key(struct arena *arena, const struct key_schema *keys,
                                struct slice key, struct slice stored) {
    struct slice text = item_text(arena, keys, stored);
    return slice_present(text) ? text : hex(arena, key);
}

/* ---- owners ---- */

struct slice check_owner_name(struct arena *arena, const struct record_owner *owner) {
    if (owner->index != NULL)
        return arena_printf(arena, "table %.*s, index %.*s", SLICE_ARGS(owner->table->name),
                            SLICE_ARGS(owner->index->name));
    if (owner->range == RANGE_EXPIRY)
        return arena_printf(arena, "table %.*s, expiries", SLICE_ARGS(owner->table->name));
    if (owner->table != NULL)
        return arena_printf(arena, "table %.*s", SLICE_ARGS(owner->table->name));
    if (owner->stream != NULL)
        return arena_printf(arena, "stream of %.*s", SLICE_ARGS(owner->stream->table_name));
    return arena_printf(arena, "backup %.*s", SLICE_ARGS(owner->backup->name));
}

/* ---- records ---- */

static struct slice place_in_catalog(struct arena *arena, struct slice key) {
    struct slice rest = slice_skip(key, 1);
    if (key.data[0] == 'T' || key.data[0] == 'D' || key.data[0] == 'R')
        return arena_printf(arena, "catalog, record %c %.*s", key.data[0], SLICE_ARGS(cut(rest)));
    return arena_printf(arena, "catalog, record %c %.*s", key.data[0],
                        SLICE_ARGS(hex(arena, rest)));
}

static struct slice place_of_derived(struct arena *arena, const struct record_owner *owner,
                                     struct slice name, struct slice key, struct slice value) {
    if (owner->range == RANGE_INDEX)
        return arena_printf(arena, "%.*s, entry %.*s", SLICE_ARGS(name),
                            SLICE_ARGS(item_or_key(arena, owner->keys, key, value)));
    if (owner->range == RANGE_EXPIRY && expiry_key_is_sound(key))
        return arena_printf(arena, "%.*s, second %llu, key %.*s", SLICE_ARGS(name),
                            (unsigned long long)expiry_key_seconds(key),
                            SLICE_ARGS(hex(arena, key)));
    return arena_printf(arena, "%.*s, item collection %.*s", SLICE_ARGS(name),
                        SLICE_ARGS(hex(arena, key)));
}

static struct slice place_of_change(struct arena *arena, const struct record_owner *owner,
                                    struct slice name, struct slice key) {
    if (owner->range == RANGE_STREAM && key.len == STREAM_KEY_BYTES)
        return arena_printf(arena, "%.*s, record %llu", SLICE_ARGS(name),
                            (unsigned long long)stream_record_number(key));
    if (key.len == HISTORY_KEY_BYTES)
        return arena_printf(arena, "%.*s, history, change %llu", SLICE_ARGS(name),
                            (unsigned long long)history_key_sequence(key));
    return arena_printf(arena, "%.*s, change %.*s", SLICE_ARGS(name), SLICE_ARGS(hex(arena, key)));
}

struct slice check_place(struct arena *arena, const struct owners *owners,
                         const struct store_key *key, struct slice value) {
    if (key->keyspace == KEYSPACE_CATALOG)
        return place_in_catalog(arena, key->key);
    const struct record_owner *owner =
        key->key.len < KEY_ID_BYTES ? NULL : owners_find(owners, load_u32_be(key->key.data));
    if (owner == NULL)
        return arena_printf(arena, "keyspace %s, key %.*s", engine_keyspaces[key->keyspace].name,
                            SLICE_ARGS(hex(arena, key->key)));
    struct slice name = check_owner_name(arena, owner);
    if (key->keyspace == KEYSPACE_INDEXES)
        return place_of_derived(arena, owner, name, key->key, value);
    if (key->keyspace == KEYSPACE_CHANGES)
        return place_of_change(arena, owner, name, key->key);
    return arena_printf(arena, "%.*s, item %.*s", SLICE_ARGS(name),
                        SLICE_ARGS(item_or_key(arena, owner->keys, key->key, value)));
}
