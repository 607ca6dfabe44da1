/* test_postgres_replication.c - commits that stop waiting for their synchronous standby.
 *
 * PostgreSQL answers such a commit with success and a warning: it is visible, and a failover may
 * lose it. So the store acknowledges it only when a later commit has reached the standby. Here
 * commits wait for a standby that does not exist, until the server is told to wait for none. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "postgres_server.h"
#include "store/postgres/postgres.h"

/* Nobody loses the lead or gives up because the machine is busy. */
enum { LEAD_MS = 120000, PATIENCE_MS = 120000 };

static struct error *open_store(struct contract *contract, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store) {
    struct postgres_store_options options = {.url = postgres_url(contract),
                                             .create = true,
                                             .lead_ms = LEAD_MS,
                                             .patience_ms = PATIENCE_MS};
    return postgres_store_open(&contract->arena, &options, keyspaces, count, ret_store);
}

/* ---- work that goes on until it is told to end ---- */

struct work {
    struct store *store;
    /* True: it is as durable as can be. */
    bool (*step)(struct store *store, struct arena *arena);
    pthread_t thread;
    atomic_uint done, failed;
    atomic_bool ends;
};

static void *work_main(void *argument) {
    struct work *work = argument;
    struct arena arena;
    arena_init(&arena);
    do {
        bool done = work->step(work->store, &arena);
        atomic_fetch_add(done ? &work->done : &work->failed, 1);
        arena_reset(&arena);
    } while (!atomic_load(&work->ends));
    arena_release(&arena);
    return NULL;
}

static bool put_as(struct store *store, struct arena *arena, enum store_durability durability) {
    struct store_txn *txn = NULL;
    enum store_outcome outcome = STORE_UNKNOWN;
    struct store_key key = text_key(0, "a");
    CHECK(store_begin(store, arena, STORE_WRITE, &txn) == NULL);
    store_put(txn, &key, SLICE_LITERAL("1"));
    struct error *error = store_commit(txn, durability, &outcome);
    store_end(txn);
    return error == NULL && outcome == STORE_COMMITTED;
}

static bool put_durably(struct store *store, struct arena *arena) {
    return put_as(store, arena, STORE_DURABLE);
}

static bool put_and_sync(struct store *store, struct arena *arena) {
    return put_as(store, arena, STORE_RELAXED) && store_sync(store, arena) == NULL;
}

static bool write_note(struct store *store, struct arena *arena) {
    return postgres_note_write(store, arena, "a", SLICE_LITERAL("1")) == NULL;
}

/* ---- the server ---- */

static void wait_for_standby(struct contract *contract, const char *name) {
    char sql[100];
    snprintf(sql, sizeof(sql), "ALTER SYSTEM SET synchronous_standby_names = '%s'", name);
    postgres_run(contract, sql);
    postgres_run(contract, "SELECT pg_reload_conf()");
}

/* The process of a commit that waits for the standby, and not that one; 0: the work went on. */
static int64_t find_waiting(struct contract *contract, const struct work *work, unsigned done,
                            int64_t not_this) {
    char sql[150];
    snprintf(
        sql, sizeof(sql),
        "SELECT pid::bigint FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND pid <> %lld",
        (long long)not_this);
    for (int tries = 0; tries < 12000; tries++, usleep(10000)) {
        int64_t pid = postgres_number(contract, sql);
        if (pid != 0)
            return pid;
        if (not_this != 0 && atomic_load(&work->done) + atomic_load(&work->failed) != done)
            return 0;
    }
    fail_msg("no commit waits for the standby");
    return 0;
}

static void end_wait(struct contract *contract, const char *function, int64_t pid) {
    char sql[60];
    snprintf(sql, sizeof(sql), "SELECT %s(%lld)", function, (long long)pid);
    assert_int_equal(postgres_run(contract, sql), 1);
}

/* The work goes on until a commit of it waits: the server notices its new setting some time. */
static int64_t start(struct contract *contract, struct work *work) {
    work->store = contract->store;
    wait_for_standby(contract, "nobody");
    CHECK(pthread_create(&work->thread, NULL, work_main, work) == 0);
    return find_waiting(contract, work, 0, 0);
}

static void finish(struct contract *contract, struct work *work) {
    atomic_store(&work->ends, true);
    wait_for_standby(contract, "");
    pthread_join(work->thread, NULL);
}

/* Whatever ends its waits, it answers only when nothing waits any more. */
static void expect_no_answer(struct contract *contract, struct work *work, const char *function) {
    int64_t pid = start(contract, work);
    unsigned done = atomic_load(&work->done);
    for (int waits = 0; waits < 2 && pid != 0; waits++) {
        end_wait(contract, function, pid);
        pid = find_waiting(contract, work, done, pid);
    }
    unsigned done_meanwhile = atomic_load(&work->done) - done;
    finish(contract, work);
    assert_int_equal(done_meanwhile, 0);
    assert_true(atomic_load(&work->done) > done);
    assert_int_equal(atomic_load(&work->failed), 0);
}

static unsigned long statistic(struct contract *contract, const char *name) {
    struct store_statistic list[STORE_STATISTICS_MAX];
    size_t count = store_statistics(contract->store, &contract->arena, list);
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].name, name) == 0)
            return (unsigned long)list[i].value;
    fail_msg("there is no %s", name);
    return 0;
}

/* ---- cases ---- */

static void a_commit_is_settled_when_its_wait_is_canceled(void **state) {
    struct contract *contract = *state;
    struct work work = {.step = put_durably};
    expect_no_answer(contract, &work, "pg_cancel_backend");
    assert_int_equal(statistic(contract, "commits_settled_total"), 1);
    assert_int_equal(statistic(contract, "commits_repeated_total"), 0);
    expect_content(contract, 0, "a=1");
}

static void a_commit_is_settled_when_its_session_is_terminated(void **state) {
    struct contract *contract = *state;
    struct work work = {.step = put_durably};
    expect_no_answer(contract, &work, "pg_terminate_backend");
    assert_int_equal(statistic(contract, "commits_settled_total"), 1);
    assert_int_equal(statistic(contract, "commits_repeated_total"), 0);
}

/* Its statement is a transaction of its own, whose warning comes after its result. */
static void a_sync_is_repeated_when_its_wait_is_canceled(void **state) {
    struct work work = {.step = put_and_sync};
    expect_no_answer(*state, &work, "pg_cancel_backend");
}

/* The caller gets an error and writes the note again. */
static void a_note_fails_when_its_wait_is_canceled(void **state) {
    struct contract *contract = *state;
    struct work work = {.step = write_note};
    int64_t pid = start(contract, &work);
    unsigned done = atomic_load(&work.done);
    atomic_store(&work.ends, true);
    end_wait(contract, "pg_cancel_backend", pid);
    pthread_join(work.thread, NULL);
    wait_for_standby(contract, "");
    assert_int_equal(atomic_load(&work.done), done);
    assert_int_equal(atomic_load(&work.failed), 1);
}

/* They have the same SQLSTATE, and come with the answer to a COMMIT. */
static void other_warnings_harm_no_commit(void **state) {
    struct contract *contract = *state;
    const char *schema = strrchr(contract->directory, '-') + 1;
    char sql[400];
    snprintf(sql, sizeof(sql),
             "CREATE FUNCTION \"%s\".warn() RETURNS trigger LANGUAGE plpgsql AS "
             "$$BEGIN RAISE WARNING 'a trigger says something'; RETURN NULL; END$$",
             schema);
    postgres_run(contract, sql);
    snprintf(sql, sizeof(sql),
             "CREATE CONSTRAINT TRIGGER warns AFTER UPDATE ON \"%s\".gramme_version "
             "DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \"%s\".warn()",
             schema, schema);
    postgres_run(contract, sql);
    put_now(contract, 0, "a", "1");
    assert_true(put_and_sync(contract->store, &contract->arena));
    assert_int_equal(statistic(contract, "commits_settled_total"), 0);
    assert_int_equal(statistic(contract, "connections_lost_total"), 0);
}

int main(void) {
    static const struct engine engine = {.name = "postgres", .open = open_store};
    struct CMUnitTest tests[] = {
        CONTRACT_CASE(a_commit_is_settled_when_its_wait_is_canceled),
        CONTRACT_CASE(a_commit_is_settled_when_its_session_is_terminated),
        CONTRACT_CASE(a_sync_is_repeated_when_its_wait_is_canceled),
        CONTRACT_CASE(a_note_fails_when_its_wait_is_canceled),
        CONTRACT_CASE(other_warnings_harm_no_commit),
    };
    for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
        tests[i].initial_state = (void *)(uintptr_t)&engine;
    return cmocka_run_group_tests_name("postgres-replication", tests, NULL, NULL);
}
