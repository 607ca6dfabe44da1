/* data.c - the store of a server, in memory, in a directory or elsewhere, and the engine on it. */
#include "base/log.h"
#include "base/machine.h"
#include "engine/engine.h"
#include "server/state.h"
#include "server/world.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"
#include "throttle/limits.h"

#define MIB ((uint64_t)1 << 20)
#define CACHE_BYTES_MIN (8 * MIB)
#define WRITE_BUFFER_BYTES_MIN (64 * MIB)
#define WRITE_BUFFER_BYTES_MAX (512 * MIB)

static uint64_t between(uint64_t low, uint64_t n, uint64_t high) {
    return n < low ? low : n > high ? high : n;
}

/* A database has the machine to itself, or nearly. What is not needed is not taken. */
static void size_memory(const struct server_config *config, struct rocksdb_store_options *options) {
    uint64_t memory = machine_memory_bytes();
    uint64_t cache = config->cache_bytes != 0 ? config->cache_bytes : memory / 4;
    options->block_cache_bytes = (size_t)between(CACHE_BYTES_MIN, cache, SIZE_MAX);
    options->write_buffer_bytes =
        (size_t)between(WRITE_BUFFER_BYTES_MIN, memory / 64, WRITE_BUFFER_BYTES_MAX);
}

static struct error *open_directory(struct server *server, struct arena *arena) {
    const struct server_config *config = &server->config;
    struct master_key key = {0};
    if (config->encrypt_with == NULL)
        return data_directory_open(arena, config->data_directory, NULL, &server->data);
    TRY(master_key_read(arena, config->encrypt_with, &key));
    struct error *error = data_directory_open(arena, config->data_directory, &key, &server->data);
    master_key_release(&key);
    return error;
}

static struct error *open_store(struct server *server, struct arena *arena,
                                struct store **ret_store) {
    if (server->config.store_url != NULL)
        return server_open_remote(server, arena, ret_store);
    if (server->config.data_directory == NULL)
        return memory_store_open(arena, engine_keyspaces, KEYSPACE_COUNT, ret_store);
    TRY(open_directory(server, arena));
    struct rocksdb_store_options options = {.directory = server->data.store_path,
                                            .create = true,
                                            .keyring = server->data.keyring,
                                            .scrub_ms = server->config.scrub_ms,
                                            .settled_later = true,
                                            .reserve = server->data.reserve,
                                            .reserve_bytes = server->config.reserve_mb * MIB};
    size_memory(&server->config, &options);
    TRY(rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, ret_store));
    struct error *error = data_directory_settle(arena, &server->data);
    if (error != NULL)
        store_close(*ret_store);
    return error;
}

struct error *server_start_engine(struct server *server, struct arena *arena) {
    struct store *store = NULL;
    TRY(open_store(server, arena, &store));
    TRY(world_open(server->world, arena, store));
    if (server->config.data_directory != NULL)
        rocksdb_store_settle(store);
    return NULL;
}

void server_count_unencrypted(struct server *server) {
    struct table *const *tables;
    struct slice first = SLICE_NONE;
    if (server->config.data_directory == NULL || server->config.encrypt_with != NULL)
        return;
    struct catalog_view *view = catalog_view_new(engine_catalog(server->world->engine));
    size_t count = catalog_tables(view, &tables);
    for (size_t i = count; i-- > 0;)
        if (tables[i]->definition.sse_kms) {
            server->tables_unencrypted++;
            first = tables[i]->definition.name;
        }
    if (server->tables_unencrypted > 0)
        log_warning("%zu tables ask for encryption, %.*s first, and this server has no key: their "
                    "items are on disk in plain text; see --encrypt-with",
                    server->tables_unencrypted, SLICE_ARGS(first));
    catalog_view_free(view);
}
