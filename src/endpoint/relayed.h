/* relayed.h - requests that another server of ours hands on.
 *
 * A server that does not lead hands requests on as they came, byte by byte, so that signatures are
 * good where they arrive. What only it knows stands in a line before:
 *
 *   RELAYED <id> <secure> <peer> <client>     secure: 1 or 0; peer: an address; client: its
 *                                             certificate's name, in hex; "-" is for nothing
 *
 * Only an endpoint whose sessions are by a secret reads such lines (endpoint_config.relayed). To
 * any other this is no HTTP. */
#ifndef GRAMME_ENDPOINT_RELAYED_H
#define GRAMME_ENDPOINT_RELAYED_H

#include "base/arena.h"
#include "http/request_id.h"

enum {
    RELAYED_PEER_CHARS = 46,   /* with its NUL, as the next */
    RELAYED_CLIENT_CHARS = 65, /* as certificates have them */
    RELAYED_LINE_MAX = 320,
};

struct relayed {
    char id[HTTP_REQUEST_ID_BYTES];
    bool secure;
    char peer[RELAYED_PEER_CHARS];     /* empty: it is not known */
    char client[RELAYED_CLIENT_CHARS]; /* empty: there is none */
};

/* The line, with its end. */
struct slice relayed_write(struct arena *arena, const struct relayed *relayed);

enum relayed_read { RELAYED_MORE, RELAYED_READ, RELAYED_WRONG };

/* *ret_len: how long the line is. */
enum relayed_read relayed_read(struct slice bytes, struct relayed *ret_relayed, size_t *ret_len);

#endif
