/* test_workload.c - every workload of the list makes bodies that are JSON, with as many parts as
 * told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/workload.h"
#include "json/reader.h"

static const struct credentials nobody = {"id", "secret", NULL, "us-east-1", NULL};

static void assert_json(struct arena *arena, struct slice text) {
    struct json_reader reader;
    json_reader_init(&reader, text, arena);
    assert_true(json_finish(&reader));
}

static void assert_sound(struct arena *arena, const struct workload *workload) {
    struct key_space keys;
    struct request_settings settings = {
        .host = "h", .credentials = &nobody, .payload_bytes = 10, .group = WORKLOAD_GROUP};
    key_space_init(&keys, workload->order, 1000);
    struct filler filler = {.keys = &keys,
                            .random = bench_random_seeded(1),
                            .pool = payload_pool_new(arena, 1),
                            .payload_bytes = 10,
                            .group = WORKLOAD_GROUP};
    unsigned weight = 0;
    for (size_t i = 0; i < workload->step_count; i++) {
        weight += workload->steps[i].weight;
        assert_in_range(workload->steps[i].first, 0, workload->kind_count - 1);
        assert_true(workload->steps[i].second < (int)workload->kind_count);
    }
    assert_int_equal(weight, 100);
    for (size_t i = 0; i < workload->kind_count; i++) {
        struct request *request;
        struct key_state state = {0};
        assert_null(request_build(arena, &workload->kinds[i].text, &settings, &request));
        request_fill(request, &filler, &state);
        assert_json(arena,
                    slice_of(request->bytes + request->head_len, request->len - request->head_len));
    }
}

static void every_workload_is_sound(void **state) {
    (void)state;
    const char *name, *description;
    size_t count = 0;
    for (; workload_listing(count, &name, &description); count++) {
        struct arena arena;
        arena_init(&arena);
        const struct workload *workload = workload_find(&arena, name, "some-table", 0);
        assert_non_null(workload);
        assert_string_equal(workload->name, name);
        assert_sound(&arena, workload);
        arena_release(&arena);
    }
    assert_int_equal(count, 18);
}

static size_t count_of(const char *text, const char *part) {
    size_t count = 0;
    for (; (text = strstr(text, part)) != NULL; text++)
        count++;
    return count;
}

static void batches_have_as_many_items_as_told(void **state) {
    (void)state;
    static const struct {
        const char *name;
        unsigned batch, items;
    } cases[] = {{"batch-get", 0, 100}, {"batch-get", 7, 7},      {"batch-write", 0, 25},
                 {"batch-write", 1, 1}, {"transact-write", 0, 5}, {"transact-write", 100, 100}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct arena arena;
        arena_init(&arena);
        const struct workload *workload =
            workload_find(&arena, cases[i].name, "table", cases[i].batch);
        const char *body = workload->kinds[0].text.body;
        assert_int_equal(count_of(body, "\"pk\""), cases[i].items);
        assert_int_equal(count_of(body, "%n"), 1);
        assert_int_equal(count_of(body, "%s"), cases[i].items - 1);
        assert_int_equal(workload->keys_min, cases[i].items);
        arena_release(&arena);
    }
    assert_int_equal(workload_batch_max("batch-get"), 100);
    assert_int_equal(workload_batch_max("batch-write"), 25);
    assert_int_equal(workload_batch_max("get"), 0);
}

static void a_load_takes_a_turn_for_every_item(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    const struct workload *many = workload_load(&arena, "table", 1000);
    const struct workload *few = workload_load(&arena, "table", 3);
    assert_int_equal(count_of(many->kinds[0].text.body, "%n"), 25);
    assert_int_equal(count_of(few->kinds[0].text.body, "%n"), 3);
    assert_int_equal(many->order, KEYS_SEQUENTIAL);
    assert_sound(&arena, many);
    assert_json(&arena, workload_table(&arena, "table"));
    arena_release(&arena);
}

static void there_is_no_other_workload(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_null(workload_find(&arena, "own", "table", 0));
    assert_null(workload_find(&arena, "", "table", 0));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_workload_is_sound),
        cmocka_unit_test(batches_have_as_many_items_as_told),
        cmocka_unit_test(a_load_takes_a_turn_for_every_item),
        cmocka_unit_test(there_is_no_other_workload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
