/* policy.h - IAM policy documents: what a caller may do.
 *
 * A document is read once. Whatever in it cannot be evaluated - an unknown element, operator or
 * condition key - is an error then, with its place: a policy that is not understood protects
 * nothing. Evaluation: a statement that denies wins, then one that allows; nothing else is allowed.
 *
 * Memory: a policy lives in the arena it was read into; evaluation allocates nothing.
 * Threads: a policy is immutable. */
#ifndef GRAMME_POLICY_POLICY_H
#define GRAMME_POLICY_POLICY_H

#include "base/error.h"
#include "policy/keys.h"

enum { POLICY_BYTES_MAX = 256 * 1024 };

struct policy;

/* `name` stands in errors, which are for the person who wrote the document. The text may go after
 * the call. */
struct error *policy_parse(struct arena *arena, const char *name, struct slice text,
                           const struct policy **ret_policy);
/* The same for a file. */
struct error *policy_load(struct arena *arena, const char *path, const struct policy **ret_policy);

/* A bit for each key that some condition or variable looks at: the others need not be there. */
uint64_t policy_keys_used(const struct policy *policy);

struct policy_request {
    struct slice action;   /* "dynamodb:GetItem" */
    struct slice resource; /* an ARN, or "*" when the action is not about one */
    struct policy_values values[POLICY_KEY_COUNT];
};

enum policy_verdict {
    POLICY_ALLOWED,
    POLICY_DENIED,     /* by a statement */
    POLICY_NOT_ALLOWED /* by no statement */
};

enum policy_verdict policy_evaluate(const struct policy *policy,
                                    const struct policy_request *request);

#endif
