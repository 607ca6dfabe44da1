/* test_postgres_groups.c - several stores that write at once, on a store of groups of keys: what is
 * theirs, what is a conflict, and that no two of them ever decide by what is not true any more.
 *
 * Keys that begin with '1' are of the first group, '2' of the second, and so on. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "postgres_server.h"
#include "store/postgres/members.h"

enum { LEAD_MS = 120000, GROUPS = 4, RACES = 200, ATTEMPTS_MAX = 1000 };

static struct error *open_store(struct contract *contract, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store) {
    struct postgres_store_options options = {
        .url = postgres_url(contract), .create = true, .groups = GROUPS, .lead_ms = LEAD_MS};
    return postgres_store_open(&contract->arena, &options, keyspaces, count, ret_store);
}

/* Of a server that neither leads nor writes yet. */
static struct store *open_at(struct contract *contract, const char *url) {
    struct postgres_store_options options = {
        .url = url, .groups = POSTGRES_ANY_GROUPS, .lead_ms = LEAD_MS};
    struct store *store = NULL;
    must(postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                             &store));
    assert_int_equal(store->groups, GROUPS);
    return store;
}

static struct store *open_member(struct contract *contract, const char *url) {
    struct store *store = open_at(contract, url == NULL ? postgres_url(contract) : url);
    bool joined = false;
    must(postgres_store_join(store, &contract->arena, &joined));
    assert_true(joined);
    return store;
}

/* ---- transactions ---- */

static uint64_t group_of(const char *key) {
    return UINT64_C(1) << (key[0] - '1');
}

static enum store_outcome put_in(struct contract *contract, struct store *store, uint64_t groups,
                                 const char *key, const char *value) {
    struct store_txn *txn = NULL;
    enum store_outcome outcome = STORE_UNKNOWN;
    must(store_begin(store, &contract->arena, STORE_WRITE, &txn));
    store_touch(txn, groups);
    put(txn, 0, key, value);
    must(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
    return outcome;
}

static enum store_outcome try_put(struct contract *contract, struct store *store, const char *key,
                                  const char *value) {
    return put_in(contract, store, group_of(key), key, value);
}

static enum store_held put_held(struct contract *contract, struct store *store, uint64_t groups,
                                const char *key, const char *value) {
    struct store_txn *txn = NULL;
    enum store_outcome outcome = STORE_UNKNOWN;
    enum store_held held = STORE_HELD_SAME;
    must(store_begin(store, &contract->arena, STORE_WRITE, &txn));
    store_touch(txn, groups);
    must(store_hold(txn, &held));
    put(txn, 0, key, value);
    must(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
    assert_int_equal(outcome, STORE_COMMITTED);
    return held;
}

/* ---- who may write what ---- */

static void all_write_at_once(void **state) {
    struct contract *contract = *state;
    struct store *one = open_member(contract, NULL), *two = open_member(contract, NULL);
    assert_int_equal(one->writer, 1);
    assert_int_equal(two->writer, 2);
    assert_int_equal(put_held(contract, contract->store, 1, "1", "0"), STORE_HELD_ALL_MOVED);
    assert_int_equal(put_held(contract, one, 2, "2", "0"), STORE_HELD_ALL_MOVED);
    assert_int_equal(put_held(contract, two, 12, "3", "0"), STORE_HELD_ALL_MOVED);
    for (int round = 0; round < 3; round++) {
        assert_int_equal(try_put(contract, contract->store, "1", "a"), STORE_COMMITTED);
        assert_int_equal(try_put(contract, one, "2", "b"), STORE_COMMITTED);
        assert_int_equal(put_in(contract, two, 12, "3", "c"), STORE_COMMITTED);
    }
    expect_content(contract, 0, "1=a 2=b 3=c");
    store_close(one);
    store_close(two);
}

static void a_group_that_moved_is_a_conflict(void **state) {
    struct contract *contract = *state;
    struct store *one = open_member(contract, NULL);
    assert_int_equal(try_put(contract, one, "1", "blind"), STORE_CONFLICT);
    put_held(contract, one, 3, "1", "a");
    put_held(contract, contract->store, 3, "2", "b");
    assert_int_equal(try_put(contract, one, "1", "stale"), STORE_CONFLICT);
    assert_int_equal(put_in(contract, one, 3, "1", "stale"), STORE_CONFLICT);
    assert_int_equal(put_held(contract, one, 3, "1", "c"), STORE_HELD_MOVED);
    assert_int_equal(put_held(contract, one, 3, "1", "d"), STORE_HELD_SAME);
    assert_int_equal(put_held(contract, contract->store, 0, "3", "all"), STORE_HELD_MOVED);
    assert_int_equal(try_put(contract, one, "2", "stale"), STORE_CONFLICT);
    assert_int_equal(put_held(contract, one, 2, "2", "e"), STORE_HELD_ALL_MOVED);
    assert_int_equal(put_held(contract, one, 1, "1", "f"), STORE_HELD_MOVED);
    expect_content(contract, 0, "1=f 2=e 3=all");
    store_close(one);
}

/* One that writes nothing tells as well whether what it read is still true. */
static void an_empty_commit_claims_its_groups(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = NULL;
    enum store_outcome outcome = STORE_UNKNOWN;
    struct store *one = open_member(contract, NULL);
    put_held(contract, one, 1, "1", "a");
    for (int round = 0; round < 2; round++) {
        must(store_begin(one, &contract->arena, STORE_WRITE, &txn));
        store_touch(txn, 1);
        expect_get(txn, 0, "1", "a");
        must(store_commit(txn, STORE_RELAXED, &outcome));
        store_end(txn);
        assert_int_equal(outcome, round == 0 ? STORE_COMMITTED : STORE_CONFLICT);
        if (round == 0)
            put_held(contract, contract->store, 1, "1", "a");
    }
    store_close(one);
}

/* What is held and not committed leaves nothing, and nobody waits for it. */
static void who_lets_go_has_done_nothing(void **state) {
    struct contract *contract = *state;
    struct store_txn *txn = NULL;
    enum store_held held;
    struct store *one = open_member(contract, NULL);
    put_held(contract, one, 1, "1", "a");
    must(store_begin(contract->store, &contract->arena, STORE_WRITE, &txn));
    must(store_hold(txn, &held));
    put(txn, 0, "1", "not committed");
    store_end(txn);
    assert_int_equal(try_put(contract, one, "1", "b"), STORE_COMMITTED);
    expect_content(contract, 0, "1=b");
    store_close(one);
}

/* ---- members ---- */

static void run_in_schema(struct contract *contract, const char *before, const char *after) {
    postgres_run(contract, (const char *)arena_printf(&contract->arena, "%s \"%s\"%s", before,
                                                      strrchr(contract->directory, '-') + 1, after)
                               .data);
}

/* Of the first member: what happens when it is killed. */
static void end_session(struct contract *contract) {
    run_in_schema(contract,
                  "SELECT pg_terminate_backend(pid, 30000) FROM pg_locks WHERE "
                  "locktype = 'advisory' AND classid::bigint = (26482 << 8) + 1 AND objid = '",
                  ".gramme_version'::regclass");
}

static void who_is_killed_is_gone_at_once(void **state) {
    struct contract *contract = *state;
    struct postgres_member members[STORE_WRITERS_MAX];
    size_t count = 0;
    struct store *one = open_member(contract, NULL), *two = open_member(contract, NULL);
    end_session(contract);
    must(postgres_store_members(contract->store, &contract->arena, members, &count));
    assert_int_equal(count, 1);
    assert_int_equal(members[0].writer, 2);
    assert_true(postgres_store_stays(one)); /* it finds its connection lost */
    assert_true(postgres_store_stays(one));
    must(postgres_store_members(contract->store, &contract->arena, members, &count));
    assert_int_equal(count, 2);
    put_held(contract, one, 1, "1", "a");
    expect_content(contract, 0, "1=a");
    store_close(one);
    store_close(two);
}

static void who_takes_a_number_fences_the_one_before(void **state) {
    struct contract *contract = *state;
    struct postgres_member members[STORE_WRITERS_MAX];
    size_t count = 0;
    struct store *one = open_member(contract, NULL), *two = open_member(contract, NULL);
    put_held(contract, one, 1, "1", "a");
    put_held(contract, two, 2, "2", "a");
    must(postgres_store_members(contract->store, &contract->arena, members, &count));
    assert_int_equal(count, 2);
    run_in_schema(contract, "UPDATE", ".gramme_version SET seq = 1000 WHERE grp = 2001");
    must(postgres_store_members(contract->store, &contract->arena, members, &count));
    assert_int_equal(count, 1);
    assert_int_equal(members[0].writer, 2);
    assert_int_equal(try_put(contract, one, "1", "nobody took its place"), STORE_COMMITTED);
    struct store *other = open_member(contract, NULL);
    assert_int_equal(other->writer, 3); /* the first one has its lock, and may be frozen */
    store_close(other);
    end_session(contract);
    struct store *next = open_member(contract, NULL);
    assert_int_equal(next->writer, 1);
    assert_int_equal(try_put(contract, one, "1", "x"), STORE_FENCED);
    assert_false(postgres_store_stays(one));
    assert_int_equal(try_put(contract, two, "2", "b"), STORE_COMMITTED);
    assert_true(postgres_store_stays(two));
    put_held(contract, next, 1, "1", "c");
    postgres_store_leave(next);
    must(postgres_store_members(contract->store, &contract->arena, members, &count));
    assert_int_equal(count, 1);
    expect_content(contract, 0, "1=c 2=b");
    store_close(one);
    store_close(two);
    store_close(next);
}

/* ---- alone ---- */

/* In the place of the store that leads. */
static void lead_alone(struct contract *contract, bool fill, bool expected) {
    struct postgres_store_options options = {.url = postgres_url(contract),
                                             .groups = POSTGRES_ANY_GROUPS,
                                             .lead_ms = LEAD_MS,
                                             .alone = true,
                                             .fill = fill};
    bool leads = false;
    store_close(contract->store);
    must(postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                             &contract->store));
    must(store_lead(contract->store, &contract->arena, 0, &leads));
    assert_int_equal(leads, expected);
}

static void who_is_alone_keeps_all_others_out(void **state) {
    struct contract *contract = *state;
    bool joined = false;
    struct store *one = open_member(contract, NULL), *asleep = open_member(contract, NULL);
    put_held(contract, one, 1, "1", "a");
    put_held(contract, asleep, 2, "2", "a");
    run_in_schema(contract, "UPDATE", ".gramme_version SET seq = 1000 WHERE grp = 2002");
    lead_alone(contract, false, false);
    assert_int_equal(try_put(contract, one, "1", "b"), STORE_COMMITTED);
    postgres_store_leave(one);
    lead_alone(contract, false, true);
    assert_int_equal(try_put(contract, one, "1", "x"), STORE_FENCED);
    assert_int_equal(try_put(contract, asleep, "2", "x"), STORE_FENCED);
    /* It knows what the groups were left at, and that nobody is there. */
    assert_int_equal(put_in(contract, contract->store, 0, "3", "c"), STORE_COMMITTED);
    assert_true(store_leads(contract->store));
    store_close(asleep);
    asleep = open_at(contract, postgres_url(contract));
    assert_non_null(postgres_store_join(asleep, &contract->arena, &joined));
    assert_false(joined);
    run_in_schema(contract, "UPDATE", ".gramme_version SET writer = 'other' WHERE grp = 1003");
    assert_false(store_leads(contract->store));
    expect_content(contract, 0, "1=b 2=a 3=c");
    /* Where another one leads, they may join again. */
    store_close(contract->store);
    must(open_store(contract, contract_keyspaces, KEYSPACE_COUNT, &contract->store));
    must(store_lead(contract->store, &contract->arena, 0, &joined));
    must(postgres_store_join(asleep, &contract->arena, &joined));
    assert_true(joined);
    store_close(asleep);
    store_close(one);
}

/* It is not whole when somebody wrote meanwhile, whoever let them. */
static void who_fills_a_store_has_all_groups(void **state) {
    struct contract *contract = *state;
    struct arena *arena = &contract->arena;
    lead_alone(contract, true, true);
    must(postgres_fill_begin(contract->store, arena, SLICE_LITERAL("a test")));
    assert_int_equal(put_in(contract, contract->store, 0, "3", "c"), STORE_COMMITTED);
    must(postgres_fill_end(contract->store, arena));
    must(postgres_fill_begin(contract->store, arena, SLICE_LITERAL("a test")));
    run_in_schema(contract, "UPDATE", ".gramme_version SET seq = seq + 1 WHERE grp = 2");
    assert_int_equal(put_in(contract, contract->store, 0, "3", "d"), STORE_CONFLICT);
    const struct error *error = postgres_fill_end(contract->store, arena);
    assert_non_null(error);
    assert_true(
        slice_is(error->message, "The store cannot be finished: another server has written to it"));
    expect_content(contract, 0, "");
}

/* ---- races ---- */

struct racer {
    struct store *store;
    pthread_t thread;
    pthread_barrier_t *barrier;
    const char *own, *other;
    uint64_t groups;
    unsigned long conflicts;
};

static void must_on_thread(const struct error *error) {
    if (error != NULL)
        fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
    CHECK(error == NULL);
}

/* Runs `change` on what two keys hold until it is committed; by chance at first, then holding. */
typedef void change(struct racer *racer, struct store_txn *txn, const struct slice values[2]);

static void run_until_committed(struct racer *racer, struct arena *arena, change *how) {
    for (int attempt = 0;; attempt++) {
        struct store_txn *txn = NULL;
        enum store_held held;
        enum store_outcome outcome = STORE_UNKNOWN;
        struct store_key keys[] = {text_key(0, racer->own), text_key(0, racer->other)};
        struct slice values[2];
        CHECK(attempt < ATTEMPTS_MAX);
        must_on_thread(store_begin(racer->store, arena, STORE_WRITE, &txn));
        store_touch(txn, racer->groups);
        if (attempt > 0)
            must_on_thread(store_hold(txn, &held));
        must_on_thread(store_get_many(txn, 2, keys, values));
        how(racer, txn, values);
        must_on_thread(store_commit(txn, STORE_RELAXED, &outcome));
        store_end(txn);
        if (outcome == STORE_COMMITTED)
            return;
        CHECK(outcome == STORE_CONFLICT);
        racer->conflicts++;
    }
}

/* Goes off duty if the other is on. */
static void leave_duty(struct racer *racer, struct store_txn *txn, const struct slice values[2]) {
    struct store_key key = text_key(0, racer->own);
    if (slice_is(values[1], "on"))
        store_put(txn, &key, SLICE_LITERAL("off"));
}

static void *race_off_duty(void *context) {
    struct racer *racer = context;
    struct arena arena;
    arena_init(&arena);
    for (int race = 0; race < RACES; race++) {
        pthread_barrier_wait(racer->barrier);
        run_until_committed(racer, &arena, leave_duty);
        pthread_barrier_wait(racer->barrier);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

/* Two servers, each of which looks at both groups and changes one; who leads puts both on duty
 * again, in all groups, between them. */
static void write_skew_over_two_groups_has_one_winner(void **state) {
    struct contract *contract = *state;
    pthread_barrier_t barrier;
    struct racer racers[] = {{.own = "1", .other = "2", .groups = 3, .barrier = &barrier},
                             {.own = "2", .other = "1", .groups = 3, .barrier = &barrier}};
    size_t sound = 0;
    pthread_barrier_init(&barrier, NULL, 3);
    for (size_t i = 0; i < 2; i++) {
        racers[i].store = open_member(contract, NULL);
        CHECK(pthread_create(&racers[i].thread, NULL, race_off_duty, &racers[i]) == 0);
    }
    for (int race = 0; race < RACES; race++) {
        put_held(contract, contract->store, race % 2 == 0 ? 0 : 1, "1", "on");
        put_held(contract, contract->store, race % 2 == 0 ? 0 : 2, "2", "on");
        pthread_barrier_wait(&barrier);
        pthread_barrier_wait(&barrier);
        struct store_txn *txn = begin(contract, STORE_READ);
        struct store_key keys[] = {text_key(0, "1"), text_key(0, "2")};
        struct slice values[2];
        must(store_get_many(txn, 2, keys, values));
        sound += slice_is(values[0], "on") != slice_is(values[1], "on");
        store_end(txn);
    }
    for (size_t i = 0; i < 2; i++) {
        pthread_join(racers[i].thread, NULL);
        store_close(racers[i].store);
    }
    pthread_barrier_destroy(&barrier);
    assert_int_equal(sound, RACES);
    assert_true(racers[0].conflicts + racers[1].conflicts > 0);
}

static void count_up(struct racer *racer, struct store_txn *txn, const struct slice values[2]) {
    char text[24];
    const char *keys[] = {racer->own, racer->other};
    for (size_t i = 0; i < 2; i++) {
        struct store_key key = text_key(0, keys[i]);
        long before = slice_present(values[i]) ? strtol((const char *)values[i].data, NULL, 10) : 0;
        snprintf(text, sizeof(text), "%ld", before + 1);
        store_put(txn, &key, slice_of(text, strlen(text) + 1));
    }
}

static void *race_up(void *context) {
    struct racer *racer = context;
    struct arena arena;
    arena_init(&arena);
    for (int race = 0; race < RACES; race++) {
        run_until_committed(racer, &arena, count_up);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

/* Three servers, pairs of groups that overlap, and one that has all of them. */
static void no_update_is_lost(void **state) {
    struct contract *contract = *state;
    struct racer racers[] = {{.own = "1", .other = "2", .groups = 3},
                             {.own = "2", .other = "3", .groups = 6},
                             {.own = "3", .other = "1", .groups = 0, .store = contract->store}};
    for (size_t i = 0; i < 3; i++) {
        if (racers[i].store == NULL)
            racers[i].store = open_member(contract, NULL);
        CHECK(pthread_create(&racers[i].thread, NULL, race_up, &racers[i]) == 0);
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(racers[i].thread, NULL);
    struct store_txn *txn = begin(contract, STORE_READ);
    for (size_t i = 0; i < 3; i++) {
        struct store_key key = text_key(0, racers[i].own);
        struct slice value;
        must(store_get(txn, &key, &value));
        assert_int_equal(strtol((const char *)value.data, NULL, 10), 2 * RACES);
    }
    store_end(txn);
    for (size_t i = 0; i < 2; i++)
        store_close(racers[i].store);
}

/* ---- connections that are lost ---- */

/* Held or not; what was not held may be refused, and has not happened then. */
static void put_over_cut_wire(struct contract *contract, struct store *store, struct wire *wire,
                              enum wire_way way, long bytes) {
    char text[32];
    bool holds = bytes / 9 % 2 == 0;
    snprintf(text, sizeof(text), "1-%d-%ld", (int)way, bytes);
    wire_cut_after(wire, way, bytes);
    if (holds)
        put_held(contract, store, 1, text, text);
    else
        assert_int_equal(try_put(contract, store, text, text), STORE_COMMITTED);
    wire_cut_after(wire, way, -1);
    struct store_txn *txn = begin(contract, STORE_READ_LATEST);
    expect_get(txn, 0, text, text);
    store_end(txn);
}

static void a_member_settles_wherever_it_is_cut(void **state) {
    struct contract *contract = *state;
    struct wire wire;
    struct store *store = open_member(contract, postgres_wire_url(contract, &wire));
    put_held(contract, store, 1, "1", "connects");
    for (int way = WIRE_TO_SERVER; way <= WIRE_TO_CLIENT; way++) {
        unsigned long cuts = atomic_load(&wire.cuts);
        for (long bytes = 0; atomic_load(&wire.cuts) == cuts + (unsigned long)(bytes / 9);
             bytes += 9)
            put_over_cut_wire(contract, store, &wire, (enum wire_way)way, bytes);
        assert_true(atomic_load(&wire.cuts) - cuts > 10);
    }
    store_close(store);
    wire_stop(&wire);
}

/* ---- what is refused ---- */

static void expect_refusal(struct contract *contract, struct postgres_store_options options,
                           const char *words) {
    struct store *store = NULL;
    options.url = postgres_url(contract);
    struct error *error =
        postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT, &store);
    assert_non_null(error);
    assert_non_null(memmem(error->message.data, error->message.len, words, strlen(words)));
}

static void groups_are_for_good(void **state) {
    struct contract *contract = *state;
    expect_refusal(contract, (struct postgres_store_options){0},
                   "has 4 groups of keys, and who opens");
    expect_refusal(contract, (struct postgres_store_options){.create = true, .groups = 2},
                   "has 4 groups of keys, and not 2");
    expect_refusal(contract, (struct postgres_store_options){.groups = 1},
                   "has 4 groups of keys, and not 1");
    run_in_schema(contract, "UPDATE", ".gramme_store SET value = '3' WHERE name = 'format'");
    expect_refusal(contract, (struct postgres_store_options){.groups = GROUPS},
                   "has format 3, and this version knows formats 1 and 2");
}

int main(void) {
    static const struct engine engine = {.name = "postgres", .open = open_store};
    struct CMUnitTest tests[] = {
        CONTRACT_CASE(all_write_at_once),
        CONTRACT_CASE(a_group_that_moved_is_a_conflict),
        CONTRACT_CASE(an_empty_commit_claims_its_groups),
        CONTRACT_CASE(who_lets_go_has_done_nothing),
        CONTRACT_CASE(who_is_killed_is_gone_at_once),
        CONTRACT_CASE(who_takes_a_number_fences_the_one_before),
        CONTRACT_CASE(who_is_alone_keeps_all_others_out),
        CONTRACT_CASE(who_fills_a_store_has_all_groups),
        CONTRACT_CASE(write_skew_over_two_groups_has_one_winner),
        CONTRACT_CASE(no_update_is_lost),
        CONTRACT_CASE(a_member_settles_wherever_it_is_cut),
        CONTRACT_CASE(groups_are_for_good),
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tests[i].initial_state = (void *)(uintptr_t)&engine;
    return cmocka_run_group_tests_name("postgres-groups", tests, NULL, NULL);
}
