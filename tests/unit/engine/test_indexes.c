/* test_indexes.c - index entries, the filling of indexes, and item collections, on the memory
 * store.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/index_fixture.h"

static struct store *store;

static void open_with_limit(struct engine_fixture *f, uint64_t collection_bytes_max) {
    store = fixture_store();
    struct engine_options options = fixture_options(store);
    options.collection_bytes_max = collection_bytes_max;
    assert_null(fixture_open_with(f, &options));
    assert_null(fixture_create_indexed(f, "T"));
}

static void assert_same_as_items(struct engine_fixture *f) {
    const char *problem = index_difference_from_items(f, store, "T");
    if (problem != NULL)
        fail_msg("%s", problem);
}

/* ---- random writes ---- */

static uint64_t random_state = 2026;

static uint32_t next_below(uint32_t bound) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33) % bound;
}

/* A few partitions; each index attribute is there most of the time. Some types are wrong, which the
 * engine takes: the operations check puts. */
static struct value random_item(struct engine_fixture *f, uint32_t keys) {
    static const char *const g[] = {"", ",\"g\":{\"S\":\"a\"}", ",\"g\":{\"S\":\"b\"}",
                                    ",\"g\":{\"N\":\"1\"}"};
    static const char *const l[] = {"", ",\"l\":{\"N\":\"1\"}", ",\"l\":{\"N\":\"-7.5\"}",
                                    ",\"l\":{\"S\":\"no\"}"};
    static const char *const n[] = {"", ",\"n\":{\"N\":\"1\"}", ",\"n\":{\"N\":\"2\"}",
                                    ",\"n\":{\"N\":\"1.0\"}"};
    static const char *const x[] = {"", ",\"x\":{\"S\":\"x\"}", ",\"x\":{\"L\":[{\"N\":\"1\"}]}",
                                    ",\"y\":{\"S\":\"y\"}"};
    uint32_t key = next_below(keys);
    struct slice json =
        arena_printf(&f->arena, "{\"pk\":{\"S\":\"p%u\"},\"sk\":{\"S\":\"%u\"}%s%s%s%s}", key % 5,
                     key, g[next_below(4)], l[next_below(4)], n[next_below(4)], x[next_below(4)]);
    return fixture_item(f, (const char *)json.data);
}

static struct item_write random_write(struct engine_fixture *f, uint32_t keys) {
    struct value item = random_item(f, keys);
    struct item_write write = {.table = fixture_table(f, "T"), .kind = WRITE_PUT, .item = item};
    if (next_below(4) == 0) {
        const struct key_schema *schema = &write.table->definition.keys;
        write.kind = WRITE_DELETE;
        struct slice pk = value_scalar(value_map_find(item, schema->hash[0].name));
        struct slice sk = value_scalar(value_map_find(item, schema->range[0].name));
        struct slice key =
            arena_printf(&f->arena, "{\"pk\":{\"S\":\"%.*s\"},\"sk\":{\"S\":\"%.*s\"}}",
                         SLICE_ARGS(pk), SLICE_ARGS(sk));
        write.key = fixture_item(f, (const char *)key.data);
    }
    item_write_prepare(f->engine, &f->arena, &write);
    return write;
}

/* Jobs of several writes, in which a later one may change what an earlier one wrote. */
static void write_randomly(struct engine_fixture *f, size_t jobs, uint32_t keys) {
    enum { WRITES = 20 };
    for (size_t i = 0; i < jobs; i++) {
        struct item_write writes[WRITES];
        for (size_t k = 0; k < WRITES; k++)
            writes[k] = random_write(f, keys);
        struct write_job job = {.writes = writes, .count = WRITES, .batch = true};
        assert_null(fixture_write_job(f, &job));
        for (size_t k = 0; k < WRITES; k++)
            assert_null(writes[k].error);
    }
}

static void entries_follow_their_items(void **state) {
    (void)state;
    struct engine_fixture f;
    open_with_limit(&f, 0);
    for (int round = 0; round < 10; round++) {
        write_randomly(&f, 10, 60);
        assert_same_as_items(&f);
    }
    fixture_close(&f);
}

/* Filling takes several steps, and writes come between them. */
static void an_index_is_filled_while_items_change(void **state) {
    (void)state;
    struct engine_fixture f;
    open_with_limit(&f, 0);
    write_randomly(&f, 150, 1500);
    for (int round = 0; round < 5; round++) {
        assert_null(index_add(&f, "T"));
        write_randomly(&f, 20, 1500);
        index_wait(&f, "T");
        assert_same_as_items(&f);
        write_randomly(&f, 5, 1500);
        assert_same_as_items(&f);
        assert_null(index_remove(&f, "T", "later"));
        assert_same_as_items(&f);
    }
    fixture_close(&f);
}

static void an_index_goes_before_it_is_complete(void **state) {
    (void)state;
    struct engine_fixture f;
    open_with_limit(&f, 0);
    write_randomly(&f, 100, 1500);
    for (int round = 0; round < 10; round++) {
        assert_null(index_add(&f, "T"));
        assert_null(index_remove(&f, "T", "later"));
        assert_same_as_items(&f);
    }
    assert_null(index_add(&f, "T"));
    assert_null(fixture_drop_table(&f, "T"));
    assert_null(fixture_create_indexed(&f, "T"));
    assert_same_as_items(&f);
    fixture_close(&f);
}

/* ---- item collections ---- */

static const char *text_of(const struct error *error) {
    return error == NULL ? "ok" : (const char *)error->message.data;
}

#define ITEM(sk, rest) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}" rest "}"

/* pk 3 and sk 3 bytes, l 3: an item in the local index counts 9 bytes twice. */
static void collections_have_a_limit(void **state) {
    (void)state;
    struct engine_fixture f;
    open_with_limit(&f, 40);
    assert_null(fixture_put(&f, "T", ITEM("1", ",\"l\":{\"N\":\"1\"}")));
    assert_null(fixture_put(&f, "T", ITEM("2", ",\"l\":{\"N\":\"1\"}")));
    struct error *error = fixture_put(&f, "T", ITEM("3", ""));
    assert_int_equal(error->code, ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED);
    assert_string_equal(text_of(error), "Collection size exceeded.");
    assert_same_as_items(&f);
    /* Another partition has its own, and what does not grow is fine. */
    assert_null(fixture_put(&f, "T", "{\"pk\":{\"S\":\"q\"},\"sk\":{\"S\":\"3\"}}"));
    assert_null(fixture_put(&f, "T", ITEM("2", ",\"l\":{\"N\":\"2\"}")));
    error = fixture_update(&f, "T", ITEM("2", ""), "SET x = :x", NULL, "{\":x\":{\"S\":\"1234\"}}");
    assert_string_equal(text_of(error), "Collection size exceeded.");
    assert_null(fixture_update(&f, "T", ITEM("2", ""), "REMOVE l", NULL, NULL));
    assert_null(fixture_delete(&f, "T", ITEM("1", "")));
    assert_null(fixture_put(&f, "T", ITEM("3", "")));
    assert_same_as_items(&f);
    fixture_close(&f);
}

static void a_full_collection_can_be_emptied(void **state) {
    (void)state;
    struct engine_fixture f;
    open_with_limit(&f, 12);
    assert_null(fixture_put(&f, "T", ITEM("1", "")));
    assert_null(fixture_put(&f, "T", ITEM("2", "")));
    assert_string_equal(text_of(fixture_put(&f, "T", ITEM("3", ""))), "Collection size exceeded.");
    struct item_write write = {.table = fixture_table(&f, "T"),
                               .kind = WRITE_DELETE,
                               .key = fixture_item(&f, ITEM("1", ""))};
    assert_null(fixture_write(&f, &write));
    assert_int_equal(write.collection_bytes, 6);
    assert_null(fixture_delete(&f, "T", ITEM("2", "")));
    assert_same_as_items(&f);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_follow_their_items),
        cmocka_unit_test(an_index_is_filled_while_items_change),
        cmocka_unit_test(an_index_goes_before_it_is_complete),
        cmocka_unit_test(collections_have_a_limit),
        cmocka_unit_test(a_full_collection_can_be_emptied),
    };
    return cmocka_run_group_tests_name("engine_indexes", tests, NULL, NULL);
}
