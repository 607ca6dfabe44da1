/* test_records.c - the small records of fixed layout: their bytes, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/collection.h"
#include "codec/format.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "codec/token.h"

static int setup(void **state) {
    static struct arena arena;
    arena_init(&arena);
    *state = &arena;
    return 0;
}

static int teardown(void **state) {
    arena_release(*state);
    return 0;
}

static void assert_bytes(struct slice bytes, struct slice expected) {
    assert_int_equal(bytes.len, expected.len);
    assert_memory_equal(bytes.data, expected.data, expected.len);
}

static void assert_refused(const struct error *error, const char *text) {
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_LOCAL);
    assert_true(slice_is(error->message, text));
}

/* The record with another version. */
static struct slice versioned(struct arena *arena, struct slice record, uint8_t version) {
    uint8_t *bytes = arena_copy(arena, record.data, record.len);
    bytes[0] = version;
    return slice_of(bytes, record.len);
}

/* One byte less, apart, so that reading on is seen. */
static struct slice shortened(struct arena *arena, struct slice record) {
    return arena_slice(arena, slice_of(record.data, record.len - 1));
}

/* ---- the format ---- */

#define FORMAT_DAMAGED "the database is damaged: its format record cannot be read"

static void the_format_record_is_21_bytes(void **state) {
    struct arena *arena = *state;
    struct format_record record = {.next_id = 0x01020304}, again;
    memcpy(record.keys.secret, "0123456789abcdef", SIPHASH_KEY_BYTES);
    struct slice bytes = format_encode(arena, &record);
    assert_bytes(bytes, SLICE_LITERAL("\1"
                                      "0123456789abcdef"
                                      "\4\3\2\1"));
    assert_null(format_decode(arena, bytes, &again));
    assert_memory_equal(again.keys.secret, record.keys.secret, SIPHASH_KEY_BYTES);
    assert_int_equal(again.next_id, record.next_id);
    assert_refused(format_decode(arena, SLICE_LITERAL(""), &again), FORMAT_DAMAGED);
    assert_refused(format_decode(arena, shortened(arena, bytes), &again), FORMAT_DAMAGED);
    assert_refused(format_decode(arena, key_after(arena, bytes), &again), FORMAT_DAMAGED);
    assert_refused(format_decode(arena, versioned(arena, bytes, 0), &again), FORMAT_DAMAGED);
    assert_refused(format_decode(arena, versioned(arena, bytes, 2), &again),
                   "the database has format 2, and this version of gramme knows formats up to 1: "
                   "use a newer gramme");
}

/* ---- statistics ---- */

#define STATISTICS_DAMAGED "the statistics of a table are damaged or of a newer version"

static void statistics_are_17_bytes(void **state) {
    struct arena *arena = *state;
    int64_t items, size;
    struct slice bytes = statistics_encode(arena, 0x0102, 0x0304050607);
    assert_bytes(bytes, SLICE_LITERAL("\1\2\1\0\0\0\0\0\0\7\6\5\4\3\0\0\0"));
    assert_null(statistics_decode(arena, bytes, &items, &size));
    assert_true(items == 0x0102 && size == 0x0304050607);
    struct slice wrong[] = {SLICE_NONE, shortened(arena, bytes), key_after(arena, bytes),
                            versioned(arena, bytes, 0), versioned(arena, bytes, 2)};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_refused(statistics_decode(arena, wrong[i], &items, &size), STATISTICS_DAMAGED);
}

/* ---- request tokens ---- */

#define TOKEN_DAMAGED "the record of a request token is damaged or of a newer version"

static void a_token_has_a_size_per_action(void **state) {
    struct arena *arena = *state;
    static const uint32_t sizes[] = {5, 0x01020304};
    struct token_record record = {0x0102, SLICE_LITERAL("0123456789abcdef"), sizes, 2}, again;
    struct slice bytes = token_encode(arena, &record);
    assert_bytes(bytes, SLICE_LITERAL("\1\2\1\0\0\0\0\0\0"
                                      "0123456789abcdef"
                                      "\5\0\0\0\4\3\2\1"));
    assert_null(token_decode(arena, bytes, &again));
    assert_true(again.end_ms == record.end_ms);
    assert_true(slice_equal(again.fingerprint, record.fingerprint));
    assert_int_equal(again.size_count, 2);
    assert_memory_equal(again.sizes, sizes, sizeof(sizes));
    assert_null(token_decode(arena, shortened(arena, bytes), &again)); /* half a size is none */
    assert_int_equal(again.size_count, 1);
}

static void a_token_may_be_missing_but_not_damaged(void **state) {
    struct arena *arena = *state;
    struct token_record record = {7, SLICE_LITERAL("0123456789abcdef"), NULL, 0};
    struct slice bytes = token_encode(arena, &record);
    assert_null(token_decode(arena, SLICE_NONE, &record));
    assert_true(record.end_ms == 0);
    assert_null(token_decode(arena, bytes, &record));
    assert_true(record.end_ms == 7 && record.size_count == 0);
    struct slice wrong[] = {SLICE_LITERAL(""), shortened(arena, bytes), versioned(arena, bytes, 0),
                            versioned(arena, bytes, 2)};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_refused(token_decode(arena, wrong[i], &record), TOKEN_DAMAGED);
}

/* ---- one number ---- */

/* Records that are a version and a number, and may be missing. */
static void check_number(struct arena *arena, struct slice (*encode)(struct arena *, uint64_t),
                         struct error *(*decode)(struct arena *, struct slice, uint64_t *),
                         const char *damaged) {
    uint64_t number;
    struct slice bytes = encode(arena, UINT64_C(0x0102030405060708));
    assert_bytes(bytes, SLICE_LITERAL("\1\x8\7\6\5\4\3\2\1"));
    assert_null(decode(arena, bytes, &number));
    assert_true(number == UINT64_C(0x0102030405060708));
    assert_null(decode(arena, SLICE_NONE, &number));
    assert_true(number == 0);
    struct slice wrong[] = {SLICE_LITERAL(""), shortened(arena, bytes), key_after(arena, bytes),
                            versioned(arena, bytes, 0), versioned(arena, bytes, 2)};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_refused(decode(arena, wrong[i], &number), damaged);
}

static void numbers_of_changes_are_times(void **state) {
    (void)state;
    assert_true(sequence_at(1) == 1 << 20);
    assert_true(sequence_ms(sequence_at(1700000000000)) == 1700000000000);
    assert_true(sequence_ms(sequence_at(1700000000001) - 1) == 1700000000000);
    assert_true(sequence_at(CLOCK_MAX_MS + 1) <= INT64_MAX);
}

static void the_last_change_is_9_bytes(void **state) {
    check_number(*state, sequence_encode, sequence_decode,
                 "the record of the last change is damaged or of a newer version");
}

static void an_item_collection_is_9_bytes(void **state) {
    check_number(*state, collection_encode, collection_decode,
                 "the record of an item collection is damaged or of a newer version");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_format_record_is_21_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(statistics_are_17_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(a_token_has_a_size_per_action, setup, teardown),
        cmocka_unit_test_setup_teardown(a_token_may_be_missing_but_not_damaged, setup, teardown),
        cmocka_unit_test(numbers_of_changes_are_times),
        cmocka_unit_test_setup_teardown(the_last_change_is_9_bytes, setup, teardown),
        cmocka_unit_test_setup_teardown(an_item_collection_is_9_bytes, setup, teardown),
    };
    return cmocka_run_group_tests_name("codec records", tests, NULL, NULL);
}
