/* fuzz_catalog.c - any bytes as a table's stored definition.
 *
 * They are refused, or read as a definition that is written and read again as itself. */
#include "codec/catalog.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct arena arena;
    arena_init(&arena);
    struct table_definition definition;
    struct error *error =
        table_definition_decode(&arena, arena_slice(&arena, slice_of(data, size)), &definition);
    if (error == NULL) {
        struct slice bytes = table_definition_encode(&arena, &definition);
        struct table_definition again;
        CHECK(table_definition_decode(&arena, bytes, &again) == NULL);
        CHECK(slice_equal(bytes, table_definition_encode(&arena, &again)));
    } else {
        CHECK(error->message.len > 0);
    }
    arena_release(&arena);
    return 0;
}
