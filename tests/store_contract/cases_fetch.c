/* cases_fetch.c - the contract of reads that nobody waits for: what they bring, beside commits, and
 * many at once. */
#include <pthread.h>
#include <stdio.h>

#include "contract.h"
#include "waited_fetch.h"

enum { COMMITS = 300, KEYS = FETCH_KEYS_MAX, READERS = 3, AT_ONCE = 8, CHAIN = 200 };

static void expect_fetched(const struct waited_fetch *waited, size_t i, const char *value) {
    assert_true(value == NULL ? !slice_present(waited->values[i])
                              : slice_is(waited->values[i], value));
}

static void a_fetch_brings_what_is_there(void **state) {
    struct contract *contract = *state;
    static const char *const keys[] = {"b", "none", "a", "b", "empty"};
    static const char *const values[] = {"2", NULL, "1", "2", ""};
    struct waited_fetch waited;
    put_now(contract, 1, "a", "1");
    put_now(contract, 1, "b", "2");
    put_now(contract, 1, "empty", "");
    put_now(contract, 0, "none", "of another keyspace");
    for (size_t count = 1; count <= 5; count++) {
        for (size_t i = 0; i < count; i++)
            waited.keys[i] = text_key(1, keys[i]);
        waited_fetch_start(&waited, contract->store, STORE_READ_LATEST, count);
        must(waited_fetch_wait(&waited));
        for (size_t i = 0; i < count; i++)
            expect_fetched(&waited, i, values[i]);
        waited_fetch_end(&waited);
    }
}

/* Of several keyspaces, each its own; and what it brought stays when others are over. */
static void fetches_do_not_mix(void **state) {
    struct contract *contract = *state;
    struct waited_fetch waited[AT_ONCE];
    char texts[AT_ONCE][16];
    for (size_t i = 0; i < AT_ONCE; i++) {
        snprintf(texts[i], sizeof(texts[i]), "value%zu", i);
        put_now(contract, (uint8_t)(i % KEYSPACE_COUNT), texts[i], texts[i]);
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        waited[i].keys[0] = text_key((uint8_t)(i % KEYSPACE_COUNT), texts[i]);
        waited[i].keys[1] = text_key((uint8_t)(i % KEYSPACE_COUNT), texts[(i + 1) % AT_ONCE]);
        waited_fetch_start(&waited[i], contract->store, STORE_READ, 1 + i % 2);
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        must(waited_fetch_wait(&waited[i]));
    for (size_t i = 0; i < AT_ONCE; i++) {
        expect_fetched(&waited[i], 0, texts[i]);
        waited_fetch_end(&waited[i]);
    }
}

/* ---- beside commits ---- */

/* Every commit writes its number to all keys. */
struct commit_race {
    struct store *store;
    atomic_uint_fast64_t acknowledged;
};

static void *commit_numbers(void *argument) {
    struct commit_race *race = argument;
    struct arena arena;
    arena_init(&arena);
    for (uint64_t number = 1; number <= COMMITS; number++) {
        struct store_txn *txn = NULL;
        enum store_outcome outcome = STORE_UNKNOWN;
        char text[16];
        CHECK(store_begin(race->store, &arena, STORE_WRITE, &txn) == NULL);
        for (size_t i = 0; i < KEYS; i++) {
            snprintf(text, sizeof(text), "key%02zu", i);
            struct store_key key = text_key(0, text);
            store_put(txn, &key, slice_of(&number, sizeof(number)));
        }
        CHECK(store_commit(txn, STORE_RELAXED, &outcome) == NULL && outcome == STORE_COMMITTED);
        store_end(txn);
        atomic_store(&race->acknowledged, number);
        arena_reset(&arena);
    }
    arena_release(&arena);
    return NULL;
}

static uint64_t number_of(struct slice value) {
    uint64_t number = 0;
    CHECK(value.len == sizeof(number) || !slice_present(value));
    if (slice_present(value))
        memcpy(&number, value.data, sizeof(number));
    return number;
}

/* All values are of one moment, which is not before the last commit that was acknowledged. */
static void *fetch_numbers(void *argument) {
    struct commit_race *race = argument;
    struct waited_fetch waited;
    char texts[KEYS][16];
    for (size_t i = 0; i < KEYS; i++) {
        snprintf(texts[i], sizeof(texts[i]), "key%02zu", i);
        waited.keys[i] = text_key(0, texts[i]);
    }
    for (uint64_t at_least = 0; at_least < COMMITS;) {
        at_least = atomic_load(&race->acknowledged);
        waited_fetch_start(&waited, race->store, STORE_READ, KEYS);
        CHECK(waited_fetch_wait(&waited) == NULL);
        uint64_t number = number_of(waited.values[0]);
        CHECK(number >= at_least);
        for (size_t i = 0; i < KEYS; i++)
            CHECK(number_of(waited.values[i]) == number);
        waited_fetch_end(&waited);
    }
    return NULL;
}

static void a_fetch_sees_a_moment_not_before_it_was_started(void **state) {
    struct contract *contract = *state;
    struct commit_race race = {.store = contract->store};
    pthread_t writer, readers[READERS];
    atomic_init(&race.acknowledged, 0);
    for (size_t i = 0; i < READERS; i++)
        assert_int_equal(pthread_create(&readers[i], NULL, fetch_numbers, &race), 0);
    assert_int_equal(pthread_create(&writer, NULL, commit_numbers, &race), 0);
    pthread_join(writer, NULL);
    for (size_t i = 0; i < READERS; i++)
        pthread_join(readers[i], NULL);
}

/* ---- one after another, without anybody who waits ---- */

struct chain {
    struct store *store;
    struct store_fetch fetch;
    struct store_key key;
    struct slice value;
    struct arena arena;
    unsigned links;
    sem_t over;
};

static void chain_next(struct chain *chain);

/* Ends its transaction and starts the next one where it is. */
static void chain_link(struct store_fetch *fetch) {
    struct chain *chain = container_of(fetch, struct chain, fetch);
    CHECK(fetch->error == NULL && slice_is(chain->value, "1"));
    store_end(fetch->txn);
    arena_reset(&chain->arena);
    if (++chain->links < CHAIN)
        chain_next(chain);
    else
        sem_post(&chain->over);
}

static void chain_next(struct chain *chain) {
    struct store_txn *txn = NULL;
    CHECK(store_begin(chain->store, &chain->arena, STORE_READ_LATEST, &txn) == NULL);
    chain->fetch = (struct store_fetch){
        .count = 1, .keys = &chain->key, .values = &chain->value, .done = chain_link};
    store_get_many_start(txn, &chain->fetch);
}

/* The store is closed as soon as the last one is over, while others of its threads may still be on
 * their way back from telling so. */
static void chains_of_fetches_end_with_the_store(void **state) {
    struct contract *contract = *state;
    struct chain chains[AT_ONCE];
    put_now(contract, 0, "a", "1");
    for (size_t i = 0; i < AT_ONCE; i++) {
        chains[i] = (struct chain){.store = contract->store, .key = text_key(0, "a")};
        arena_init(&chains[i].arena);
        sem_init(&chains[i].over, 0, 0);
        chain_next(&chains[i]);
    }
    for (size_t i = 0; i < AT_ONCE; i++)
        while (sem_wait(&chains[i].over) != 0)
            ;
    store_close(contract->store);
    contract->store = NULL;
    for (size_t i = 0; i < AT_ONCE; i++) {
        assert_int_equal(chains[i].links, CHAIN);
        arena_release(&chains[i].arena);
        sem_destroy(&chains[i].over);
    }
}

const struct CMUnitTest cases_fetch[] = {
    CONTRACT_CASE(a_fetch_brings_what_is_there),
    CONTRACT_CASE(fetches_do_not_mix),
    CONTRACT_CASE(a_fetch_sees_a_moment_not_before_it_was_started),
    CONTRACT_CASE(chains_of_fetches_end_with_the_store),
};
const size_t cases_fetch_count = sizeof(cases_fetch) / sizeof(*cases_fetch);
