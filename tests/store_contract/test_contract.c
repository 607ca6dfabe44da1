/* test_contract.c - runs every case of the contract over one engine: test_contract <engine>.
 *
 * A new engine adds a row to `engines` and a line to meson.build. */
#include <stdio.h>

#include "contract.h"
#include "postgres_server.h"
#include "store/fault/fault.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"

static struct error *open_memory(struct contract *contract, const struct store_keyspace *keyspaces,
                                 size_t count, struct store **ret_store) {
    return memory_store_open(&contract->arena, keyspaces, count, ret_store);
}

static struct error *open_fault(struct contract *contract, const struct store_keyspace *keyspaces,
                                size_t count, struct store **ret_store) {
    struct store *inner = NULL;
    TRY(memory_store_open(&contract->arena, keyspaces, count, &inner));
    *ret_store = fault_store_new(inner);
    return NULL;
}

static struct error *open_rocksdb(struct contract *contract, const struct store_keyspace *keyspaces,
                                  size_t count, struct store **ret_store) {
    struct rocksdb_store_options options = {
        .directory = contract->directory, .create = true, .keyring = contract_keyring()};
    return rocksdb_store_open(&contract->arena, &options, keyspaces, count, ret_store);
}

static struct error *open_postgres(struct contract *contract,
                                   const struct store_keyspace *keyspaces, size_t count,
                                   struct store **ret_store) {
    struct postgres_store_options options = {
        .url = postgres_url(contract), .create = true, .lead_ms = 120000};
    return postgres_store_open(&contract->arena, &options, keyspaces, count, ret_store);
}

static struct error *open_postgres_peer(struct contract *contract, struct store **ret_store) {
    struct postgres_store_options options = {.url = postgres_url(contract), .lead_by_force = true};
    return postgres_store_open(&contract->arena, &options, contract_keyspaces, KEYSPACE_COUNT,
                               ret_store);
}

static const struct engine engines[] = {
    {.name = "memory", .open = open_memory},
    {.name = "fault", .open = open_fault},
    {.name = "rocksdb", .open = open_rocksdb},
    {.name = "postgres", .open = open_postgres, .open_peer = open_postgres_peer},
};

/* Every case starts with the engine as its state. */
static int run_group(const struct engine *engine, const struct CMUnitTest *cases, size_t count) {
    struct CMUnitTest tests[64];
    CHECK(count <= sizeof(tests) / sizeof(*tests));
    memcpy(tests, cases, count * sizeof(*cases));
    for (size_t i = 0; i < count; i++)
        tests[i].initial_state = (void *)(uintptr_t)engine;
    return _cmocka_run_group_tests(engine->name, tests, count, NULL, NULL);
}

int main(int argc, char **argv) {
    for (size_t i = 0; argc == 2 && i < sizeof(engines) / sizeof(*engines); i++) {
        const struct engine *engine = &engines[i];
        if (strcmp(argv[1], engine->name) != 0)
            continue;
        int failed = run_group(engine, cases_basic, cases_basic_count);
        failed += run_group(engine, cases_fetch, cases_fetch_count);
        failed += run_group(engine, cases_threads, cases_threads_count);
        failed += run_group(engine, cases_persistence, cases_persistence_count);
        failed += run_group(engine, cases_reclaim, cases_reclaim_count);
        failed += run_group(engine, cases_model, cases_model_count);
        return failed;
    }
    fprintf(stderr, "usage: test_contract memory | fault | rocksdb | postgres\n");
    return 2;
}
