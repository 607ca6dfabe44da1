/* error_reply.h - what a client hears of a call that failed.
 *
 * Errors that are ours are logged, and told without what is nobody's business. Threads: the
 * exchange's. Memory: the exchange's arena. */
#ifndef GRAMME_PIPELINE_ERROR_REPLY_H
#define GRAMME_PIPELINE_ERROR_REPLY_H

#include "endpoint/endpoint.h"
#include "ops/op.h"

void error_reply(struct exchange *exchange, const struct op_call *call, struct error *error);
/* Why a reply that did not fit is not sent. */
struct error *error_reply_overflow(struct exchange *exchange);

#endif
