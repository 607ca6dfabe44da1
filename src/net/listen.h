/* listen.h - a host's name and a port to listening sockets. */
#ifndef GRAMME_NET_LISTEN_H
#define GRAMME_NET_LISTEN_H

#include "base/error.h"

enum { NET_SOCKETS_MAX = 4, NET_ADDRESS_BYTES = 80 };

/* A name such as localhost may stand for several addresses; all share one port, but for those that
 * another process has opened. */
struct net_sockets {
    int fds[NET_SOCKETS_MAX];
    char addresses[NET_SOCKETS_MAX][NET_ADDRESS_BYTES]; /* "[::1]:8000" */
    unsigned count;
    uint16_t port; /* of the first */
    bool loopback; /* only this machine reaches them */
};

/* `host` is a name or an address ("::1" may wear brackets); port 0 takes one that is free at all
 * its addresses. "localhost" is 127.0.0.1 and, where there is IPv6, ::1, whatever a resolver would
 * say. The error says which address and why. */
struct error *net_sockets_open(struct arena *arena, struct slice host, uint16_t port,
                               struct net_sockets *ret_sockets);
/* Takes sockets that whoever started this process opened: `count` of them, from `first` on. They
 * are left open, so that they can be taken again when these are closed. */
struct error *net_sockets_adopt(struct arena *arena, int first, unsigned count,
                                struct net_sockets *ret_sockets);
void net_sockets_close(struct net_sockets *sockets);

#endif
