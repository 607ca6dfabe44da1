/* test_streams.c - streams in the engine: which changes are recorded and how, streams that come and
 * go, and what time does to them, with a clock that the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/limits.h"
#include "store/rocksdb/rocksdb.h"
#include "support/expiry_fixture.h"
#include "support/stream_fixture.h"
#include "support/transaction_fixture.h"

#define START INT64_C(1700000000000)
#define HOUR INT64_C(3600000)

/* ---- the scene ---- */

static struct store *store; /* of the fixture; the engine owns it */

static void open_on(struct engine_fixture *f, struct store *on) {
    struct engine_options options = fixture_options(on);
    options.clock = &fixture_clock.clock;
    assert_null(fixture_open_with(f, &options));
    store = on;
}

static int set_up(void **state) {
    struct engine_fixture *f = calloc(1, sizeof(*f));
    struct store *memory = fixture_store();
    fixture_clock.now_ms = START;
    open_on(f, memory);
    assert_null(fixture_create_table(f, "T", VALUE_NONE));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture_close(*state);
    free(*state);
    return 0;
}

#define KEY(name) "{\"pk\":{\"S\":\"" name "\"}}"
#define ITEM(name, n) "{\"n\":{\"N\":\"" n "\"},\"pk\":{\"S\":\"" name "\"}}"
#define N(n) "{\":n\":{\"N\":\"" n "\"}}"
#define END \
    { .table = NULL }

static void assert_stream(struct engine_fixture *f, const char *expected) {
    struct stream_definition stream = stream_of(f, "T");
    assert_string_equal(stream_text(f, &stream), expected);
}

/* Moves time and waits until chores have left that much. */
static void assert_left_after(struct engine_fixture *f, int64_t ms, size_t records,
                              size_t streams) {
    size_t records_left = 0, streams_left = 0;
    fixture_clock.now_ms += ms;
    engine_time_moved(f->engine);
    for (int i = 0; i < 3000; i++) {
        streams_stored(store, &records_left, &streams_left);
        if (records_left == records && streams_left == streams)
            break;
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    assert_int_equal(records_left, records);
    assert_int_equal(streams_left, streams);
}

/* ---- what is recorded ---- */

static void three_changes(struct engine_fixture *f) {
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    assert_null(fixture_update(f, "T", KEY("a"), "SET n = :n", NULL, N("2")));
    assert_null(fixture_delete(f, "T", KEY("a")));
}

static void a_view_shows_its_part(void **state) {
    struct engine_fixture *f = *state;
    static const struct {
        enum stream_view view;
        const char *expected;
    } rows[] = {
        {STREAM_KEYS_ONLY,
         "INSERT keys " KEY("a") "\nMODIFY keys " KEY("a") "\nREMOVE keys " KEY("a") "\n"},
        {STREAM_NEW_IMAGE, "INSERT new " ITEM("a", "1") "\nMODIFY new " ITEM(
                               "a", "2") "\nREMOVE keys " KEY("a") "\n"},
        {STREAM_OLD_IMAGE, "INSERT keys " KEY("a") "\nMODIFY old " ITEM(
                               "a", "1") "\nREMOVE old " ITEM("a", "2") "\n"},
        {STREAM_NEW_AND_OLD,
         "INSERT new " ITEM("a", "1") "\nMODIFY new " ITEM("a", "2") " old " ITEM(
             "a", "1") "\nREMOVE old " ITEM("a", "2") "\n"},
    };
    three_changes(f); /* without a stream: nothing */
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_null(fixture_set_stream(f, "T", rows[i].view));
        three_changes(f);
        assert_stream(f, rows[i].expected);
        assert_null(fixture_set_stream(f, "T", STREAM_OFF));
        three_changes(f);
        assert_stream(f, rows[i].expected);
    }
}

static void nothing_changes_nothing_is_recorded(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_set_stream(f, "T", STREAM_KEYS_ONLY));
    assert_null(fixture_delete(f, "T", KEY("none")));
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    assert_null(fixture_update(f, "T", KEY("a"), "SET n = :n", NULL, N("1")));
    assert_non_null(fixture_update(f, "T", KEY("a"), "SET n = :n", "n = :n", N("5")));
    assert_stream(f, "INSERT keys " KEY("a") "\n");
}

static void expired_items_say_so(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_set_stream(f, "T", STREAM_OLD_IMAGE));
    assert_null(expiry_set(f, "T", "n"));
    assert_null(fixture_put(f, "T", ITEM("a", "1700000000")));
    assert_null(fixture_put(f, "T", ITEM("b", "1800000000")));
    fixture_clock.now_ms += 2000;
    engine_time_moved(f->engine);
    expiry_wait_items(f, "T", 1);
    assert_null(fixture_delete(f, "T", KEY("b")));
    assert_stream(f, "INSERT keys " KEY("a") "\nINSERT keys " KEY("b") "\nREMOVE expired old " ITEM(
                         "a", "1700000000") "\nREMOVE old " ITEM("b", "1800000000") "\n");
}

/* Each write of a group is told, also when they leave nothing behind. */
static void every_write_of_a_job_is_recorded(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_set_stream(f, "T", STREAM_NEW_AND_OLD));
    struct table *table = fixture_table(f, "T");
    struct item_write writes[] = {
        {.table = table, .kind = WRITE_PUT, .item = fixture_item(f, ITEM("a", "1"))},
        {.table = table, .kind = WRITE_PUT, .item = fixture_item(f, ITEM("a", "2"))},
        {.table = table, .kind = WRITE_DELETE, .key = fixture_item(f, KEY("a"))},
    };
    for (size_t i = 0; i < 3; i++)
        item_write_prepare(f->engine, &f->arena, &writes[i]);
    struct write_job job = {.writes = writes, .count = 3};
    assert_null(fixture_write_job(f, &job));
    assert_stream(f, "INSERT new " ITEM("a", "1") "\nMODIFY new " ITEM("a", "2") " old " ITEM(
                         "a", "1") "\nREMOVE old " ITEM("a", "2") "\n");
}

static void a_transaction_is_recorded_or_not(void **state) {
    struct engine_fixture *f = *state;
    static struct transact_run runs[3];
    const struct transaction_action first[] = {
        {WRITE_PUT, "S", ITEM("a", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "S", ITEM("b", "1"), NULL, NULL, NULL},
        END,
    };
    const struct transaction_action cancelled[] = {
        {WRITE_UPDATE, "S", KEY("a"), "SET n = :n", NULL, N("7")},
        {WRITE_PUT, "S", ITEM("c", "1"), NULL, NULL, NULL},
        {WRITE_CHECK, "S", KEY("none"), NULL, "attribute_exists(pk)", NULL},
        END,
    };
    const struct transaction_action last[] = {
        {WRITE_DELETE, "S", KEY("b"), NULL, NULL, NULL},
        {WRITE_CHECK, "S", KEY("a"), NULL, "n = :n", N("1")},
        END,
    };
    struct write_job *jobs[] = {&runs[0].job, &runs[1].job, &runs[2].job};
    assert_null(fixture_create_table(f, "S", VALUE_NONE));
    assert_null(fixture_set_stream(f, "S", STREAM_KEYS_ONLY));
    transact_prepare(f, NULL, "", first, &runs[0]);
    transact_prepare(f, NULL, "", cancelled, &runs[1]);
    transact_prepare(f, NULL, "", last, &runs[2]);
    fixture_write_group(f, 3, jobs);
    assert_string_equal(transact_outcome(f, &runs[0]), "done");
    assert_string_equal(transact_outcome(f, &runs[1]),
                        "cancelled: -; -; The conditional request failed");
    assert_string_equal(transact_outcome(f, &runs[2]), "done");
    struct stream_definition stream = stream_of(f, "S");
    assert_string_equal(stream_text(f, &stream), "INSERT keys " KEY("a") "\nINSERT keys " KEY(
                                                     "b") "\nREMOVE keys " KEY("b") "\n");
}

/* Numbers are times, and none is used twice though the clock stands still. */
static void numbers_are_times(void **state) {
    struct engine_fixture *f = *state;
    uint64_t numbers[8];
    assert_null(fixture_set_stream(f, "T", STREAM_KEYS_ONLY));
    struct stream_definition stream = stream_of(f, "T");
    assert_true(stream.created_ms == START);
    assert_true(slice_is(stream.label, "2023-11-14T22:13:20.000"));
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    assert_null(fixture_put(f, "T", ITEM("a", "2")));
    fixture_clock.now_ms = START + 5;
    assert_null(fixture_put(f, "T", ITEM("b", "1")));
    fixture_clock.now_ms = START - 100; /* goes back */
    assert_null(fixture_put(f, "T", ITEM("b", "2")));
    assert_int_equal(stream_numbers(f, &stream, numbers, 8), 4);
    assert_true(numbers[0] == sequence_at(START) + 1 && numbers[1] == sequence_at(START) + 2);
    assert_true(numbers[2] == sequence_at(START + 5) && numbers[3] == sequence_at(START + 5) + 1);
    assert_true(engine_last_number(f->engine) == numbers[3]);
}

/* ---- streams that come and go ---- */

static void off_and_on_makes_another(void **state) {
    struct engine_fixture *f = *state;
    static struct stream_definition streams[STREAMS_MAX];
    for (size_t i = 0; i < 3; i++) { /* the clock stands still */
        assert_null(fixture_set_stream(f, "T", STREAM_KEYS_ONLY));
        assert_null(fixture_put(f, "T", i % 2 == 0 ? ITEM("a", "1") : ITEM("a", "2")));
        if (i < 2)
            assert_null(fixture_set_stream(f, "T", STREAM_OFF));
    }
    assert_int_equal(streams_of(f, "T", streams), 3);
    assert_int_equal(streams_of(f, "U", streams), 0);
    assert_int_equal(streams_of(f, NULL, streams), 3);
    assert_true(slice_is(streams[0].label, "2023-11-14T22:13:20.000"));
    assert_true(slice_is(streams[1].label, "2023-11-14T22:13:20.001"));
    assert_true(slice_is(streams[2].label, "2023-11-14T22:13:20.002"));
    assert_true(streams[0].ended != 0 && streams[1].ended != 0 && streams[2].ended == 0);
    assert_string_equal(stream_text(f, &streams[0]), "INSERT keys " KEY("a") "\n");
    assert_string_equal(stream_text(f, &streams[1]), "MODIFY keys " KEY("a") "\n");
    assert_string_equal(stream_text(f, &streams[2]), "MODIFY keys " KEY("a") "\n");
    const struct table_definition *table = &fixture_table(f, "T")->definition;
    assert_true(slice_equal(table->stream_label, streams[2].label));
    assert_int_equal(table->stream_id, streams[2].id);
    assert_int_equal(table->stream_shards, 4);
}

/* A table's end is the stream's, and another of that name has one of its own. */
static void a_stream_outlives_its_table(void **state) {
    struct engine_fixture *f = *state;
    static struct stream_definition streams[STREAMS_MAX];
    assert_null(fixture_set_stream(f, "T", STREAM_NEW_IMAGE));
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    assert_null(fixture_drop_table(f, "T"));
    assert_null(fixture_create_table(f, "T", VALUE_NONE));
    assert_null(fixture_put(f, "T", ITEM("b", "1")));
    assert_null(fixture_set_stream(f, "T", STREAM_NEW_IMAGE));
    assert_null(fixture_put(f, "T", ITEM("c", "1")));
    assert_int_equal(streams_of(f, "T", streams), 2);
    assert_string_equal(stream_text(f, &streams[0]), "INSERT new " ITEM("a", "1") "\n");
    assert_string_equal(stream_text(f, &streams[1]), "INSERT new " ITEM("c", "1") "\n");
    assert_true(streams[0].ended > (int64_t)sequence_at(START));
    assert_int_equal(streams[1].ended, 0);
}

static void a_list_can_start_anywhere(void **state) {
    struct engine_fixture *f = *state;
    struct reader reader;
    struct stream_list list;
    struct stream_definition stream;
    static const char *const tables[] = {"A", "A.b", "Ab"};
    for (size_t i = 0; i < 3; i++) {
        assert_null(fixture_create_table(f, tables[i], VALUE_NONE));
        assert_null(fixture_set_stream(f, tables[i], STREAM_KEYS_ONLY));
    }
    const struct {
        struct stream_list_range range;
        const char *expected;
    } rows[] = {
        {{.table_name = SLICE_NONE}, "A A.b Ab "},
        {{.table_name = SLICE_LITERAL("A")}, "A "},
        {{.after_table_name = SLICE_LITERAL("A"), .after_label = SLICE_LITERAL("9")}, "A.b Ab "},
        {{.after_table_name = SLICE_LITERAL("A"), .after_label = SLICE_LITERAL("1")}, "A A.b Ab "},
        {{.after_table_name = SLICE_LITERAL("Aa"), .after_label = SLICE_LITERAL("1")}, "Ab "},
        {{.after_table_name = SLICE_LITERAL("B"), .after_label = SLICE_LITERAL("1")}, ""},
        {{SLICE_LITERAL("A"), SLICE_LITERAL("A"), SLICE_LITERAL("9")}, ""},
        {{SLICE_LITERAL("Ab"), SLICE_LITERAL("A"), SLICE_LITERAL("9")}, "Ab "},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct slice names = SLICE_LITERAL("");
        assert_null(reader_begin(f->engine, &f->arena, READ_ONCE, &reader));
        assert_null(stream_list_open(&reader, &rows[i].range, &list));
        for (;;) {
            assert_null(stream_list_next(&list, &stream));
            if (stream.id == 0)
                break;
            names = arena_printf(&f->arena, "%.*s%.*s ", SLICE_ARGS(names),
                                 SLICE_ARGS(stream.table_name));
        }
        stream_list_close(&list);
        reader_end(&reader);
        assert_true(slice_is(names, rows[i].expected));
    }
}

/* ---- time ---- */

static void old_records_go(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_set_stream(f, "T", STREAM_KEYS_ONLY));
    for (int i = 0; i < 10; i++)
        assert_null(fixture_update(f, "T", KEY("a"), "ADD n :n", NULL, N("1")));
    fixture_clock.now_ms += 5 * HOUR; /* in the next generation */
    assert_null(fixture_put(f, "T", ITEM("b", "1")));
    assert_left_after(f, 23 * HOUR - 1, 11, 1); /* the whole first one may still be read */
    assert_left_after(f, 1, 1, 1);
    assert_left_after(f, 4 * HOUR, 0, 1);
    assert_left_after(f, 1000 * 24 * HOUR, 0, 1); /* the stream stays */
    assert_null(fixture_put(f, "T", ITEM("b", "2")));
    assert_stream(f, "MODIFY keys " KEY("b") "\n");
}

static void ended_streams_go(void **state) {
    struct engine_fixture *f = *state;
    static struct stream_definition streams[STREAMS_MAX];
    assert_null(fixture_set_stream(f, "T", STREAM_KEYS_ONLY));
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    fixture_clock.now_ms += 10 * HOUR;
    assert_null(fixture_put(f, "T", ITEM("a", "2")));
    assert_null(fixture_drop_table(f, "T"));
    fixture_clock.now_ms += 24 * HOUR - 1;
    assert_int_equal(streams_of(f, "T", streams), 1);
    fixture_clock.now_ms++; /* not shown any more, whether it is deleted yet or not */
    assert_int_equal(streams_of(f, "T", streams), 0);
    assert_left_after(f, 0, 0, 0);
}

/* More than one step looks at, each in another state. */
static void many_streams_are_kept(void **state) {
    struct engine_fixture *f = *state;
    enum { TABLES = 50 };
    char names[TABLES][16];
    for (int i = 0; i < TABLES; i++) {
        snprintf(names[i], sizeof(names[i]), "M%02d", i);
        assert_null(fixture_create_table(f, names[i], VALUE_NONE));
        assert_null(fixture_set_stream(f, names[i], STREAM_KEYS_ONLY));
        assert_null(fixture_put(f, names[i], ITEM("a", "1")));
        if (i % 2 == 0)
            assert_null(fixture_drop_table(f, names[i]));
    }
    assert_left_after(f, 24 * HOUR - 100, TABLES, TABLES);
    assert_left_after(f, 200, TABLES / 2, TABLES / 2);
    assert_left_after(f, 4 * HOUR, 0, TABLES / 2);
}

/* When a generation is over it is closed for good, also if the clock goes back. */
static void generations_are_closed(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_set_stream(f, "T", STREAM_KEYS_ONLY));
    struct stream_definition stream = stream_of(f, "T");
    uint64_t numbers[4];
    fixture_clock.now_ms += 4 * HOUR - 1;
    for (int i = 0; i < 20; i++) /* chores have their turns */
        assert_null(fixture_delete(f, "T", KEY("none")));
    assert_int_equal(stream_extent_of(&stream, engine_last_number(f->engine), 0).count, 1);
    fixture_clock.now_ms += 1;
    for (int i = 0; i < 20; i++)
        assert_null(fixture_delete(f, "T", KEY("none")));
    assert_int_equal(stream_extent_of(&stream, engine_last_number(f->engine), 0).count, 2);
    fixture_clock.now_ms = START;
    assert_null(fixture_put(f, "T", ITEM("a", "1")));
    assert_int_equal(stream_numbers(f, &stream, numbers, 4), 1);
    assert_true(numbers[0] == sequence_at(START + 4 * HOUR));
}

/* ---- restarts ---- */

static struct store *open_rocksdb(struct arena *arena, const char *directory) {
    struct store *on;
    struct rocksdb_store_options options = {.directory = directory, .create = true};
    assert_null(rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, &on));
    return on;
}

static void a_stream_goes_on_after_a_restart(void **state) {
    (void)state;
    struct engine_fixture f;
    struct arena arena;
    uint64_t numbers[4];
    char directory[] = "/tmp/gramme-streams-XXXXXX";
    assert_non_null(mkdtemp(directory));
    arena_init(&arena);
    fixture_clock.now_ms = START;
    open_on(&f, open_rocksdb(&arena, directory));
    assert_null(fixture_create_table(&f, "T", VALUE_NONE));
    assert_null(fixture_set_stream(&f, "T", STREAM_NEW_IMAGE));
    assert_null(fixture_put(&f, "T", ITEM("a", "1")));
    fixture_close(&f);
    fixture_clock.now_ms = START - HOUR; /* another machine, whose clock is late */
    open_on(&f, open_rocksdb(&arena, directory));
    assert_null(fixture_put(&f, "T", ITEM("a", "2")));
    assert_stream(&f, "INSERT new " ITEM("a", "1") "\nMODIFY new " ITEM("a", "2") "\n");
    struct stream_definition stream = stream_of(&f, "T");
    assert_int_equal(stream_numbers(&f, &stream, numbers, 4), 2);
    assert_true(numbers[1] == numbers[0] + 1);
    /* What is old when it starts goes then. */
    fixture_close(&f);
    fixture_clock.now_ms = START + 48 * HOUR;
    open_on(&f, open_rocksdb(&arena, directory));
    assert_left_after(&f, 0, 0, 1);
    fixture_close(&f);
    arena_release(&arena);
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_view_shows_its_part),
        TEST(nothing_changes_nothing_is_recorded),
        TEST(expired_items_say_so),
        TEST(every_write_of_a_job_is_recorded),
        TEST(a_transaction_is_recorded_or_not),
        TEST(numbers_are_times),
        TEST(off_and_on_makes_another),
        TEST(a_stream_outlives_its_table),
        TEST(a_list_can_start_anywhere),
        TEST(old_records_go),
        TEST(ended_streams_go),
        TEST(many_streams_are_kept),
        TEST(generations_are_closed),
        cmocka_unit_test(a_stream_goes_on_after_a_restart),
    };
    return cmocka_run_group_tests_name("streams", tests, NULL, NULL);
}
