/* test_catalog_keys.c - the keys of the catalog's records as bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/catalog_keys.h"

#define HASH "0123456789abcdef"

/* The layout is a promise: data written today is read by every later version. */
static void keys_have_their_layout(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct {
        struct slice key;
        struct slice expected;
    } cases[] = {
        {format_key(), SLICE_LITERAL("F")},
        {table_key(&arena, SLICE_LITERAL("Music")), SLICE_LITERAL("TMusic")},
        {statistics_key(&arena, 0x01020304), SLICE_LITERAL("S\1\2\3\4")},
        {backfill_key(&arena, 7), SLICE_LITERAL("B\0\0\0\7")},
        {token_key(&arena, SLICE_LITERAL(HASH)), SLICE_LITERAL("I\0\0\0" HASH)},
        {token_end_key(&arena, 0x0102, SLICE_LITERAL(HASH)),
         SLICE_LITERAL("X\0\0\0\0\0\0\0\0\0\1\2" HASH)},
        {token_end_key(&arena, 0x0102, SLICE_NONE), SLICE_LITERAL("X\0\0\0\0\0\0\0\0\0\1\2")},
        {sequence_key(), SLICE_LITERAL("L")},
        {stream_definition_key(&arena, SLICE_LITERAL("Music"), SLICE_LITERAL("label")),
         SLICE_LITERAL("DMusic\0label")},
        {stream_definition_key(&arena, SLICE_LITERAL("Music"), SLICE_NONE),
         SLICE_LITERAL("DMusic\0")},
        {backup_key(&arena, 0x0102, 3), SLICE_LITERAL("K\0\0\0\0\0\0\1\2\0\0\0\3")},
        {copy_key(&arena, 0xfffefdfc), SLICE_LITERAL("C\xff\xfe\xfd\xfc")},
        {past_definition_key(&arena, 3, 0x0102), SLICE_LITERAL("H\0\0\0\3\0\0\0\0\0\0\1\2")},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        assert_int_equal(cases[i].key.len, cases[i].expected.len);
        assert_memory_equal(cases[i].key.data, cases[i].expected.data, cases[i].key.len);
    }
    arena_release(&arena);
}

/* Two kinds with one letter would be one range. */
static void kinds_have_their_own_letters(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    size_t kinds[256] = {0};
    struct key_range range;
#define CATALOG_KEY(letter, kind, shape, words, value) \
    range = kind##_key_range(&arena);                  \
    assert_int_equal(range.first.len, 1);              \
    assert_int_equal(range.first.data[0], letter);     \
    assert_int_equal(range.last.len, 1);               \
    assert_int_equal(range.last.data[0], letter + 1);  \
    assert_int_equal(kinds[(uint8_t)letter]++, 0);
#include "codec/catalog_keys.def"
#undef CATALOG_KEY
    arena_release(&arena);
}

static void ends_of_tokens_are_taken_apart(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    uint64_t ms;
    struct slice hash;
    struct slice key = token_end_key(&arena, UINT64_MAX - 1, SLICE_LITERAL(HASH));
    assert_true(catalog_key_read_ms_hash(key, &ms, &hash));
    assert_true(ms == UINT64_MAX - 1);
    assert_true(slice_is(hash, HASH));
    assert_false(catalog_key_read_ms_hash(slice_of(key.data, key.len - 1), &ms, &hash));
    assert_false(catalog_key_read_ms_hash(key_after(&arena, key), &ms, &hash));
    key = token_key(&arena, SLICE_LITERAL(HASH));
    assert_true(slice_is(catalog_key_hash(key), HASH));
    assert_false(catalog_key_read_ms_hash(key, &ms, &hash));
    arena_release(&arena);
}

static void ends_of_tokens_sort_by_time(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct slice early = token_end_key(&arena, 255, SLICE_LITERAL(HASH));
    struct slice late = token_end_key(&arena, 256, SLICE_NONE);
    assert_true(slice_compare(early, late) < 0);
    assert_true(slice_compare(late, token_end_key(&arena, 256, SLICE_LITERAL(HASH))) < 0);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_have_their_layout),
        cmocka_unit_test(kinds_have_their_own_letters),
        cmocka_unit_test(ends_of_tokens_are_taken_apart),
        cmocka_unit_test(ends_of_tokens_sort_by_time),
    };
    return cmocka_run_group_tests_name("codec catalog keys", tests, NULL, NULL);
}
