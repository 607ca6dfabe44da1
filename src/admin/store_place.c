/* store_place.c - see store_place.h. */
#include "admin/store_place.h"

#include <string.h>
#include <unistd.h>

#include "engine/keyspaces.h"
#include "store/postgres/postgres.h"
#include "store/rocksdb/rocksdb.h"

#define ROCKSDB "rocksdb:"

/* A directory may have a name with an equals sign. */
static bool is_url(const char *text) {
    return postgres_is_url(text) && (strstr(text, "://") != NULL || access(text, F_OK) != 0);
}

struct error *store_place_of(struct arena *arena, const char *text, struct store_place *ret_place) {
    struct slice name;
    if (is_url(text)) {
        TRY(postgres_place(arena, text, &name));
        *ret_place = (struct store_place){.url = text, .name = (const char *)name.data};
        return NULL;
    }
    bool named = strncmp(text, ROCKSDB, strlen(ROCKSDB)) == 0;
    const char *directory = named ? text + strlen(ROCKSDB) : text;
    if (*directory == '\0' || strcmp(text, "memory:") == 0)
        return error_local(arena, "%s is no place of a store: DIR, rocksdb:DIR or postgres://...",
                           text);
    *ret_place = (struct store_place){.directory = directory, .name = directory};
    return NULL;
}

static struct error *open_directory(struct arena *arena, const struct master_key *key,
                                    struct found_store *found) {
    TRY(data_directory_find(arena, found->place.directory, key, &found->data));
    struct rocksdb_store_options options = {.directory = found->data.store_path,
                                            .keyring = found->data.keyring};
    TRY(rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, &found->store));
    return data_directory_settle(arena, &found->data);
}

static struct error *open_shared(struct arena *arena, enum found_how how,
                                 struct found_store *found) {
    struct postgres_store_options options = {.url = found->place.url,
                                             .groups = POSTGRES_ANY_GROUPS,
                                             .alone = how == FOUND_ALONE,
                                             .one_moment = how == FOUND_BESIDE,
                                             .lead_ms = STORE_PLACE_LEAD_MS};
    TRY(postgres_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, &found->store));
    return how == FOUND_ALONE ? store_place_lead(arena, &found->place, found->store) : NULL;
}

struct error *found_store_open(struct arena *arena, const struct store_place *place,
                               const struct master_key *key, enum found_how how,
                               struct found_store *ret_found) {
    struct found_store found = {.place = *place};
    struct error *error = place->directory != NULL ? open_directory(arena, key, &found)
                                                   : open_shared(arena, how, &found);
    if (error != NULL)
        found_store_close(&found);
    else
        *ret_found = found;
    return error;
}

void found_store_close(struct found_store *found) {
    store_close(found->store);
    found->store = NULL;
    data_directory_release(&found->data);
}

struct error *store_place_lead(struct arena *arena, const struct store_place *place,
                               struct store *store) {
    bool leads = false;
    TRY(store_lead(store, arena, 0, &leads));
    if (leads)
        return NULL;
    return error_local(arena,
                       "%s is in use: a server leads it or writes to it, or another command works "
                       "on it; stop them first",
                       place->name);
}
