/* access_client.c - see access_client.h. */
#include "server/access_client.h"

#include <unistd.h>

#include "admin/control_socket.h"
#include "admin/data_directory.h"
#include "base/check.h"
#include "engine/engine.h"
#include "server/access.h"
#include "store/rocksdb/rocksdb.h"

enum { OUTPUT_MAX = CONTROL_BYTES_MAX };

/* ---- a directory at rest ---- */

static struct error *run_on_engine(struct arena *arena, const struct access_request *request,
                                   const struct data_directory *data, struct engine *engine,
                                   struct slice *ret_output) {
    struct access *access;
    CLEANUP(buffer_release) struct buffer output;
    struct access_options options = {.directory = data->path,
                                     .over = data->keyring,
                                     .engine = engine,
                                     .account = request->account};
    buffer_init(&output, OUTPUT_MAX);
    TRY(access_open(arena, &options, &access));
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
    struct error *error = run_on_engine(arena, request, data, engine, ret_output);
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

/* ---- whoever has it ---- */

struct error *access_ask(struct arena *arena, const struct access_request *request,
                         struct slice *ret_output) {
    int server = -1;
    TRY(control_connect(arena, request->directory, &server));
    if (server < 0)
        return run_at_rest(arena, request, ret_output);
    struct error *error = control_ask(arena, server, ACCESS_SERVICE, request->input, ret_output);
    close(server);
    return error;
}
