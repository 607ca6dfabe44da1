/* postgres_wire.h - a wire between a store and its PostgreSQL server, which can be cut at any byte.
 */
#ifndef GRAMME_TESTS_STORE_CONTRACT_POSTGRES_WIRE_H
#define GRAMME_TESTS_STORE_CONTRACT_POSTGRES_WIRE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

enum wire_way { WIRE_TO_SERVER, WIRE_TO_CLIENT };

struct wire {
    char directory[64]; /* of its socket: the host of the client's URL */
    const char *server; /* path of the server's socket */
    int listener;
    pthread_t thread;
    atomic_bool stop;
    atomic_int open; /* pairs of sockets, each with a thread */
    /* Bytes that still go that way, over all connections, before all of them are cut; negative: no
     * end. */
    atomic_long left[2];
    atomic_ulong cuts;
};

void wire_start(struct wire *wire, const char *server);
void wire_cut_after(struct wire *wire, enum wire_way way, long bytes);
void wire_stop(struct wire *wire);

#endif
