/* fuzz_recovery.c - any bytes as the record of a backup, of a copy and of a table's history.
 *
 * They are refused, or read as a record that is written and read again as itself. */
#include "codec/backup.h"
#include "codec/catalog.h"
#include "codec/copy.h"
#include "codec/history.h"
#include "codec/summed.h"
#include "fuzz.h"

static void check_refusal(const struct error *error) {
    CHECK(error->message.len > 0);
}

/* Entries that are not known are passed over, so the bytes may differ, but not once more. */
static void try_backup(struct arena *arena, struct slice bytes) {
    struct backup backup, again;
    struct error *error = backup_decode(arena, bytes, &backup);
    if (error != NULL) {
        check_refusal(error);
        return;
    }
    struct slice encoded = backup_encode(arena, &backup);
    CHECK(backup_decode(arena, encoded, &again) == NULL);
    CHECK(slice_equal(encoded, backup_encode(arena, &again)));
    struct table_definition definition;
    error = table_definition_decode(arena, backup.definition, &definition);
    if (error != NULL)
        check_refusal(error);
}

static void try_copy(struct arena *arena, struct slice bytes) {
    struct copy_state state;
    struct error *error = copy_state_decode(arena, bytes, &state);
    if (error == NULL)
        CHECK(slice_equal(bytes, copy_state_encode(arena, &state)));
    else
        check_refusal(error);
}

static void try_history(struct arena *arena, struct slice bytes) {
    struct history_record record;
    struct error *error = history_record_decode(arena, bytes, &record);
    if (error == NULL) /* whether it had a checksum or not */
        CHECK(slice_equal(summed_rest(bytes), summed_rest(history_record_encode(arena, &record))));
    else
        check_refusal(error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    arena_init(&arena);
    struct slice bytes = arena_slice(&arena, slice_of(data, size));
    try_backup(&arena, bytes);
    try_copy(&arena, bytes);
    try_history(&arena, bytes);
    arena_release(&arena);
    return 0;
}
