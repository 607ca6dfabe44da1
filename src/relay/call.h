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
    /* It only asks whether the leader answers, and how; 0: it does not. Who asks replies. */
    void (*told)(struct exchange *exchange, int status);
    uint32_t told_ms; /* with it: when it is to know */
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
