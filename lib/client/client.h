/* client.h - a client from the inside: one call at a time, from its begin to its reply.
 *
 * A function of the public header writes its request (request.h), sends it with client_send() and
 * reads the reply (reply.h).
 * Memory: the call's arena, its request, its reply and its error live until the next call begins.
 */
#ifndef GRAMME_CLIENT_CLIENT_H
#define GRAMME_CLIENT_CLIENT_H

#include "base/arena.h"
#include "base/random.h"
#include "client/identity.h"
#include "client/retry.h"
#include "client/tree.h"

struct ddb_client {
    struct settings settings;
    const char *problem;  /* of the settings: every call fails with it */
    struct arena lasting; /* the settings' texts */
    struct transport *transport;
    struct identity identity;
    const struct random *random;
    struct buffer request;
    struct buffer reply;
    struct arena arena; /* of the call */
    struct answer answer;
    enum repeat repeat; /* of the latest request */
    int attempts;
    struct retry_budget budget;
    int64_t deadline_ms;      /* by the transport's clock; INT64_MAX: none */
    int64_t call_deadline_ms; /* of this call: the earlier one of that and its own */
    bool failed;
    struct ddb_error error;
    struct ddb_item **error_items; /* all that the error points to: ours to free */
    size_t error_item_count;
};

/* With a transport of the caller's, which the client frees, and an environment and randomness of
 * the caller's. */
struct ddb_client *client_new(const struct ddb_options *options, lookup_environment *variable,
                              struct transport *transport, const struct random *random);

/* Forgets the call before. False when the settings have a problem. */
bool client_begin(struct ddb_client *client);
/* Always false, so that callers return it. */
bool client_fail(struct ddb_client *client, enum ddb_error_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Sends what is in `request`, unless the operation's name is none, as often as `repeat` and the
 * settings let it. True: `reply` has the body. */
bool client_send(struct ddb_client *client, const char *operation, enum repeat repeat);
/* A random wait after so many failures in a row. False, without a wait, when it would go past the
 * call's deadline: what is sent then ends there. */
bool client_wait(struct ddb_client *client, int failures);

/* reply_error.c: makes the client's error of an error reply; the type is "" when the body is not
 * DynamoDB's. */
void client_fail_with_reply(struct ddb_client *client);

#endif
