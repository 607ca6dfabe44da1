/* new_store.c - see new_store.h. */
#include "admin/new_store.h"

#include "engine/keyspaces.h"
#include "store/copy.h"
#include "store/postgres/postgres.h"
#include "store/rocksdb/rocksdb.h"

/* ---- a directory ---- */

static struct error *open_directory(struct arena *arena, const struct data_directory *data,
                                    bool create, struct store **ret_store) {
    struct rocksdb_store_options options = {
        .directory = data->store_path, .create = create, .keyring = data->keyring};
    return rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, ret_store);
}

static struct error *begin_directory(struct arena *arena, const struct new_store_options *options,
                                     struct new_store *made) {
    TRY(new_directory_begin(arena, options->place.directory, options->key, &made->directory));
    struct error *error = open_directory(arena, &made->directory.data, true, &made->store);
    return error == NULL ? NULL : new_directory_end(arena, &made->directory, error);
}

struct error *new_store_reopen(struct arena *arena, struct new_store *new_store) {
    if (new_store->place.url != NULL)
        return NULL;
    store_close(new_store->store);
    new_store->store = NULL;
    return open_directory(arena, &new_store->directory.data, false, &new_store->store);
}

/* ---- a shared store ---- */

static struct error *check_may_fill(struct arena *arena, const struct new_store_options *options,
                                    struct store *store) {
    bool unfinished = false, empty = false;
    TRY(postgres_is_unfinished(store, arena, &unfinished));
    TRY(store_is_empty(arena, store, &empty));
    if (unfinished || empty || options->replace)
        return NULL;
    return error_local(arena, "%s is not empty: with --replace, all that is in it goes first",
                       options->place.name);
}

static struct error *begin_shared(struct arena *arena, const struct new_store_options *options,
                                  struct new_store *made) {
    struct postgres_store_options open = {.url = options->place.url,
                                          .groups = POSTGRES_ANY_GROUPS,
                                          .alone = true,
                                          .fill = true,
                                          .lead_ms = STORE_PLACE_LEAD_MS};
    TRY(postgres_store_open(arena, &open, engine_keyspaces, KEYSPACE_COUNT, &made->store));
    struct error *error = store_place_lead(arena, &options->place, made->store);
    if (error == NULL)
        error = check_may_fill(arena, options, made->store);
    if (error == NULL)
        error = postgres_fill_begin(made->store, arena, slice_text(options->by));
    if (error != NULL)
        store_close(made->store);
    return error;
}

/* ---- either ---- */

struct error *new_store_begin(struct arena *arena, const struct new_store_options *options,
                              struct new_store *ret_new) {
    struct new_store made = {.place = options->place};
    TRY(options->place.url != NULL ? begin_shared(arena, options, &made)
                                   : begin_directory(arena, options, &made));
    *ret_new = made;
    return NULL;
}

struct error *new_store_end(struct arena *arena, struct new_store *new_store, struct error *error) {
    if (new_store->place.url != NULL && error == NULL)
        error = postgres_fill_end(new_store->store, arena);
    store_close(new_store->store);
    if (new_store->place.url == NULL)
        error = new_directory_end(arena, &new_store->directory, error);
    return error;
}
