/* authorize.h - may they: the permissions that a request needs, against the policy of the server.
 */
#ifndef GRAMME_PIPELINE_AUTHORIZE_H
#define GRAMME_PIPELINE_AUTHORIZE_H

#include "auth/policy.h"
#include "ops/op.h"

/* Reads a policy document with all condition keys that requests have. */
struct error *authorize_load(struct arena *arena, const char *path,
                             const struct policy **ret_policy);

/* After validate, before run. NULL: the request may go on. */
struct error *authorize_call(const struct policy *policy, struct op_call *call,
                             struct slice access_key_id);

#endif
