/* auth.h - who sends a request, as far as its own words say.
 *
 * Reads a Signature Version 4 request, in the Authorization header or in the query string, and
 * checks its form with the service's texts in the service's order. Whether the words are true is
 * for the verifier (verifier.h), for which the identity carries all that it needs. */
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

struct error *auth_read(struct arena *arena, const struct http_request *request,
                        struct auth_identity *ret_identity);
/* Whether the credential is for this service and for the day of the request. Comes after the time
 * was checked, where it is. */
struct error *auth_check_scope(struct arena *arena, const struct auth_identity *identity,
                               struct slice service);

/* For an error's text, which must be UTF-8: header bytes above ASCII are Latin-1 by tradition. */
struct slice auth_quotable(struct arena *arena, struct slice text);

#endif
