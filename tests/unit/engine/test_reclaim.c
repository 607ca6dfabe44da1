/* test_reclaim.c - a table change reclaims the ranges that it deleted, and no other range.
 *
 * The memory store has no files to reclaim. This test makes it delete all keys of the range, as
 * RocksDB drops the compacted files in it: a range too many loses data that is still in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "engine/state.h"
#include "support/expiry_fixture.h"
#include "support/index_fixture.h"

/* ---- a store that deletes what is reclaimed ---- */

static struct store_engine reclaiming_engine;
static char reclaimed[256]; /* keyspaces and ids: "items 7 indexes 8" */

static void note(const struct store_range *range) {
    size_t len = strlen(reclaimed);
    const char *name = range->keyspace == KEYSPACE_ITEMS     ? "items"
                       : range->keyspace == KEYSPACE_INDEXES ? "indexes"
                                                             : "changes";
    snprintf(reclaimed + len, sizeof(reclaimed) - len, "%s%s %u", len == 0 ? "" : " ", name,
             load_u32_be(range->first.data));
}

static struct error *reclaim_range(struct store *store, struct arena *arena,
                                   const struct store_range *range, uint64_t *moment,
                                   bool *ret_done) {
    (void)moment;
    struct store_txn *txn;
    enum store_outcome outcome;
    *ret_done = true;
    note(range);
    TRY(store_begin(store, arena, STORE_WRITE, &txn));
    store_delete_range(txn, range);
    struct error *error = store_commit(txn, STORE_RELAXED, &outcome);
    store_end(txn);
    return error;
}

/* ---- the scene ---- */

struct scene {
    struct engine_fixture f;
    struct store *store;
    struct arena arena;
};

/* A table with two indexes and twenty items, each item in both. */
static void begin(struct scene *scene) {
    scene->store = fixture_store();
    reclaiming_engine = *scene->store->engine;
    reclaiming_engine.reclaim = reclaim_range;
    scene->store->engine = &reclaiming_engine;
    arena_init(&scene->arena);
    reclaimed[0] = '\0';
    struct engine_options options = fixture_options(scene->store);
    options.stepped = true;
    assert_null(fixture_open_with(&scene->f, &options));
    assert_null(fixture_create_indexed(&scene->f, "T"));
    for (int i = 0; i < 20; i++) {
        struct slice json = arena_printf(&scene->arena,
                                         "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"%d\"},\"g\":{"
                                         "\"S\":\"g\"},\"l\":{\"N\":\"1\"},\"n\":{\"N\":\"2\"}}",
                                         i);
        assert_null(fixture_put(&scene->f, "T", (const char *)json.data));
    }
}

static void end(struct scene *scene) {
    fixture_close(&scene->f);
    arena_release(&scene->arena);
}

/* Runs the chores until no reclaim is queued; the ranges since the last call. */
static void expect_reclaimed(struct scene *scene, const char *expected) {
    for (int turns = 0; scene->f.engine->reclaims.count > 0;)
        fixture_pause(&scene->f, &turns);
    assert_string_equal(reclaimed, expected);
    reclaimed[0] = '\0';
}

static void assert_sound(struct scene *scene) {
    const char *problem = index_difference_from_items(&scene->f, scene->store, "T");
    if (problem != NULL)
        fail_msg("%s", problem);
}

static const struct table_definition *definition(struct scene *scene) {
    return &fixture_table(&scene->f, "T")->definition;
}

static const char *in_indexes(struct scene *scene, uint32_t id) {
    return (const char *)arena_printf(&scene->arena, "indexes %u", id).data;
}

/* ---- the tests ---- */

static void kept_indexes_are_not_reclaimed(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    assert_null(fixture_set_stream(&scene.f, "T", STREAM_NEW_IMAGE));
    expect_reclaimed(&scene, "");
    assert_null(index_add(&scene.f, "T"));
    index_wait(&scene.f, "T");
    expect_reclaimed(&scene, "");
    assert_sound(&scene);
    assert_int_equal(definition(&scene)->index_count, 3);
    end(&scene);
}

static void only_a_removed_index_is_reclaimed(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    assert_null(index_add(&scene.f, "T"));
    index_wait(&scene.f, "T");
    const struct table_definition *three = definition(&scene);
    for (size_t i = 0; i < 3; i++) {
        struct slice name = arena_printf(&scene.arena, "%.*s", SLICE_ARGS(three->indexes[i].name));
        assert_null(index_remove(&scene.f, "T", (const char *)name.data));
        expect_reclaimed(&scene, in_indexes(&scene, three->indexes[i].id));
    }
    assert_int_equal(definition(&scene)->index_count, 0);
    end(&scene);
}

static void expiry_entries_are_reclaimed_when_ttl_is_turned_off(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    assert_null(expiry_set(&scene.f, "T", "n"));
    expiry_wait_built(&scene.f, "T");
    uint32_t id = definition(&scene)->ttl_id;
    assert_int_not_equal(id, 0);
    assert_null(fixture_set_stream(&scene.f, "T", STREAM_NEW_IMAGE));
    expect_reclaimed(&scene, "");
    assert_sound(&scene);
    assert_null(expiry_set(&scene.f, "T", NULL));
    expect_reclaimed(&scene, in_indexes(&scene, id));
    assert_sound(&scene);
    end(&scene);
}

static void a_deleted_table_is_reclaimed_whole(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    const struct table_definition *table = definition(&scene);
    assert_null(fixture_create_table(&scene.f, "other", VALUE_NONE));
    assert_null(fixture_put(&scene.f, "other", "{\"pk\":{\"S\":\"a\"}}"));
    assert_null(fixture_drop_table(&scene.f, "T"));
    struct slice all =
        arena_printf(&scene.arena, "items %u indexes %u indexes %u indexes %u", table->id,
                     table->id, table->indexes[1].id, table->indexes[0].id);
    expect_reclaimed(&scene, (const char *)all.data); /* the newest first */
    const char *json;
    assert_null(fixture_get(&scene.f, "other", "{\"pk\":{\"S\":\"a\"}}", &json));
    assert_string_equal(json, "{\"pk\":{\"S\":\"a\"}}");
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_indexes_are_not_reclaimed),
        cmocka_unit_test(only_a_removed_index_is_reclaimed),
        cmocka_unit_test(expiry_entries_are_reclaimed_when_ttl_is_turned_off),
        cmocka_unit_test(a_deleted_table_is_reclaimed_whole),
    };
    return cmocka_run_group_tests_name("reclaim", tests, NULL, NULL);
}
