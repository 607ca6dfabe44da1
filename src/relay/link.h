/* link.h - a connection to the leader, with one request at a time.
 *
 * Memory: malloc'ed, gone after `closed`. */
#ifndef GRAMME_RELAY_LINK_H
#define GRAMME_RELAY_LINK_H

#include "base/buffer.h"
#include "http/reply_reader.h"
#include "net/stream.h"
#include "relay/call.h"

struct link;

/* The call is its owner's again with each of these. */
struct link_events {
    /* Its reply is in the exchange, and is sent as link->answer says. */
    void (*answered)(struct link *link, struct relay_call *call);
    /* The other side did not look at it, since it does not lead. */
    void (*refused)(struct link *link, struct relay_call *call);
    /* There is no memory for its reply. */
    void (*starved)(struct link *link, struct relay_call *call);
    /* The link is gone, and what it had (NULL: nothing) has no answer. */
    void (*closed)(struct link *link, struct relay_call *call);
};

struct link {
    struct net_stream stream;
    const struct link_events *events;
    void *owner;
    struct link *next, *previous; /* the owner's list */
    uint64_t number;              /* of the leader it goes to */
    struct relay_call *call;      /* NULL: it rests */
    bool ready;                   /* connected */
    bool sent;                    /* the call is on its way */
    struct buffer head;           /* of the reply, as far as it has come */
    bool in_body;
    size_t body_left;
    bool keeps; /* the leader keeps the connection after this reply */
    struct exchange_reply_options answer;
    uint64_t rests_since_ms;
};

struct link_target {
    struct tls_server *tls;
    const struct relay_leader *leader;
};

/* Connects; the call is sent when it has. */
struct link *link_new(const struct link_events *events, void *owner, struct relay_call *call,
                      const struct link_target *target);
void link_send(struct link *link, struct relay_call *call);

#endif
