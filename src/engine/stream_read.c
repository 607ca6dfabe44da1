/* stream_read.c - streams and their records, straight from the store. */
#include "engine/stream_read.h"

#include "engine/hold.h"
#include "engine/keyspace.h"
#include "engine/state.h"
#include "model/limits.h"

uint64_t engine_last_number(const struct engine *engine) {
    return hold_is_needed(engine->store) ? atomic_load(&engine->sequence.closed)
                                         : atomic_load(&engine->sequence.last);
}

int64_t stream_horizon_ms(const struct engine *engine) {
    return clock_now_ms(engine->options.clock) - LIMIT_STREAM_RETENTION_MS;
}

static bool is_gone(const struct reader *reader, const struct stream_definition *stream) {
    return stream_is_gone(stream, stream_horizon_ms(reader->engine));
}

struct error *stream_get(struct reader *reader, struct slice table_name, struct slice label,
                         struct stream_definition *ret_stream) {
    struct slice stored;
    struct stream_definition stream = {.id = 0};
    struct store_key key = catalog_key(stream_definition_key(reader->arena, table_name, label));
    if (key.key.len > STREAM_DEFINITION_KEY_MAX) {
        *ret_stream = stream;
        return NULL;
    }
    TRY(store_get(reader->txn, &key, &stored));
    if (slice_present(stored))
        TRY(stream_definition_decode(reader->arena, stored, &stream));
    if (is_gone(reader, &stream))
        stream.id = 0;
    *ret_stream = stream;
    return NULL;
}

/* ---- lists ---- */

static struct slice larger(struct slice a, struct slice b) {
    return slice_compare(a, b) < 0 ? b : a;
}

struct error *stream_list_open(struct reader *reader, const struct stream_list_range *range,
                               struct stream_list *ret_list) {
    struct arena *arena = reader->arena;
    struct store_range keys = range_in(KEYSPACE_CATALOG, stream_definition_key_range(arena));
    *ret_list = (struct stream_list){reader, NULL};
    if (slice_present(range->table_name)) {
        keys.first = stream_definition_key(arena, range->table_name, SLICE_NONE);
        keys.last = key_after_prefix(arena, keys.first);
    }
    if (slice_present(range->after_label)) {
        struct slice after =
            stream_definition_key(arena, range->after_table_name, range->after_label);
        keys.first = larger(keys.first, key_after(arena, after));
    }
    if (slice_compare(keys.first, keys.last) >= 0)
        return NULL;
    return store_scan_open(reader->txn, &keys, false, &ret_list->scan);
}

struct error *stream_list_next(struct stream_list *list, struct stream_definition *ret_stream) {
    struct arena *arena = list->reader->arena;
    *ret_stream = (struct stream_definition){.id = 0};
    while (list->scan != NULL) {
        bool found;
        struct slice key, value;
        struct stream_definition stream;
        struct arena_mark mark = arena_mark(arena);
        TRY(store_scan_next(list->scan, &found, &key, &value));
        if (!found)
            return NULL;
        TRY(stream_definition_decode(arena, arena_slice(arena, value), &stream));
        if (!is_gone(list->reader, &stream)) {
            *ret_stream = stream;
            return NULL;
        }
        arena_rewind(arena, mark);
    }
    return NULL;
}

void stream_list_close(struct stream_list *list) {
    store_scan_close(list->scan);
    list->scan = NULL;
}

/* ---- records ---- */

struct error *stream_cursor_open(struct reader *reader, const struct stream_definition *stream,
                                 struct stream_shard shard, uint64_t first, uint64_t last,
                                 struct stream_cursor *ret_cursor) {
    *ret_cursor = (struct stream_cursor){.reader = reader, .table_name = stream->table_name};
    if (first > last)
        return NULL;
    struct store_range range = {
        KEYSPACE_CHANGES,
        stream_record_key(reader->arena, stream->id, shard, first),
        key_after(reader->arena, stream_record_key(reader->arena, stream->id, shard, last)),
    };
    return store_scan_open(reader->txn, &range, false, &ret_cursor->scan);
}

struct error *stream_cursor_next(struct stream_cursor *cursor, uint64_t *ret_number,
                                 struct stream_record *ret_record) {
    bool found = false;
    struct slice key, value;
    *ret_number = 0;
    if (cursor->scan != NULL)
        TRY(store_scan_next(cursor->scan, &found, &key, &value));
    if (!found)
        return NULL;
    struct arena *arena = cursor->reader->arena;
    struct error *error = key.len == STREAM_KEY_BYTES
                              ? stream_record_decode(arena, value, ret_record)
                              : error_local(arena, "the key of a stream's record is damaged");
    if (error != NULL)
        return damage_found(&cursor->reader->engine->damage, arena, cursor->table_name, key, error);
    *ret_number = stream_record_number(key);
    return NULL;
}

/* Numbers of a shard increase with commits (hold.h). */
struct error *stream_latest(struct reader *reader, const struct stream_definition *stream,
                            struct stream_shard shard, uint64_t last, uint64_t *ret_latest) {
    struct store_scan *scan;
    struct slice key, value;
    bool found = false;
    *ret_latest = last;
    if (!hold_is_needed(reader->engine->store))
        return NULL;
    struct store_range range = {
        KEYSPACE_CHANGES,
        stream_record_key(reader->arena, stream->id, shard, 0),
        stream_record_key(reader->arena, stream->id, shard, UINT64_MAX),
    };
    TRY(store_scan_open(reader->txn, &range, true, &scan));
    struct error *error = store_scan_next(scan, &found, &key, &value);
    if (error == NULL && found && key.len == STREAM_KEY_BYTES && stream_record_number(key) > last)
        *ret_latest = stream_record_number(key);
    store_scan_close(scan);
    return error;
}

void stream_cursor_close(struct stream_cursor *cursor) {
    store_scan_close(cursor->scan);
    cursor->scan = NULL;
}
