/* auth.h - who sends a request, as far as its own words say.
 *
 * Checks the form of a Signature Version 4 request, in the Authorization header or in the query
 * string, with the service's texts in the service's order. The signature itself, the clock skew and
 * the key id are not checked yet: the identity carries all that a verifier needs. */
#ifndef GRAMME_AUTH_AUTH_H
#define GRAMME_AUTH_AUTH_H

#include "base/error.h"
#include "http/request.h"

/* Views of the request or of memory in the arena. */
struct auth_identity {
    struct slice access_key_id; /* UTF-8 */
    struct slice date;          /* of the credential's scope: YYYYMMDD */
    struct slice region;
    struct slice service;
    struct slice terminator;
    struct slice algorithm;
    struct slice signed_headers; /* names with semicolons between */
    struct slice signature;
    struct slice timestamp;     /* YYYYMMDD'T'HHMMSS'Z' */
    struct slice session_token; /* absent for long-term credentials */
    bool in_query;
};

struct error *auth_check(struct arena *arena, const struct http_request *request,
                         struct auth_identity *ret_identity);

#endif
