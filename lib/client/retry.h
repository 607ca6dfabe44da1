/* retry.h - what to do after an attempt, and how long to wait. Pure.
 *
 * The question is what a second attempt may change when the first one was carried out and its
 * answer was lost. */
#ifndef GRAMME_CLIENT_RETRY_H
#define GRAMME_CLIENT_RETRY_H

#include "client/transport.h"

enum repeat {
    REPEAT_READ,  /* changes nothing */
    REPEAT_TOKEN, /* the server knows it again by its token */
    REPEAT_SAME,  /* writes the same again; a condition may meet the first one's work */
    REPEAT_NEVER, /* twice is not once */
};

enum verdict {
    VERDICT_DONE,      /* a reply of 200 */
    VERDICT_FINAL,     /* an error that stays */
    VERDICT_AGAIN,     /* nothing happened */
    VERDICT_AMBIGUOUS, /* nobody knows */
};

/* By the operation's name, with a target before a dot or without; what is not known is taken for a
 * write that may be repeated. */
enum repeat repeat_of_operation(const char *operation);

/* `type` is that of the error reply, "" when there is none. */
enum verdict retry_verdict(const struct answer *answer, const char *type);

/* Whether the same call may work a moment later, though it is not sent again by itself: a
 * transaction that was cancelled by nothing but conflicts and throttling. */
bool retry_worth_it(const struct ddb_error *error);

/* What pays for second attempts, as the standard mode of the AWS SDKs has it. */
struct retry_budget {
    int tokens;
    int tokens_max; /* -1: without end */
    int paid;       /* for the latest attempt of the call; 0: it is the first */
};

/* Before a second attempt. False: there is not enough, and none is taken. */
bool retry_budget_pay(struct retry_budget *budget, enum answer_kind after);
/* After a call that worked. */
void retry_budget_earn(struct retry_budget *budget);

/* The longest that may be waited before the attempt after `failures` failed ones. */
int64_t retry_wait_max_ms(const struct settings *settings, int failures);

#endif
