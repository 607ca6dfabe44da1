/* endpoint.h - the address to measure: its URL, taken apart and looked up once. */
#ifndef GRAMME_BENCH_ENDPOINT_H
#define GRAMME_BENCH_ENDPOINT_H

#include <sys/socket.h>

#include "base/error.h"

struct endpoint {
    const char *url;
    const char *host; /* without brackets */
    const char *port;
    const char *host_header;
    bool tls;
    struct sockaddr_storage address;
    socklen_t address_len;
};

/* http://HOST[:PORT] or https://HOST[:PORT]. Looks nothing up. */
struct error *endpoint_parse(struct arena *arena, const char *url, struct endpoint *ret_endpoint);
/* Whether the name says that it is this machine. */
bool endpoint_is_loopback(const struct endpoint *endpoint);
/* Finds the address that answers; an error that says why none does. */
struct error *endpoint_find(struct arena *arena, struct endpoint *endpoint);

#endif
