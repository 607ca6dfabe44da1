/* saga.h - runs a payment from the step that it has reached to its end.
 *
 * Threads: everything here belongs to the thread of its app. */
#ifndef PAYMENT_SAGA_SAGA_H
#define PAYMENT_SAGA_SAGA_H

#include "journal.h"

struct saga_settings {
    const char *gateway; /* the command */
    const char *service; /* the name of its circuit breaker */
    int64_t gateway_timeout_ms;
    int64_t breaker_failures;
    int64_t breaker_successes;
    int64_t breaker_reset_s;
    int64_t deadline_s; /* of a payment that begins */
};

#define SAGA_OPTIONS                                                                          \
    {"gateway", "CMD", "the command that charges; see README.md", true},                      \
        {"gateway-timeout", "MS", "how long it may take; 10000 when not given", false},       \
        {"service", "NAME", "its circuit breaker; payment-gateway when not given", false},    \
        {"breaker-failures", "N", "that many failures in a row open the breaker; 5", false},  \
        {"breaker-successes", "N", "that many successes close it after a reset; 2", false}, { \
        "breaker-reset", "SECONDS", "how long it stays open; 30", false                       \
    }

/* saga_settings.c: from the options. False, with a message, when one is wrong. */
bool saga_settings_read(const struct app *app, struct saga_settings *ret_settings);

enum wish {
    WISH_PAY,         /* begins it when it is new */
    WISH_FINISH,      /* goes on with one that was left */
    WISH_CANCEL,      /* ends one that is under way, with the money back */
    WISH_REFUND,      /* gives the money of one that was paid back */
    WISH_CHARGED,     /* somebody has looked into the gateway's books: it has charged ... */
    WISH_NOT_CHARGED, /* ... or it has not, and never will */
};

struct saga_request {
    const char *user; /* NULL: as its events tell */
    const char *id;
    int64_t amount; /* WISH_PAY */
    enum wish wish;
    const char *reference; /* WISH_CHARGED: the gateway's */
};

/* APP_OK when the payment has ended: `ret_payment` tells how. Else there is a message, and
 * `ret_payment` may have a step that is not STEP_COMPLETED: the payment is pending, and goes on by
 * itself. */
enum app_status saga_run(struct app *app, const struct saga_settings *settings,
                         const struct saga_request *request, struct payment *ret_payment);

#endif
