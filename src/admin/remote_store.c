/* remote_store.c - see remote_store.h. */
#include "admin/remote_store.h"

#include "engine/keyspaces.h"
#include "store/postgres/postgres.h"

bool remote_store_is_url(const char *text) {
    return postgres_is_url(text);
}

struct error *remote_store_place(struct arena *arena, const char *url, struct slice *ret_place) {
    return postgres_place(arena, url, ret_place);
}

struct error *remote_store_survey(struct arena *arena, const char *url,
                                  struct postgres_survey *ret_survey) {
    return postgres_survey(arena, url, ret_survey);
}

struct error *remote_store_init(struct arena *arena, const char *url) {
    return postgres_store_init(arena, url, engine_keyspaces, KEYSPACE_COUNT);
}
