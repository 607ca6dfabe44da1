/* test_record_check.c - what the records of a backup are checked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codec/catalog.h"
#include "codec/collection.h"
#include "codec/index_key.h"
#include "codec/item.h"
#include "codec/record_check.h"
#include "codec/stream.h"
#include "support/read_item.h"

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

static struct slice stored(struct arena *arena, const char *json) {
    struct value item = read_item(arena, json);
    return item_encode(arena, item, item_size(item));
}

static struct table_index indexes[] = {{.name = {(const uint8_t *)"by-l", 4},
                                        .id = 8,
                                        .keys = {.hash_count = 1,
                                                 .range_count = 1,
                                                 .hash = {{{(const uint8_t *)"pk", 2}, VALUE_S}},
                                                 .range = {{{(const uint8_t *)"l", 1}, VALUE_S}}},
                                        .projection = PROJECT_ALL}};
static const struct table_definition table = {
    .id = 7,
    .keys = {.hash_count = 1,
             .range_count = 1,
             .hash = {{{(const uint8_t *)"pk", 2}, VALUE_S}},
             .range = {{{(const uint8_t *)"sk", 2}, VALUE_N}}},
    .indexes = indexes,
    .index_count = 1,
};
static const struct key_codec codec;
static const struct record_owner owners[] = {
    [RANGE_UNKNOWN] = {.id = 7},
    [RANGE_TABLE] = {.id = 7, .range = RANGE_TABLE, .keys = &table.keys},
    [RANGE_INDEX] = {8, RANGE_INDEX, &table.keys, &table, &indexes[0]},
    [RANGE_EXPIRY] = {.id = 9, .range = RANGE_EXPIRY, .keys = &table.keys},
    [RANGE_STREAM] = {.id = 10, .range = RANGE_STREAM, .keys = &table.keys},
};

static void assert_refused(const struct error *error, const char *text) {
    assert_non_null(error);
    if (!slice_is(error->message, text))
        print_error("%.*s\n", SLICE_ARGS(error->message));
    assert_true(slice_is(error->message, text));
}

#define WRONG_SUM "its checksum is wrong, or its version"

static void an_item_stands_under_its_key(void **state) {
    struct arena *arena = *state;
    struct slice good = stored(arena, "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}");
    struct slice other = stored(arena, "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"2\"}}");
    struct slice bare = stored(arena, "{\"pk\":{\"S\":\"a\"}}");
    struct slice key = key_encode(arena, &codec, 7, &table.keys, stored_item_value(good));
    const struct record_owner *owner = &owners[RANGE_TABLE];
    assert_null(item_record_check(arena, &codec, owner, key, good));
    assert_null(item_record_check(arena, &codec, &owners[RANGE_UNKNOWN], key, other));
    assert_refused(item_record_check(arena, &codec, owner, key, other),
                   "its key is not that of the item");
    assert_refused(item_record_check(arena, &codec, owner, key, bare),
                   "its key is not that of the item");
    assert_refused(item_record_check(arena, &codec, &owners[RANGE_INDEX], key, good),
                   "its id is no table's");
    assert_refused(item_record_check(arena, &codec, owner, key, slice_of(good.data, good.len - 1)),
                   WRONG_SUM);
    struct slice resized = item_encode(arena, stored_item_value(good), stored_item_size(good) + 1);
    assert_refused(item_record_check(arena, &codec, owner, key, resized),
                   "its size is not what it says");
    uint8_t *wild = arena_copy(arena, good.data, good.len);
    *(uint8_t *)memchr(wild + ITEM_HEADER, 'a', good.len - ITEM_HEADER) = 0xff;
    assert_refused(item_record_check(arena, &codec, owner, key, slice_of(wild, good.len)),
                   WRONG_SUM);
    assert_refused(item_record_check(arena, &codec, owner, key,
                                     item_seal(wild, good.len, stored_item_size(good))),
                   "it is no item");
}

static void an_entry_stands_in_its_index(void **state) {
    struct arena *arena = *state;
    struct slice entry =
        stored(arena, "{\"l\":{\"S\":\"x\"},\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}");
    struct slice other =
        stored(arena, "{\"l\":{\"S\":\"y\"},\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}");
    struct slice key =
        index_key_encode(arena, &codec, &table, &indexes[0], stored_item_value(entry));
    struct slice size = collection_encode(arena, 5);
    const struct record_owner *owner = &owners[RANGE_INDEX];
    assert_null(index_record_check(arena, &codec, owner, key, entry));
    assert_refused(index_record_check(arena, &codec, owner, key, other),
                   "its key is not that of the index entry");
    assert_refused(index_record_check(arena, &codec, owner, key, size), "it is no item");
    assert_refused(index_record_check(arena, &codec, &owners[RANGE_TABLE], key, entry),
                   "it is no item collection");
    assert_refused(index_record_check(arena, &codec, &owners[RANGE_EXPIRY], key, entry),
                   "it is no expiry");
    assert_null(index_record_check(arena, &codec, &owners[RANGE_TABLE],
                                   slice_of(key.data, ITEM_KEY_PREFIX), size));
    assert_null(index_record_check(arena, &codec, &owners[RANGE_EXPIRY], key, SLICE_LITERAL("")));
}

static void a_change_has_its_keys(void **state) {
    struct arena *arena = *state;
    struct slice good = stored(arena, "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}");
    struct slice bare = stored(arena, "{\"pk\":{\"S\":\"a\"}}");
    struct slice key = stream_record_key(arena, 10, (struct stream_shard){0, 0}, 5);
    const struct record_owner *owner = &owners[RANGE_STREAM];
    const struct item_change put = {.after = good}, strange = {.after = bare};
    struct slice record = stream_record_encode(arena, STREAM_NEW_IMAGE, &table.keys, &put);
    assert_null(change_record_check(arena, &codec, owner, key, record));
    assert_refused(change_record_check(arena, &codec, &owners[RANGE_TABLE], key, record),
                   "its key is that of no change");
    record = stream_record_encode(arena, STREAM_NEW_IMAGE, &table.keys, &strange);
    assert_refused(change_record_check(arena, &codec, owner, key, record),
                   "a record of a stream is damaged");
}

static void kinds_of_the_catalog_are_known(void **state) {
    struct arena *arena = *state;
    assert_refused(catalog_record_check(arena, SLICE_LITERAL("?"), SLICE_LITERAL("")),
                   "a record of an unknown kind");
    assert_refused(catalog_record_check(arena, SLICE_LITERAL("Fx"), SLICE_LITERAL("")),
                   "a wrong key");
    struct table_definition definition = table;
    definition.name = SLICE_LITERAL("t");
    assert_refused(catalog_record_check(arena, SLICE_LITERAL("Tt"),
                                        table_definition_encode(arena, &definition)),
                   "the definition of a table contradicts itself"); /* it defines no attribute */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_item_stands_under_its_key, setup, teardown),
        cmocka_unit_test_setup_teardown(an_entry_stands_in_its_index, setup, teardown),
        cmocka_unit_test_setup_teardown(a_change_has_its_keys, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds_of_the_catalog_are_known, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
