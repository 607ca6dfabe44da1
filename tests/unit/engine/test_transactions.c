/* test_transactions.c - transactions in the engine: all or nothing with everything that hangs on
 * the items, the reasons, and the tokens, with a clock that the test moves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "model/limits.h"
#include "store/rocksdb/rocksdb.h"
#include "support/transaction_fixture.h"

/* ---- the scene ---- */

static struct store *store; /* of the fixture; the engine owns it */
static struct transact_run run;

static void open_on(struct engine_fixture *f, struct store *on, uint64_t collection_bytes_max) {
    struct engine_options options = fixture_options(on);
    options.clock = &fixture_clock.clock;
    options.collection_bytes_max = collection_bytes_max;
    assert_null(fixture_open_with(f, &options));
}

static int set_up(void **state) {
    struct engine_fixture *f = calloc(1, sizeof(*f));
    fixture_clock.now_ms = 1700000000000;
    store = fixture_store();
    open_on(f, store, 160);
    assert_null(fixture_create_table(f, "T", VALUE_NONE));
    assert_null(fixture_create_indexed(f, "I"));
    *state = f;
    return 0;
}

static int tear_down(void **state) {
    fixture_close(*state);
    free(*state);
    return 0;
}

#define KEY(name) "{\"pk\":{\"S\":\"" name "\"}}"
#define COUNTED(name, n) "{\"n\":{\"N\":\"" n "\"},\"pk\":{\"S\":\"" name "\"}}"
#define PUT(name) \
    { .kind = WRITE_PUT, .table = "T", .attributes = KEY(name) }
#define ADD_ONE(name)                                                                      \
    {                                                                                      \
        .kind = WRITE_UPDATE, .table = "T", .attributes = KEY(name), .update = "ADD n :n", \
        .values = "{\":n\":{\"N\":\"1\"}}"                                                 \
    }
#define END \
    { .table = NULL }

static const char *get(struct engine_fixture *f, const char *table, const char *key) {
    const char *json;
    assert_null(fixture_get(f, table, key, &json));
    return json;
}

static void assert_stats(const struct table_stats *stats, int64_t items, int64_t bytes) {
    assert_int_equal(stats->item_count, items);
    assert_int_equal(stats->size_bytes, bytes);
}

/* How many records of a keyspace begin with the byte; -1: any. */
static size_t count_records(enum engine_keyspace keyspace, int first) {
    struct arena arena;
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {.keyspace = (uint8_t)keyspace};
    size_t count = 0;
    arena_init(&arena);
    assert_null(store_begin(store, &arena, STORE_READ, &txn));
    assert_null(store_scan_open(txn, &all, false, &scan));
    for (bool found = true; found;) {
        struct slice key, value;
        assert_null(store_scan_next(scan, &found, &key, &value));
        count += found && (first < 0 || key.data[0] == first);
    }
    store_scan_close(scan);
    store_end(txn);
    arena_release(&arena);
    return count;
}

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

#define INDEXED(sk, g, l)                                                                       \
    "{\"g\":{\"S\":\"" g "\"},\"l\":{\"N\":\"" l "\"},\"pk\":{\"S\":\"p\"},\"sk\":{\"S\":\"" sk \
    "\"}}"
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
    assert_int_equal(run.writes[0].index_cost_count, 2);
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
    assert_string_equal(transact(f, "u", "r", actions, &run), TRANSACTION_TOO_LARGE);
    assert_int_equal(run.job.error->code, ERROR_VALIDATION);
    assert_stats(fixture_table(f, "T")->stats, 11, 4 * 1024 * 1024);
    /* What is deleted or only looked at does not count. */
    actions[10] =
        (struct transaction_action){WRITE_CHECK, "T", KEY("k"), NULL, "attribute_exists(d)", NULL};
    actions[0] = (struct transaction_action){WRITE_DELETE, "T", KEY("a"), NULL, NULL, NULL};
    assert_string_equal(transact(f, "u", "r", actions, &run), "done");
}

/* ---- tokens ---- */

static void a_token_is_used_once(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), PUT("b"), END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "1"));
    assert_string_equal(transact(f, "another", "request", actions, &run), "done");
    assert_string_equal(transact(f, NULL, "request", actions, &run), "done");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "3"));
}

/* The larger of the sizes before and after, though the item has changed since. */
static void a_replay_tells_the_sizes(void **state) {
    struct engine_fixture *f = *state;
    assert_null(fixture_put(f, "T", "{\"pk\":{\"S\":\"a\"},\"d\":{\"S\":\"0123456789\"}}"));
    assert_null(fixture_put(f, "T", KEY("check")));
    const struct transaction_action actions[] = {
        {WRITE_DELETE, "T", KEY("a"), NULL, NULL, NULL},
        PUT("bb"),
        {WRITE_CHECK, "T", KEY("check"), NULL, "attribute_exists(pk)", NULL},
        {WRITE_PUT, "I", INDEXED("a", "x", "1"), NULL, NULL, NULL},
        END,
    };
    assert_string_equal(transact(f, "t", "r", actions, &run), "done");
    assert_null(fixture_put(f, "T", "{\"pk\":{\"S\":\"bb\"},\"d\":{\"S\":\"0123456789\"}}"));
    assert_string_equal(transact(f, "t", "r", actions, &run), "replayed");
    assert_int_equal(run.writes[0].new_size, 14);
    assert_int_equal(run.writes[0].old_size, 0);
    assert_int_equal(run.writes[1].new_size, 4);
    assert_int_equal(run.writes[2].new_size, 7);
    assert_int_equal(run.writes[3].new_size, 11);
    assert_int_equal(run.writes[3].index_cost_count, 0);
}

static void a_token_is_of_one_request(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    const struct transaction_action none[] = {END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_string_equal(transact(f, "token", "other", actions, &run),
                        "The provided client request token was used with other parameters");
    assert_int_equal(run.job.error->code, ERROR_IDEMPOTENT_PARAMETER_MISMATCH);
    assert_string_equal(transact(f, "token", "none", none, &run),
                        "The provided client request token was used with other parameters");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "1"));
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
}

static void a_cancelled_transaction_leaves_its_token(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {
        {WRITE_PUT, "T", COUNTED("a", "1"), NULL, "attribute_exists(pk)", NULL}, END};
    assert_string_equal(transact(f, "token", "request", actions, &run),
                        "cancelled: The conditional request failed");
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 0);
    assert_null(fixture_put(f, "T", KEY("a")));
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
}

static void a_token_lives_ten_minutes(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 1;
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
    fixture_clock.now_ms += 1;
    assert_string_equal(transact(f, "token", "other", actions, &run), "done");
    assert_string_equal(get(f, "T", KEY("a")), COUNTED("a", "2"));
    /* A life of its own, from its second use on. */
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 1;
    assert_string_equal(transact(f, "token", "other", actions, &run), "replayed");
}

/* A job after which nothing else is left to do for the engine: the trimming of the job before it is
 * done when this one is. */
static void settle(struct engine_fixture *f) {
    assert_null(fixture_delete(f, "T", KEY("nothing")));
    assert_null(fixture_delete(f, "T", KEY("nothing")));
}

static void ended_tokens_are_forgotten(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    assert_string_equal(transact(f, "early", "request", actions, &run), "done");
    fixture_clock.now_ms += 1000;
    assert_string_equal(transact(f, "late", "request", actions, &run), "done");
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 2);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 2);
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 999;
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 1);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 1);
    fixture_clock.now_ms += 998;
    assert_string_equal(transact(f, "late", "request", actions, &run), "replayed");
    fixture_clock.now_ms += 2;
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 0);
}

/* Used again after its end and before it was forgotten: the new record stays. */
static void a_token_that_is_used_again_is_kept(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS;
    assert_string_equal(transact(f, "token", "request", actions, &run), "done");
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 2);
    fixture_clock.now_ms += 1;
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 1);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 1);
    assert_string_equal(transact(f, "token", "request", actions, &run), "replayed");
}

/* More than one step of trimming. */
static void many_tokens_are_forgotten(void **state) {
    struct engine_fixture *f = *state;
    const struct transaction_action actions[] = {PUT("a"), END};
    for (int i = 0; i < 600; i++) {
        char token[16];
        snprintf(token, sizeof(token), "%d", i);
        assert_string_equal(transact(f, token, "request", actions, &run), "done");
    }
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 600);
    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS + 1;
    settle(f);
    settle(f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'X'), 0);
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

/* ---- on disk ---- */

static struct store *open_rocksdb(const char *directory) {
    struct arena arena;
    struct rocksdb_store_options options = {.directory = directory, .create = true};
    arena_init(&arena);
    assert_null(rocksdb_store_open(&arena, &options, engine_keyspaces, KEYSPACE_COUNT, &store));
    arena_release(&arena);
    return store;
}

static void tokens_survive_a_restart(void **state) {
    (void)state;
    struct engine_fixture f;
    const struct transaction_action actions[] = {ADD_ONE("a"), END};
    char directory[] = "/tmp/gramme-transactions-XXXXXX";
    assert_non_null(mkdtemp(directory));
    fixture_clock.now_ms = 1700000000000;
    open_on(&f, open_rocksdb(directory), 0);
    assert_null(fixture_create_table(&f, "T", VALUE_NONE));
    assert_string_equal(transact(&f, "token", "request", actions, &run), "done");
    fixture_close(&f);

    fixture_clock.now_ms += LIMIT_REQUEST_TOKEN_MS - 1;
    open_on(&f, open_rocksdb(directory), 0);
    assert_string_equal(transact(&f, "token", "request", actions, &run), "replayed");
    assert_string_equal(get(&f, "T", KEY("a")), COUNTED("a", "1"));
    fixture_close(&f);

    fixture_clock.now_ms += 2;
    open_on(&f, open_rocksdb(directory), 0);
    settle(&f);
    assert_int_equal(count_records(KEYSPACE_CATALOG, 'I'), 0);
    assert_string_equal(transact(&f, "token", "request", actions, &run), "done");
    assert_string_equal(get(&f, "T", KEY("a")), COUNTED("a", "2"));
    fixture_close(&f);
    char command[64];
    snprintf(command, sizeof(command), "rm -r %s", directory);
    assert_int_equal(system(command), 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(all_of_it_happens),
        TEST(none_of_it_happens),
        TEST(every_reason_is_told),
        TEST(refused_writes_cancel),
        TEST(a_dropped_table_cancels),
        TEST(indexes_follow),
        TEST(collections_go_back),
        TEST(items_may_be_four_megabytes_together),
        TEST(a_token_is_used_once),
        TEST(a_replay_tells_the_sizes),
        TEST(a_token_is_of_one_request),
        TEST(a_cancelled_transaction_leaves_its_token),
        TEST(a_token_lives_ten_minutes),
        TEST(ended_tokens_are_forgotten),
        TEST(a_token_that_is_used_again_is_kept),
        TEST(many_tokens_are_forgotten),
        TEST(a_cancelled_one_leaves_its_group),
        TEST(a_token_counts_within_its_group),
        cmocka_unit_test(transactions_may_conflict),
        cmocka_unit_test(tokens_survive_a_restart),
    };
    return cmocka_run_group_tests_name("transactions", tests, NULL, NULL);
}
