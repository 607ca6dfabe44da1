/* peers.c - a table of chains under a lock, which is taken when a connection comes or goes.
 *
 * An address is there as long as it has a connection, so there are never more than those. */
#include "net/peers.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"
#include "base/siphash.h"

enum { CHAINS = 4096, KEY_BYTES = 8 };

struct net_peer {
    struct net_peer *next;
    uint32_t count;
    uint8_t key[KEY_BYTES];
};

struct net_peers {
    pthread_mutex_t lock;
    uint32_t limit;
    uint8_t secret[SIPHASH_KEY_BYTES]; /* so that nobody can fill one chain */
    struct net_peer *chains[CHAINS];
};

struct net_peers *net_peers_new(uint32_t limit) {
    struct net_peers *peers = calloc(1, sizeof(*peers));
    CHECK(peers != NULL);
    CHECK(pthread_mutex_init(&peers->lock, NULL) == 0);
    peers->limit = limit;
    random_fill(&system_random, peers->secret, sizeof(peers->secret));
    return peers;
}

void net_peers_free(struct net_peers *peers) {
    if (peers == NULL)
        return;
    pthread_mutex_destroy(&peers->lock);
    for (size_t i = 0; i < CHAINS; i++)
        CHECK(peers->chains[i] == NULL);
    free(peers);
}

/* What of the address counts; false: nothing does. An IPv4 address is the same in its IPv6 form. */
static bool key_of(const struct sockaddr *address, uint8_t key[KEY_BYTES]) {
    static const uint8_t none[4];
    const uint8_t *four = NULL;
    if (address->sa_family == AF_INET) {
        four = (const uint8_t *)&((const struct sockaddr_in *)(const void *)address)->sin_addr;
    } else if (address->sa_family == AF_INET6) {
        const struct in6_addr *six =
            &((const struct sockaddr_in6 *)(const void *)address)->sin6_addr;
        if (IN6_IS_ADDR_LOOPBACK(six))
            return false;
        memcpy(key, six->s6_addr, KEY_BYTES);
        four = IN6_IS_ADDR_V4MAPPED(six) ? six->s6_addr + 12 : NULL;
    } else {
        return false;
    }
    if (four != NULL) {
        memcpy(key, none, sizeof(none));
        memcpy(key + 4, four, 4);
    }
    return four == NULL || four[0] != 127;
}

static struct net_peer **chain_of(struct net_peers *peers, const uint8_t key[KEY_BYTES]) {
    uint8_t hash[SIPHASH_BYTES];
    siphash128(peers->secret, slice_of(key, KEY_BYTES), hash);
    return &peers->chains[load_u32(hash) % CHAINS];
}

static struct net_peer *find_or_add(struct net_peer **chain, const uint8_t key[KEY_BYTES]) {
    for (struct net_peer *peer = *chain; peer != NULL; peer = peer->next)
        if (memcmp(peer->key, key, KEY_BYTES) == 0)
            return peer;
    struct net_peer *peer = calloc(1, sizeof(*peer));
    if (peer == NULL)
        return NULL;
    memcpy(peer->key, key, KEY_BYTES);
    peer->next = *chain;
    *chain = peer;
    return peer;
}

static void remove_empty(struct net_peer **at, struct net_peer *peer) {
    while (*at != peer)
        at = &(*at)->next;
    *at = peer->next;
    free(peer);
}

bool net_peers_enter(struct net_peers *peers, const struct sockaddr *address,
                     struct net_peer **ret_peer) {
    uint8_t key[KEY_BYTES];
    *ret_peer = NULL;
    if (!key_of(address, key))
        return true;
    pthread_mutex_lock(&peers->lock);
    struct net_peer **chain = chain_of(peers, key);
    struct net_peer *peer = find_or_add(chain, key);
    bool enters = peer != NULL && peer->count < peers->limit;
    if (enters)
        peer->count++;
    else if (peer != NULL && peer->count == 0)
        remove_empty(chain, peer);
    pthread_mutex_unlock(&peers->lock);
    *ret_peer = enters ? peer : NULL;
    return enters;
}

void net_peers_leave(struct net_peers *peers, struct net_peer *peer) {
    if (peer == NULL)
        return;
    pthread_mutex_lock(&peers->lock);
    if (--peer->count == 0)
        remove_empty(chain_of(peers, peer->key), peer);
    pthread_mutex_unlock(&peers->lock);
}
