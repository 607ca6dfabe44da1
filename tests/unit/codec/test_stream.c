/* test_stream.c - streams and their records to bytes and back, and what damage does. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/item.h"
#include "codec/stream.h"
#include "model/value_builder.h"

static struct arena arena;

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    arena_release(&arena);
    return 0;
}

static struct stream_definition full(void) {
    return (struct stream_definition){
        .table_name = SLICE_LITERAL("orders"),
        .label = SLICE_LITERAL("2023-11-14T22:13:20.000"),
        .id = 4000000000,
        .view = STREAM_OLD_IMAGE,
        .keys = {.hash_count = 1,
                 .range_count = 1,
                 .hash = {{SLICE_LITERAL("pk"), VALUE_S}},
                 .range = {{SLICE_LITERAL("b"), VALUE_N}}},
        .shards = 3,
        .created_ms = 1700000000000,
        .kept = 17,
        .ended = INT64_MAX,
    };
}

static void assert_same(const struct stream_definition *a, const struct stream_definition *b) {
    assert_true(slice_equal(a->table_name, b->table_name) && slice_equal(a->label, b->label));
    assert_int_equal(a->id, b->id);
    assert_int_equal(a->view, b->view);
    assert_int_equal(a->shards, b->shards);
    assert_true(a->created_ms == b->created_ms && a->kept == b->kept);
    assert_true(a->ended == b->ended);
    assert_int_equal(a->keys.hash_count, b->keys.hash_count);
    assert_int_equal(a->keys.range_count, b->keys.range_count);
    assert_true(slice_equal(a->keys.hash[0].name, b->keys.hash[0].name));
    assert_true(slice_equal(a->keys.range[0].name, b->keys.range[0].name));
    assert_int_equal(a->keys.hash[0].type, b->keys.hash[0].type);
    assert_int_equal(a->keys.range[0].type, b->keys.range[0].type);
}

static void definitions_come_back(void **state) {
    (void)state;
    struct stream_definition stream = full(), again;
    assert_null(
        stream_definition_decode(&arena, stream_definition_encode(&arena, &stream), &again));
    assert_same(&stream, &again);
    stream.keys.range_count = 0;
    stream.keys.range[0] = (struct key_attribute){SLICE_NONE, VALUE_NONE};
    stream.ended = 0;
    stream.view = STREAM_KEYS_ONLY;
    assert_null(
        stream_definition_decode(&arena, stream_definition_encode(&arena, &stream), &again));
    assert_same(&stream, &again);
}

static void assert_refused(struct slice bytes, const char *text) {
    struct stream_definition stream;
    struct error *error = stream_definition_decode(&arena, bytes, &stream);
    assert_non_null(error);
    if (text != NULL)
        assert_string_equal((const char *)error->message.data, text);
}

static void damaged_definitions_are_refused(void **state) {
    (void)state;
    struct stream_definition stream = full();
    struct slice good = stream_definition_encode(&arena, &stream);
    assert_refused(SLICE_LITERAL(""), "a stored stream is damaged: no bytes");
    assert_refused(SLICE_LITERAL("\2"), "a stored stream has version 2, this program reads 1");
    assert_refused(SLICE_LITERAL("\1\5"), "a stored stream is damaged: not a map");
    for (size_t len = 0; len < good.len; len++)
        assert_refused(slice_of(good.data, len), NULL);
    stream.shards = STREAM_SHARDS_MAX + 1;
    assert_refused(stream_definition_encode(&arena, &stream),
                   "a stored stream is damaged: something is missing");
    stream = full();
    stream.view = STREAM_OFF;
    assert_refused(stream_definition_encode(&arena, &stream),
                   "a stored stream is damaged: something is missing");
}

/* ---- records ---- */

/* {"b": {"N": "7"}, "pk": {"S": "key"}[, "x": {"S": text}]}, stored. */
static struct slice item(const char *text) {
    struct buffer bytes;
    struct value_builder out;
    struct number seven;
    buffer_init(&bytes, 1 << 20);
    value_builder_init(&out, &bytes, &arena);
    number_from_int(7, &seven);
    value_builder_open(&out, VALUE_M);
    value_builder_name(&out, SLICE_LITERAL("pk"));
    value_builder_scalar(&out, VALUE_S, SLICE_LITERAL("key"));
    value_builder_name(&out, SLICE_LITERAL("b"));
    value_builder_scalar(&out, VALUE_N, number_slice(&seven));
    if (text != NULL) {
        value_builder_name(&out, SLICE_LITERAL("x"));
        value_builder_scalar(&out, VALUE_S, slice_text(text));
    }
    value_builder_close(&out);
    struct value value = value_builder_finish(&out, &arena);
    buffer_release(&bytes);
    return item_encode(&arena, value, item_size(value));
}

static struct value value_of(struct slice stored) {
    return stored_item_value(stored);
}

enum { KEYS_SIZE = 2 + 3 + 1 + 2 }; /* pk, key, b, 7 */

static void records_hold_what_their_view_shows(void **state) {
    (void)state;
    struct key_schema keys = full().keys;
    struct slice old = item("old"), new = item("newer"), only_keys = item(NULL);
    enum { OLD_SIZE = KEYS_SIZE + 4, NEW_SIZE = KEYS_SIZE + 6 };
    const struct {
        enum stream_view view;
        struct item_change change;
        enum change_event event;
        bool has_new, has_old;
        uint32_t size;
    } rows[] = {
        {STREAM_KEYS_ONLY, {SLICE_NONE, new, false}, CHANGE_INSERT, false, false, KEYS_SIZE},
        {STREAM_KEYS_ONLY, {old, new, false}, CHANGE_MODIFY, false, false, KEYS_SIZE},
        {STREAM_KEYS_ONLY, {old, SLICE_NONE, true}, CHANGE_REMOVE, false, false, KEYS_SIZE},
        {STREAM_NEW_IMAGE, {old, new, false}, CHANGE_MODIFY, true, false, KEYS_SIZE + NEW_SIZE},
        {STREAM_NEW_IMAGE, {old, SLICE_NONE, false}, CHANGE_REMOVE, false, false, KEYS_SIZE},
        {STREAM_OLD_IMAGE, {SLICE_NONE, new, false}, CHANGE_INSERT, false, false, KEYS_SIZE},
        {STREAM_OLD_IMAGE, {old, new, false}, CHANGE_MODIFY, false, true, KEYS_SIZE + OLD_SIZE},
        {STREAM_NEW_AND_OLD,
         {old, new, false},
         CHANGE_MODIFY,
         true,
         true,
         KEYS_SIZE + OLD_SIZE + NEW_SIZE},
        {STREAM_NEW_AND_OLD,
         {old, SLICE_NONE, true},
         CHANGE_REMOVE,
         false,
         true,
         KEYS_SIZE + OLD_SIZE},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct stream_record record;
        struct slice bytes = stream_record_encode(&arena, rows[i].view, &keys, &rows[i].change);
        assert_null(stream_record_decode(&arena, bytes, &record));
        assert_int_equal(record.event, rows[i].event);
        assert_int_equal(record.expired, rows[i].change.expired);
        assert_int_equal(record.size, rows[i].size);
        assert_true(value_equal(record.new_image,
                                rows[i].has_new ? value_of(rows[i].change.after) : VALUE_ABSENT));
        assert_true(value_equal(record.old_image,
                                rows[i].has_old ? value_of(rows[i].change.before) : VALUE_ABSENT));
        bool images = rows[i].has_new || rows[i].has_old;
        assert_true(value_equal(record.keys, images ? VALUE_ABSENT : value_of(only_keys)));
        assert_int_equal(bytes.len,
                         10 + record.keys.len + record.new_image.len + record.old_image.len);
    }
}

static void damaged_records_are_refused(void **state) {
    (void)state;
    struct key_schema keys = full().keys;
    struct item_change change = {item("old"), item("new"), false};
    struct slice good = stream_record_encode(&arena, STREAM_NEW_AND_OLD, &keys, &change);
    struct stream_record record;
    for (size_t len = 0; len < good.len; len++)
        assert_non_null(stream_record_decode(&arena, slice_of(good.data, len), &record));
    for (size_t bit = 0; bit < 8 * good.len; bit++) {
        uint8_t *bytes = arena_copy(&arena, good.data, good.len);
        bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_non_null(stream_record_decode(&arena, slice_of(bytes, good.len), &record));
    }
}

/* The same bytes without the sum, as they were written before there was one. */
static void records_without_checksums_are_read(void **state) {
    (void)state;
    struct key_schema keys = full().keys;
    struct item_change change = {item("old"), item("new"), false};
    struct slice summed = stream_record_encode(&arena, STREAM_NEW_AND_OLD, &keys, &change);
    struct slice good = slice_skip(summed, SUMMED_HEADER - UNSUMMED_HEADER);
    struct stream_record record;
    uint8_t *old = arena_copy(&arena, good.data, good.len);
    old[0] = UNSUMMED_VERSION;
    good.data = old;
    assert_null(stream_record_decode(&arena, good, &record));
    assert_true(value_equal(record.new_image, value_of(change.after)));
    assert_true(value_equal(record.old_image, value_of(change.before)));
    static const struct {
        size_t at;
        uint8_t byte;
    } changes[] = {{0, 3}, {1, 3 | 8 | 16}, {1, 1 | 8}, {1, 1}, {6, VALUE_L}, {7, 0xff}};
    for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        uint8_t *bytes = arena_copy(&arena, good.data, good.len);
        bytes[changes[i].at] = changes[i].byte;
        assert_non_null(stream_record_decode(&arena, slice_of(bytes, good.len), &record));
    }
}

static void keys_sort_by_number(void **state) {
    (void)state;
    struct stream_shard shard = {0x05060708, 9};
    struct slice key = stream_record_key(&arena, 0x01020304, shard, 0x0a0b0c0d0e0f1011);
    assert_int_equal(key.len, STREAM_KEY_BYTES);
    assert_memory_equal(key.data, "\1\2\3\4\5\6\7\x8\x9\xa\xb\xc\xd\xe\xf\x10\x11",
                        STREAM_KEY_BYTES);
    assert_true(stream_record_number(key) == 0x0a0b0c0d0e0f1011);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(definitions_come_back),
        TEST(damaged_definitions_are_refused),
        TEST(records_hold_what_their_view_shows),
        TEST(damaged_records_are_refused),
        TEST(records_without_checksums_are_read),
        TEST(keys_sort_by_number),
    };
    return cmocka_run_group_tests_name("stream codec", tests, NULL, NULL);
}
