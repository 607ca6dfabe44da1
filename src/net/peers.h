/* peers.h - how many connections each address has open.
 *
 * One address cannot take all that there are. Of IPv6 the first 64 bits count: whoever has one
 * address there has all that begin so. Loopback addresses are not counted: who is on the machine
 * can do worse.
 *
 * Threads: any. */
#ifndef GRAMME_NET_PEERS_H
#define GRAMME_NET_PEERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

struct net_peer;
struct net_peers;

/* `limit` for each address. */
struct net_peers *net_peers_new(uint32_t limit);
void net_peers_free(struct net_peers *peers);

/* One more from there. False: that would be too many, or there is no memory. NULL in `ret_peer` for
 * one that is not counted. */
bool net_peers_enter(struct net_peers *peers, const struct sockaddr *address,
                     struct net_peer **ret_peer);
/* It is closed; NULL is fine. */
void net_peers_leave(struct net_peers *peers, struct net_peer *peer);

#endif
