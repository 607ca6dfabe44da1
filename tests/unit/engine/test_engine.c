/* test_engine.c - the engine on the memory store: writes, conditions, groups, statistics, ranges,
 * dropped tables, the time that is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "engine/sequence.h"
#include "support/expiry_fixture.h"

static int open_fixture(void **state) {
    static struct engine_fixture fixture;
    struct store *store = fixture_store();
    assert_null(fixture_open(&fixture, store));
    assert_null(fixture_create_table(&fixture, "Things", VALUE_N));
    *state = &fixture;
    return 0;
}

static int close_fixture(void **state) {
    fixture_close(*state);
    return 0;
}

static void assert_item(struct engine_fixture *f, const char *key, const char *expected) {
    const char *json;
    assert_null(fixture_get(f, "Things", key, &json));
    assert_string_equal(json, expected);
}

static void assert_stats(struct engine_fixture *f, int64_t items, int64_t bytes) {
    const struct table_stats *stats = fixture_table(f, "Things")->stats;
    assert_int_equal(stats->item_count, items);
    assert_int_equal(stats->size_bytes, bytes);
}

#define A1 "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}"

static void put_get_delete(void **state) {
    struct engine_fixture *f = *state;
    assert_item(f, A1, "absent");
    assert_null(fixture_put(f, "Things",
                            "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"},\"v\":{\"S\":\"x\"}}"));
    assert_item(f, A1, "{\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"},\"v\":{\"S\":\"x\"}}");
    assert_stats(f, 1, 3 + 4 + 2);
    assert_null(fixture_put(f, "Things", A1));
    assert_stats(f, 1, 3 + 4);
    assert_null(fixture_delete(f, "Things", A1));
    assert_null(fixture_delete(f, "Things", A1));
    assert_item(f, A1, "absent");
    assert_stats(f, 0, 0);
}

static void a_failed_condition_leaves_nothing(void **state) {
    struct engine_fixture *f = *state;
    struct error *error = fixture_update(f, "Things", A1, "SET v = :v", "attribute_exists(pk)",
                                         "{\":v\":{\"N\":\"1\"}}");
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_CONDITIONAL_CHECK_FAILED);
    assert_true(slice_is(error->message, "The conditional request failed"));
    assert_item(f, A1, "absent");
    assert_stats(f, 0, 0);
}

static void an_update_makes_the_item(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_update(f, "Things", A1, "ADD n :v", "attribute_not_exists(pk)",
                               "{\":v\":{\"N\":\"2\"}}"));
    assert_null(fixture_update(f, "Things", A1, "ADD n :v", NULL, "{\":v\":{\"N\":\"40\"}}"));
    assert_item(f, A1, "{\"n\":{\"N\":\"42\"},\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}");
    assert_null(fixture_update(f, "Things", "{\"pk\":{\"S\":\"k\"},\"sk\":{\"N\":\"-1\"}}", NULL,
                               NULL, NULL));
    assert_item(f, "{\"pk\":{\"S\":\"k\"},\"sk\":{\"N\":\"-1\"}}",
                "{\"pk\":{\"S\":\"k\"},\"sk\":{\"N\":\"-1\"}}");
}

static void an_item_that_grows_too_large_is_refused(void **state) {
    struct engine_fixture *f = *state;
    struct buffer text;
    buffer_init(&text, 420000);
    buffer_append_text(&text, "{\":v\":{\"S\":\"");
    for (int i = 0; i < 409600; i++)
        buffer_append_byte(&text, 'x');
    buffer_append(&text, "\"}}", 4);
    struct error *error =
        fixture_update(f, "Things", A1, "SET v = :v", NULL, (const char *)text.data);
    buffer_release(&text);
    assert_non_null(error);
    assert_true(
        slice_is(error->message, "Item size to update has exceeded the maximum allowed size"));
    assert_item(f, A1, "absent");
}

/* Jobs that are queued together run one after another: each sees what the one before it did. */
static void later_writes_of_a_group_see_earlier_ones(void **state) {
    struct engine_fixture *f = *state;
    enum { WRITES = 25 };
    struct item_write writes[WRITES];
    struct expr_program *program;
    struct expr *update;
    struct value one = value_map_find(fixture_item(f, "{\"n\":{\"N\":\"1\"}}"), SLICE_LITERAL("n"));
    struct expr_placeholder value = {.key = SLICE_LITERAL(":one"), .value = one};
    struct expr_placeholders given = {.values = &value, .value_count = 1};
    assert_null(expr_compile(&f->arena, EXPR_UPDATE, SLICE_LITERAL("ADD n :one"), NULL, &program));
    assert_null(expr_bind(&f->arena, program, &given, &update));
    for (size_t i = 0; i < WRITES; i++) {
        writes[i] = (struct item_write){.table = fixture_table(f, "Things"),
                                        .kind = WRITE_UPDATE,
                                        .key = fixture_item(f, A1),
                                        .update = update};
        item_write_prepare(f->engine, &f->arena, &writes[i]);
    }
    /* All writes of one job are in one group. */
    struct write_job job = {.writes = writes, .count = WRITES, .batch = true};
    assert_null(fixture_write_job(f, &job));
    assert_item(f, A1, "{\"n\":{\"N\":\"25\"},\"pk\":{\"S\":\"a\"},\"sk\":{\"N\":\"1\"}}");
    assert_int_equal(writes[0].old_size, 0);
    assert_int_equal(writes[1].old_size, writes[1].new_size);
    assert_stats(f, 1, 3 + 4 + 3);
    expr_program_unref(program);
}

/* ---- ranges ---- */

static const char *sort_keys(struct engine_fixture *f, const struct read_range *range) {
    struct reader reader;
    struct cursor cursor;
    struct stored_item item;
    struct slice text = SLICE_LITERAL("");
    assert_null(reader_begin(f->engine, &f->arena, READ_SNAPSHOT, &reader));
    assert_null(cursor_open(&reader, range, &cursor));
    for (;;) {
        assert_null(cursor_next(&cursor, &item));
        if (!value_present(item.item))
            break;
        char number[NUMBER_TEXT_MAX];
        struct value sk = value_map_find(item.item, SLICE_LITERAL("sk"));
        size_t len = number_format(value_scalar(sk), number);
        text = arena_printf(&f->arena, "%.*s%.*s ", SLICE_ARGS(text), (int)len, number);
    }
    cursor_close(&cursor);
    reader_end(&reader);
    return (const char *)text.data;
}

static struct value number_value(struct engine_fixture *f, const char *text) {
    struct slice json = arena_printf(&f->arena, "{\"n\":{\"N\":\"%s\"}}", text);
    return value_map_find(fixture_item(f, (const char *)json.data), SLICE_LITERAL("n"));
}

static void fill_partition(struct engine_fixture *f) {
    static const char *const numbers[] = {"-100", "-2.5", "-2", "0", "0.5", "1", "1.5", "100"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        struct slice json =
            arena_printf(&f->arena, "{\"pk\":{\"S\":\"p\"},\"sk\":{\"N\":\"%s\"}}", numbers[i]);
        assert_null(fixture_put(f, "Things", (const char *)json.data));
    }
    assert_null(fixture_put(f, "Things", "{\"pk\":{\"S\":\"q\"},\"sk\":{\"N\":\"7\"}}"));
}

static void ranges_follow_conditions_and_start_keys(void **state) {
    struct engine_fixture *f = *state;
    fill_partition(f);
    struct read_range range = {
        .table = fixture_table(f, "Things"),
        .hash = {value_map_find(fixture_item(f, "{\"pk\":{\"S\":\"p\"}}"), SLICE_LITERAL("pk"))},
    };
    assert_string_equal(sort_keys(f, &range), "-100 -2.5 -2 0 0.5 1 1.5 100 ");
    range.reverse = true;
    assert_string_equal(sort_keys(f, &range), "100 1.5 1 0.5 0 -2 -2.5 -100 ");
    range.start_key = fixture_item(f, "{\"pk\":{\"S\":\"p\"},\"sk\":{\"N\":\"0\"}}");
    assert_string_equal(sort_keys(f, &range), "-2 -2.5 -100 ");
    range.reverse = false;
    assert_string_equal(sort_keys(f, &range), "0.5 1 1.5 100 ");
    range.start_key = VALUE_ABSENT;

    static const struct {
        enum key_operator op;
        const char *value, *upper, *expected;
    } cases[] = {
        {KEY_EQ, "1.0", NULL, "1 "},
        {KEY_EQ, "3", NULL, ""},
        {KEY_LT, "0", NULL, "-100 -2.5 -2 "},
        {KEY_LE, "0", NULL, "-100 -2.5 -2 0 "},
        {KEY_GT, "1", NULL, "1.5 100 "},
        {KEY_GE, "1", NULL, "1 1.5 100 "},
        {KEY_BETWEEN, "-2.5", "0.5", "-2.5 -2 0 0.5 "},
        {KEY_BETWEEN, "2", "99", ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct key_condition sort = {.op = cases[i].op, .value = number_value(f, cases[i].value)};
        if (cases[i].upper != NULL)
            sort.upper = number_value(f, cases[i].upper);
        range.sort[0] = sort;
        range.sort_count = 1;
        assert_string_equal(sort_keys(f, &range), cases[i].expected);
    }
}

static void segments_partition_the_table(void **state) {
    struct engine_fixture *f = *state;
    enum { ITEMS = 300, SEGMENTS = 7 };
    for (int i = 0; i < ITEMS; i++) {
        struct slice json =
            arena_printf(&f->arena, "{\"pk\":{\"S\":\"k%d\"},\"sk\":{\"N\":\"%d\"}}", i, i);
        assert_null(fixture_put(f, "Things", (const char *)json.data));
    }
    bool seen[ITEMS] = {false};
    for (uint32_t segment = 0; segment < SEGMENTS; segment++) {
        struct read_range range = {
            .table = fixture_table(f, "Things"), .segment = segment, .total_segments = SEGMENTS};
        int count = 0;
        for (const char *p = sort_keys(f, &range); *p != '\0';) {
            int n, used;
            assert_int_equal(sscanf(p, "%d %n", &n, &used), 1);
            assert_false(seen[n]);
            seen[n] = true;
            count++;
            p += used;
        }
        assert_in_range(count, 15, 90); /* even within chance */
    }
    for (int i = 0; i < ITEMS; i++)
        assert_true(seen[i]);
}

/* ---- tables ---- */

static void a_dropped_table_is_gone_with_its_items(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_put(f, "Things", A1));
    struct table *before = table_ref(fixture_table(f, "Things"));
    assert_null(fixture_drop_table(f, "Things"));
    assert_null(fixture_table(f, "Things"));
    struct item_write late = {.table = before, .kind = WRITE_PUT, .item = fixture_item(f, A1)};
    struct error *error = fixture_write(f, &late);
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_RESOURCE_NOT_FOUND);
    table_unref(before);
    assert_null(fixture_create_table(f, "Things", VALUE_N));
    assert_item(f, A1, "absent");
    assert_stats(f, 0, 0);
}

static void tables_are_sorted_and_unique(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_create_table(f, "Zebra", VALUE_NONE));
    assert_null(fixture_create_table(f, "Ant", VALUE_NONE));
    struct error *error = fixture_create_table(f, "Ant", VALUE_NONE);
    assert_non_null(error);
    assert_int_equal(error->code, ERROR_RESOURCE_IN_USE);
    struct table *const *tables;
    assert_int_equal(catalog_tables(f->view, &tables), 3);
    assert_true(slice_is(tables[0]->definition.name, "Ant"));
    assert_true(slice_is(tables[1]->definition.name, "Things"));
    assert_true(slice_is(tables[2]->definition.name, "Zebra"));
}

/* The time with which another run would begin if this one ended now. */
static int64_t stored_ms(struct engine_fixture *f, struct store *store) {
    static const struct store_key last = {KEYSPACE_CATALOG, {(const uint8_t *)"L", 1}};
    struct store_txn *txn;
    struct slice record;
    assert_null(store_begin(store, &f->arena, STORE_READ, &txn));
    assert_null(store_get(txn, &last, &record));
    int64_t ms = slice_present(record) ? sequence_ms(load_u64(record.data + 1)) : 0;
    store_end(txn);
    return ms;
}

static void a_moved_clock_is_kept_at_once(void **state) {
    (void)state;
    struct engine_fixture f;
    struct movable_clock clock;
    struct store *store = fixture_store();
    struct engine_options options = expiry_options(store, &clock);
    const struct clock_move day = {.advance_ms = 86400000}, back = {.advance_ms = -1};
    assert_null(fixture_open_with(&f, &options));
    int64_t now_ms;
    for (int64_t days = 1; days <= 20; days++) {
        assert_int_equal(engine_move_clock(f.engine, &clock, &day, &now_ms), CLOCK_MOVED);
        assert_true(now_ms == EXPIRY_NOW * 1000 + days * day.advance_ms);
        assert_true(stored_ms(&f, store) == now_ms);
    }
    assert_int_equal(engine_move_clock(f.engine, &clock, &back, &now_ms), CLOCK_WOULD_GO_BACK);
    assert_true(now_ms == EXPIRY_NOW * 1000 + 20 * day.advance_ms);
    assert_true(stored_ms(&f, store) == now_ms);
    fixture_close(&f);
}

static void fill_with_sevens(const struct random *random, void *bytes, size_t size) {
    (void)random;
    memset(bytes, 7, size);
}

/* So that a test can know in which order items lie. */
static void a_new_database_has_the_secret_that_chance_gave(void **state) {
    (void)state;
    static const struct random sevens = {fill_with_sevens};
    struct engine_fixture f;
    struct store *store = fixture_store();
    struct store_txn *txn;
    struct slice record;
    const struct store_key format = {KEYSPACE_CATALOG, SLICE_LITERAL("F")};
    struct engine_options options = fixture_options(store);
    options.random = &sevens;
    assert_null(fixture_open_with(&f, &options));
    assert_null(store_begin(store, &f.arena, STORE_READ, &txn));
    assert_null(store_get(txn, &format, &record));
    assert_int_equal(record.len, 21);
    assert_memory_equal(record.data + 1, "\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7\7", 16);
    store_end(txn);
    fixture_close(&f);
}

/* So that a test can say what happens when. */
static void a_stepped_engine_does_nothing_by_itself(void **state) {
    (void)state;
    struct engine_fixture f;
    struct engine_options options = fixture_options(fixture_store());
    options.stepped = true;
    assert_null(fixture_open_with(&f, &options));
    assert_null(fixture_create_table(&f, "Things", VALUE_N));
    struct item_write write = {
        .table = fixture_table(&f, "Things"), .kind = WRITE_PUT, .item = fixture_item(&f, A1)};
    struct write_job job = {.writes = &write, .count = 1};
    item_write_prepare(f.engine, &f.arena, &write);
    fixture_submit_writes(&f, &job);
    assert_item(&f, A1, "absent");
    engine_step(f.engine);
    assert_int_equal(sem_trywait(&f.done), 0);
    assert_item(&f, A1, A1);
    fixture_submit_writes(&f, &job); /* which is done when the engine is closed */
    fixture_close(&f);
}

#define ENGINE_TEST(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

int main(void) {
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(put_get_delete),
        ENGINE_TEST(a_failed_condition_leaves_nothing),
        ENGINE_TEST(an_update_makes_the_item),
        ENGINE_TEST(an_item_that_grows_too_large_is_refused),
        ENGINE_TEST(later_writes_of_a_group_see_earlier_ones),
        ENGINE_TEST(ranges_follow_conditions_and_start_keys),
        ENGINE_TEST(segments_partition_the_table),
        ENGINE_TEST(a_dropped_table_is_gone_with_its_items),
        ENGINE_TEST(tables_are_sorted_and_unique),
        cmocka_unit_test(a_moved_clock_is_kept_at_once),
        cmocka_unit_test(a_new_database_has_the_secret_that_chance_gave),
        cmocka_unit_test(a_stepped_engine_does_nothing_by_itself),
    };
    return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
