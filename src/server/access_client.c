/* access_client.c - see access_client.h. */
#include "server/access_client.h"

#include <unistd.h>

#include "admin/control_socket.h"
#include "admin/data_directory.h"
#include "admin/remote_store.h"
#include "admin/shared_secrets.h"
#include "admin/store_place.h"
#include "base/check.h"
#include "engine/engine.h"
#include "server/access.h"
#include "store/rocksdb/rocksdb.h"

enum { OUTPUT_MAX = CONTROL_BYTES_MAX };

/* ---- a directory at rest ---- */

static struct error *run_on_engine(struct arena *arena, const struct access_request *request,
                                   const struct access_options *options, struct slice *ret_output) {
    struct access *access;
    CLEANUP(buffer_release) struct buffer output;
    buffer_init(&output, OUTPUT_MAX);
    TRY(access_open(arena, options, &access));
    struct error *error = access_run(access, arena, request->input, &output);
    access_close(access);
    TRY(error);
    *ret_output = arena_slice(arena, buffer_slice(&output));
    return NULL;
}

static struct error *run_on_data(struct arena *arena, const struct access_request *request,
                                 const struct data_directory *data, struct slice *ret_output) {
    struct engine *engine;
    struct engine_options options = {
        .durability = STORE_DURABLE, .clock = &system_clock, .random = &system_random};
    struct rocksdb_store_options store = {.directory = data->store_path, .keyring = data->keyring};
    TRY(rocksdb_store_open(arena, &store, engine_keyspaces, KEYSPACE_COUNT, &options.store));
    TRY(engine_open(arena, &options, &engine));
    struct access_options access = {.directory = data->path,
                                    .over = data->keyring,
                                    .engine = engine,
                                    .account = request->account};
    struct error *error = run_on_engine(arena, request, &access, ret_output);
    engine_close(engine);
    return error;
}

static struct error *run_at_rest(struct arena *arena, const struct access_request *request,
                                 struct slice *ret_output) {
    struct data_directory data;
    struct master_key key = {0};
    bool encrypted = request->encrypt_with != NULL;
    if (encrypted)
        TRY(master_key_read(arena, request->encrypt_with, &key));
    struct error *error =
        data_directory_find(arena, request->directory, encrypted ? &key : NULL, &data);
    master_key_release(&key);
    TRY(error);
    error = run_on_data(arena, request, &data, ret_output);
    data_directory_release(&data);
    return error;
}

/* ---- a store that servers share ---- */

/* What seals the secrets there: NULL where there are none yet, and none are to be made. */
static struct error *find_secrets(struct arena *arena, const struct access_request *request,
                                  struct store *store, struct keyring **ret_keyring) {
    struct master_key key = {0};
    if (request->encrypt_with == NULL)
        return error_local(arena, "the secrets of access keys in that store are sealed: "
                                  "--encrypt-with names the key of its servers");
    TRY(master_key_read(arena, request->encrypt_with, &key));
    struct error *error = request->changes ? shared_secrets_open(arena, store, &key, ret_keyring)
                                           : shared_secrets_find(arena, store, &key, ret_keyring);
    master_key_release(&key);
    return error;
}

/* Takes the store over. */
static struct error *run_on_store(struct arena *arena, const struct access_request *request,
                                  struct store *store, const struct keyring *shared,
                                  struct slice *ret_output) {
    struct engine *engine;
    struct engine_options options = {.store = store,
                                     .durability = STORE_DURABLE,
                                     .clock = &system_clock,
                                     .random = &system_random,
                                     .follows = !request->changes};
    TRY(engine_open(arena, &options, &engine));
    struct access_options access = {
        .shared = shared, .engine = engine, .account = request->account};
    struct error *error = run_on_engine(arena, request, &access, ret_output);
    engine_close(engine);
    return error;
}

static struct error *run_on_shared(struct arena *arena, const struct access_request *request,
                                   struct slice *ret_output) {
    struct store_place place;
    struct found_store found;
    struct keyring *shared = NULL;
    TRY(store_place_of(arena, request->directory, &place));
    TRY(found_store_open(arena, &place, NULL, request->changes ? FOUND_ALONE : FOUND_BESIDE,
                         &found));
    struct error *error = find_secrets(arena, request, found.store, &shared);
    if (error == NULL) {
        struct store *store = found.store;
        found.store = NULL;
        error = run_on_store(arena, request, store, shared, ret_output);
    }
    keyring_free(shared);
    found_store_close(&found);
    return error;
}

/* ---- whoever has it ---- */

struct error *access_ask(struct arena *arena, const struct access_request *request,
                         struct slice *ret_output) {
    int server = -1;
    if (remote_store_is_url(request->directory))
        return run_on_shared(arena, request, ret_output);
    TRY(control_connect(arena, request->directory, &server));
    if (server < 0)
        return run_at_rest(arena, request, ret_output);
    struct error *error = control_ask(arena, server, ACCESS_SERVICE, request->input, ret_output);
    close(server);
    return error;
}
