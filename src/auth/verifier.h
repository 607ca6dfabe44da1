/* verifier.h - whether a request was signed now, and by who has the secret.
 *
 * In the service's order: the time (before the credential's scope, auth.h), then, when the key is
 * found, the signature. Errors have the service's texts; that of a wrong signature shows what
 * should have been signed, which is made of the request alone.
 * Threads: a verifier belongs to one. Memory: the arena of the request. */
#ifndef GRAMME_AUTH_VERIFIER_H
#define GRAMME_AUTH_VERIFIER_H

#include "auth/auth.h"
#include "base/clock.h"

enum { VERIFIER_SKEW_MINUTES = 15 };

struct verifier_options {
    const struct clock *clock;
    unsigned skew_minutes;
};

struct verifier;

/* The error is for the person who starts the server. */
struct error *verifier_new(struct arena *arena, const struct verifier_options *options,
                           struct verifier **ret_verifier);
void verifier_free(struct verifier *verifier);

/* A request that is signed in its query string may say itself how long it is good. */
struct error *verifier_check_time(const struct verifier *verifier, struct arena *arena,
                                  const struct http_request *request,
                                  const struct auth_identity *identity);

struct error *verifier_check_signature(struct verifier *verifier, struct arena *arena,
                                       const struct http_request *request,
                                       const struct auth_identity *identity, struct slice secret);

#endif
