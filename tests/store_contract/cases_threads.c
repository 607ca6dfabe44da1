/* cases_threads.c - the contract with several threads: snapshots under a writer, scans that move,
 * and the race that separates sound engines from unsound ones. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "contract.h"

enum { COMMITS = 400, KEYS = 40, READERS = 3 };

static void must_on_thread(struct error *error) {
    if (error != NULL) {
        fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
        CHECK(error == NULL);
    }
}

static uint64_t number_in(struct slice value) {
    uint64_t number = 0;
    CHECK(value.len == sizeof(number));
    memcpy(&number, value.data, sizeof(number));
    return number;
}

/* Every commit writes its number to all keys, so each snapshot has one number everywhere. */
struct snapshot_test {
    struct store *store;
    atomic_bool done;
};

static struct store_key numbered_key(size_t i, char text[static 16]) {
    snprintf(text, 16, "key%02zu", i);
    return text_key((uint8_t)(i % KEYSPACE_COUNT), text);
}

static void *snapshot_writer(void *argument) {
    struct snapshot_test *test = argument;
    struct arena arena;
    arena_init(&arena);
    for (uint64_t number = 1; number <= COMMITS; number++) {
        struct store_txn *txn;
        char text[16];
        enum store_outcome outcome;
        must_on_thread(store_begin(test->store, &arena, STORE_WRITE, &txn));
        if (number % 7 == 0) {
            struct store_range all = text_range(0, NULL, NULL);
            store_delete_range(txn, &all);
        }
        for (size_t i = 0; i < KEYS; i++) {
            struct store_key key = numbered_key(i, text);
            store_put(txn, &key, slice_of(&number, sizeof(number)));
        }
        must_on_thread(store_commit(txn, STORE_RELAXED, &outcome));
        CHECK(outcome == STORE_COMMITTED);
        store_end(txn);
        arena_reset(&arena);
    }
    atomic_store(&test->done, true);
    arena_release(&arena);
    return NULL;
}

static size_t scan_checking(struct store_txn *txn, uint8_t keyspace, bool reverse,
                            uint64_t number) {
    struct store_range all = text_range(keyspace, NULL, NULL);
    struct store_scan *scan;
    size_t count = 0;
    must_on_thread(store_scan_open(txn, &all, reverse, &scan));
    for (bool found = true; found;) {
        struct slice key, value;
        must_on_thread(store_scan_next(scan, &found, &key, &value));
        if (found) {
            CHECK(number_in(value) == number);
            count++;
        }
    }
    store_scan_close(scan);
    return count;
}

static uint64_t snapshot_number(struct store_txn *txn) {
    struct store_key keys[KEYS];
    struct slice values[KEYS];
    char texts[KEYS][16];
    for (size_t i = 0; i < KEYS; i++)
        keys[i] = numbered_key(i, texts[i]);
    must_on_thread(store_get_many(txn, KEYS, keys, values));
    uint64_t number = slice_present(values[0]) ? number_in(values[0]) : 0;
    size_t count = 0;
    for (size_t i = 0; i < KEYS; i++)
        CHECK(number == 0 ? !slice_present(values[i]) : number_in(values[i]) == number);
    for (uint8_t keyspace = 0; keyspace < KEYSPACE_COUNT; keyspace++)
        count += scan_checking(txn, keyspace, keyspace % 2 == 0, number);
    CHECK(count == (number == 0 ? 0 : KEYS));
    return number;
}

static void *snapshot_reader(void *argument) {
    struct snapshot_test *test = argument;
    struct arena arena;
    arena_init(&arena);
    uint64_t newest = 0;
    for (bool last = false; !last;) {
        last = atomic_load(&test->done);
        struct store_txn *txn;
        must_on_thread(store_begin(test->store, &arena, STORE_READ, &txn));
        uint64_t number = snapshot_number(txn);
        CHECK(number >= newest); /* time does not run backwards */
        CHECK(snapshot_number(txn) == number);
        newest = number;
        store_end(txn);
        arena_reset(&arena);
    }
    CHECK(newest == COMMITS);
    arena_release(&arena);
    return NULL;
}

static void readers_see_whole_commits_while_a_writer_commits(void **state) {
    struct contract *contract = *state;
    struct snapshot_test test = {.store = contract->store};
    atomic_init(&test.done, false);
    pthread_t writer, readers[READERS];
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, snapshot_reader, &test), 0);
    assert_int_equal(pthread_create(&writer, NULL, snapshot_writer, &test), 0);
    pthread_join(writer, NULL);
    for (size_t i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
}

/* A scan, and the number that the next step is to find. */
struct moved_scan {
    struct store_scan *scan;
    size_t expected;
};

static void *moved_scan_steps(void *argument) {
    struct moved_scan *moved = argument;
    for (size_t i = 0; i < 10; i++) {
        bool found;
        struct slice key, value;
        must_on_thread(store_scan_next(moved->scan, &found, &key, &value));
        CHECK(found && number_in(value) == moved->expected++);
    }
    return NULL;
}

static void a_scan_moves_between_threads(void **state) {
    struct contract *contract = *state;
    enum { COUNT = 1000 };
    struct store_txn *txn = begin(contract, STORE_WRITE);
    char text[16];
    for (uint64_t i = 0; i < COUNT; i++) {
        snprintf(text, sizeof(text), "%06u", (unsigned)i);
        struct store_key key = text_key(0, text);
        store_put(txn, &key, slice_of(&i, sizeof(i)));
    }
    commit(txn, STORE_RELAXED);
    txn = begin(contract, STORE_READ);
    struct store_range all = text_range(0, NULL, NULL);
    struct moved_scan moved = {.expected = 0};
    must(store_scan_open(txn, &all, false, &moved.scan));
    for (size_t i = 0; i < COUNT / 20; i++) {
        moved_scan_steps(&moved);
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, moved_scan_steps, &moved), 0);
        pthread_join(thread, NULL);
        put_now(contract, 0, "zzz", "written while the scan is open");
    }
    bool found = true;
    struct slice key, value;
    must(store_scan_next(moved.scan, &found, &key, &value));
    assert_false(found);
    store_scan_close(moved.scan);
    store_end(txn);
}

/* The race: each side checks that the other's item is absent, then writes its own. Whatever the
 * order, exactly one may be there in the end. On engines where several stores share the data, each
 * side has its own store, takes the lead from the other, and runs again what was refused; otherwise
 * the one writer at a time of the seam's first rule decides, which the lock stands for. */
struct racer {
    struct store *store;
    pthread_mutex_t *one_writer; /* NULL: the stores are apart */
    atomic_uint *start;          /* both leave when it reaches the round */
    const char *mine, *others;
};

enum { ROUNDS = 100 };

static enum store_outcome race_once(struct racer *racer, struct arena *arena, unsigned round) {
    char mine[32], others[32];
    snprintf(mine, sizeof(mine), "%s%u", racer->mine, round);
    snprintf(others, sizeof(others), "%s%u", racer->others, round);
    struct store_key my_key = text_key(0, mine), other_key = text_key(0, others);
    struct store_txn *txn;
    struct slice found;
    enum store_outcome outcome = STORE_UNKNOWN;
    must_on_thread(store_begin(racer->store, arena, STORE_WRITE, &txn));
    must_on_thread(store_get(txn, &other_key, &found));
    sched_yield();
    if (!slice_present(found))
        store_put(txn, &my_key, SLICE_LITERAL("here"));
    must_on_thread(store_commit(txn, STORE_RELAXED, &outcome));
    store_end(txn);
    CHECK(outcome != STORE_UNKNOWN);
    return outcome;
}

static void *race_run(void *argument) {
    struct racer *racer = argument;
    struct arena arena;
    arena_init(&arena);
    for (unsigned round = 1; round <= ROUNDS; round++) {
        atomic_fetch_add(racer->start, 1);
        while (atomic_load(racer->start) < 2 * round)
            sched_yield();
        enum store_outcome outcome = STORE_CONFLICT;
        while (outcome != STORE_COMMITTED) {
            bool leads = true;
            if (outcome == STORE_FENCED)
                must_on_thread(store_lead(racer->store, &arena, 10000, &leads));
            CHECK(leads);
            if (racer->one_writer != NULL)
                pthread_mutex_lock(racer->one_writer);
            outcome = race_once(racer, &arena, round);
            if (racer->one_writer != NULL)
                pthread_mutex_unlock(racer->one_writer);
        }
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

/* In how many rounds exactly one of the two items is there. */
static unsigned race_sound_rounds(struct contract *contract, unsigned rounds) {
    struct store_txn *txn = begin(contract, STORE_READ);
    unsigned sound = 0;
    for (unsigned round = 1; round <= rounds; round++) {
        char left[32], right[32];
        snprintf(left, sizeof(left), "left%u", round);
        snprintf(right, sizeof(right), "right%u", round);
        struct store_key keys[] = {text_key(0, left), text_key(0, right)};
        struct slice values[2];
        must(store_get_many(txn, 2, keys, values));
        sound += slice_present(values[0]) != slice_present(values[1]);
    }
    store_end(txn);
    return sound;
}

static void of_two_that_exclude_each_other_one_wins(void **state) {
    struct contract *contract = *state;
    struct store *peers[2] = {NULL, NULL};
    bool shared = contract->engine->open_peer != NULL;
    for (size_t i = 0; shared && i < 2; i++)
        must(contract->engine->open_peer(contract, &peers[i]));
    pthread_mutex_t one_writer = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_t *lock = shared ? NULL : &one_writer;
    atomic_uint start;
    atomic_init(&start, 0);
    struct racer left = {shared ? peers[0] : contract->store, lock, &start, "left", "right"};
    struct racer right = {shared ? peers[1] : contract->store, lock, &start, "right", "left"};
    pthread_t threads[2];
    assert_int_equal(pthread_create(&threads[0], NULL, race_run, &left), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, race_run, &right), 0);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    store_close(peers[0]);
    store_close(peers[1]);
    bool leads = false;
    must(store_lead(contract->store, &contract->arena, 10000, &leads));
    assert_true(leads);
    assert_int_equal(race_sound_rounds(contract, ROUNDS), ROUNDS);
}

/* The canary: what an engine without serialisable transactions would do must be noticed. */
static void the_race_notices_an_unsound_engine(void **state) {
    struct contract *contract = *state;
    struct store_txn *left = begin(contract, STORE_READ), *right = begin(contract, STORE_READ);
    expect_get(left, 0, "right1", NULL);
    expect_get(right, 0, "left1", NULL);
    store_end(left);
    store_end(right);
    put_now(contract, 0, "left1", "here");
    put_now(contract, 0, "right1", "here");
    put_now(contract, 0, "right2", "here");
    assert_int_equal(race_sound_rounds(contract, 2), 1);
}

const struct CMUnitTest cases_threads[] = {
    CONTRACT_CASE(readers_see_whole_commits_while_a_writer_commits),
    CONTRACT_CASE(a_scan_moves_between_threads),
    CONTRACT_CASE(of_two_that_exclude_each_other_one_wins),
    CONTRACT_CASE(the_race_notices_an_unsound_engine),
};
const size_t cases_threads_count = sizeof(cases_threads) / sizeof(*cases_threads);
