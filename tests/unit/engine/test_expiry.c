/* test_expiry.c - items that expire: the entries that find them, how those are built, and sweeping,
 * on the memory store with a clock that the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/expiry_fixture.h"
#include "support/index_fixture.h"
#include "support/transaction_fixture.h"

enum { YEAR = 365 * 86400 };

static struct store *store;
static struct movable_clock clock_of_test;

/* With tables of the kind with indexes: pk and sk, by-g, by-l. */
static void open_engine(struct engine_fixture *f) {
    store = fixture_store();
    struct engine_options options = expiry_options(store, &clock_of_test);
    assert_null(fixture_open_with(f, &options));
    assert_null(fixture_create_indexed(f, "T"));
}

static void check(struct engine_fixture *f) {
    const char *problem = expiry_difference_from_items(f, store, "T");
    if (problem == NULL)
        problem = index_difference_from_items(f, store, "T");
    if (problem != NULL)
        fail_msg("%s", problem);
}

static int64_t entries(struct engine_fixture *f) {
    check(f);
    return fixture_table(f, "T")->ttl_stats->item_count;
}

#define KEY(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}}"
#define ITEM(sk, ends) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"},\"ends\":" ends "}"
#define N(text) "{\"N\":\"" text "\"}"

static void put_at(struct engine_fixture *f, unsigned n, int64_t seconds) {
    struct slice json =
        arena_printf(&f->arena,
                     "{\"pk\":{\"S\":\"p%u\"},\"sk\":{\"S\":\"%u\"},\"g\":{\"S\":\"g\"},\"l\":{"
                     "\"N\":\"%u\"},\"ends\":{\"N\":\"%lld\"}}",
                     n % 7, n, n, (long long)seconds);
    assert_null(fixture_put(f, "T", (const char *)json.data));
}

static const char *get(struct engine_fixture *f, unsigned n) {
    const char *json;
    struct slice key =
        arena_printf(&f->arena, "{\"pk\":{\"S\":\"p%u\"},\"sk\":{\"S\":\"%u\"}}", n % 7, n);
    assert_null(fixture_get(f, "T", (const char *)key.data, &json));
    return json;
}

static bool is_there(struct engine_fixture *f, unsigned n) {
    return strcmp(get(f, n), "absent") != 0;
}

/* ---- entries ---- */

static void only_numbers_that_are_times_have_entries(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    static const struct {
        const char *value;
        int64_t entries;
    } cases[] = {
        {N("3000000000"), 1},
        {N("3000000000.75"), 1},
        {N("3E9"), 1},
        {N("0"), 1},
        {N("0.5"), 1},
        {N("9223372036854775807"), 1},
        {N("9223372036854775807.9"), 1},
        {N("9223372036854775808"), 0},
        {N("1E100"), 0},
        {N("-1"), 0},
        {N("-0.5"), 0},
        {"{\"S\":\"3000000000\"}", 0},
        {"{\"NS\":[\"3000000000\"]}", 0},
        {"{\"L\":[{\"N\":\"3000000000\"}]}", 0},
        {"{\"M\":{\"ends\":{\"N\":\"3000000000\"}}}", 0},
        {"{\"NULL\":true}", 0},
        {"{\"BOOL\":true}", 0},
        {"{\"B\":\"AAAA\"}", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct slice item = arena_printf(
            &f.arena, "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"a\"},\"ends\":%s}", cases[i].value);
        assert_null(fixture_put(&f, "T", (const char *)item.data));
        assert_int_equal(entries(&f), cases[i].entries);
    }
    assert_null(fixture_put(&f, "T",
                            "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"a\"},\"Ends\":{"
                            "\"N\":\"3000000000\"}}"));
    assert_int_equal(entries(&f), 0);
    fixture_close(&f);
}

static void every_kind_of_write_keeps_them(void **state) {
    (void)state;
    struct engine_fixture f;
    struct transact_run run;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    assert_null(fixture_put(&f, "T", ITEM("a", N("3000000000"))));
    assert_null(fixture_put(&f, "T", ITEM("a", N("3000000001"))));
    assert_null(fixture_put(&f, "T", ITEM("b", N("3000000001"))));
    assert_int_equal(entries(&f), 2);
    assert_null(fixture_update(&f, "T", KEY("a"), "SET x = :x", NULL, "{\":x\":{\"S\":\"x\"}}"));
    assert_null(fixture_update(&f, "T", KEY("a"), "ADD ends :n", NULL, "{\":n\":{\"N\":\"5\"}}"));
    assert_null(fixture_update(&f, "T", KEY("b"), "REMOVE ends", NULL, NULL));
    assert_null(fixture_update(&f, "T", KEY("c"), "SET ends = :n", NULL,
                               "{\":n\":{\"N\":\"3000000009\"}}"));
    assert_int_equal(entries(&f), 2);
    assert_non_null(
        fixture_update(&f, "T", KEY("a"), "REMOVE ends", "attribute_exists(nope)", NULL));
    assert_null(fixture_delete(&f, "T", KEY("c")));
    assert_int_equal(entries(&f), 1);
    assert_string_equal(transact(&f, NULL, "1",
                                 (const struct transaction_action[]){
                                     {WRITE_PUT, "T", ITEM("d", N("3000000000")), NULL, NULL, NULL},
                                     {WRITE_UPDATE, "T", KEY("b"), "SET ends = :n", NULL,
                                      "{\":n\":{\"N\":\"3000000002\"}}"},
                                     {WRITE_DELETE, "T", KEY("a"), NULL, NULL, NULL},
                                     {.table = NULL}},
                                 &run),
                        "done");
    assert_int_equal(entries(&f), 2);
    assert_string_equal(
        transact(&f, NULL, "2",
                 (const struct transaction_action[]){
                     {WRITE_PUT, "T", ITEM("d", N("3000000099")), NULL, NULL, NULL},
                     {WRITE_CHECK, "T", KEY("a"), NULL, "attribute_exists(pk)", NULL},
                     {.table = NULL}},
                 &run),
        "cancelled: -; The conditional request failed");
    assert_int_equal(entries(&f), 2);
    fixture_close(&f);
}

/* In one group the later write counts. */
static void a_batch_may_write_an_item_twice(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    static const char *const items[] = {ITEM("a", N("3000000000")), ITEM("a", N("3000000001")),
                                        ITEM("b", N("3000000001")), ITEM("b", "{\"S\":\"\"}")};
    struct item_write writes[4];
    for (size_t i = 0; i < 4; i++) {
        writes[i] = (struct item_write){
            .table = fixture_table(&f, "T"), .kind = WRITE_PUT, .item = fixture_item(&f, items[i])};
        item_write_prepare(f.engine, &f.arena, &writes[i]);
    }
    struct write_job job = {.writes = writes, .count = 4, .batch = true};
    assert_null(fixture_write_job(&f, &job));
    assert_int_equal(entries(&f), 1);
    fixture_close(&f);
}

/* ---- building ---- */

static uint64_t random_state = 2026;

static uint32_t next_below(uint32_t bound) {
    random_state = random_state * 6364136223846793005U + 1442695040888963407U;
    return (uint32_t)(random_state >> 33) % bound;
}

static void write_randomly(struct engine_fixture *f, size_t count) {
    for (size_t i = 0; i < count; i++) {
        unsigned n = next_below(1500);
        struct slice key =
            arena_printf(&f->arena, "{\"pk\":{\"S\":\"p%u\"},\"sk\":{\"S\":\"%u\"}}", n % 7, n);
        if (next_below(4) == 0)
            assert_null(fixture_delete(f, "T", (const char *)key.data));
        else
            put_at(f, n, next_below(4) == 0 ? -1 : EXPIRY_NOW + 1000 + next_below(50));
    }
}

static void entries_are_built_while_items_change(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    write_randomly(&f, 2500);
    for (int round = 0; round < 5; round++) {
        assert_null(expiry_set(&f, "T", "ends"));
        assert_true(fixture_table(&f, "T")->definition.ttl_id > 0);
        write_randomly(&f, 200);
        expiry_wait_built(&f, "T");
        check(&f);
        write_randomly(&f, 50);
        assert_true(entries(&f) > 300);
        assert_null(expiry_set(&f, "T", NULL));
        check(&f); /* nothing is left */
    }
    fixture_close(&f);
}

static void it_may_be_switched_off_before_they_are_built(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    write_randomly(&f, 2500);
    for (int round = 0; round < 10; round++) {
        assert_null(expiry_set(&f, "T", "ends"));
        assert_null(expiry_set(&f, "T", NULL));
        check(&f);
    }
    assert_null(expiry_set(&f, "T", "ends"));
    assert_null(fixture_drop_table(&f, "T"));
    assert_null(fixture_create_indexed(&f, "T"));
    check(&f);
    fixture_close(&f);
}

/* ---- sweeping ---- */

static void items_go_at_their_second(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    put_at(&f, 1, EXPIRY_NOW - 1);
    expiry_wait_items(&f, "T", 0); /* a write brings it to the sweeper's attention */
    put_at(&f, 2, EXPIRY_NOW);
    put_at(&f, 3, EXPIRY_NOW + 1);
    put_at(&f, 4, EXPIRY_NOW + 2);
    expiry_advance(&f, &clock_of_test, 1);
    expiry_wait_items(&f, "T", 2);
    assert_false(is_there(&f, 2));
    expiry_advance(&f, &clock_of_test, 999); /* 3 expires when this second is over */
    expiry_advance(&f, &clock_of_test, 1000);
    expiry_wait_items(&f, "T", 1);
    assert_true(is_there(&f, 4));
    assert_int_equal(entries(&f), 1);
    fixture_close(&f);
}

static void what_expired_five_years_ago_stays(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    put_at(&f, 1, 0);
    put_at(&f, 2, EXPIRY_NOW - INT64_C(6) * YEAR);
    put_at(&f, 3, EXPIRY_NOW - INT64_C(5) * YEAR + 86400);
    put_at(&f, 4, EXPIRY_NOW - 1);
    expiry_wait_items(&f, "T", 2);
    assert_true(is_there(&f, 1) && is_there(&f, 2));
    assert_int_equal(entries(&f), 2);
    fixture_close(&f);
}

static void an_expiry_may_be_moved(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    for (unsigned n = 0; n < 4; n++)
        put_at(&f, n, EXPIRY_NOW + 10);
    put_at(&f, 1, EXPIRY_NOW + 20);
    put_at(&f, 2, -1);
    expiry_advance(&f, &clock_of_test, 11000);
    expiry_wait_items(&f, "T", 2);
    assert_true(is_there(&f, 1) && is_there(&f, 2));
    put_at(&f, 2, EXPIRY_NOW + 5); /* it is in the past already */
    expiry_wait_items(&f, "T", 1);
    assert_int_equal(entries(&f), 1);
    fixture_close(&f);
}

/* More than one step, in any order of keys, with others that stay. */
static void many_items_expire_at_once(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    for (unsigned n = 0; n < 1200; n++)
        put_at(&f, n, EXPIRY_NOW + (n % 3 == 0 ? 1000 : 5));
    assert_int_equal(entries(&f), 1200);
    expiry_advance(&f, &clock_of_test, 6000);
    for (unsigned n = 3000; n < 3100; n++) /* meanwhile others come, some of them expired */
        put_at(&f, n, n % 2 == 0 ? EXPIRY_NOW + 1 : EXPIRY_NOW + 2000);
    expiry_wait_items(&f, "T", 450);
    assert_int_equal(entries(&f), 450);
    expiry_advance(&f, &clock_of_test, 1000000);
    expiry_wait_items(&f, "T", 50);
    assert_int_equal(entries(&f), 50);
    fixture_close(&f);
}

static void expired_items_are_found_when_it_is_switched_on(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    for (unsigned n = 0; n < 700; n++)
        put_at(&f, n, EXPIRY_NOW + (n % 2 == 0 ? -10 : 10));
    assert_null(expiry_set(&f, "T", "ends"));
    expiry_wait_items(&f, "T", 350);
    assert_int_equal(entries(&f), 350);
    fixture_close(&f);
}

static void each_table_has_its_turn(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(fixture_create_table(&f, "U", VALUE_NONE));
    assert_null(fixture_create_table(&f, "V", VALUE_NONE));
    assert_null(expiry_set(&f, "T", "ends"));
    assert_null(expiry_set(&f, "V", "ends"));
    for (unsigned n = 0; n < 600; n++)
        put_at(&f, n, EXPIRY_NOW + 5);
    for (unsigned n = 0; n < 50; n++) {
        struct slice json =
            arena_printf(&f.arena, "{\"pk\":{\"S\":\"%u\"},\"ends\":{\"N\":\"%lld\"}}", n,
                         (long long)(n < 20 ? EXPIRY_NOW + 5 : EXPIRY_NOW + 50));
        assert_null(fixture_put(&f, "U", (const char *)json.data));
        assert_null(fixture_put(&f, "V", (const char *)json.data));
    }
    expiry_advance(&f, &clock_of_test, 6000);
    expiry_wait_items(&f, "V", 30);
    expiry_wait_items(&f, "T", 0);
    assert_int_equal(fixture_table(&f, "U")->stats->item_count, 50); /* without TTL */
    fixture_close(&f);
}

/* Puts an entry of no item, on the commit thread: nobody else may write to the store. */
static struct error *put_stray_entry(struct catalog_job *job, const struct table *current,
                                     size_t table_count, struct catalog_change *ret_change) {
    (void)table_count, (void)ret_change;
    uint8_t key[28] = {0};
    store_u32_be(key, current->definition.ttl_id);
    store_u64_be(key + 4, EXPIRY_NOW + 5);
    struct store_txn *txn;
    enum store_outcome outcome;
    TRY(store_begin(store, job->arena, STORE_WRITE, &txn));
    store_put(txn, &(struct store_key){KEYSPACE_INDEXES, slice_of(key, sizeof(key))},
              SLICE_LITERAL(""));
    struct error *error = store_commit(txn, STORE_DURABLE, &outcome);
    store_end(txn);
    return error;
}

/* It cannot be, but if it is, it must not keep the sweeper busy. */
static void an_entry_without_its_item_goes(void **state) {
    (void)state;
    struct engine_fixture f;
    open_engine(&f);
    assert_null(expiry_set(&f, "T", "ends"));
    put_at(&f, 1, EXPIRY_NOW + 10);
    assert_null(fixture_run_catalog(&f, "T", put_stray_entry, NULL));
    assert_non_null(expiry_difference_from_items(&f, store, "T"));
    put_at(&f, 2, EXPIRY_NOW + 4); /* so that the sweeper comes by */
    expiry_advance(&f, &clock_of_test, 11000);
    expiry_wait_items(&f, "T", 0);
    put_at(&f, 3, EXPIRY_NOW + 1000); /* after the step that saw it, which goes on for a moment */
    check(&f);
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_numbers_that_are_times_have_entries),
        cmocka_unit_test(every_kind_of_write_keeps_them),
        cmocka_unit_test(a_batch_may_write_an_item_twice),
        cmocka_unit_test(entries_are_built_while_items_change),
        cmocka_unit_test(it_may_be_switched_off_before_they_are_built),
        cmocka_unit_test(items_go_at_their_second),
        cmocka_unit_test(what_expired_five_years_ago_stays),
        cmocka_unit_test(an_expiry_may_be_moved),
        cmocka_unit_test(many_items_expire_at_once),
        cmocka_unit_test(expired_items_are_found_when_it_is_switched_on),
        cmocka_unit_test(each_table_has_its_turn),
        cmocka_unit_test(an_entry_without_its_item_goes),
    };
    return cmocka_run_group_tests_name("engine_expiry", tests, NULL, NULL);
}
