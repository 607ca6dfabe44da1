/* breaker.h - a circuit breaker: after many failures in a row a service is left alone for a while.
 *
 *     CLOSED     calls go through; `failures_max` failures in a row open the breaker
 *     OPEN       no calls for `reset_s` seconds
 *     HALF_OPEN  then one call at a time is let through to see. `successes_needed` good ones close
 *                the breaker, a bad one opens it again
 *
 * Table CircuitBreakerState: serviceName -> state, failureCount, successCount, lastFailureTime,
 * lastSuccessTime, resetTime. At resetTime everything is forgotten and the breaker is CLOSED: it is
 * the table's TTL, so the server removes the item then, or some time later. A breaker that is not
 * closed has its resetTime ten minutes after the moment from which a call may be tried.
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

enum app_status breaker_show(struct app *app);

#endif
