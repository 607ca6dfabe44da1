/* tls_tickets.h - the keys that session tickets are sealed with.
 *
 * A ticket is a session that its client keeps for the server, so whoever has the key reads the
 * sessions of the time in which it was used. It is changed every hour; the one before opens the
 * tickets that were made with it until they end, an hour after that.
 * Threads: any; all I/O threads share one. */
#ifndef GRAMME_CRYPTO_TLS_TICKETS_H
#define GRAMME_CRYPTO_TLS_TICKETS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TLS_TICKET_SECONDS = 3600, /* how long a ticket is good, and how long a key is used */
    TLS_TICKET_NAME_BYTES = 16,
    TLS_TICKET_KEY_BYTES = 32,
};

struct tls_ticket_key {
    uint8_t name[TLS_TICKET_NAME_BYTES]; /* stands in the ticket */
    uint8_t cipher[TLS_TICKET_KEY_BYTES];
    uint8_t mac[TLS_TICKET_KEY_BYTES];
};

struct tls_tickets;

struct tls_tickets *tls_tickets_new(uint64_t now_s);
void tls_tickets_free(struct tls_tickets *tickets);

/* The key for a new ticket. Times are those of a monotonic clock. */
void tls_tickets_current(struct tls_tickets *tickets, uint64_t now_s,
                         struct tls_ticket_key *ret_key);
/* The key of a ticket; false: it is not ours, or too old. `ret_old`: a new ticket is due. */
bool tls_tickets_find(struct tls_tickets *tickets, uint64_t now_s,
                      const uint8_t name[TLS_TICKET_NAME_BYTES], struct tls_ticket_key *ret_key,
                      bool *ret_old);

#endif
