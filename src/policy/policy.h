/* policy.h - IAM policy documents: what a caller may do.
 *
 * A document is read once. Whatever in it cannot be evaluated - an unknown element, operator or
 * condition key - is an error then, with its place: a policy that is not understood protects
 * nothing. Evaluation: a statement that denies wins, then one that allows; nothing else is allowed.
 * How the verdicts of several documents add up is for whoever knows them all.
 *
 * Memory: a policy lives in the arena it was read into; evaluation allocates nothing.
 * Threads: a policy is immutable. */
#ifndef GRAMME_POLICY_POLICY_H
#define GRAMME_POLICY_POLICY_H

#include "base/error.h"
#include "policy/caller.h"
#include "policy/keys.h"

enum { POLICY_BYTES_MAX = 256 * 1024 };

struct policy;

/* A place, in lines and characters of a document, counted from 1. */
struct policy_position {
    uint32_t line;
    uint32_t column;
};

/* What a document is attached to, which says what stands in its statements. */
enum policy_kind {
    POLICY_OF_IDENTITY, /* a user, a role, a boundary, a session: no Principal */
    POLICY_OF_RESOURCE, /* a table or a stream: a Principal */
    POLICY_OF_TRUST,    /* a role, telling who may assume it: a Principal and no Resource */
};

struct policy_document {
    enum policy_kind kind;
    const char *name;  /* in errors, which are for the person who wrote it */
    struct slice text; /* may go after the call */
};

struct error *policy_parse(struct arena *arena, const struct policy_document *document,
                           const struct policy **ret_policy);
/* The policy of an identity, from a file; its text, too. */
struct error *policy_load(struct arena *arena, const char *path, struct slice *ret_text,
                          const struct policy **ret_policy);

/* Whether a text can be a principal of an account: a number of twelve digits, the ARN of a user, a
 * role, a session or a root, or "*". */
bool policy_is_principal(struct slice text);
/* Whether some statement allows everybody something, whoever they are. */
bool policy_is_unbounded(const struct policy *policy);

/* A bit for each key that some condition or variable looks at: the others need not be there. */
uint64_t policy_keys_used(const struct policy *policy);

struct policy_request {
    const struct caller *caller; /* looked at by documents with principals only */
    struct slice action;         /* "dynamodb:GetItem" */
    struct slice resource;       /* an ARN, or "*" when the action is not about one */
    struct policy_values values[POLICY_KEY_COUNT];
};

/* The greater one wins, of statements and of documents that count alike. */
enum policy_verdict {
    POLICY_NOT_ALLOWED,         /* by no statement */
    POLICY_ALLOWED_FOR_ACCOUNT, /* as one of their account: within what their own policies allow */
    POLICY_ALLOWED_FOR_ROLE, /* as any session of their role: within boundary and session policy */
    POLICY_ALLOWED,          /* where there are principals: as they themselves, or everybody */
    POLICY_DENIED,           /* by a statement */
};

enum policy_verdict policy_evaluate(const struct policy *policy,
                                    const struct policy_request *request);

#endif
