/* test_dump_damage.c - damaged dumps are refused, and failures of a store or a sink end a dump. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "store/dump/format.h"
#include "store/fault/fault.h"
#include "support/dump_fixture.h"

static void damage_of_any_byte_is_found(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    dump_fill_small(fixture, store);
    struct slice dump = dump_of(fixture, store);
    uint8_t *bytes = arena_copy(&fixture->arena, dump.data, dump.len);
    assert_string_equal(dump_verdict(fixture, slice_of(bytes, dump.len)), "");
    for (size_t i = 0; i < dump.len; i++) {
        for (int bit = 0; bit < 8; bit++) {
            struct arena_mark mark = arena_mark(&fixture->arena);
            bytes[i] ^= (uint8_t)(1 << bit);
            assert_string_not_equal(dump_verdict(fixture, slice_of(bytes, dump.len)), "");
            bytes[i] ^= (uint8_t)(1 << bit);
            arena_rewind(&fixture->arena, mark);
        }
    }
    store_close(store);
}

static void a_dump_cut_anywhere_is_refused(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    dump_fill_small(fixture, store);
    struct slice dump = dump_of(fixture, store);
    assert_string_equal(dump_verdict(fixture, slice_of(dump.data, 0)), "the backup is empty");
    for (size_t len = 1; len < dump.len; len++) {
        struct slice text = len < DUMP_MAGIC_BYTES
                                ? slice_text("this is not a backup of gramme: it does not begin as "
                                             "one does")
                                : arena_printf(&fixture->arena,
                                               "the backup is cut off: it ends after %zu bytes, "
                                               "before its end mark",
                                               len);
        assert_string_equal(dump_verdict(fixture, slice_of(dump.data, len)),
                            (const char *)text.data);
    }
    store_close(store);
}

static struct slice joined(struct dump_fixture *fixture, struct slice a, struct slice b) {
    uint8_t *bytes = arena_alloc(&fixture->arena, a.len + b.len);
    memcpy(bytes, a.data, a.len);
    memcpy(bytes + a.len, b.data, b.len);
    return slice_of(bytes, a.len + b.len);
}

static void bytes_after_the_end_are_refused(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    struct slice dump = dump_of(fixture, store);
    const char *text = "the backup is damaged at byte 56: there are bytes after its end mark";
    assert_string_equal(dump_verdict(fixture, joined(fixture, dump, SLICE_LITERAL("\0"))), text);
    assert_string_equal(dump_verdict(fixture, joined(fixture, dump, dump)), text);
    store_close(store);
}

/* Blocks that are right by themselves, but not in their places. */
static void blocks_cannot_be_dropped_or_swapped(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    dump_fill_small(fixture, store);
    struct slice dump = dump_of(fixture, store);
    enum { HEADER_END = 56, FIRST_END = 106, SECOND_END = 138 };
    struct slice head = slice_of(dump.data, HEADER_END), end = slice_skip(dump, SECOND_END);
    struct slice first = slice_of(dump.data + HEADER_END, FIRST_END - HEADER_END);
    struct slice second = slice_of(dump.data + FIRST_END, SECOND_END - FIRST_END);
    const char *text = "the backup is damaged at byte 56: the checksum is wrong";
    struct slice without = joined(fixture, head, joined(fixture, second, end));
    struct slice swapped =
        joined(fixture, head, joined(fixture, second, joined(fixture, first, end)));
    assert_string_equal(dump_verdict(fixture, without), text);
    assert_string_equal(dump_verdict(fixture, swapped), text);
    assert_string_equal(dump_verdict(fixture, joined(fixture, head, end)), text);
    store_close(store);
}

static void a_newer_format_is_refused(void **state) {
    struct dump_fixture *fixture = *state;
    assert_string_equal(dump_verdict(fixture, SLICE_LITERAL("gramme dump\n\2\0\0\0whatever")),
                        "the backup has format 2, and this version of gramme knows formats up to "
                        "1: use a newer gramme");
    assert_string_equal(dump_verdict(fixture, SLICE_LITERAL("gramme dump\n\0\0\0\0")),
                        "the backup is damaged at byte 0: there is no format 0");
    assert_string_equal(dump_verdict(fixture, SLICE_LITERAL("-----BEGIN PGP MESSAGE-----")),
                        "this is not a backup of gramme: it does not begin as one does");
}

/* ---- failures ---- */

static void a_failing_store_ends_the_dump_with_its_reason(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = fault_store_new(dump_memory_store(fixture));
    struct dump_summary summary;
    dump_fill_small(fixture, store);
    int failures = 0;
    for (unsigned n = 1; n < 100; n++) {
        fault_store_arm(store, FAULT_ERROR, n);
        struct error *error = dump_try(fixture, store, &summary);
        fault_store_arm(store, FAULT_NONE, 0);
        if (error == NULL)
            break;
        failures++;
        if (n == 1) { /* begin: nothing was written at all */
            assert_int_equal(fixture->sink.bytes.len, 0);
            continue;
        }
        struct slice text =
            arena_printf(&fixture->arena, "the backup was given up while it was made: %.*s",
                         SLICE_ARGS(error->message));
        assert_string_equal(dump_verdict(fixture, buffer_slice(&fixture->sink.bytes)),
                            (const char *)text.data);
    }
    /* begin; two scans of three and two records, each opened and at its end once */
    assert_int_equal(failures, 10);
    store_close(store);
}

static void a_failing_sink_ends_the_dump(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    struct dump_summary summary;
    dump_fill_small(fixture, store);
    int failures = 0;
    for (int n = 1; n < 100; n++) {
        fixture->sink.fail_at = n;
        struct error *error = dump_try(fixture, store, &summary);
        if (error == NULL)
            break;
        failures++;
        assert_string_equal((const char *)error->message.data, "the sink is full");
        const char *verdict = dump_verdict(fixture, buffer_slice(&fixture->sink.bytes));
        if (n > 1) /* not the preamble */
            assert_string_equal(verdict,
                                "the backup was given up while it was made: the sink is full");
        else
            assert_string_not_equal(verdict, "");
    }
    fixture->sink.fail_at = 0;
    assert_int_equal(failures, 5); /* preamble, header, two blocks, trailer */
    store_close(store);
}

static void a_failing_store_ends_the_load(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    struct dump_summary summary;
    dump_fill_small(fixture, store);
    struct slice dump = dump_of(fixture, store);
    int failures = 0;
    for (unsigned n = 1; n < 100; n++) {
        struct store *to = fault_store_new(dump_memory_store(fixture));
        fault_store_arm(to, FAULT_ERROR, n);
        struct error *error = dump_load(fixture, dump, to, &summary);
        store_close(to);
        if (error == NULL)
            break;
        failures++;
        assert_true(error->message.len > 0);
    }
    /* begin, two scans opened and stepped; two commits, each begun; sync */
    assert_int_equal(failures, 10);
    store_close(store);
}

static void a_store_that_others_use_ends_the_load(void **state) {
    struct dump_fixture *fixture = *state;
    struct store *store = dump_memory_store(fixture);
    struct dump_summary summary;
    dump_fill_small(fixture, store);
    struct slice dump = dump_of(fixture, store);
    static const enum fault faults[] = {FAULT_CONFLICT, FAULT_UNKNOWN_APPLIED, FAULT_UNKNOWN_LOST};
    for (size_t i = 0; i < 3; i++) {
        struct store *to = fault_store_new(dump_memory_store(fixture));
        fault_store_arm(to, faults[i], 2);
        struct error *error = dump_load(fixture, dump, to, &summary);
        assert_non_null(error);
        assert_string_equal((const char *)error->message.data,
                            "the store is used by someone else while the backup is loaded");
        store_close(to);
    }
    store_close(store);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, dump_setup, dump_teardown)
    const struct CMUnitTest tests[] = {
        TEST(damage_of_any_byte_is_found),
        TEST(a_dump_cut_anywhere_is_refused),
        TEST(bytes_after_the_end_are_refused),
        TEST(blocks_cannot_be_dropped_or_swapped),
        TEST(a_newer_format_is_refused),
        TEST(a_failing_store_ends_the_dump_with_its_reason),
        TEST(a_failing_sink_ends_the_dump),
        TEST(a_failing_store_ends_the_load),
        TEST(a_store_that_others_use_ends_the_load),
    };
    return cmocka_run_group_tests_name("dump damage", tests, NULL, NULL);
}
