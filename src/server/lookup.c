/* lookup.c - see lookup.h. */
#include "server/lookup.h"

#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "base/log.h"
#include "store/postgres/peers.h"

enum { AGAIN_S = 1, OWNER_AND_THREAD = 2 };

struct lookup {
    char host[POSTGRES_ADDRESS_CHARS], port[8];
    atomic_uint holders; /* the last one frees it */
    _Atomic enum lookup_state state;
    struct sockaddr_storage address; /* the thread's until it is found, and then nobody writes it */
};

struct slice lookup_split(const char *address, uint16_t *ret_port) {
    const char *colon = strrchr(address, ':');
    *ret_port = colon == NULL ? 0 : (uint16_t)atoi(colon + 1);
    return colon == NULL ? slice_text(address) : slice_of(address, (size_t)(colon - address));
}

/* The outcome of getaddrinfo(). */
static int find(struct lookup *lookup, int flags) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = flags}, *found = NULL;
    int failed = getaddrinfo(lookup->host, lookup->port, &hints, &found);
    if (failed != 0)
        return failed;
    memcpy(&lookup->address, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    atomic_store(&lookup->state, LOOKUP_FOUND);
    return 0;
}

static void let_go(struct lookup *lookup) {
    if (atomic_fetch_sub(&lookup->holders, 1) == 1)
        free(lookup);
}

static void *find_name(void *user) {
    struct lookup *lookup = user;
    for (int failed; (failed = find(lookup, 0)) != 0;) {
        if (atomic_load(&lookup->holders) < OWNER_AND_THREAD)
            break;
        log_repeated_error("the address of a server, %s, cannot be found: %s", lookup->host,
                           gai_strerror(failed));
        atomic_store(&lookup->state, LOOKUP_FAILED);
        nanosleep(&(struct timespec){.tv_sec = AGAIN_S}, NULL);
    }
    let_go(lookup);
    return NULL;
}

struct lookup *lookup_start(const char *address) {
    struct lookup *lookup = calloc(1, sizeof(*lookup));
    pthread_t thread;
    uint16_t port;
    CHECK(lookup != NULL);
    struct slice host = lookup_split(address, &port);
    if (host.len > 2 && host.data[0] == '[')
        host = slice_part(host, 1, host.len - 2);
    snprintf(lookup->host, sizeof(lookup->host), "%.*s", SLICE_ARGS(host));
    snprintf(lookup->port, sizeof(lookup->port), "%u", port);
    atomic_init(&lookup->holders, 1);
    if (find(lookup, AI_NUMERICHOST) == 0)
        return lookup;
    atomic_store(&lookup->holders, OWNER_AND_THREAD);
    atomic_store(&lookup->state, LOOKUP_UNDER_WAY);
    CHECK(pthread_create(&thread, NULL, find_name, lookup) == 0);
    pthread_detach(thread);
    return lookup;
}

enum lookup_state lookup_look(const struct lookup *lookup, struct sockaddr_storage *ret_address) {
    enum lookup_state state = lookup == NULL ? LOOKUP_FAILED : atomic_load(&lookup->state);
    if (state == LOOKUP_FOUND)
        *ret_address = lookup->address;
    return state;
}

void lookup_end(struct lookup *lookup) {
    if (lookup != NULL)
        let_go(lookup);
}
