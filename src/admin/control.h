/* control.h - the socket inside a data directory by which commands reach the server that runs on
 * it.
 *
 * `DIR/control` is a Unix socket that only the owner of the server may use. A client sends one
 * line; the answer is the line "ok" and what was asked for, or "error TEXT". Requests:
 *   backup        answered by a dump of the store (store/dump), of the moment it began; of an
 *                 encrypted directory it is sealed (dump_sealed.h)
 *   NAME LENGTH   followed by so many bytes: for the service of that name, which answers with bytes
 * Limits: CONTROL_CLIENTS_MAX at a time; a client that does not take a megabyte within the stall
 * time is dropped, so that it cannot hold the store's past forever. */
#ifndef GRAMME_ADMIN_CONTROL_H
#define GRAMME_ADMIN_CONTROL_H

#include <stdatomic.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "crypto/keyring.h"
#include "store/store.h"

enum { CONTROL_CLIENTS_MAX = 4, CONTROL_STALL_MS = 60 * 1000, CONTROL_REQUEST_MS = 10 * 1000 };

/* What else can be asked for. Its threads are those of the clients: several at once. */
struct control_service {
    const char *name;
    struct error *(*run)(void *user, struct arena *arena, struct slice input,
                         struct buffer *output);
    void *user;
};

/* What became of backups, for whoever shows it. */
struct control_tally {
    atomic_uint_fast64_t done;
    atomic_uint_fast64_t failed;
    atomic_int_fast64_t last_done_ms; /* 0: none yet */
};

struct control_options {
    const char *directory; /* this process has the store in it open, so no other server runs here */
    struct store *store;   /* lives until control_stop has returned */
    const struct keyring *keyring; /* of an encrypted directory, and lives as long; or NULL */
    const struct store_keyspace *keyspaces;
    size_t keyspace_count;
    const char *program; /* for the dump's header */
    const struct clock *clock;
    const struct control_service *services; /* live until control_stop has returned */
    size_t service_count;
    uint32_t stall_ms;           /* 0: CONTROL_STALL_MS */
    struct control_tally *tally; /* may be NULL; lives as long as the services */
};

struct control;

/* Listens from here on, in a thread of its own. */
struct error *control_start(struct arena *arena, const struct control_options *options,
                            struct control **ret_control);
/* Gives up what is under way and removes the socket. control_stop(NULL) is fine. */
void control_stop(struct control *control);

#endif
