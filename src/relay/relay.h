/* relay.h - handing requests on to the server that leads.
 *
 * Each I/O thread has connections of its own to the leader, with one request on each at a time, and
 * a queue of those that wait: for a connection, or for a leader while there is none. What waits too
 * long is answered with 503, which clients try again.
 *
 * A connection may end after a request was sent on it and before its answer came. What only reads
 * is sent again. Of what writes nobody can tell here whether it happened: it is answered with 500,
 * as the service does, and never sent a second time.
 *
 * Memory: a request stays in its exchange. Queue and connections have limits. Threads: everything
 * is its I/O thread's, but for the tally. */
#ifndef GRAMME_RELAY_RELAY_H
#define GRAMME_RELAY_RELAY_H

#include <stdatomic.h>

#include "relay/call.h"

struct relay;

/* Of all threads together. */
struct relay_tally {
    _Atomic uint64_t sent;     /* requests, as often as they were */
    _Atomic uint64_t answered; /* by the leader */
    _Atomic uint64_t repeated; /* of them, not for the first time */
    _Atomic uint64_t waited;   /* requests that found no leader */
    _Atomic uint64_t given_up; /* of them, in vain */
    _Atomic uint64_t doubtful; /* writes whose answer did not come */
    _Atomic uint64_t waiting;  /* now, for a leader or for a connection to it */
};

struct relay_options {
    struct tls_server *tls; /* by the secret that all servers have */
    struct relay_tally *tally;
};

/* For a thread. The options are copied. */
struct relay *relay_new(const struct relay_options *options);
/* When its thread has no connections any more. relay_free(NULL) is fine. */
void relay_free(struct relay *relay);

/* Answers the exchange, some time. */
void relay_hand_on(struct relay *relay, struct exchange *exchange,
                   const struct relay_request *request);

/* What waits goes to this leader from now on; what is on its way to another is given up soon. */
void relay_follow(struct relay *relay, const struct relay_leader *leader);
/* This server leads: what waits is answered here. Nothing may be handed on after this. */
void relay_serve(struct relay *relay);
/* The server ends: what waits is refused. */
void relay_end(struct relay *relay);
/* Now and then; true: it wants to be called again. */
bool relay_tick(struct relay *relay);

#endif
