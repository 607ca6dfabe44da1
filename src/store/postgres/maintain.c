/* maintain.c - periodic work of the leader: delete dropped ranges, look at the standbys.
 *
 * It may take long, and nobody waits for it. So it uses a connection for reads, and not that of the
 * lead. */
#include "base/check.h"
#include "store/postgres/internal.h"

enum { MAINTAIN_TIMEOUT_MS = 3000 };

/* What fails is done the next time. */
void postgres_maintain(struct store *base) {
    struct postgres_store *store = postgres_of(base);
    struct patience patience = patience_for_ms(MAINTAIN_TIMEOUT_MS);
    struct arena CLEANUP(arena_release) scratch;
    struct session *session = NULL;
    arena_init(&scratch);
    if (!atomic_load(&store->lead.leads) || pool_take(store, &scratch, &patience, &session) != NULL)
        return;
    if (drops_step(store, session) == FATE_DONE)
        (void)standbys_look(store, session);
    pool_give(store, session);
}
