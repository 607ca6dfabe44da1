/* stream_fixture.c - reads everything, sorts, prints. */
#include "support/stream_fixture.h"

#include <stdlib.h>

#include "base/check.h"

enum { RECORDS_MAX = 4096 };

size_t streams_of(struct engine_fixture *fixture, const char *table,
                  struct stream_definition ret_streams[STREAMS_MAX]) {
    struct reader reader;
    struct stream_list list;
    struct stream_list_range range = {.table_name = SLICE_NONE};
    size_t count = 0;
    if (table != NULL)
        range.table_name = slice_text(table);
    CHECK(reader_begin(fixture->engine, &fixture->arena, READ_SNAPSHOT, &reader) == NULL);
    CHECK(stream_list_open(&reader, &range, &list) == NULL);
    for (;;) {
        CHECK(count < STREAMS_MAX && stream_list_next(&list, &ret_streams[count]) == NULL);
        if (ret_streams[count].id == 0)
            break;
        count++;
    }
    stream_list_close(&list);
    reader_end(&reader);
    return count;
}

struct stream_definition stream_of(struct engine_fixture *fixture, const char *table) {
    static struct stream_definition streams[STREAMS_MAX];
    size_t count = streams_of(fixture, table, streams);
    CHECK(count > 0);
    return streams[count - 1];
}

struct line {
    uint64_t number;
    struct slice text;
};

static int compare_lines(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static struct slice print_record(struct engine_fixture *fixture,
                                 const struct stream_record *record) {
    static const char *const events[] = {"INSERT", "MODIFY", "REMOVE"};
    const struct value parts[] = {record->keys, record->new_image, record->old_image};
    static const char *const names[] = {"keys", "new", "old"};
    struct slice text = arena_printf(&fixture->arena, "%s%s", events[record->event],
                                     record->expired ? " expired" : "");
    for (size_t i = 0; i < 3; i++)
        if (value_present(parts[i]))
            text = arena_printf(&fixture->arena, "%.*s %s %s", SLICE_ARGS(text), names[i],
                                fixture_json(fixture, parts[i]));
    return text;
}

/* All records, by their numbers. */
static size_t read_lines(struct engine_fixture *fixture, const struct stream_definition *stream,
                         struct line lines[RECORDS_MAX]) {
    struct reader reader;
    size_t count = 0;
    CHECK(reader_begin(fixture->engine, &fixture->arena, READ_SNAPSHOT, &reader) == NULL);
    struct stream_extent extent = stream_extent_of(stream, engine_last_number(fixture->engine), 0);
    for (uint32_t i = 0; i < extent.count * (uint32_t)stream->shards; i++) {
        struct stream_cursor cursor;
        struct stream_shard shard = {i / (uint32_t)stream->shards,
                                     (uint8_t)(i % (uint32_t)stream->shards)};
        CHECK(stream_cursor_open(&reader, stream, shard, 0, UINT64_MAX, &cursor) == NULL);
        for (uint64_t before = 0;;) {
            struct stream_record record;
            uint64_t number;
            CHECK(stream_cursor_next(&cursor, &number, &record) == NULL);
            if (number == 0)
                break;
            CHECK(number > before && count < RECORDS_MAX);
            CHECK(number >= shard_first(&extent, shard) && number <= shard_last(&extent, shard));
            before = number;
            lines[count++] = (struct line){number, print_record(fixture, &record)};
        }
        stream_cursor_close(&cursor);
    }
    reader_end(&reader);
    qsort(lines, count, sizeof(lines[0]), compare_lines);
    for (size_t i = 1; i < count; i++)
        CHECK(lines[i].number > lines[i - 1].number);
    return count;
}

const char *stream_text(struct engine_fixture *fixture, const struct stream_definition *stream) {
    struct line *lines = ARENA_ARRAY(&fixture->arena, struct line, RECORDS_MAX);
    size_t count = read_lines(fixture, stream, lines);
    struct buffer text;
    buffer_init(&text, 1 << 24);
    for (size_t i = 0; i < count; i++) {
        buffer_append_slice(&text, lines[i].text);
        buffer_append_byte(&text, '\n');
    }
    buffer_append_byte(&text, 0);
    char *copy = arena_copy(&fixture->arena, text.data, text.len);
    buffer_release(&text);
    return copy;
}

size_t stream_numbers(struct engine_fixture *fixture, const struct stream_definition *stream,
                      uint64_t *ret_numbers, size_t max) {
    struct line *lines = ARENA_ARRAY(&fixture->arena, struct line, RECORDS_MAX);
    size_t count = read_lines(fixture, stream, lines);
    CHECK(count <= max);
    for (size_t i = 0; i < count; i++)
        ret_numbers[i] = lines[i].number;
    return count;
}

static size_t count_range(struct store_txn *txn, const struct store_range *range) {
    struct store_scan *scan;
    size_t count = 0;
    CHECK(store_scan_open(txn, range, false, &scan) == NULL);
    for (bool found = true; found; count += found) {
        struct slice key, value;
        CHECK(store_scan_next(scan, &found, &key, &value) == NULL);
    }
    store_scan_close(scan);
    return count;
}

void streams_stored(struct store *store, size_t *ret_records, size_t *ret_streams) {
    struct arena arena;
    struct store_txn *txn;
    const struct store_range records = {.keyspace = KEYSPACE_CHANGES};
    const struct store_range streams = {KEYSPACE_CATALOG, SLICE_LITERAL("D"), SLICE_LITERAL("E")};
    arena_init(&arena);
    CHECK(store_begin(store, &arena, STORE_READ, &txn) == NULL);
    *ret_records = count_range(txn, &records);
    *ret_streams = count_range(txn, &streams);
    store_end(txn);
    arena_release(&arena);
}
