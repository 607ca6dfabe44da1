/* test_rocksdb_crash.c - kills a process that commits, and looks at what it left.
 *
 * A child commits batches that each touch every keyspace and tells, through a pipe, the number of
 * each batch that was acknowledged. It is killed after a random one. Then every acknowledged batch
 * must be there, and no batch in part. GRAMME_SEED=n runs another seed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract.h"
#include "store/rocksdb/rocksdb.h"

enum { KILLS = 12, BATCHES_MAX = 80, BATCH_KEYS = 24 };

static struct store *open_store(struct arena *arena, const char *directory) {
    /* Small buffers, so that the kill also falls into flushes and compactions. */
    struct rocksdb_store_options options = {.directory = directory,
                                            .create = true,
                                            .write_buffer_bytes = 256 * 1024,
                                            .keyring = contract_keyring()};
    struct store *store = NULL;
    struct error *error =
        rocksdb_store_open(arena, &options, contract_keyspaces, KEYSPACE_COUNT, &store);
    if (error != NULL)
        fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
    CHECK(error == NULL);
    return store;
}

static struct store_key batch_key(unsigned batch, unsigned i, char text[static 32]) {
    snprintf(text, 32, "%08u-%02u", batch, i);
    return text_key((uint8_t)(i % KEYSPACE_COUNT), text);
}

static void commit_batch(struct store *store, struct arena *arena, unsigned batch) {
    static uint8_t value[300];
    struct store_txn *txn;
    enum store_outcome outcome;
    char text[32];
    CHECK(store_begin(store, arena, STORE_WRITE, &txn) == NULL);
    for (unsigned i = 0; i < BATCH_KEYS; i++) {
        struct store_key key = batch_key(batch, i, text);
        store_put(txn, &key, slice_of(value, sizeof(value)));
    }
    CHECK(store_commit(txn, STORE_DURABLE, &outcome) == NULL);
    CHECK(outcome == STORE_COMMITTED);
    store_end(txn);
    arena_reset(arena);
}

static _Noreturn void child_run(const char *directory, unsigned first, int acknowledge) {
    struct arena arena;
    arena_init(&arena);
    struct store *store = open_store(&arena, directory);
    for (unsigned batch = first;; batch++) {
        commit_batch(store, &arena, batch);
        CHECK(write(acknowledge, &batch, sizeof(batch)) == sizeof(batch));
    }
}

/* Runs a child that starts with batch `first`, and kills it when it has acknowledged so many.
 * Returns the last batch it acknowledged. */
static unsigned run_and_kill(const char *directory, unsigned first, unsigned count) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        child_run(directory, first, ends[1]);
    }
    close(ends[1]);
    unsigned last = first - 1, batch;
    while (read(ends[0], &batch, sizeof(batch)) == sizeof(batch)) {
        last = batch;
        if (last == first + count - 1)
            kill(child, SIGKILL);
    }
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    return last;
}

static unsigned keys_of_batch(struct store_txn *txn, unsigned batch) {
    struct store_key keys[BATCH_KEYS];
    struct slice values[BATCH_KEYS];
    char texts[BATCH_KEYS][32];
    for (unsigned i = 0; i < BATCH_KEYS; i++)
        keys[i] = batch_key(batch, i, texts[i]);
    CHECK(store_get_many(txn, BATCH_KEYS, keys, values) == NULL);
    unsigned found = 0;
    for (unsigned i = 0; i < BATCH_KEYS; i++)
        found += slice_present(values[i]);
    return found;
}

/* The first batch that is not there: the next child continues with it. */
static unsigned first_missing(const char *directory, unsigned acknowledged) {
    struct arena arena;
    arena_init(&arena);
    struct store *store = open_store(&arena, directory);
    struct store_txn *txn;
    CHECK(store_begin(store, &arena, STORE_READ, &txn) == NULL);
    for (unsigned batch = 1; batch <= acknowledged; batch++)
        CHECK(keys_of_batch(txn, batch) == BATCH_KEYS);
    unsigned next = keys_of_batch(txn, acknowledged + 1);
    CHECK(next == 0 || next == BATCH_KEYS);
    CHECK(keys_of_batch(txn, acknowledged + 2) == 0);
    store_end(txn);
    store_close(store);
    arena_release(&arena);
    return acknowledged + (next == 0 ? 1 : 2);
}

/* In a process of its own, since RocksDB's threads would not survive the next fork. */
static unsigned check_batches(const char *directory, unsigned acknowledged) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        unsigned missing = first_missing(directory, acknowledged);
        CHECK(write(ends[1], &missing, sizeof(missing)) == sizeof(missing));
        _exit(0);
    }
    close(ends[1]);
    unsigned missing = 0;
    assert_int_equal(read(ends[0], &missing, sizeof(missing)), sizeof(missing));
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    return missing;
}

static void acknowledged_commits_survive_a_kill(void **state) {
    (void)state;
    const char *chosen = getenv("GRAMME_SEED");
    unsigned seed = chosen != NULL ? (unsigned)strtoul(chosen, NULL, 10) : 1;
    printf("# repeat with GRAMME_SEED=%u\n", seed);
    fflush(stdout);
    srand(seed);
    char directory[64];
    directory_make(directory, sizeof(directory));
    unsigned next = 1;
    for (int i = 0; i < KILLS; i++) {
        unsigned acknowledged = run_and_kill(directory, next, 1 + (unsigned)rand() % BATCHES_MAX);
        next = check_batches(directory, acknowledged);
    }
    printf("%d kills, %u batches\n", KILLS, next - 1);
    directory_remove(directory);
}

/* The canary: a batch that was never committed must be noticed. */
static void a_missing_batch_is_noticed(void **state) {
    (void)state;
    char directory[64];
    directory_make(directory, sizeof(directory));
    struct arena arena;
    arena_init(&arena);
    struct store *store = open_store(&arena, directory);
    commit_batch(store, &arena, 1);
    struct store_txn *txn;
    must(store_begin(store, &arena, STORE_READ, &txn));
    assert_int_equal(keys_of_batch(txn, 1), BATCH_KEYS);
    assert_int_equal(keys_of_batch(txn, 2), 0);
    store_end(txn);
    store_close(store);
    arena_release(&arena);
    directory_remove(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledged_commits_survive_a_kill),
        cmocka_unit_test(a_missing_batch_is_noticed),
    };
    return cmocka_run_group_tests_name("rocksdb crash", tests, NULL, NULL);
}
