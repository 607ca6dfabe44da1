/* breaker.h - a circuit breaker: after many failures in a row a service is left alone for a while.
 *
 *     CLOSED     calls go through; `failures_max` failures in a row open the breaker
 *     OPEN       no calls before resetTime, which is `reset_s` seconds later
 *     HALF_OPEN  after it one call at a time is let through to see. `successes_needed` good ones
 *                close the breaker, a bad one opens it again
 *
 * Table CircuitBreakerState: serviceName -> state, failureCount, successCount, lastFailureTime,
 * lastSuccessTime, resetTime, onTrial. resetTime is the table's TTL: a server that removes the item
 * then has closed the breaker. One that removes it later, as the service does, leaves an item whose
 * resetTime has passed, and the breaker becomes HALF_OPEN.
 *
 * A failure is a call whose outcome is bad for the service, not for the caller: a refused card is a
 * service that works.
 *
 * A breaker is advice, not a lock: a count that gets lost in a crash does no harm. */
#ifndef PAYMENT_SAGA_BREAKER_H
#define PAYMENT_SAGA_BREAKER_H

#include "common/app.h"

struct breaker {
    struct app *app;
    const char *service;
    int64_t failures_max;
    int64_t successes_needed;
    int64_t reset_s;
};

enum breaker_answer { BREAKER_LETS_THROUGH, BREAKER_REFUSES, BREAKER_UNREADABLE };

/* UNREADABLE has said why. */
enum breaker_answer breaker_ask(const struct breaker *breaker);
/* Tells how the call went. Where that cannot be written there is only a warning. */
void breaker_report(const struct breaker *breaker, bool succeeded);

/* Its item, NULL when it is closed and nothing was counted; yours to free. False, with a message,
 * when it cannot be read. */
bool breaker_read(struct app *app, const char *service, struct ddb_item **ret_item);

enum app_status breaker_show(struct app *app);

#endif
