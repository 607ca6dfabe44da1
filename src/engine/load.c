/* load.c - the order in which owners look at the store. */
#include "engine/load.h"

#include "engine/state.h"

/* One moment of the store for all. Ids and numbers come first, since newer ones do no harm beside
 * older tables; the tables come last, so that they are shown when nothing can fail any more. */
static struct error *load_owners(struct engine *engine, struct arena *arena,
                                 struct store_txn *txn) {
    TRY(format_load(&engine->format, arena, txn));
    TRY(sequence_load(&engine->sequence, arena, txn));
    TRY(token_keeper_load(&engine->tokens, arena, txn));
    TRY(backup_keeper_load(&engine->backups, arena, txn));
    TRY(copies_load(&engine->copies, arena, txn));
    return catalog_load(&engine->catalog, arena, txn);
}

struct error *engine_load(struct engine *engine, struct arena *arena) {
    struct store_txn *txn;
    TRY(store_begin(engine->store, arena, STORE_READ, &txn));
    struct error *error = load_owners(engine, arena, txn);
    store_end(txn);
    /* The sweeper and the backfill see by the catalog's generation that they have to look. */
    copies_look_at(&engine->copies, &engine->catalog);
    stream_keeper_look_again(&engine->streams);
    recent_forget(&engine->recent);
    return error;
}
