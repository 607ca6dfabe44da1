/* tls_tickets.c - see tls_tickets.h. */
#include "crypto/tls_tickets.h"

#include <pthread.h>
#include <string.h>

#include "base/check.h"
#include "base/random.h"
#include "crypto/secret.h"

struct tls_tickets {
    pthread_mutex_t lock;
    struct tls_ticket_key keys[2]; /* the current one, and the one before */
    uint64_t since_s;              /* when the current one was made */
};

struct tls_tickets *tls_tickets_new(uint64_t now_s) {
    struct tls_tickets *tickets = secret_new(sizeof(*tickets));
    CHECK(pthread_mutex_init(&tickets->lock, NULL) == 0);
    random_fill(&system_random, tickets->keys, sizeof(tickets->keys));
    tickets->since_s = now_s;
    return tickets;
}

void tls_tickets_free(struct tls_tickets *tickets) {
    if (tickets == NULL)
        return;
    pthread_mutex_destroy(&tickets->lock);
    secret_free(tickets, sizeof(*tickets));
}

/* Nobody may have come for hours: then the key that was the current one is too old as well. */
static void rotate(struct tls_tickets *tickets, uint64_t now_s) {
    uint64_t periods = (now_s - tickets->since_s) / TLS_TICKET_SECONDS;
    if (periods == 0)
        return;
    tickets->keys[1] = tickets->keys[0];
    random_fill(&system_random, &tickets->keys[0], sizeof(tickets->keys[0]));
    if (periods > 1)
        random_fill(&system_random, &tickets->keys[1], sizeof(tickets->keys[1]));
    tickets->since_s += periods * TLS_TICKET_SECONDS;
}

void tls_tickets_current(struct tls_tickets *tickets, uint64_t now_s,
                         struct tls_ticket_key *ret_key) {
    pthread_mutex_lock(&tickets->lock);
    rotate(tickets, now_s);
    *ret_key = tickets->keys[0];
    pthread_mutex_unlock(&tickets->lock);
}

bool tls_tickets_find(struct tls_tickets *tickets, uint64_t now_s,
                      const uint8_t name[TLS_TICKET_NAME_BYTES], struct tls_ticket_key *ret_key,
                      bool *ret_old) {
    bool found = false;
    pthread_mutex_lock(&tickets->lock);
    rotate(tickets, now_s);
    for (unsigned i = 0; i < 2 && !found; i++) {
        found = memcmp(tickets->keys[i].name, name, TLS_TICKET_NAME_BYTES) == 0;
        if (found) {
            *ret_key = tickets->keys[i];
            *ret_old = i > 0;
        }
    }
    pthread_mutex_unlock(&tickets->lock);
    return found;
}
