/* test_transactions.c - transactions in the engine: all or nothing with everything that hangs on
 * the items, the reasons, and several in one group. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/limits.h"
#include "transaction_scene.h"

/* ---- all or nothing ---- */

static void all_of_it_happens(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_put(f, "T", COUNTED("old", "1")));
    assert_null(fixture_put(f, "T", KEY("gone")));
    const struct transaction_action actions[] = {
        PUT("new"),
        ADD_ONE("old"),
        {WRITE_DELETE, "T", KEY("gone"), NULL, "attribute_exists(pk)", NULL},
        {WRITE_CHECK, "T", KEY("none"), NULL, "attribute_not_exists(pk)", NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", actions, &run), "done");
    assert_string_equal(get(f, "T", KEY("new")), KEY("new"));
    assert_string_equal(get(f, "T", KEY("old")), COUNTED("old", "2"));
    assert_string_equal(get(f, "T", KEY("gone")), "absent");
    assert_string_equal(get(f, "T", KEY("none")), "absent");
    assert_stats(fixture_table(f, "T")->stats, 2, 5 + 8);
    assert_int_equal(run.writes[0].old_size, 0);
    assert_int_equal(run.writes[0].new_size, 5);
    assert_int_equal(run.writes[2].old_size, 6);
    assert_int_equal(run.writes[2].new_size, 0);
}

static void none_of_it_happens(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_put(f, "T", COUNTED("old", "1")));
    assert_null(fixture_put(f, "T", KEY("stays")));
    const struct transaction_action actions[] = {
        PUT("new"),
        ADD_ONE("old"),
        {WRITE_DELETE, "T", KEY("stays"), NULL, NULL, NULL},
        {WRITE_CHECK, "T", KEY("none"), NULL, "attribute_exists(pk)", NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", actions, &run),
                        "cancelled: -; -; -; The conditional request failed");
    assert_string_equal(get(f, "T", KEY("new")), "absent");
    assert_string_equal(get(f, "T", KEY("old")), COUNTED("old", "1"));
    assert_string_equal(get(f, "T", KEY("stays")), KEY("stays"));
    assert_stats(fixture_table(f, "T")->stats, 2, 8 + 7);
}

static void every_reason_is_told(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_put(f, "T", KEY("a")));
    const struct transaction_action actions[] = {
        {WRITE_PUT, "T", KEY("a"), NULL, "attribute_not_exists(pk)", NULL},
        PUT("b"),
        {WRITE_UPDATE, "T", KEY("c"), "SET a = b + :n", NULL, "{\":n\":{\"N\":\"1\"}}"},
        {WRITE_DELETE, "T", KEY("d"), NULL, "attribute_exists(pk)", NULL},
        END,
    };
    assert_string_equal(
        transact(f, NULL, "", actions, &run),
        "cancelled: The conditional request failed; -; The provided expression refers to an "
        "attribute that does not exist in the item; The conditional request failed");
    assert_int_equal(run.writes[0].error->code, ERROR_CONDITIONAL_CHECK_FAILED);
    assert_int_equal(run.writes[2].error->code, ERROR_VALIDATION);
    assert_stats(fixture_table(f, "T")->stats, 1, 3);
}

/* A write that was refused before is a reason like the others, and nothing is read for it. */
static void refused_writes_cancel(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {PUT("a"), PUT("b"), END};
    transact_prepare(f, NULL, "", actions, &run);
    run.writes[1] = (struct item_write){.table = run.writes[1].table, .kind = WRITE_DELETE};
    run.writes[1].refused = error_validation(&f->arena, "no such key");
    assert_null(fixture_write_job(f, &run.job));
    assert_string_equal(transact_outcome(f, &run), "cancelled: -; no such key");
    run.writes[0].refused = run.writes[1].refused;
    assert_null(fixture_write_job(f, &run.job));
    assert_string_equal(transact_outcome(f, &run), "cancelled: no such key; no such key");
    assert_string_equal(get(f, "T", KEY("a")), "absent");
}

static void a_dropped_table_cancels(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {PUT("a"), PUT("b"), END};
    assert_null(fixture_create_table(f, "U", VALUE_NONE));
    transact_prepare(f, "t", "r", actions, &run);
    run.writes[1].table = table_ref(fixture_table(f, "U"));
    item_write_prepare(f->engine, &f->arena, &run.writes[1]);
    assert_null(fixture_drop_table(f, "U"));
    assert_null(fixture_write_job(f, &run.job));
    assert_string_equal(transact_outcome(f, &run), "cancelled: -; Requested resource not found");
    assert_string_equal(get(f, "T", KEY("a")), "absent");
    table_unref(run.writes[1].table);
}

/* ---- what hangs on the items ---- */

#define PAIR(sk) "{\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk "\"}}"

/* Items of 11 bytes, entries of 11 and 9. */
static void assert_indexed(struct engine_fixture *f, int64_t items, size_t entries) {
    struct table *table = fixture_table(f, "I");
    assert_stats(table->stats, items, items * 11);
    assert_stats(table->index_stats[0], items, items * 11);
    assert_stats(table->index_stats[1], items, items * 9);
    assert_int_equal(count_records(KEYSPACE_INDEXES, -1), entries);
}

static void indexes_follow(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action both[] = {
        {WRITE_PUT, "I", INDEXED("a", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("b", "y", "2"), NULL, NULL, NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", both, &run), "done");
    assert_int_equal(run.writes[0].index_write_count, 2);
    assert_int_equal(run.writes[1].collection_bytes, 2 * 20);
    assert_indexed(f, 2, 4 + 1); /* two entries each, and their item collection */
    const struct transaction_action half[] = {
        {WRITE_UPDATE, "I", PAIR("a"), "SET g = :g", NULL, "{\":g\":{\"S\":\"z\"}}"},
        {WRITE_DELETE, "I", PAIR("b"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("c", "y", "2"), NULL, "attribute_exists(pk)", NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", half, &run),
                        "cancelled: -; -; The conditional request failed");
    assert_indexed(f, 2, 4 + 1);
    assert_string_equal(get(f, "I", PAIR("a")), INDEXED("a", "x", "1"));
    const struct transaction_action gone[] = {
        {WRITE_DELETE, "I", PAIR("a"), NULL, NULL, NULL},
        {WRITE_DELETE, "I", PAIR("b"), NULL, NULL, NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", gone, &run), "done");
    assert_indexed(f, 0, 0);
}

/* The limit is 160 bytes here; each item takes 20. The actions before the one that is too much have
 * moved the collection's size already, and it goes back. */
static void collections_go_back(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action seven[] = {
        {WRITE_PUT, "I", INDEXED("1", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("2", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("3", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("4", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("5", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("6", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("7", "x", "1"), NULL, NULL, NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", seven, &run), "done");
    assert_int_equal(run.writes[6].collection_bytes, 140);
    const struct transaction_action two[] = {
        {WRITE_PUT, "I", INDEXED("8", "x", "1"), NULL, NULL, NULL},
        {WRITE_PUT, "I", INDEXED("9", "x", "1"), NULL, NULL, NULL},
        END,
    };
    assert_string_equal(transact(f, NULL, "", two, &run),
                        "cancelled: -; Collection size exceeded.");
    assert_int_equal(run.writes[1].error->code, ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED);
    assert_indexed(f, 7, 14 + 1);
    const struct transaction_action one[] = {
        {WRITE_PUT, "I", INDEXED("8", "x", "1"), NULL, NULL, NULL}, END};
    assert_string_equal(transact(f, NULL, "", one, &run), "done");
    assert_int_equal(run.writes[0].collection_bytes, 160);
}

static void items_may_be_four_megabytes_together(void **state) {
    struct engine_fixture *f = *state;
    enum { SIZE = 400 * 1024 };
    static char items[11][SIZE + 64];
    struct transaction_action actions[12] = {{.table = NULL}};
    for (int i = 0; i < 11; i++) {
        /* "pk" and one letter, "d" and the rest */
        int len =
            snprintf(items[i], sizeof(items[i]), "{\"pk\":{\"S\":\"%c\"},\"d\":{\"S\":\"", 'a' + i);
        size_t bytes = i == 10 ? 4 * 1024 * 1024 - 10 * SIZE - 4 : SIZE - 4;
        memset(items[i] + len, 'x', bytes);
        snprintf(items[i] + len + bytes, 8, "\"}}");
        actions[i] = (struct transaction_action){WRITE_PUT, "T", items[i], NULL, NULL, NULL};
    }
    assert_string_equal(transact(f, "t", "r", actions, &run), "done");
    assert_stats(fixture_table(f, "T")->stats, 11, 4 * 1024 * 1024);
    /* One byte more, in an update: the whole is refused, whatever its conditions say. */
    actions[10] = (struct transaction_action){WRITE_UPDATE, "T",  KEY("k"),
                                              "SET e = :e", NULL, "{\":e\":{\"S\":\"\"}}"};
    assert_string_equal(transact(f, "u", "r", actions, &run),
                        "Transaction payload size cannot exceed 4MB. Payload Size: 4194305");
    assert_int_equal(run.job.error->code, ERROR_VALIDATION);
    assert_stats(fixture_table(f, "T")->stats, 11, 4 * 1024 * 1024);
    /* What is deleted or only looked at does not count. */
    actions[10] =
        (struct transaction_action){WRITE_CHECK, "T", KEY("k"), NULL, "attribute_exists(d)", NULL};
    actions[0] = (struct transaction_action){WRITE_DELETE, "T", KEY("a"), NULL, NULL, NULL};
    assert_string_equal(transact(f, "u", "r", actions, &run), "done");
}

/* ---- several jobs in one group ---- */

/* The same jobs as transact() has them, of which the first `plain` are no transactions. */
static void transact_group(struct engine_fixture *f, size_t plain, size_t count,
                           struct transact_run *runs) {
    struct write_job *jobs[4];
    for (size_t i = 0; i < count; i++) {
        jobs[i] = &runs[i].job;
        if (i < plain)
            runs[i].job.transaction = NULL;
    }
    fixture_write_group(f, count, jobs);
}

/* What goes back is what the group had made of the items before, not what the store holds. */
static void a_cancelled_one_leaves_its_group(void **state) {
    struct engine_fixture *f = *state;
    static struct transact_run runs[4];
    const struct transaction_action put[] = {
        {WRITE_PUT, "I", INDEXED("a", "x", "1"), NULL, NULL, NULL}, END};
    const struct transaction_action cancelled[] = {
        {WRITE_UPDATE, "I", PAIR("a"), "SET l = :n", NULL, "{\":n\":{\"N\":\"7777\"}}"},
        {WRITE_PUT, "I", INDEXED("b", "x", "1"), NULL, NULL, NULL},
        {WRITE_CHECK, "I", PAIR("none"), NULL, "attribute_exists(pk)", NULL},
        END,
    };
    const struct transaction_action done[] = {
        {WRITE_UPDATE, "I", PAIR("a"), "ADD l :n", NULL, "{\":n\":{\"N\":\"1\"}}"}, END};
    transact_prepare(f, NULL, "", put, &runs[0]);
    transact_prepare(f, NULL, "", cancelled, &runs[1]);
    transact_prepare(f, NULL, "", done, &runs[2]);
    transact_prepare(f, NULL, "", cancelled, &runs[3]);
    transact_group(f, 1, 4, runs);
    const char *reasons = "cancelled: -; -; The conditional request failed";
    assert_string_equal(transact_outcome(f, &runs[1]), reasons);
    assert_string_equal(transact_outcome(f, &runs[2]), "done");
    assert_string_equal(transact_outcome(f, &runs[3]), reasons);
    assert_string_equal(get(f, "I", PAIR("a")), INDEXED("a", "x", "2"));
    assert_indexed(f, 1, 2 + 1);
    assert_int_equal(runs[2].writes[0].collection_bytes, 20);
}

static void a_token_counts_within_its_group(void **state) {
    struct engine_fixture *f = *state;
    static struct transact_run runs[4];
    const struct transaction_action fails[] = {
        {WRITE_UPDATE, "T", KEY("a"), "ADD n :n", "attribute_exists(pk)", "{\":n\":{\"N\":\"1\"}}"},
        END,
    };
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    transact_prepare(f, "token", "request", fails, &runs[0]);
    transact_prepare(f, "token", "request", actions, &runs[1]);
    transact_prepare(f, "token", "request", actions, &runs[2]);
    transact_prepare(f, "token", "other", actions, &runs[3]);
    transact_group(f, 0, 4, runs);
    assert_string_equal(transact_outcome(f, &runs[0]), "cancelled: The conditional request failed");
    assert_string_equal(transact_outcome(f, &runs[1]), "done");
    assert_string_equal(transact_outcome(f, &runs[2]), "replayed");
    assert_string_equal(transact_outcome(f, &runs[3]),
                        "The provided client request token was used with other parameters");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "1"));
}

/* Where they are to: what touches an item of a transaction that ran before it in its group. */
static void transactions_may_conflict(void **state) {
    (void)state;
    struct engine_fixture f;
    static struct transact_run runs[4];
    struct engine_options options = fixture_options(fixture_store());
    options.transaction_conflicts = true;
    assert_null(fixture_open_with(&f, &options));
    assert_null(fixture_create_table(&f, "T", VALUE_NONE));
    const struct transaction_action first[] = {ADD_ONE("a"), ADD_ONE("b"), END};
    const struct transaction_action second[] = {PUT("c"), ADD_ONE("b"), END};
    const struct transaction_action third[] = {ADD_ONE("c"), END};
    const struct transaction_action single[] = {ADD_ONE("a"), END};
    transact_prepare(&f, NULL, "", first, &runs[0]);
    transact_prepare(&f, NULL, "", second, &runs[1]);
    transact_prepare(&f, NULL, "", third, &runs[2]);
    transact_prepare(&f, NULL, "", single, &runs[3]);
    runs[3].job.transaction = NULL;
    transact_group(&f, 0, 4, runs);
    assert_string_equal(transact_outcome(&f, &runs[0]), "done");
    assert_string_equal(transact_outcome(&f, &runs[1]),
                        "cancelled: -; Transaction is ongoing for the item");
    assert_int_equal(runs[1].writes[1].error->code, ERROR_TRANSACTION_CONFLICT);
    assert_string_equal(transact_outcome(&f, &runs[2]), "done"); /* the second left nothing */
    assert_int_equal(runs[3].writes[0].error->code, ERROR_TRANSACTION_CONFLICT);
    assert_string_equal(get(&f, "T", KEY("a")), COUNTED("a", "1"));
    assert_string_equal(get(&f, "T", KEY("b")), COUNTED("b", "1"));
    assert_string_equal(get(&f, "T", KEY("c")), COUNTED("c", "1"));
    /* In a group of their own they do not. */
    assert_string_equal(transact(&f, NULL, "", second, &runs[1]), "done");
    assert_null(fixture_write(&f, &runs[3].writes[0]));
    fixture_close(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_of_it_happens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_of_it_happens, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_reason_is_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refused_writes_cancel, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_dropped_table_cancels, set_up, tear_down),
        cmocka_unit_test_setup_teardown(indexes_follow, set_up, tear_down),
        cmocka_unit_test_setup_teardown(collections_go_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(items_may_be_four_megabytes_together, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_cancelled_one_leaves_its_group, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_token_counts_within_its_group, set_up, tear_down),
        cmocka_unit_test(transactions_may_conflict),
    };
    return cmocka_run_group_tests_name("transactions", tests, NULL, NULL);
}
