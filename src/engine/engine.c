/* engine.c - opening and closing. */
#include "engine/engine.h"

#include <stdlib.h>

#include "base/check.h"
#include "engine/backup_change.h"
#include "engine/copy.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/state.h"
#include "engine/token.h"
#include "model/limits.h"

const struct store_keyspace engine_keyspaces[KEYSPACE_COUNT] = {
    [KEYSPACE_CATALOG] = {"catalog", false},
    [KEYSPACE_ITEMS] = {"items", true},
    [KEYSPACE_INDEXES] = {"indexes", false},
    [KEYSPACE_CHANGES] = {"changes", false},
};

static struct error *load(struct engine *engine, struct arena *arena) {
    TRY(format_load_or_create(engine, arena));
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    struct error *error = catalog_load(engine, arena, txn);
    if (error == NULL)
        error = token_load(engine, arena, txn);
    if (error == NULL)
        error = sequence_load(engine, arena, txn);
    if (error == NULL)
        error = copy_load(engine, arena, txn);
    if (error == NULL)
        error = backup_load(engine, arena, txn);
    store_end(txn);
    TRY(error);
    engine->opened_at_ms = sequence_ms(engine->last_sequence);
    return commit_start(engine, arena);
}

static void free_engine(struct engine *engine) {
    copy_clear(engine);
    reclaim_clear(engine);
    catalog_clear(engine);
    pthread_mutex_destroy(&engine->catalog_lock);
    commit_queue_release(&engine->queue);
    store_close(engine->store);
    free(engine);
}

struct error *engine_open(struct arena *arena, const struct engine_options *options,
                          struct engine **ret_engine) {
    struct engine *engine = calloc(1, sizeof(*engine));
    CHECK(engine != NULL);
    engine->options = *options;
    if (options->collection_bytes_max == 0)
        engine->options.collection_bytes_max = LIMIT_COLLECTION_BYTES;
    engine->store = options->store;
    pthread_mutex_init(&engine->catalog_lock, NULL);
    commit_queue_init(&engine->queue);
    struct error *error = load(engine, arena);
    if (error != NULL) {
        free_engine(engine);
        return error;
    }
    *ret_engine = engine;
    return NULL;
}

int64_t engine_last_change_ms(const struct engine *engine) {
    return engine->opened_at_ms;
}

void engine_close(struct engine *engine) {
    if (engine == NULL)
        return;
    commit_stop(engine);
    free_engine(engine);
}
