/* remote_store.c - see remote_store.h. */
#include "admin/remote_store.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/container.h"
#include "base/random.h"
#include "engine/keyspaces.h"
#include "store/postgres/postgres.h"

bool remote_store_is_url(const char *text) {
    return postgres_is_url(text);
}

struct error *remote_store_place(struct arena *arena, const char *url, struct slice *ret_place) {
    return postgres_place(arena, url, ret_place);
}

struct error *remote_store_survey(struct arena *arena,
                                  const struct postgres_survey_options *options,
                                  struct postgres_survey *ret_survey) {
    return postgres_survey(arena, options, ret_survey);
}

struct error *remote_store_init(struct arena *arena, const char *url, bool single,
                                uint32_t groups) {
    return postgres_store_init(arena, url, single, groups, engine_keyspaces, KEYSPACE_COUNT);
}

/* ---- trying it ---- */

struct remote_opener {
    struct trial_opener opener;
    const char *url;
    const char *schema;
};

static struct error *open_by_force(struct trial_opener *opener, struct arena *arena,
                                   const struct store_keyspace *keyspaces, size_t count,
                                   struct store **ret_store) {
    const struct remote_opener *remote = container_of(opener, struct remote_opener, opener);
    struct postgres_store_options options = {
        .url = remote->url, .schema = remote->schema, .create = true, .lead_by_force = true};
    return postgres_store_open(arena, &options, keyspaces, count, ret_store);
}

struct error *remote_store_try(struct arena *arena, const char *url,
                               struct trial_observer *observer, size_t *ret_failed) {
    uint8_t random[8];
    char schema[40];
    random_fill(&system_random, random, sizeof(random));
    snprintf(schema, sizeof(schema), "gramme_trial_%016llx", (unsigned long long)load_u64(random));
    struct remote_opener remote = {{open_by_force}, url, schema};
    TRY(postgres_schema_add(arena, url, schema));
    struct error *error = store_trial(arena, &remote.opener, observer, ret_failed);
    struct error *dropped = postgres_schema_drop(arena, url, schema);
    return error != NULL ? error : dropped;
}
