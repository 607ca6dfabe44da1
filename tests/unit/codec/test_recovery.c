/* test_recovery.c - the records of copies, backups and history: their bytes, and what is refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/backup.h"
#include "codec/copy.h"
#include "codec/history.h"
#include "codec/key.h"

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

static struct slice changed(struct arena *arena, struct slice record, size_t at, uint8_t byte) {
    uint8_t *bytes = arena_copy(arena, record.data, record.len);
    bytes[at] = byte;
    return slice_of(bytes, record.len);
}

static struct slice flipped(struct arena *arena, struct slice record, size_t bit) {
    return changed(arena, record, bit / 8, record.data[bit / 8] ^ (uint8_t)(1 << bit % 8));
}

/* Its first bytes, apart, so that reading on is seen. */
static struct slice cut(struct arena *arena, struct slice record, size_t len) {
    return arena_slice(arena, slice_of(record.data, len));
}

/* ---- copies ---- */

enum { COPY_BYTES = 51 }; /* without its cursor */

#define COPY_DAMAGED "the record of a copy is damaged or of a newer version"
#define COPY_NUMBERS                   \
    "\4\3\2\1\5\0\0\0"                 \
    "\6\0\0\0\0\0\0\0\7\0\0\0\0\0\0\0" \
    "\x8\0\0\0\0\0\0\0\x9\0\0\0\0\0\0\0\xa\0\0\0\0\0\0\0"

static struct copy_state a_copy(enum copy_phase phase, struct slice cursor) {
    return (struct copy_state){COPY_RESTORE_TABLE, phase, 0x01020304, 5, 6, 7, 8, 9, 10, cursor};
}

static void a_copy_is_51_bytes_and_its_cursor(void **state) {
    struct arena *arena = *state;
    struct copy_state copy = a_copy(COPY_BUILD, SLICE_LITERAL("0123456789abcdef+")), again;
    struct slice bytes = copy_state_encode(arena, &copy);
    assert_bytes(bytes, SLICE_LITERAL("\1\3\2" COPY_NUMBERS "0123456789abcdef+"));
    assert_null(copy_state_decode(arena, bytes, &again));
    assert_bytes(copy_state_encode(arena, &again), bytes);
    assert_true(again.kind == copy.kind && again.phase == copy.phase);
    assert_true(again.source == copy.source && again.target == copy.target);
    assert_true(again.backup_ms == 6 && again.until == 7 && again.items_expected == 8);
    assert_true(again.item_count == 9 && again.size_bytes == 10);
    copy = a_copy(COPY_ITEMS, SLICE_NONE);
    bytes = copy_state_encode(arena, &copy);
    assert_bytes(bytes, SLICE_LITERAL("\1\3\0" COPY_NUMBERS));
    assert_null(copy_state_decode(arena, bytes, &again));
    assert_int_equal(again.cursor.len, 0);
}

static void a_copy_that_undoes_has_a_number(void **state) {
    struct arena *arena = *state;
    struct slice cursor = copy_cursor_encode(arena, UINT64_C(0x0102030405060708));
    assert_bytes(cursor, SLICE_LITERAL("\1\2\3\4\5\6\7\x8"));
    struct copy_state copy = a_copy(COPY_UNDO, cursor);
    struct slice bytes = copy_state_encode(arena, &copy);
    assert_null(copy_state_decode(arena, bytes, &copy));
    assert_true(copy_cursor_number(copy.cursor) == UINT64_C(0x0102030405060708));
    assert_refused(copy_state_decode(arena, cut(arena, bytes, COPY_BYTES), &copy), COPY_DAMAGED);
    assert_refused(copy_state_decode(arena, key_after(arena, bytes), &copy), COPY_DAMAGED);
}

static void damaged_copies_are_refused(void **state) {
    struct arena *arena = *state;
    struct copy_state copy = a_copy(COPY_ITEMS, SLICE_LITERAL("0123456789abcdef"));
    struct slice bytes = copy_state_encode(arena, &copy);
    assert_null(copy_state_decode(arena, bytes, &copy));
    for (size_t len = 0; len < bytes.len; len++)
        if (len != COPY_BYTES) /* at the start of the phase */
            assert_refused(copy_state_decode(arena, cut(arena, bytes, len), &copy), COPY_DAMAGED);
    static const uint8_t wrong[][2] = {{0, 0}, {0, 2}, {1, 0}, {1, 4}, {2, 3}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_refused(
            copy_state_decode(arena, changed(arena, bytes, wrong[i][0], wrong[i][1]), &copy),
            COPY_DAMAGED);
}

/* ---- backups ---- */

static void backups_come_back(void **state) {
    struct arena *arena = *state;
    struct backup backup = {.name = SLICE_LITERAL("b"),
                            .id = 7,
                            .type = BACKUP_SYSTEM,
                            .status = BACKUP_AVAILABLE,
                            .created_ms = 1,
                            .expiry_ms = 2,
                            .size_bytes = 3,
                            .item_count = 4,
                            .definition = SLICE_LITERAL("definition")};
    struct slice bytes = backup_encode(arena, &backup);
    assert_bytes(cut(arena, bytes, 15), SLICE_LITERAL("\1\xa\0\0\0"
                                                      "definition"));
    struct backup again;
    assert_null(backup_decode(arena, bytes, &again));
    assert_bytes(backup_encode(arena, &again), bytes);
    assert_true(slice_is(again.name, "b") && again.id == 7);
    assert_true(again.type == BACKUP_SYSTEM && again.status == BACKUP_AVAILABLE);
    assert_true(again.created_ms == 1 && again.expiry_ms == 2);
    assert_true(again.size_bytes == 3 && again.item_count == 4);
    assert_refused(backup_decode(arena, cut(arena, bytes, 4), &again),
                   "the record of a backup is damaged: it is too short");
    assert_refused(backup_decode(arena, cut(arena, bytes, 14), &again),
                   "the record of a backup is damaged: it is too short");
    assert_refused(backup_decode(arena, cut(arena, bytes, bytes.len - 1), &again),
                   "the record of a backup is damaged: not a map");
    assert_refused(backup_decode(arena, changed(arena, bytes, 0, 2), &again),
                   "the record of a backup has version 2, this program reads 1");
}

/* ---- history ---- */

#define HISTORY_DAMAGED "a record of a table's history is damaged or of a newer version"

static void history_tells_what_was_there(void **state) {
    struct arena *arena = *state;
    struct history_record record = {SLICE_LITERAL("0123456789abcdef"), SLICE_LITERAL("stored")};
    struct slice bytes = history_record_encode(arena, &record);
    assert_bytes(bytes, SLICE_LITERAL("\2\xc0\x6f\x74\xb8"
                                      "\1\x10\0"
                                      "0123456789abcdefstored"));
    assert_null(history_record_decode(arena, bytes, &record));
    assert_true(slice_is(record.item_key, "0123456789abcdef") && slice_is(record.stored, "stored"));
    for (size_t bit = 0; bit < 8 * bytes.len; bit++)
        assert_refused(history_record_decode(arena, flipped(arena, bytes, bit), &record),
                       HISTORY_DAMAGED);
    record.stored = SLICE_NONE;
    bytes = history_record_encode(arena, &record);
    assert_bytes(bytes, SLICE_LITERAL("\2\x11\x2e\xd4\x70"
                                      "\0\x10\0"
                                      "0123456789abcdef"));
    assert_null(history_record_decode(arena, bytes, &record));
    assert_false(slice_present(record.stored));
    for (size_t len = 0; len < bytes.len; len++)
        assert_refused(history_record_decode(arena, cut(arena, bytes, len), &record),
                       HISTORY_DAMAGED);
    struct slice key = history_key(arena, 7, 0x0102);
    assert_bytes(key, SLICE_LITERAL("\0\0\0\7\0\0\0\0\0\0\1\2"));
    assert_true(history_key_sequence(key) == 0x0102);
}

static void history_without_checksums_is_read(void **state) {
    struct arena *arena = *state;
    struct history_record record;
    struct slice bytes = SLICE_LITERAL("\1\1\x10\0"
                                       "0123456789abcdefstored");
    assert_null(history_record_decode(arena, bytes, &record));
    assert_true(slice_is(record.item_key, "0123456789abcdef") && slice_is(record.stored, "stored"));
    static const uint8_t wrong[][2] = {{0, 0}, {0, 2}, {1, 0}, {1, 2}, {2, 15}, {2, 18}, {3, 1}};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        assert_refused(
            history_record_decode(arena, changed(arena, bytes, wrong[i][0], wrong[i][1]), &record),
            HISTORY_DAMAGED);
    bytes = SLICE_LITERAL("\1\0\x10\0"
                          "0123456789abcdef");
    assert_null(history_record_decode(arena, bytes, &record));
    assert_false(slice_present(record.stored));
    for (size_t len = 0; len < bytes.len; len++)
        assert_refused(history_record_decode(arena, cut(arena, bytes, len), &record),
                       HISTORY_DAMAGED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_copy_is_51_bytes_and_its_cursor, setup, teardown),
        cmocka_unit_test_setup_teardown(a_copy_that_undoes_has_a_number, setup, teardown),
        cmocka_unit_test_setup_teardown(damaged_copies_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(backups_come_back, setup, teardown),
        cmocka_unit_test_setup_teardown(history_tells_what_was_there, setup, teardown),
        cmocka_unit_test_setup_teardown(history_without_checksums_is_read, setup, teardown),
    };
    return cmocka_run_group_tests_name("codec recovery", tests, NULL, NULL);
}
