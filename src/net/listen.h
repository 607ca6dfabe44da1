/* listen.h - a host's name and a port to listening sockets. */
#ifndef GRAMME_NET_LISTEN_H
#define GRAMME_NET_LISTEN_H

#include "base/error.h"

enum { NET_SOCKETS_MAX = 4 };

/* A name such as localhost may stand for several addresses; all share one port. */
struct net_sockets {
    int fds[NET_SOCKETS_MAX];
    unsigned count;
    uint16_t port;
    bool loopback; /* only this machine reaches them */
};

/* `host` is a name or an address ("::1" may wear brackets); port 0 takes a free one. The error says
 * which address and why. */
struct error *net_sockets_open(struct arena *arena, struct slice host, uint16_t port,
                               struct net_sockets *ret_sockets);
void net_sockets_close(struct net_sockets *sockets);

#endif
