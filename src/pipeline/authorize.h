/* authorize.h - may they: the permissions that a request needs, against the policy of the server.
 */
#ifndef GRAMME_PIPELINE_AUTHORIZE_H
#define GRAMME_PIPELINE_AUTHORIZE_H

#include "ops/op.h"
#include "policy/caller.h"

/* Reads a policy document with all condition keys that requests have. */
struct error *authorize_load(struct arena *arena, const char *path,
                             const struct policy **ret_policy);

/* After validate, before run. `policy` is that of all callers, or NULL: their own decide, and who
 * has no own ones because nobody verifies who they are may do everything. NULL: the request may go
 * on. */
struct error *authorize_call(const struct policy *policy, struct op_call *call,
                             const struct caller *caller);

#endif
