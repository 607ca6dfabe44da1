/* server.h - listening sockets and the loops that serve what they accept.
 *
 * Loop 0 also accepts; a new socket goes to the loop that has the fewest. Threads are started once
 * and joined by net_server_stop(). */
#ifndef GRAMME_NET_SERVER_H
#define GRAMME_NET_SERVER_H

#include "base/error.h"
#include "net/listen.h"
#include "net/stream.h"

struct tls_server;

struct net_server_options {
    struct net_sockets sockets; /* the server's from now on, also when it does not start */
    unsigned threads;
    uint32_t connections_max;          /* more are accepted and closed at once */
    uint32_t connections_per_peer_max; /* likewise, from one address (peers.h) */
    uint32_t tick_ms;                  /* how often deadlines are looked at */
    uint32_t write_timeout_ms;
    struct tls_server *tls; /* whose sessions the connections are; NULL: they are plain */
    uint32_t handshake_timeout_ms;
    struct slice plain_answer; /* to who does not speak TLS, but text; stays the caller's */
    /* Memory for a new connection, on the accepting thread; it will be opened on `loop`. NULL:
     * there is none. */
    struct net_stream *(*accept)(void *user, struct net_loop *loop);
    /* On each loop's thread, first and last. */
    void *(*thread_start)(void *user, struct net_loop *loop);
    void (*thread_stop)(void *user, void *context);
    /* After a round of the streams' ticks; without streams there are more as long as it returns
     * true. */
    bool (*ticked)(void *user, void *context);
    void (*sent)(void *user, void *context); /* after the turns of some streams; or NULL */
    void *user;
};

struct net_server;

/* Nothing is left behind on failure. */
struct error *net_server_start(struct arena *arena, const struct net_server_options *options,
                               struct net_server **ret_server);
struct net_server_stats {
    uint64_t connections;
    uint64_t accepted;
    uint64_t refused;
};

/* To post to, from the start on; until it is stopped. */
struct net_loop *net_server_loop(struct net_server *server, unsigned index);

struct net_server_stats net_server_stats(const struct net_server *server);

/* Stops accepting, drains every stream, closes what is left after grace_ms, waits for loops that
 * are held, joins the threads and frees the server. */
void net_server_stop(struct net_server *server, uint32_t grace_ms);

#endif
