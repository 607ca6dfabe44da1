/* call.h - a request on its way, and where that leads. */
#ifndef GRAMME_RELAY_CALL_H
#define GRAMME_RELAY_CALL_H

#include <sys/socket.h>

#include "endpoint/endpoint.h"

/* Where requests go. */
struct relay_leader {
    struct sockaddr_storage address;
    bool known;      /* there is one, and it is another server */
    uint64_t number; /* another leader has another */
};

struct relay_request {
    exchange_handler *here; /* who answers it when this server leads */
    bool again;             /* it may happen twice: it reads, or knows that it was there before */
};

/* In the exchange's arena. */
struct relay_call {
    struct relay_call *next;
    struct exchange *exchange;
    struct relay_request request;
    uint64_t give_up_ms; /* when it has waited long enough */
    unsigned sent;       /* how often */
    bool waited;
};

#endif
