/* transport.h - one HTTP exchange, and the waiting between two: what tests replace.
 *
 * The transport sends a request once and tells how that ended; whether to try again is retry.c's
 * decision. */
#ifndef GRAMME_CLIENT_TRANSPORT_H
#define GRAMME_CLIENT_TRANSPORT_H

#include "base/buffer.h"
#include "client/settings.h"

struct exchange {
    const char *target; /* DynamoDB_20120810.PutItem */
    struct slice body;
    /* Sending it twice does no harm. libcurl by itself repeats a request when a kept connection
     * turns out to be closed. */
    bool repeatable;
    int64_t timeout_ms;
};

enum answer_kind {
    ANSWER_REPLY,     /* status, request_id and body are set */
    ANSWER_NOT_SENT,  /* no connection: the server has not seen it */
    ANSWER_NEVER,     /* the same, and it will not get better: a wrong URL or certificate */
    ANSWER_BROKEN,    /* the connection broke after the request was on its way */
    ANSWER_TIMEOUT,   /* the same, by time */
    ANSWER_TOO_LARGE, /* the reply passed its maximum */
};

struct answer {
    enum answer_kind kind;
    int status;
    char request_id[128];
    char detail[256]; /* for people, when there is no reply */
};

struct transport {
    /* Before the first exchange, and whenever they have changed; they live until the next time. */
    void (*sign_as)(struct transport *transport, const struct credentials *credentials);
    /* The body goes to `body`, which is empty before. */
    void (*exchange)(struct transport *transport, const struct exchange *exchange,
                     struct buffer *body, struct answer *ret_answer);
    void (*sleep_ms)(struct transport *transport, int64_t duration_ms);
    int64_t (*now_ms)(struct transport *transport); /* a clock that only goes on */
    void (*free)(struct transport *transport);
};

/* On libcurl. The settings must outlive it. NULL when libcurl or OpenSSL cannot be loaded. */
struct transport *transport_curl_new(const struct settings *settings);

#endif
