/* data.c - the store of a server, in memory, in a directory or elsewhere, and the engine on it. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "admin/files.h"
#include "admin/name_spaces.h"
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

static struct error *open_directory(const struct server_config *config, struct arena *arena,
                                    const char *path, struct data_directory *ret_data) {
    struct master_key key = {0};
    if (config->encrypt_with == NULL)
        return data_directory_open(arena, path, NULL, ret_data);
    TRY(master_key_read(arena, config->encrypt_with, &key));
    struct error *error = data_directory_open(arena, path, &key, ret_data);
    master_key_release(&key);
    return error;
}

static struct error *open_files(struct arena *arena, const struct rocksdb_store_options *options,
                                const struct data_directory *data, struct store **ret_store) {
    TRY(rocksdb_store_open(arena, options, engine_keyspaces, KEYSPACE_COUNT, ret_store));
    struct error *error = data_directory_settle(arena, data);
    if (error != NULL)
        store_close(*ret_store);
    return error;
}

/* Whoever has tables there may look for them. */
static void tell_unserved(const struct server_config *config, struct arena *arena) {
    size_t count = config->name_spaces ? 0 : name_spaces_of(arena, config->data_directory).count;
    if (count > 0)
        log_warning("%zu name spaces in %s/" NAME_SPACES_FOLDER
                    " are not served: that takes --name-spaces",
                    count, config->data_directory);
}

static struct error *open_store(struct server *server, struct arena *arena,
                                struct store **ret_store) {
    const struct server_config *config = &server->config;
    if (config->store_url != NULL)
        return server_open_remote(server, arena, ret_store);
    if (config->data_directory == NULL)
        return memory_store_open(arena, engine_keyspaces, KEYSPACE_COUNT, ret_store);
    TRY(open_directory(config, arena, config->data_directory, &server->data));
    tell_unserved(config, arena);
    struct rocksdb_store_options options = {.directory = server->data.store_path,
                                            .create = true,
                                            .keyring = server->data.keyring,
                                            .scrub_ms = config->scrub_ms,
                                            .settled_later = true,
                                            .reserve = server->data.reserve,
                                            .reserve_bytes = config->reserve_mb * MIB};
    size_memory(config, &options);
    return open_files(arena, &options, &server->data, ret_store);
}

/* ---- directories of name spaces ---- */

/* A name of a file that is another one for each: KEY_REGION, and what is no letter, digit or dash
 * of the key by its number. */
const char *world_name_text(struct arena *arena, const struct world_name *name) {
    char text[3 * WORLD_KEY_MAX + 1], *end = text;
    for (const char *at = name->key; *at != '\0'; at++) {
        unsigned char c = (unsigned char)*at;
        bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-';
        end += snprintf(end, 4, plain ? "%c" : "%%%02x", c);
    }
    return (const char *)arena_printf(arena, "%.*s_%s", (int)(end - text), text, name->region).data;
}

static struct error *open_named(const struct server_config *config, struct arena *arena,
                                const char *path, struct world *world, struct store **ret_store) {
    struct data_directory data = {.path = NULL};
    TRY(files_make_directories(arena, path));
    TRY(open_directory(config, arena, path, &data));
    world->keyring = data.keyring;
    struct rocksdb_store_options options = {.directory = data.store_path,
                                            .create = true,
                                            .keyring = data.keyring,
                                            .scrub_ms = config->scrub_ms,
                                            .settled_later = true,
                                            .block_cache_bytes = CACHE_BYTES_MIN,
                                            .write_buffer_bytes = WRITE_BUFFER_BYTES_MIN};
    return open_files(arena, &options, &data, ret_store);
}

struct error *server_open_named(struct world *world, struct arena *arena,
                                struct store **ret_store) {
    const struct server_config *config = &world->server->config;
    const char *name = world_name_text(arena, &world->name);
    if (strlen(name) > NAME_MAX)
        return error_validation(arena, "The access key is too long for the name of a directory");
    const char *folder = files_join(arena, config->data_directory, NAME_SPACES_FOLDER);
    return open_named(config, arena, files_join(arena, folder, name), world, ret_store);
}

/* ---- the engine ---- */

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
