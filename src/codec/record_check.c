/* record_check.c - see the header. Threads: any; no shared state. */
#include "codec/record_check.h"

#include "base/utf8.h"
#include "codec/backup.h"
#include "codec/catalog.h"
#include "codec/catalog_keys.h"
#include "codec/collection.h"
#include "codec/copy.h"
#include "codec/expiry_key.h"
#include "codec/format.h"
#include "codec/history.h"
#include "codec/index_key.h"
#include "codec/item.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "codec/stream.h"
#include "codec/token.h"
#include "model/key.h"

enum { ID_KEY_BYTES = 5, NUMBERED_KEY_BYTES = 13, HASH_KEY_BYTES = KEY_ID_BYTES + SIPHASH_BYTES };

/* ---- values ---- */

/* Of a value that is sound otherwise: names and texts are what JSON can show. */
static bool texts_are_text(struct value value) {
    enum value_type type = value_type(value);
    struct value_iter iter;
    if (type == VALUE_S)
        return utf8_check(value_scalar(value));
    if (type != VALUE_SS && type != VALUE_L && type != VALUE_M)
        return true;
    value_iter_init(&iter, value);
    while (value_iter_next(&iter)) {
        struct slice text = type == VALUE_SS ? iter.member : iter.name;
        if (!utf8_check(text) || (type != VALUE_SS && !texts_are_text(iter.value)))
            return false;
    }
    return true;
}

static bool is_value(struct slice bytes) {
    return value_check(bytes, ITEM_DEPTH_MAX) && texts_are_text(value_from_slice(bytes));
}

/* ---- the catalog ---- */

/* The version, and a map. */
static bool is_map_of_texts(struct slice stored) {
    return stored.len > 0 && is_value(slice_skip(stored, 1));
}

static bool keys_are_defined(const struct table_definition *table, const struct key_schema *keys) {
    for (size_t i = 0; i < key_part_count(keys); i++)
        if (table_attribute_type(table, key_part(keys, i)->name) != key_part(keys, i)->type)
            return false;
    return true;
}

static struct error *check_definition(struct arena *arena, struct slice value,
                                      struct table_definition *ret_table) {
    TRY(table_definition_decode(arena, value, ret_table));
    bool sound = is_map_of_texts(value) && keys_are_defined(ret_table, &ret_table->keys);
    for (size_t i = 0; i < ret_table->index_count; i++)
        sound = sound && keys_are_defined(ret_table, &ret_table->indexes[i].keys);
    return sound ? NULL : error_local(arena, "the definition of a table contradicts itself");
}

static struct error *check_table(struct arena *arena, struct slice key, struct slice value) {
    struct table_definition table;
    TRY(check_definition(arena, value, &table));
    return slice_equal(table.name, slice_skip(key, 1))
               ? NULL
               : error_local(arena, "a table stands under another's name");
}

static struct error *check_stream(struct arena *arena, struct slice key, struct slice value) {
    struct stream_definition stream;
    TRY(stream_definition_decode(arena, value, &stream));
    if (!is_map_of_texts(value))
        return error_local(arena, "the definition of a stream is not text");
    return slice_equal(stream_definition_key(arena, stream.table_name, stream.label), key)
               ? NULL
               : error_local(arena, "a stream stands under another's name");
}

static struct error *check_backup(struct arena *arena, struct slice key, struct slice value) {
    struct backup backup;
    struct table_definition table;
    TRY(backup_decode(arena, value, &backup));
    TRY(check_definition(arena, backup.definition, &table));
    if (!utf8_check(backup.name))
        return error_local(arena, "the name of a backup is not text");
    return slice_equal(backup_key(arena, backup.created_ms, backup.id), key)
               ? NULL
               : error_local(arena, "a backup stands under another's time");
}

static struct error *check_past_definition(struct arena *arena, struct slice key,
                                           struct slice value) {
    struct table_definition table;
    TRY(check_definition(arena, value, &table));
    return key.len == NUMBERED_KEY_BYTES && load_u32_be(key.data + 1) == table.id
               ? NULL
               : error_local(arena, "an earlier definition stands under another table's id");
}

static struct error *check_copy(struct arena *arena, struct slice key, struct slice value) {
    struct copy_state state;
    TRY(copy_state_decode(arena, value, &state));
    return key.len == ID_KEY_BYTES && load_u32_be(key.data + 1) == state.target
               ? NULL
               : error_local(arena, "a copy stands under another's id");
}

static struct error *check_numbers(struct arena *arena, struct slice key, struct slice value) {
    struct token_record token;
    struct format_record format;
    int64_t count, bytes;
    uint64_t number;
    switch (key.data[0]) {
    case 'F':
        return key.len == 1 ? format_decode(arena, value, &format)
                            : error_local(arena, "a wrong key");
    case 'L':
        return key.len == 1 ? sequence_decode(arena, value, &number)
                            : error_local(arena, "a wrong key");
    case 'N':
        return key.len == ID_KEY_BYTES ? sequence_decode(arena, value, &number)
                                       : error_local(arena, "a wrong key");
    case 'P':
        return key.len == NUMBERED_KEY_BYTES ? statistics_decode(arena, value, &count, &bytes)
                                             : error_local(arena, "a wrong key");
    case 'I':
        return key.len == HASH_KEY_BYTES ? token_decode(arena, value, &token)
                                         : error_local(arena, "a wrong key");
    default:
        if (key.len != ID_KEY_BYTES)
            return error_local(arena, "a wrong key");
        return statistics_decode(arena, value, &count, &bytes);
    }
}

struct error *catalog_record_check(struct arena *arena, struct slice key, struct slice value) {
    uint64_t ms;
    struct slice hash;
    switch (key.data[0]) {
    case 'F':
    case 'L':
    case 'I':
    case 'S':
    case 'P':
    case 'N':
        return check_numbers(arena, key, value);
    case 'T':
        return check_table(arena, key, value);
    case 'D':
        return check_stream(arena, key, value);
    case 'K':
        return check_backup(arena, key, value);
    case 'H':
        return check_past_definition(arena, key, value);
    case 'C':
        return check_copy(arena, key, value);
    case 'B':
        return key.len == ID_KEY_BYTES && value.len >= ITEM_KEY_PREFIX
                   ? NULL
                   : error_local(arena, "a wrong cursor");
    case 'X':
        return catalog_key_read_ms_hash(key, &ms, &hash) && value.len == 0
                   ? NULL
                   : error_local(arena, "a wrong key");
    case 'R':
        return memchr(key.data, 0, key.len) != NULL ? NULL : error_local(arena, "a wrong key");
    default:
        return error_local(arena, "a record of an unknown kind");
    }
}

/* ---- items ---- */

/* An item in its one form; its size is what it says. */
static struct error *check_item(struct arena *arena, struct slice stored) {
    TRY(stored_item_check(arena, stored));
    if (!is_value(value_slice(stored_item_value(stored))))
        return error_local(arena, "it is no item");
    if (stored_item_size(stored) != item_size(stored_item_value(stored)))
        return error_local(arena, "its size is not what it says");
    return NULL;
}

/* The key, which may lack its id, is the item's. */
static bool key_agrees(struct arena *arena, const struct key_codec *codec,
                       const struct key_schema *keys, struct slice rest, struct value item) {
    return key_is_good(keys, item) &&
           slice_equal(key_without_id(key_encode(arena, codec, 0, keys, item)), rest);
}

struct error *item_record_check(struct arena *arena, const struct key_codec *codec,
                                const struct record_owner *owner, struct slice key,
                                struct slice value) {
    TRY(check_item(arena, value));
    if (key.len < ITEM_KEY_PREFIX)
        return error_local(arena, "its key is too short");
    if (owner->range == RANGE_UNKNOWN)
        return NULL;
    if (owner->range != RANGE_TABLE)
        return error_local(arena, "its id is no table's");
    return key_agrees(arena, codec, owner->keys, key_without_id(key), stored_item_value(value))
               ? NULL
               : error_local(arena, "its key is not that of the item");
}

/* ---- indexes ---- */

static struct error *check_entry(struct arena *arena, const struct key_codec *codec,
                                 const struct record_owner *owner, struct slice key,
                                 struct slice value) {
    TRY(check_item(arena, value));
    struct value item = stored_item_value(value);
    return key_is_good(owner->keys, item) &&
                   slice_equal(index_key_encode(arena, codec, owner->table, owner->index, item),
                               key)
               ? NULL
               : error_local(arena, "its key is not that of the index entry");
}

static struct error *check_collection(struct arena *arena, struct slice key, struct slice value) {
    uint64_t bytes;
    if (key.len != ITEM_KEY_PREFIX || collection_decode(arena, value, &bytes) != NULL)
        return error_local(arena, "it is no item collection");
    return NULL;
}

static struct error *check_expiry(struct arena *arena, struct slice key, struct slice value) {
    return expiry_key_is_sound(key) && value.len == 0 ? NULL
                                                      : error_local(arena, "it is no expiry");
}

struct error *index_record_check(struct arena *arena, const struct key_codec *codec,
                                 const struct record_owner *owner, struct slice key,
                                 struct slice value) {
    switch (owner->range) {
    case RANGE_TABLE:
        return check_collection(arena, key, value);
    case RANGE_INDEX:
        return check_entry(arena, codec, owner, key, value);
    case RANGE_EXPIRY:
        return check_expiry(arena, key, value);
    case RANGE_STREAM:
        return error_local(arena, "its id is a stream's");
    case RANGE_UNKNOWN:
        break;
    }
    if (value.len == 0)
        return check_expiry(arena, key, value);
    return check_collection(arena, key, value) == NULL ? NULL : check_item(arena, value);
}

/* ---- changes ---- */

/* A part of a record of a stream; absent is fine. */
static bool is_image(const struct key_schema *keys, struct value image) {
    return !value_present(image) ||
           (is_value(value_slice(image)) && (keys == NULL || key_is_good(keys, image)));
}

static struct error *check_stream_record(struct arena *arena, const struct record_owner *owner,
                                         struct slice value) {
    struct stream_record record;
    TRY(stream_record_decode(arena, value, &record));
    return is_image(owner->keys, record.keys) && is_image(owner->keys, record.new_image) &&
                   is_image(owner->keys, record.old_image)
               ? NULL
               : error_local(arena, "a record of a stream is damaged");
}

static struct error *check_history(struct arena *arena, const struct key_codec *codec,
                                   const struct record_owner *owner, struct slice value) {
    struct history_record record;
    TRY(history_record_decode(arena, value, &record));
    if (!slice_present(record.stored))
        return NULL;
    TRY(check_item(arena, record.stored));
    if (owner->range != RANGE_TABLE)
        return NULL;
    return key_agrees(arena, codec, owner->keys, record.item_key, stored_item_value(record.stored))
               ? NULL
               : error_local(arena, "its key is not that of the item");
}

struct error *change_record_check(struct arena *arena, const struct key_codec *codec,
                                  const struct record_owner *owner, struct slice key,
                                  struct slice value) {
    bool unknown = owner->range == RANGE_UNKNOWN;
    if (key.len == STREAM_KEY_BYTES && (unknown || owner->range == RANGE_STREAM))
        return check_stream_record(arena, owner, value);
    if (key.len == HISTORY_KEY_BYTES && (unknown || owner->range == RANGE_TABLE))
        return check_history(arena, codec, owner, value);
    return error_local(arena, "its key is that of no change");
}
