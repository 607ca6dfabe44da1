/* fuzz_catalog.c - any bytes as each record of the catalog that has no target of its own.
 *
 * They are refused, or read as a record that is written and read again as itself; those without
 * entries by name are written as the same bytes at once. */
#include "codec/catalog.h"
#include "codec/catalog_keys.h"
#include "codec/collection.h"
#include "codec/format.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "codec/token.h"
#include "fuzz.h"

static bool refused(const struct error *error) {
    if (error != NULL)
        CHECK(error->message.len > 0);
    return error != NULL;
}

static void try_definition(struct arena *arena, struct slice bytes) {
    struct table_definition definition, again;
    if (refused(table_definition_decode(arena, bytes, &definition)))
        return;
    struct slice encoded = table_definition_encode(arena, &definition);
    CHECK(table_definition_decode(arena, encoded, &again) == NULL);
    CHECK(slice_equal(encoded, table_definition_encode(arena, &again)));
}

static void try_numbers(struct arena *arena, struct slice bytes) {
    struct format_record format;
    int64_t item_count, size_bytes;
    uint64_t number;
    if (!refused(format_decode(arena, bytes, &format)))
        CHECK(slice_equal(bytes, format_encode(arena, &format)));
    if (!refused(statistics_decode(arena, bytes, &item_count, &size_bytes)))
        CHECK(slice_equal(bytes, statistics_encode(arena, item_count, size_bytes)));
    if (!refused(sequence_decode(arena, bytes, &number)))
        CHECK(slice_equal(bytes, sequence_encode(arena, number)));
    if (!refused(collection_decode(arena, bytes, &number)))
        CHECK(slice_equal(bytes, collection_encode(arena, number)));
}

/* Half a size at the end is passed over. */
static void try_token(struct arena *arena, struct slice bytes) {
    struct token_record token;
    if (refused(token_decode(arena, bytes, &token)))
        return;
    struct slice encoded = token_encode(arena, &token);
    CHECK(slice_starts_with(bytes, encoded) && bytes.len - encoded.len < 4);
}

static void try_key(struct arena *arena, struct slice bytes) {
    uint64_t ms;
    struct slice hash;
    if (catalog_key_read_ms_hash(bytes, &ms, &hash))
        CHECK(slice_equal(slice_skip(bytes, 4), slice_skip(token_end_key(arena, ms, hash), 4)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    arena_init(&arena);
    struct slice bytes = arena_slice(&arena, slice_of(data, size));
    try_definition(&arena, bytes);
    try_numbers(&arena, bytes);
    try_token(&arena, bytes);
    try_key(&arena, bytes);
    arena_release(&arena);
    return 0;
}
