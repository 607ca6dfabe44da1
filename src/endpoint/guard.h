/* guard.h - the browser as an attacker: which web pages may ask, and under which names.
 *
 * A page of any site can make the browser of whoever looks at it send requests to this machine. Two
 * headers that pages cannot choose tell where a request comes from:
 *   - Host is the name that was asked. A name whose owner lets it lead to 127.0.0.1 makes their
 *     page one of ours, to the browser; so a server that only this machine reaches answers to its
 *     own names and to no others.
 *   - Origin is the site of the page; it comes with every POST and with every request whose answer
 *     the page could read. A foreign one must have been named. That holds for every request and not
 *     only for the question before it: browsers keep the answer to that for hours, and it may have
 *     come from another program that had the port. "null" is as foreign as any.
 * Programs other than browsers send no Origin. What a page can send without one, an image's address
 * say, only reads.
 *
 * Memory: texts are the endpoint's. Threads: any, but what was seen last is one thread's. */
#ifndef GRAMME_ENDPOINT_GUARD_H
#define GRAMME_ENDPOINT_GUARD_H

#include "base/arena.h"
#include "http/request.h"

struct guard_names {
    const struct slice *list;
    size_t count;
};

struct guard {
    struct guard_names hosts; /* the server's own, without ports, IPv6 addresses in brackets */
    bool checks_host;
    struct guard_names origins; /* that were named; "*" is all */
};

/* The Host that a thread let pass last: mostly the next request has it, too. */
struct guard_seen {
    uint8_t len;
    uint8_t host[63];
};

struct guard_options {
    struct slice host; /* that the server listens at */
    bool loopback;     /* only this machine reaches it */
    struct guard_names allow_hosts;
    struct guard_names allow_origins;
};

/* Host is checked on a loopback address, and where names are given. Copies go to the arena. */
void guard_init(struct guard *guard, struct arena *arena, const struct guard_options *options);

/* Whether the request passes without a closer look. */
static inline bool guard_passes(const struct guard *guard, const struct guard_seen *seen,
                                const struct http_request *request) {
    struct slice host = request->known[HTTP_HOST];
    bool named = !guard->checks_host || (host.len > 0 && host.len == seen->len &&
                                         memcmp(host.data, seen->host, host.len) == 0);
    return named && !slice_present(request->known[HTTP_ORIGIN]);
}

/* The closer look. Absent: it may be answered; else what to tell who sent it, which needs no escape
 * in JSON. */
struct slice guard_refusal(const struct guard *guard, struct guard_seen *seen,
                           const struct http_request *request, struct arena *arena);

/* What Access-Control-Allow-Origin tells this origin; absent: nothing, also where there is none. */
struct slice guard_allowed_origin(const struct guard *guard, struct slice origin);

#endif
