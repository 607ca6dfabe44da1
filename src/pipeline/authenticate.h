/* authenticate.h - who sends a request: as they say, or as their signature or their certificate
 * proves. */
#ifndef GRAMME_PIPELINE_AUTHENTICATE_H
#define GRAMME_PIPELINE_AUTHENTICATE_H

#include "auth/verifier.h"
#include "endpoint/endpoint.h"
#include "iam/iam.h"

/* What a thread verifies with. */
struct authenticator {
    struct iam *iam;
    struct verifier *verifier;
    struct iam_view *view;
    const struct clock *clock; /* of sessions: DynamoDB's time */
};

/* What it needs of OpenSSL was loaded for the seal of `iam` already. */
struct authenticator *authenticator_new(struct iam *iam, unsigned skew_minutes,
                                        const struct clock *clock);
void authenticator_free(struct authenticator *authenticator);

/* `service` is the name that is signed for. Without an authenticator the form of the signature is
 * checked and its words are taken. With one, who sends no signature but had to show a certificate
 * is the user that it names. The caller is borrowed until the next request. */
struct error *authenticate(struct authenticator *authenticator, struct exchange *exchange,
                           struct slice service, struct slice account, struct caller *ret_caller);

/* From whom and for which region a request says that it is; nothing of it is verified. False: it
 * does not say, or not well. */
bool authenticate_scope(struct exchange *exchange, struct slice *ret_key, struct slice *ret_region);

#endif
