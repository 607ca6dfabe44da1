/* stream.c - definitions of streams and records of changes. Threads: any; no shared state. */
#include "codec/stream.h"

#include "base/check.h"
#include "codec/catalog_fields.h"
#include "codec/item.h"
#include "codec/summed.h"

enum {
    STREAM_VERSION = 1,
    RECORD_HEADER = 5, /* behind version and checksum */
    RECORD_EVENT = 3,  /* the bits of the event */
    RECORD_EXPIRED = 1 << 2,
    RECORD_NEW = 1 << 3,
    RECORD_OLD = 1 << 4,
    DEFINITION_SIZE_MAX = 64 * 1024,
    DEFINITION_DEPTH_MAX = 2,
};

/* ---- definitions ---- */

struct slice stream_definition_encode(struct arena *arena,
                                      const struct stream_definition *definition) {
    struct buffer CLEANUP(buffer_release) bytes;
    struct arena CLEANUP(arena_release) scratch;
    struct value_builder out;
    buffer_init(&bytes, DEFINITION_SIZE_MAX);
    arena_init(&scratch);
    buffer_append_byte(&bytes, STREAM_VERSION);
    value_builder_init(&out, &bytes, &scratch);
    value_builder_open(&out, VALUE_M);
    stored_fields_write(&out, stored_stream_fields, definition);
    value_builder_close(&out);
    CHECK(!bytes.overflow);
    return arena_slice(arena, buffer_slice(&bytes));
}

static struct error *damaged(struct arena *arena, const char *what) {
    return error_local(arena, "a stored stream is damaged: %s", what);
}

/* What every stream has. */
static bool is_complete(const struct stream_definition *stream) {
    return slice_present(stream->table_name) && slice_present(stream->label) && stream->id != 0 &&
           stream->view != STREAM_OFF && stream->created_ms > 0 && stream->ended >= 0 &&
           stream->kept >= 0 && stream->kept <= UINT32_MAX && stream->shards >= 1 &&
           stream->shards <= STREAM_SHARDS_MAX && slice_present(stream->keys.hash[0].name);
}

struct error *stream_definition_decode(struct arena *arena, struct slice bytes,
                                       struct stream_definition *ret_definition) {
    if (bytes.len == 0)
        return damaged(arena, "no bytes");
    if (bytes.data[0] != STREAM_VERSION)
        return error_local(arena, "a stored stream has version %u, this program reads %d",
                           bytes.data[0], STREAM_VERSION);
    struct slice rest = slice_skip(bytes, 1);
    if (!value_check(rest, DEFINITION_DEPTH_MAX) || rest.data[0] != VALUE_M)
        return damaged(arena, "not a map");
    struct stream_definition stream = {.id = 0};
    const char *wrong = stored_fields_read(value_from_slice(rest), stored_stream_fields, &stream);
    if (wrong != NULL)
        return damaged(arena, wrong);
    if (!is_complete(&stream))
        return damaged(arena, "something is missing");
    stream.keys.hash_count = 1;
    stream.keys.range_count = slice_present(stream.keys.range[0].name) ? 1 : 0;
    *ret_definition = stream;
    return NULL;
}

/* ---- records ---- */

struct slice stream_record_key(struct arena *arena, uint32_t stream_id, struct stream_shard shard,
                               uint64_t number) {
    uint8_t *key = arena_alloc(arena, STREAM_KEY_BYTES);
    store_u32_be(key, stream_id);
    store_u32_be(key + 4, shard.generation);
    key[8] = shard.number;
    store_u64_be(key + 9, number);
    return slice_of(key, STREAM_KEY_BYTES);
}

/* The key attributes of an item, in the order of their names as in every map; returns how many. */
struct key_entry {
    struct slice name;
    struct value value;
};

static size_t key_entries(const struct key_schema *keys, struct value item,
                          struct key_entry entries[2]) {
    size_t count = 1;
    entries[0].name = keys->hash[0].name;
    if (keys->range_count > 0) {
        bool first = slice_compare(keys->range[0].name, entries[0].name) < 0;
        entries[1] = entries[0];
        entries[first ? 0 : 1].name = keys->range[0].name;
        count = 2;
    }
    for (size_t i = 0; i < count; i++)
        entries[i].value = value_map_find(item, entries[i].name);
    return count;
}

static uint32_t keys_size(const struct key_entry *entries, size_t count) {
    size_t size = 0;
    for (size_t i = 0; i < count; i++)
        size += entries[i].name.len + value_size(entries[i].value);
    return (uint32_t)size;
}

/* As a value of type M; returns where it ends. */
static uint8_t *write_keys(uint8_t *at, const struct key_entry *entries, size_t count) {
    uint8_t *next = at + CONTAINER_HEADER;
    for (size_t i = 0; i < count; i++) {
        next += varint_encode(next, (uint32_t)entries[i].name.len);
        memcpy(next, entries[i].name.data, entries[i].name.len);
        next += entries[i].name.len;
        memcpy(next, entries[i].value.bytes, entries[i].value.len);
        next += entries[i].value.len;
    }
    at[0] = VALUE_M;
    store_u32(at + 1, (uint32_t)(next - at) - CONTAINER_HEADER);
    store_u32(at + 5, (uint32_t)count);
    return next;
}

static uint8_t *write_value(uint8_t *at, struct value value) {
    if (value_present(value))
        memcpy(at, value.bytes, value.len);
    return at + value.len;
}

static enum change_event event_of(const struct item_change *change) {
    if (!slice_present(change->before))
        return CHANGE_INSERT;
    return slice_present(change->after) ? CHANGE_MODIFY : CHANGE_REMOVE;
}

struct slice stream_record_encode(struct arena *arena, enum stream_view view,
                                  const struct key_schema *keys, const struct item_change *change) {
    bool new = view == STREAM_NEW_IMAGE || view == STREAM_NEW_AND_OLD;
    bool old = view == STREAM_OLD_IMAGE || view == STREAM_NEW_AND_OLD;
    struct slice after = new ? change->after : SLICE_NONE;
    struct slice before = old ? change->before : SLICE_NONE;
    bool images = slice_present(after) || slice_present(before);
    struct key_entry entries[2];
    struct slice whole = slice_present(change->after) ? change->after : change->before;
    size_t count = key_entries(keys, stored_item_value(whole), entries);
    /* The key attributes take no more than the item that they come from. */
    size_t len_max = SUMMED_HEADER + RECORD_HEADER + (images ? before.len + after.len : whole.len);
    uint8_t *bytes = arena_alloc(arena, len_max), *head = bytes + SUMMED_HEADER;
    head[0] = (uint8_t)(event_of(change) | (change->expired ? RECORD_EXPIRED : 0) |
                        (slice_present(after) ? RECORD_NEW : 0) |
                        (slice_present(before) ? RECORD_OLD : 0));
    store_u32(head + 1,
              keys_size(entries, count) + stored_item_size(after) + stored_item_size(before));
    uint8_t *next = head + RECORD_HEADER;
    if (images)
        next = write_value(write_value(next, stored_item_value(after)), stored_item_value(before));
    else
        next = write_keys(next, entries, count);
    return summed_seal(bytes, (size_t)(next - bytes));
}

/* Cuts a map off the front; false when there is none. */
static bool take_map(struct slice *rest, struct value *ret_map) {
    if (rest->len < CONTAINER_HEADER || rest->data[0] != VALUE_M)
        return false;
    uint64_t len = (uint64_t)load_u32(rest->data + 1) + CONTAINER_HEADER;
    if (len > rest->len)
        return false;
    *ret_map = (struct value){rest->data, (size_t)len};
    *rest = slice_skip(*rest, (size_t)len);
    return value_is_bounded(value_slice(*ret_map), ITEM_DEPTH_MAX);
}

struct error *stream_record_decode(struct arena *arena, struct slice bytes,
                                   struct stream_record *ret_record) {
    struct slice head = summed_open(bytes);
    if (head.len < RECORD_HEADER || (head.data[0] & RECORD_EVENT) > CHANGE_REMOVE)
        return damaged(arena, "a record's header or its checksum");
    uint8_t bits = head.data[0];
    struct stream_record record = {
        .event = (enum change_event)(bits & RECORD_EVENT),
        .expired = (bits & RECORD_EXPIRED) != 0,
        .size = load_u32(head.data + 1),
    };
    struct slice rest = slice_skip(head, RECORD_HEADER);
    bool whole = true;
    if (bits & RECORD_NEW)
        whole = take_map(&rest, &record.new_image);
    if (whole && (bits & RECORD_OLD))
        whole = take_map(&rest, &record.old_image);
    if (whole && !(bits & (RECORD_NEW | RECORD_OLD)))
        whole = take_map(&rest, &record.keys);
    if (!whole || rest.len > 0)
        return damaged(arena, "a record's parts");
    *ret_record = record;
    return NULL;
}
