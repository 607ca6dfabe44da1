/* peers.h - what the servers of a store know of each other, by the store: a secret that all of them
 * have, and where the one is that leads.
 *
 * Threads: that of store_lead(). */
#ifndef GRAMME_STORE_POSTGRES_PEERS_H
#define GRAMME_STORE_POSTGRES_PEERS_H

#include "store/store.h"

enum { POSTGRES_SECRET_BYTES = 32, POSTGRES_WRITER_BYTES = 16, POSTGRES_ADDRESS_CHARS = 300 };

/* The secret of this store, which is made when there is none. */
struct error *postgres_store_secret(struct store *store, struct arena *arena,
                                    uint8_t ret_secret[POSTGRES_SECRET_BYTES]);

/* What the others are told when this one leads, from the next store_lead() on: "host:port". */
void postgres_store_advertise(struct store *store, const char *address);

struct postgres_leader {
    uint8_t
        writer[POSTGRES_WRITER_BYTES]; /* another one, or one that was started again, has another */
    char address[POSTGRES_ADDRESS_CHARS]; /* empty: it told none */
};

/* Who leads, or led last. */
struct error *postgres_store_leader(struct store *store, struct arena *arena,
                                    struct postgres_leader *ret_leader);

/* When the server answered last, about the lead; of the system's clock. Any thread. */
int64_t postgres_store_contact_ms(struct store *store);

/* By which address of this machine the server is reached; 127.0.0.1 when that is by a file. */
void postgres_store_own_address(struct store *store, char ret_address[POSTGRES_ADDRESS_CHARS]);

#endif
