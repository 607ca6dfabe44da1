/* authorize.h - may they: the permissions that a request needs, against the policies there are. */
#ifndef GRAMME_PIPELINE_AUTHORIZE_H
#define GRAMME_PIPELINE_AUTHORIZE_H

#include "endpoint/endpoint.h"
#include "ops/op.h"
#include "policy/decide.h"

/* After validate, before run. `policy` is that of all callers, or NULL: their own decide, and who
 * has no own ones because nobody verifies who they are may do everything. NULL: the request may go
 * on. */
struct error *authorize_call(const struct policy *policy, struct exchange *exchange,
                             struct op_call *call, const struct caller *caller);

/* What a caller hears who may not. */
struct error *authorize_refusal(struct arena *arena, const struct policy_request *request,
                                const struct policy_decision *decision);

/* One permission more, for an operation that wants to know; a caller whose word is not verified is
 * the user of that name. `policy` and `caller` as above. */
struct error *authorize_permission(const struct policy *policy, struct exchange *exchange,
                                   const struct caller *caller, struct permission *permission);

#endif
