/* test_keys.c - item keys and ranges as bytes, and the header of stored items. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/expiry_key.h"
#include "codec/item.h"
#include "codec/key.h"
#include "model/value_builder.h"

static const struct key_codec codec = {
    .secret = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}};

static const struct key_schema schema = {
    .hash_count = 1,
    .range_count = 1,
    .hash = {{{(const uint8_t *)"pk", 2}, VALUE_S}},
    .range = {{{(const uint8_t *)"sk", 2}, VALUE_S}},
};

static struct value make_key(struct arena *arena, const char *pk, const char *sk) {
    struct buffer bytes;
    struct value_builder builder;
    buffer_init(&bytes, 4096);
    value_builder_init(&builder, &bytes, arena);
    value_builder_open(&builder, VALUE_M);
    value_builder_name(&builder, SLICE_LITERAL("sk"));
    value_builder_scalar(&builder, VALUE_S, slice_text(sk));
    value_builder_name(&builder, SLICE_LITERAL("pk"));
    value_builder_scalar(&builder, VALUE_S, slice_text(pk));
    value_builder_close(&builder);
    struct value key = value_builder_finish(&builder, arena);
    buffer_release(&bytes);
    return key;
}

/* The layout is a promise: data written today is read by every later version. */
static void keys_have_their_layout(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice key = key_encode(&arena, &codec, 0x01020304, &schema, make_key(&arena, "\0", "s"));
    /* SipHash-2-4-128 of the empty string under the key 00..0f, from the reference vectors. */
    static const uint8_t expected[] = {0x01, 0x02, 0x03, 0x04, 0xa3, 0x81, 0x7f,
                                       0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6,
                                       0x72, 0x14, 0xc7, 0x55, 0x02, 0x93, 's'};
    assert_int_equal(key.len, sizeof(expected));
    assert_memory_equal(key.data, expected, sizeof(expected));
    arena_release(&arena);
}

static void keys_have_parts(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice key = SLICE_LITERAL("\0\0\0\7"
                                     "\1\2\3\4\5\6\7\x8"
                                     "abcdefgh"
                                     "sort");
    assert_true(slice_equal(key_partition(key), slice_of(key.data, 20)));
    assert_true(slice_equal(key_without_id(key), slice_of(key.data + 4, 20)));
    struct slice moved = key_with_id(&arena, 0x01020304, key_without_id(key));
    assert_int_equal(moved.len, key.len);
    assert_memory_equal(moved.data, "\1\2\3\4", 4);
    assert_true(slice_equal(key_without_id(moved), key_without_id(key)));
    assert_true(key_hash_bits(key) == UINT64_C(0x0807060504030201));
    assert_int_equal(key_hash_rank(key), 0x01020304);
    arena_release(&arena);
}

static void successors_are_tight(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice after = key_after(&arena, SLICE_LITERAL("ab"));
    assert_true(slice_equal(after, slice_of("ab\0", 3)));
    after = key_after_prefix(&arena, SLICE_LITERAL("ab"));
    assert_true(slice_equal(after, SLICE_LITERAL("ac")));
    after = key_after_prefix(&arena, slice_of("a\xff\xff", 3));
    assert_true(slice_equal(after, SLICE_LITERAL("b")));
    arena_release(&arena);
}

static void segments_meet_without_gaps(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    static const uint32_t totals[] = {1, 2, 3, 7, 1000, 1000000};
    for (size_t t = 0; t < sizeof(totals) / sizeof(*totals); t++) {
        uint32_t total = totals[t];
        struct key_range whole = key_range_of_table(&arena, 9);
        struct key_range first = key_range_of_segment(&arena, 9, 0, total);
        struct key_range last = key_range_of_segment(&arena, 9, total - 1, total);
        assert_true(slice_equal(first.first, whole.first));
        assert_true(slice_equal(last.last, whole.last));
        uint32_t step = total == 1000000 ? 99991 : 1;
        for (uint32_t i = 1; i < total; i += step) {
            struct key_range left = key_range_of_segment(&arena, 9, i - 1, total);
            struct key_range right = key_range_of_segment(&arena, 9, i, total);
            assert_true(slice_equal(left.last, right.first));
            assert_true(slice_compare(right.first, right.last) < 0);
        }
    }
    struct key_range half = key_range_of_segment(&arena, 9, 1, 2);
    assert_true(slice_equal(half.first, slice_of("\0\0\0\x09\x80\0\0\0\0\0\0\0", 12)));
    arena_release(&arena);
}

static void expiries_sort_by_time(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice item = SLICE_LITERAL("\0\0\0\x07"
                                      "0123456789abcdef"
                                      "sort");
    struct slice key = expiry_key_encode(&arena, 9, 1700000000, item);
    assert_true(slice_equal(key, SLICE_LITERAL("\0\0\0\x09"
                                               "\0\0\0\0\x65\x53\xf1\x00"
                                               "0123456789abcdef"
                                               "sort")));
    assert_true(expiry_key_seconds(key) == 1700000000);
    assert_true(slice_equal(expiry_key_item(&arena, 7, key), item));
    struct slice first = expiry_key_first(&arena, 9, 1700000000);
    assert_true(slice_compare(first, key) < 0);
    assert_true(slice_compare(key, expiry_key_first(&arena, 9, 1700000001)) < 0);
    assert_true(expiry_key_seconds(expiry_key_first(&arena, 9, UINT64_MAX)) == UINT64_MAX);
    arena_release(&arena);
}

static void items_carry_version_and_size(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct value item = make_key(&arena, "a", "b");
    struct slice stored = item_encode(&arena, item, item_size(item));
    assert_int_equal(stored.data[0], 2);
    struct stored_item back;
    assert_null(item_decode(&arena, stored, &back));
    assert_true(value_equal(back.item, item));
    assert_int_equal(back.size, 6);
    assert_int_equal(stored_item_size(stored), 6);
    assert_true(value_equal(stored_item_value(stored), item));
    assert_int_equal(stored_item_size(SLICE_NONE), 0);
    assert_false(value_present(stored_item_value(SLICE_NONE)));
    assert_null(item_decode(&arena, SLICE_NONE, &back));
    assert_false(value_present(back.item));

    uint8_t *damaged = arena_copy(&arena, stored.data, stored.len);
    damaged[0] = 3;
    assert_non_null(item_decode(&arena, slice_of(damaged, stored.len), &back));
    assert_non_null(item_decode(&arena, slice_of(stored.data, stored.len - 1), &back));
    assert_non_null(item_decode(&arena, slice_of(stored.data, 3), &back));
    arena_release(&arena);
}

/* As they were written before there were checksums. */
static void items_without_checksums_are_read(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice old = SLICE_LITERAL("\1\6\0\0\0"
                                     "\xa\xc\0\0\0\2\0\0\0"
                                     "\2pk\1\1a\2sk\1\1b");
    struct value item = make_key(&arena, "a", "b");
    struct stored_item back;
    assert_null(item_decode(&arena, old, &back));
    assert_true(value_equal(back.item, item));
    assert_int_equal(back.size, 6);
    assert_int_equal(stored_item_size(old), 6);
    assert_true(value_equal(stored_item_value(old), item));
    assert_true(stored_item_equal(old, item_encode(&arena, item, 6)));
    assert_false(stored_item_equal(old, SLICE_NONE));
    assert_true(stored_item_equal(SLICE_NONE, SLICE_NONE));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_their_layout),
        cmocka_unit_test(keys_have_parts),
        cmocka_unit_test(successors_are_tight),
        cmocka_unit_test(segments_meet_without_gaps),
        cmocka_unit_test(expiries_sort_by_time),
        cmocka_unit_test(items_carry_version_and_size),
        cmocka_unit_test(items_without_checksums_are_read),
    };
    return cmocka_run_group_tests_name("codec_keys", tests, NULL, NULL);
}
