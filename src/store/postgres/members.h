/* members.h - servers that write beside the one that leads, where a store has groups of keys
 * (store.h, rule 12). Of the thread that calls store_lead(), but for postgres_store_members(). */
#ifndef GRAMME_STORE_POSTGRES_MEMBERS_H
#define GRAMME_STORE_POSTGRES_MEMBERS_H

#include "store/postgres/peers.h"

struct postgres_member {
    uint8_t writer; /* its number; who leads has 0, and is not among them */
    char address[POSTGRES_ADDRESS_CHARS];
};

/* From here on it may commit, though another one leads. False: there is no number left. */
struct error *postgres_store_join(struct store *store, struct arena *arena, bool *ret_joined);
/* To be asked every STORE_LEADS_MS, which is what keeps it among the members, unless the store does
 * so by itself. False: another server has its number, and nothing of it is committed any more. */
bool postgres_store_stays(struct store *store);
/* It is not asked for anything any more; what it still commits happens. */
void postgres_store_leave(struct store *store);

/* Those that are there. Any thread. */
struct error *postgres_store_members(struct store *store, struct arena *arena,
                                     struct postgres_member ret_members[STORE_WRITERS_MAX],
                                     size_t *ret_count);

#endif
