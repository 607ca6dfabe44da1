/* authenticate.c - the service's order: the form, the time, the scope, the key, the signature. Only
 * who sends nothing of it can be known by a certificate.
 *
 * The time is the system's, whatever a test does to DynamoDB's: clients sign with the real one. */
#include "pipeline/authenticate.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/log.h"

struct authenticator *authenticator_new(struct iam *iam, unsigned skew_minutes,
                                        const struct clock *clock) {
    struct arena arena;
    struct authenticator *self = calloc(1, sizeof(*self));
    CHECK(self != NULL);
    arena_init(&arena);
    struct verifier_options options = {&system_clock, skew_minutes};
    CHECK(verifier_new(&arena, &options, &self->verifier) == NULL);
    self->iam = iam;
    self->view = iam_view_new(iam);
    self->clock = clock;
    arena_release(&arena);
    return self;
}

void authenticator_free(struct authenticator *authenticator) {
    if (authenticator == NULL)
        return;
    verifier_free(authenticator->verifier);
    iam_view_free(authenticator->view);
    free(authenticator);
}

static struct error *verify(struct authenticator *self, struct arena *arena,
                            const struct http_request *request, struct slice service,
                            const struct auth_identity *identity, struct caller *ret_caller) {
    struct iam_credentials credentials;
    TRY(verifier_check_time(self->verifier, arena, request, identity));
    TRY(auth_check_scope(arena, identity, service));
    TRY(iam_find_credentials(self->view, arena, identity->access_key_id, identity->session_token,
                             clock_now_ms(self->clock), &credentials));
    TRY(verifier_check_signature(self->verifier, arena, request, identity, credentials.secret));
    *ret_caller = credentials.caller;
    ret_caller->region = auth_quotable(arena, identity->region);
    return NULL;
}

/* Whoever says something else about themselves is asked to prove that. */
static bool is_known_by_certificate(struct authenticator *self, struct exchange *exchange,
                                    const struct error *error, struct caller *ret_caller) {
    if (self == NULL || error->code != ERROR_MISSING_AUTHENTICATION_TOKEN ||
        slice_present(exchange->request.known[HTTP_AUTHORIZATION]))
        return false;
    struct slice name = exchange_client(exchange);
    const struct principal *user =
        slice_present(name) ? directory_find(iam_view_directory(self->view), PRINCIPAL_USER, name)
                            : NULL;
    if (user != NULL)
        *ret_caller = iam_caller_of_user(self->iam, user);
    return user != NULL;
}

struct error *authenticate(struct authenticator *authenticator, struct exchange *exchange,
                           struct slice service, struct slice account, struct caller *ret_caller) {
    struct arena *arena = &exchange->arena;
    const struct http_request *request = &exchange->request;
    struct auth_identity identity;
    struct error *error = auth_read(arena, request, &identity);
    if (error != NULL)
        return is_known_by_certificate(authenticator, exchange, error, ret_caller) ? NULL : error;
    if (authenticator == NULL) {
        TRY(auth_check_scope(arena, &identity, service));
        ret_caller->kind = CALLER_ANYONE;
        ret_caller->name = identity.access_key_id;
        ret_caller->account = account;
        ret_caller->region = auth_quotable(arena, identity.region);
        return NULL;
    }
    error = verify(authenticator, arena, request, service, &identity, ret_caller);
    if (error != NULL)
        log_repeated_error("a request with the key %.*s was refused: %s",
                           identity.access_key_id.len > 128 ? 128 : (int)identity.access_key_id.len,
                           (const char *)identity.access_key_id.data,
                           error_kind(error->code)->type);
    return error;
}

bool authenticate_scope(struct exchange *exchange, struct slice *ret_key,
                        struct slice *ret_region) {
    struct auth_identity identity;
    if (auth_read(&exchange->arena, &exchange->request, &identity) != NULL)
        return false;
    *ret_key = identity.access_key_id;
    *ret_region = identity.region;
    return true;
}
