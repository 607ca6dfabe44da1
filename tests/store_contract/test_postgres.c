/* test_postgres.c - several stores on one server: who leads, who is fenced, what becomes of a
 * commit whose connection is lost, and what an open refuses. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "postgres_server.h"
#include "store/postgres/peers.h"
#include "store/postgres/pinned.h"
#include "waited_fetch.h"

/* Nobody loses the lead because the machine is busy. */
enum { LEAD_MS = 120000 };

static struct error *open_store(struct contract *contract, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store) {
    struct postgres_store_options options = {
        .url = postgres_url(contract), .create = true, .lead_ms = LEAD_MS};
    return postgres_store_open(&contract->arena, &options, keyspaces, count, ret_store);
}

static struct store *open_with(struct contract *contract, struct postgres_store_options options) {
    struct store *store = NULL;
    if (options.url == NULL)
        options.url = postgres_url(contract);
    options.lead_ms = LEAD_MS;
    must(postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                             &store));
    return store;
}

static bool lead(struct contract *contract, struct store *store, uint32_t wait_ms) {
    bool leads = false;
    must(store_lead(store, &contract->arena, wait_ms, &leads));
    return leads;
}

static enum store_outcome try_put(struct contract *contract, struct store *store, const char *key,
                                  const char *value) {
    struct store_txn *txn = NULL;
    enum store_outcome outcome = STORE_UNKNOWN;
    must(store_begin(store, &contract->arena, STORE_WRITE, &txn));
    put(txn, 0, key, value);
    must(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
    return outcome;
}

static void remove_between(struct contract *contract, const char *first, const char *last) {
    struct store_txn *txn = NULL;
    enum store_outcome outcome = STORE_UNKNOWN;
    must(store_begin(contract->store, &contract->arena, STORE_WRITE, &txn));
    store_delete_range(txn, &(struct store_range){0, slice_text(first), slice_text(last)});
    must(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
    assert_int_equal(outcome, STORE_COMMITTED);
}

static uint64_t changes(struct contract *contract) {
    uint64_t number = 0;
    must(store_changes(contract->store, &contract->arena, &number));
    return number;
}

/* ---- who leads ---- */

static void one_leads_and_another_waits(void **state) {
    struct contract *contract = *state;
    struct store *other = open_with(contract, (struct postgres_store_options){0});
    assert_false(store_leads(other));
    assert_false(lead(contract, other, 0));
    assert_false(lead(contract, other, 200));
    assert_int_equal(try_put(contract, other, "a", "from who waits"), STORE_FENCED);
    assert_int_equal(try_put(contract, contract->store, "a", "1"), STORE_COMMITTED);
    assert_true(store_leads(contract->store));
    store_close(contract->store);
    contract->store = other;
    assert_true(lead(contract, other, 10000));
    assert_int_equal(try_put(contract, other, "b", "2"), STORE_COMMITTED);
    expect_content(contract, 0, "a=1 b=2");
}

/* ---- what they know of each other ---- */

static void all_have_the_same_secret(void **state) {
    struct contract *contract = *state;
    struct store *other = open_with(contract, (struct postgres_store_options){0});
    uint8_t first[POSTGRES_SECRET_BYTES] = {0}, second[POSTGRES_SECRET_BYTES] = {1};
    must(postgres_store_secret(contract->store, &contract->arena, first));
    must(postgres_store_secret(other, &contract->arena, second));
    assert_memory_equal(first, second, sizeof(first));
    memset(second, 0, sizeof(second));
    assert_memory_not_equal(first, second, sizeof(first));
    store_close(other);
}

/* In which keys that begin with "a" or "bc" are watched. */
static struct store *open_watched(struct contract *contract) {
    static const char *const begins[] = {"a", "bc", NULL};
    static const struct store_keyspace watched[KEYSPACE_COUNT] = {
        {.name = "one", .watched = begins}, {.name = "two"}, {.name = "three"}};
    struct postgres_store_options options = {.url = postgres_url(contract), .lead_ms = LEAD_MS};
    struct store *store = NULL;
    must(postgres_store_open(&contract->arena, &options, watched, KEYSPACE_COUNT, &store));
    return store;
}

/* Of watched keys only, by whoever opened the store, and not when the commit is refused. */
static void changes_of_watched_keys_are_counted(void **state) {
    struct contract *contract = *state;
    uint64_t first = changes(contract);
    struct store *other = open_watched(contract);
    assert_int_equal(try_put(contract, other, "a", "fenced"), STORE_FENCED);
    store_close(contract->store);
    contract->store = other;
    assert_true(lead(contract, other, 10000));
    assert_int_equal(try_put(contract, other, "b", "1"), STORE_COMMITTED);
    assert_int_equal(try_put(contract, other, "bd", "1"), STORE_COMMITTED);
    remove_between(contract, "b", "bc");
    remove_between(contract, "bd", "z");
    assert_int_equal(changes(contract), first);
    assert_int_equal(try_put(contract, other, "bc1", "1"), STORE_COMMITTED);
    remove_between(contract, "b", "bd");
    remove_between(contract, "bc5", "bc6");
    assert_int_equal(changes(contract), first + 3);
}

static bool can_read(struct contract *contract, struct store *store) {
    struct store_txn *txn = NULL;
    struct store_key key = {0, SLICE_LITERAL("a")};
    struct slice value;
    bool done = true;
    for (enum store_mode mode = STORE_READ; mode <= STORE_READ_LATEST; mode++) {
        must(store_begin(store, &contract->arena, mode, &txn));
        done &= store_get(txn, &key, &value) == NULL;
        store_end(txn);
    }
    return done;
}

/* Which is on the server that takes the writes here: what it has to know is the same. */
static void a_standby_is_read_by_what_is_known(void **state) {
    struct contract *contract = *state;
    struct store *standby = open_with(contract, (struct postgres_store_options){.standby = true});
    struct postgres_position before, after;
    store_close(contract->store);
    contract->store = open_watched(contract);
    assert_true(lead(contract, contract->store, 10000));
    assert_int_equal(try_put(contract, contract->store, "a", "1"), STORE_COMMITTED);
    uint64_t number = changes(contract);
    must(postgres_position(standby, &contract->arena, &before));
    assert_int_equal(before.changes, number);
    postgres_pin(standby, number);
    assert_true(can_read(contract, standby));
    assert_int_equal(try_put(contract, contract->store, "bc", "watched"), STORE_COMMITTED);
    assert_false(can_read(contract, standby));
    must(postgres_position(standby, &contract->arena, &after));
    assert_int_equal(after.changes, changes(contract));
    assert_true(after.changes != number && after.log > before.log);
    postgres_pin(standby, after.changes + 1); /* that it has yet to hear of */
    assert_false(can_read(contract, standby));
    postgres_pin(standby, after.changes);
    assert_true(can_read(contract, standby));
    store_close(standby);
}

static void the_leader_tells_where_it_is(void **state) {
    struct contract *contract = *state;
    struct store *other =
        open_with(contract, (struct postgres_store_options){.lead_by_force = true});
    struct postgres_leader first, second;
    must(postgres_store_leader(other, &contract->arena, &first));
    assert_string_equal(first.address, "");
    postgres_store_advertise(other, "[::1]:7000");
    assert_true(lead(contract, other, 0));
    must(postgres_store_leader(contract->store, &contract->arena, &first));
    assert_string_equal(first.address, "[::1]:7000");
    assert_true(lead(contract, other, 0));
    must(postgres_store_leader(contract->store, &contract->arena, &second));
    assert_memory_equal(&first, &second, sizeof(first));
    store_close(contract->store);
    contract->store = open_with(contract, (struct postgres_store_options){.lead_by_force = true});
    postgres_store_advertise(contract->store, "[::1]:7000");
    assert_true(lead(contract, contract->store, 0));
    must(postgres_store_leader(other, &contract->arena, &second));
    assert_memory_not_equal(first.writer, second.writer, sizeof(first.writer));
    store_close(other);
}

static unsigned long statistic(struct contract *contract, struct store *store, const char *name) {
    struct store_statistic list[STORE_STATISTICS_MAX];
    size_t count = store_statistics(store, &contract->arena, list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return (unsigned long)list[i].value;
    fail_msg("there is no %s", name);
    return 0;
}

/* It was stopped, or cut off, and does not know yet. */
static void who_was_taken_over_from_is_fenced(void **state) {
    struct contract *contract = *state;
    struct store *other =
        open_with(contract, (struct postgres_store_options){.lead_by_force = true});
    struct store_txn *txn = begin(contract, STORE_WRITE);
    enum store_outcome outcome = STORE_UNKNOWN;
    expect_get(txn, 0, "a", NULL);
    put(txn, 0, "a", "of before");
    put(txn, 1, "a", "of before");
    assert_true(lead(contract, other, 0));
    assert_int_equal(try_put(contract, other, "a", "of after"), STORE_COMMITTED);
    must(store_commit(txn, STORE_DURABLE, &outcome));
    assert_int_equal(outcome, STORE_FENCED);
    store_end(txn);
    assert_int_equal(statistic(contract, contract->store, "commits_fenced_total"), 1);
    assert_int_equal(statistic(contract, contract->store, "leads_lost_total"), 1);
    assert_false(store_leads(contract->store));
    assert_int_equal(try_put(contract, contract->store, "b", "x"), STORE_FENCED);
    assert_true(lead(contract, contract->store, 1000)); /* it may come back, when it reads anew */
    expect_content(contract, 0, "a=of after");
    expect_content(contract, 1, "");
    assert_int_equal(try_put(contract, other, "c", "x"), STORE_FENCED);
    assert_int_equal(try_put(contract, contract->store, "b", "2"), STORE_COMMITTED);
    expect_content(contract, 0, "a=of after b=2");
    assert_int_equal(statistic(contract, contract->store, "leads_taken_total"), 2);
    assert_int_equal(statistic(contract, contract->store, "leads_lost_total"), 1);
    assert_int_equal(statistic(contract, other, "commits_fenced_total"), 1);
    store_close(other);
}

/* By gets, scans and fetches alike. */
static void expect_no_reads(struct contract *contract) {
    static const char refusal[] = "The store failed to read: another server leads";
    struct store_txn *txn = begin(contract, STORE_READ);
    struct store_range all = {.keyspace = 0};
    struct store_key key = text_key(0, "a");
    struct store_scan *scan = NULL;
    struct slice value, found_key;
    struct waited_fetch waited;
    bool found = false;
    assert_true(slice_is(store_get(txn, &key, &value)->message, refusal));
    must(store_scan_open(txn, &all, false, &scan));
    assert_true(slice_is(store_scan_next(scan, &found, &found_key, &value)->message, refusal));
    store_scan_close(scan);
    store_end(txn);
    waited.keys[0] = key;
    waited_fetch_start(&waited, contract->store, STORE_READ_LATEST, 1);
    assert_true(slice_is(waited_fetch_wait(&waited)->message, refusal));
    waited_fetch_end(&waited);
}

/* What it knows of the data may not be true any more: not even reads of it are. One that has never
 * led reads, since it asks others what is true. */
static void who_was_taken_over_from_reads_no_more(void **state) {
    struct contract *contract = *state;
    struct store *other =
        open_with(contract, (struct postgres_store_options){.lead_by_force = true});
    struct store *third = open_with(contract, (struct postgres_store_options){0});
    assert_int_equal(try_put(contract, contract->store, "a", "1"), STORE_COMMITTED);
    struct store_txn *before = begin(contract, STORE_READ);
    expect_get(before, 0, "a", "1");
    assert_true(lead(contract, other, 0));
    assert_int_equal(try_put(contract, other, "a", "2"), STORE_COMMITTED);
    expect_get(before, 0, "a", "1"); /* of the moment when it led */
    store_end(before);
    expect_no_reads(contract);
    assert_false(store_leads(contract->store));
    expect_no_reads(contract);
    assert_int_equal(statistic(contract, contract->store, "connections_lost_total"), 0);
    assert_true(lead(contract, contract->store, 1000));
    expect_content(contract, 0, "a=2");
    struct store *led = contract->store;
    contract->store = third;
    expect_content(contract, 0, "a=2");
    contract->store = led;
    store_close(third);
    store_close(other);
}

/* An idle leader learns it by looking. */
static void a_fenced_leader_notices(void **state) {
    struct contract *contract = *state;
    struct store *other =
        open_with(contract, (struct postgres_store_options){.lead_by_force = true});
    assert_true(store_leads(contract->store));
    assert_true(lead(contract, other, 0));
    assert_false(store_leads(contract->store));
    assert_false(store_leads(contract->store));
    assert_true(store_leads(other));
    store_close(other);
}

static const char *const end_locks = "SELECT pg_terminate_backend(pid, 10000) FROM pg_locks "
                                     "WHERE locktype = 'advisory' AND granted";

/* The lock goes with its connection; whoever had it goes on when nobody took over, and gets it
 * back. */
static void the_lead_outlives_its_connection(void **state) {
    struct contract *contract = *state;
    assert_int_equal(postgres_run(contract, end_locks), 1);
    assert_int_equal(try_put(contract, contract->store, "a", "1"), STORE_COMMITTED);
    assert_true(store_leads(contract->store)); /* notices that it is lost */
    assert_true(store_leads(contract->store)); /* and gets the lock again */
    struct store *other = open_with(contract, (struct postgres_store_options){0});
    assert_false(lead(contract, other, 100));
    assert_int_equal(postgres_run(contract, end_locks), 1);
    assert_true(lead(contract, other, 10000));
    assert_int_equal(try_put(contract, contract->store, "b", "x"), STORE_FENCED);
    assert_false(store_leads(contract->store));
    store_close(other);
}

static void a_lease_ends_by_itself(void **state) {
    struct contract *contract = *state;
    struct postgres_store_options by_lease = {.lead_by_lease = true};
    struct store *one = open_with(contract, by_lease), *other = open_with(contract, by_lease);
    assert_true(lead(contract, one, 0));
    assert_false(lead(contract, other, 0));
    assert_true(store_leads(one));
    assert_false(lead(contract, other, 300));
    postgres_run(contract, /* its time has passed */
                 (const char *)arena_printf(
                     &contract->arena, "UPDATE \"%s\".gramme_version SET seq = 1000 WHERE grp = -2",
                     strrchr(contract->directory, '-') + 1)
                     .data);
    assert_true(lead(contract, other, 0));
    assert_int_equal(try_put(contract, one, "a", "x"), STORE_FENCED);
    assert_false(lead(contract, one, 0));
    store_close(other); /* gives it up */
    assert_true(lead(contract, one, 0));
    store_close(one);
}

static int64_t lease(struct contract *contract) {
    return postgres_number(
        contract, (const char *)arena_printf(&contract->arena,
                                             "SELECT seq FROM \"%s\".gramme_version WHERE grp = -2",
                                             strrchr(contract->directory, '-') + 1)
                      .data);
}

/* Nobody asks it meanwhile whether it leads. */
static void a_store_keeps_its_lead_by_itself(void **state) {
    struct contract *contract = *state;
    struct store *one =
        open_with(contract, (struct postgres_store_options){.lead_by_lease = true, .keeps = true});
    assert_true(lead(contract, one, 0));
    int64_t end = lease(contract);
    for (int changes = 0, tries = 0; changes < 2; tries++) {
        int64_t now = lease(contract);
        assert_true(now >= end && tries < 3000);
        changes += now > end;
        end = now;
        usleep(10000);
    }
    postgres_run(contract, (const char *)arena_printf(&contract->arena,
                                                      "UPDATE \"%s\".gramme_version SET writer = "
                                                      "'another' WHERE grp = 0",
                                                      strrchr(contract->directory, '-') + 1)
                               .data);
    for (int tries = 0; store_leads(one) && tries < 3000; tries++)
        usleep(10000); /* it finds out by itself, too */
    assert_false(store_leads(one));
    store_close(one);
}

/* ---- connections that are lost ---- */

static const char end_all[] = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                              "WHERE application_name = 'gramme' AND pid <> pg_backend_pid()";

static void reads_and_writes_go_on_after_a_loss(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "1");
    for (int round = 0; round < 3; round++) {
        assert_true(postgres_run(contract, end_all) > 0);
        expect_content(contract, 0, "a=1");
        assert_true(postgres_run(contract, end_all) > 0);
        struct store_txn *txn = begin(contract, STORE_READ_LATEST);
        expect_get(txn, 0, "a", "1");
        store_end(txn);
        assert_true(postgres_run(contract, end_all) > 0);
        put_now(contract, 0, "a", "1");
    }
}

/* Another moment would not do. */
static void a_moment_is_lost_with_its_connection(void **state) {
    struct contract *contract = *state;
    put_now(contract, 0, "a", "1");
    struct store_txn *txn = begin(contract, STORE_READ);
    expect_get(txn, 0, "a", "1");
    postgres_run(contract, end_all);
    struct store_key key = text_key(0, "a");
    struct slice value;
    assert_non_null(store_get(txn, &key, &value));
    assert_non_null(store_get(txn, &key, &value));
    store_end(txn);
    expect_content(contract, 0, "a=1");
}

/* One put, and the wire is cut while it is under way: before that byte comes to the server, or
 * before that byte of its answer comes back. It is acknowledged, and there. */
static void put_over_cut_wire(struct contract *contract, struct store *store, struct wire *wire,
                              enum wire_way way, long bytes) {
    char text[32];
    snprintf(text, sizeof(text), "%d-%ld", (int)way, bytes);
    wire_cut_after(wire, way, bytes);
    assert_int_equal(try_put(contract, store, text, text), STORE_COMMITTED);
    wire_cut_after(wire, way, -1);
    struct store_txn *txn = begin(contract, STORE_READ_LATEST);
    expect_get(txn, 0, text, text);
    store_end(txn);
}

static void a_commit_is_settled_wherever_its_connection_is_cut(void **state) {
    struct contract *contract = *state;
    struct wire wire;
    struct store *store = open_with(
        contract, (struct postgres_store_options){.url = postgres_wire_url(contract, &wire)});
    store_close(contract->store);
    contract->store = open_with(contract, (struct postgres_store_options){0});
    assert_true(lead(contract, store, 10000));
    assert_int_equal(try_put(contract, store, "first", "connects"), STORE_COMMITTED);
    for (int way = WIRE_TO_SERVER; way <= WIRE_TO_CLIENT; way++) {
        unsigned long cuts = atomic_load(&wire.cuts);
        for (long bytes = 0; atomic_load(&wire.cuts) == cuts + (unsigned long)(bytes / 9);
             bytes += 9)
            put_over_cut_wire(contract, store, &wire, (enum wire_way)way, bytes);
        assert_true(atomic_load(&wire.cuts) - cuts > 10); /* and then the commit was shorter */
    }
    assert_int_equal(statistic(contract, store, "commits_settled_total"), atomic_load(&wire.cuts));
    unsigned long repeated = statistic(contract, store, "commits_repeated_total");
    assert_true(repeated > 0 && repeated < atomic_load(&wire.cuts));
    assert_true(store_leads(store));
    store_close(store);
    wire_stop(&wire);
}

/* ---- fetches whose connection is lost ---- */

enum { FETCHES = 6 };

/* Some at once, each of which finds what put_keys() put there. */
static void expect_fetches(struct store *store) {
    struct waited_fetch waited[FETCHES];
    static const char *const keys[FETCHES] = {"key0", "key1", "key2", "key3", "key4", "key5"};
    for (size_t i = 0; i < FETCHES; i++) {
        waited[i].keys[0] = text_key(0, keys[i]);
        waited_fetch_start(&waited[i], store, STORE_READ_LATEST, 1);
    }
    for (size_t i = 0; i < FETCHES; i++) {
        must(waited_fetch_wait(&waited[i]));
        assert_true(slice_is(waited[i].values[0], keys[i]));
        waited_fetch_end(&waited[i]);
    }
}

static void put_keys(struct contract *contract) {
    struct store_txn *txn = begin(contract, STORE_WRITE);
    for (size_t i = 0; i < FETCHES; i++) {
        char text[8];
        snprintf(text, sizeof(text), "key%zu", i);
        put(txn, 0, text, text);
    }
    commit(txn, STORE_DURABLE);
}

static void fetches_go_on_after_a_loss(void **state) {
    struct contract *contract = *state;
    put_keys(contract);
    for (int round = 0; round < 20; round++) { /* noticed while it sends, or while it waits */
        expect_fetches(contract->store);
        assert_true(postgres_run(contract, end_all) > 0);
    }
    expect_fetches(contract->store);
}

static void a_fetch_comes_wherever_its_connection_is_cut(void **state) {
    struct contract *contract = *state;
    struct wire wire;
    put_keys(contract);
    struct store *store = open_with(
        contract, (struct postgres_store_options){.url = postgres_wire_url(contract, &wire)});
    for (int way = WIRE_TO_SERVER; way <= WIRE_TO_CLIENT; way++)
        for (long bytes = 0; bytes < 400; bytes += 9) {
            expect_fetches(store); /* it is connected */
            wire_cut_after(&wire, (enum wire_way)way, bytes);
            expect_fetches(store);
            wire_cut_after(&wire, (enum wire_way)way, -1);
        }
    assert_true(atomic_load(&wire.cuts) > 20);
    store_close(store);
    wire_stop(&wire);
}

/* A server that stays away is an error in the end. */
static void fetches_fail_when_the_server_stays_away(void **state) {
    struct contract *contract = *state;
    struct wire wire;
    put_keys(contract);
    struct store *store =
        open_with(contract, (struct postgres_store_options){
                                .url = postgres_wire_url(contract, &wire), .patience_ms = 300});
    expect_fetches(store);
    wire_stop(&wire);
    for (int round = 0; round < 2; round++) {
        struct waited_fetch waited = {.keys = {text_key(0, "key0")}};
        waited_fetch_start(&waited, store, STORE_READ, 1);
        struct error *error = waited_fetch_wait(&waited);
        assert_non_null(error);
        assert_true(slice_starts_with(error->message, SLICE_LITERAL("The store failed to read: ")));
        waited_fetch_end(&waited);
    }
    store_close(store);
    expect_fetches(contract->store);
}

/* The writer's is gone, perhaps with its server; the others may lead there still. */
static void readers_connect_anew_when_the_writer_does(void **state) {
    struct contract *contract = *state;
    put_keys(contract);
    expect_fetches(contract->store);
    struct store_txn *txn = begin(contract, STORE_READ_LATEST);
    expect_get(txn, 0, "key0", "key0");
    store_end(txn);
    postgres_run(contract, "CREATE TABLE public.sessions_before AS SELECT pid FROM "
                           "pg_stat_activity WHERE application_name = 'gramme' AND query <> ''");
    assert_int_equal(postgres_run(contract,
                                  "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
                                  "WHERE application_name = 'gramme' AND query = 'COMMIT'"),
                     1);
    put_now(contract, 0, "key0", "key0");
    expect_fetches(contract->store);
    txn = begin(contract, STORE_READ_LATEST);
    expect_get(txn, 0, "key0", "key0");
    store_end(txn);
    static const char there[] = "SELECT pid FROM public.sessions_before JOIN pg_stat_activity "
                                "USING (pid) WHERE query LIKE 'SELECT%v FROM%'";
    for (int tries = 0; tries < 3000 && postgres_run(contract, there) > 0; tries++)
        usleep(10000); /* they end when they notice */
    assert_int_equal(postgres_run(contract, there), 0);
    postgres_run(contract, "DROP TABLE public.sessions_before");
}

/* ---- what is refused ---- */

static void expect_refusal(struct contract *contract, const char *url, const char *expected) {
    struct postgres_store_options options = {.url = url};
    struct store *store = NULL;
    struct error *error =
        postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT, &store);
    assert_non_null(error);
    if (memmem(error->message.data, error->message.len, expected, strlen(expected)) == NULL)
        fail_msg("%.*s", SLICE_ARGS(error->message));
}

static void what_is_not_ours_is_refused(void **state) {
    struct contract *contract = *state;
    struct arena *arena = &contract->arena;
    const char *url = postgres_url(contract), *name = strrchr(contract->directory, '-') + 1;
    expect_refusal(contract, getenv("GRAMME_POSTGRES"), "There is no store in this database");
    expect_refusal(contract, "postgres://secret:word@127.0.0.1:1/x", "cannot be reached");
    postgres_run(
        contract,
        (const char *)arena_printf(arena, "CREATE TABLE \"%s\".gramme_more (k bytea)", name).data);
    expect_refusal(contract, url, "does not know: gramme_more");
    postgres_run(contract,
                 (const char *)arena_printf(
                     arena, "DROP TABLE \"%s\".gramme_more, \"%s\".gramme_two", name, name)
                     .data);
    expect_refusal(contract, url, "lacks tables");
    postgres_run(
        contract,
        (const char *)arena_printf(arena, "UPDATE \"%s\".gramme_store SET value = '2'", name).data);
    expect_refusal(contract, url, "has format 2");
}

/* ---- filling ---- */

static bool unfinished(struct contract *contract, struct store *store) {
    bool is_unfinished = false;
    must(postgres_is_unfinished(store, &contract->arena, &is_unfinished));
    return is_unfinished;
}

/* Who fills it ends in the middle: neither who comes nor who has waited all the time leads it. */
static void a_store_that_is_half_filled_is_nobodys(void **state) {
    struct contract *contract = *state;
    struct store *waits = open_with(contract, (struct postgres_store_options){0});
    assert_int_equal(try_put(contract, contract->store, "a", "of before"), STORE_COMMITTED);
    store_close(contract->store);
    contract->store = open_with(contract, (struct postgres_store_options){.fill = true});
    assert_true(lead(contract, contract->store, 0));
    assert_false(unfinished(contract, contract->store));
    must(postgres_fill_begin(contract->store, &contract->arena, SLICE_LITERAL("a test")));
    assert_int_equal(try_put(contract, contract->store, "b", "half"), STORE_COMMITTED);
    store_close(contract->store);
    expect_refusal(contract, postgres_url(contract), "is unfinished: a test works there");
    assert_false(lead(contract, waits, 200));
    contract->store = open_with(contract, (struct postgres_store_options){.fill = true});
    assert_true(unfinished(contract, contract->store));
    assert_true(lead(contract, contract->store, 0)); /* though another one waits */
    must(postgres_fill_begin(contract->store, &contract->arena, SLICE_LITERAL("a test")));
    expect_content(contract, 0, "");
    assert_int_equal(try_put(contract, contract->store, "c", "whole"), STORE_COMMITTED);
    /* A filling takes its time, and the connection of the lead may be gone by then. */
    postgres_run(contract, end_locks);
    must(postgres_fill_end(contract->store, &contract->arena));
    store_close(contract->store);
    contract->store = waits;
    assert_true(lead(contract, waits, 10000));
    expect_content(contract, 0, "c=whole");
}

/* It was asleep, and another one filled the store meanwhile. */
static void who_is_fenced_empties_nothing(void **state) {
    struct contract *contract = *state;
    struct store *other =
        open_with(contract, (struct postgres_store_options){.lead_by_force = true});
    assert_true(lead(contract, other, 0));
    assert_int_equal(try_put(contract, other, "a", "1"), STORE_COMMITTED);
    struct error *error =
        postgres_fill_begin(contract->store, &contract->arena, SLICE_LITERAL("a test"));
    assert_true(slice_is(error->message, "The store cannot be emptied: another server leads"));
    assert_false(unfinished(contract, other));
    must(postgres_fill_begin(other, &contract->arena, SLICE_LITERAL("another")));
    assert_non_null(postgres_fill_end(contract->store, &contract->arena));
    assert_true(unfinished(contract, other));
    assert_int_equal(statistic(contract, contract->store, "connections_lost_total"), 0);
    must(postgres_fill_end(other, &contract->arena));
    assert_int_equal(try_put(contract, other, "a", "1"), STORE_COMMITTED);
    store_close(contract->store);
    contract->store = other;
    expect_content(contract, 0, "a=1");
}

/* Two transactions, with a commit in between. */
static void one_moment_holds_for_all_transactions(void **state) {
    struct contract *contract = *state;
    assert_int_equal(try_put(contract, contract->store, "a", "1"), STORE_COMMITTED);
    struct store *still = open_with(contract, (struct postgres_store_options){.one_moment = true});
    for (int i = 0; i < 3; i++) {
        struct store_txn *txn = NULL, *other = NULL;
        must(store_begin(still, &contract->arena, STORE_READ, &txn));
        expect_get(txn, 0, "a", "1");
        must(store_begin(still, &contract->arena, STORE_READ, &other));
        expect_get(other, 0, "b", NULL);
        store_end(txn);
        store_end(other);
        assert_int_equal(try_put(contract, contract->store, "a", "2"), STORE_COMMITTED);
        assert_int_equal(try_put(contract, contract->store, "b", "2"), STORE_COMMITTED);
    }
    store_close(still);
}

static void notes_stand_beside_the_keyspaces(void **state) {
    struct contract *contract = *state;
    struct arena *arena = &contract->arena;
    struct slice text;
    must(postgres_note_read(contract->store, arena, "a", &text));
    assert_false(slice_present(text));
    must(postgres_note_offer(contract->store, arena, "a", SLICE_LITERAL("first"), &text));
    assert_true(slice_is(text, "first"));
    must(postgres_note_offer(contract->store, arena, "a", SLICE_LITERAL("second"), &text));
    assert_true(slice_is(text, "first"));
    must(postgres_note_write(contract->store, arena, "a", SLICE_LITERAL("third")));
    must(postgres_note_read(contract->store, arena, "a", &text));
    assert_true(slice_is(text, "third"));
}

static void a_place_tells_no_password(void **state) {
    struct contract *contract = *state;
    struct slice place;
    static const char *const urls[] = {
        "postgres://me:secret@db.example:6000/shop?connect_timeout=3",
        "host=db.example port=6000 user=me password=secret dbname=shop",
        "postgresql://me@db.example:6000/shop?password=secret",
    };
    for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
        assert_true(postgres_is_url(urls[i]));
        must(postgres_place(&contract->arena, urls[i], &place));
        assert_true(slice_is(place, "postgres://db.example:6000/shop"));
    }
    struct error *error =
        postgres_place(&contract->arena, "postgres://me:secret@host:port:x/?what=1", &place);
    assert_non_null(error);
    assert_null(memmem(error->message.data, error->message.len, "secret", 6));
    assert_false(postgres_is_url("rocksdb:/var/lib/x"));
}

static void a_place_has_all_its_hosts(void **state) {
    struct contract *contract = *state;
    struct slice place;
    static const struct {
        const char *url, *place;
    } places[] = {
        {"postgres://me@a,b,c/shop", "postgres://a:5432,b:5432,c:5432/shop"},
        {"postgres://me@a:1,b,c:3/shop", "postgres://a:1,b:5432,c:3/shop"},
        {"host=a,b port=6000 dbname=shop", "postgres://a:6000,b:6000/shop"},
        {"postgres:///shop", "postgres://localhost:5432/shop"},
    };
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        must(postgres_place(&contract->arena, places[i].url, &place));
        assert_true(slice_is(place, places[i].place));
    }
}

int main(void) {
    static const struct engine engine = {.name = "postgres", .open = open_store};
    struct CMUnitTest tests[] = {
        CONTRACT_CASE(one_leads_and_another_waits),
        CONTRACT_CASE(all_have_the_same_secret),
        CONTRACT_CASE(a_standby_is_read_by_what_is_known),
        CONTRACT_CASE(the_leader_tells_where_it_is),
        CONTRACT_CASE(changes_of_watched_keys_are_counted),
        CONTRACT_CASE(who_was_taken_over_from_is_fenced),
        CONTRACT_CASE(who_was_taken_over_from_reads_no_more),
        CONTRACT_CASE(a_fenced_leader_notices),
        CONTRACT_CASE(the_lead_outlives_its_connection),
        CONTRACT_CASE(a_lease_ends_by_itself),
        CONTRACT_CASE(a_store_keeps_its_lead_by_itself),
        CONTRACT_CASE(reads_and_writes_go_on_after_a_loss),
        CONTRACT_CASE(a_moment_is_lost_with_its_connection),
        CONTRACT_CASE(a_commit_is_settled_wherever_its_connection_is_cut),
        CONTRACT_CASE(fetches_go_on_after_a_loss),
        CONTRACT_CASE(a_fetch_comes_wherever_its_connection_is_cut),
        CONTRACT_CASE(fetches_fail_when_the_server_stays_away),
        CONTRACT_CASE(readers_connect_anew_when_the_writer_does),
        CONTRACT_CASE(what_is_not_ours_is_refused),
        CONTRACT_CASE(a_store_that_is_half_filled_is_nobodys),
        CONTRACT_CASE(who_is_fenced_empties_nothing),
        CONTRACT_CASE(one_moment_holds_for_all_transactions),
        CONTRACT_CASE(notes_stand_beside_the_keyspaces),
        CONTRACT_CASE(a_place_tells_no_password),
        CONTRACT_CASE(a_place_has_all_its_hosts),
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tests[i].initial_state = (void *)(uintptr_t)&engine;
    return cmocka_run_group_tests_name("postgres", tests, NULL, NULL);
}
