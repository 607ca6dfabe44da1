/* explain.h - why a policy says what it says: for those who try one before they rely on it. */
#ifndef GRAMME_POLICY_EXPLAIN_H
#define GRAMME_POLICY_EXPLAIN_H

#include "policy/policy.h"

struct policy_match {
    enum policy_verdict verdict;       /* of the statement by itself */
    struct policy_position begin, end; /* where it stands: from its brace to behind the last one */
};

size_t policy_statement_count(const struct policy *policy);
/* What a statement, counted from 0, says of a request. */
struct policy_match policy_match(const struct policy *policy, size_t number,
                                 const struct policy_request *request);

/* Tells each key that a statement about the action looks at, and that the request has no value
 * for; maybe several times. */
typedef void policy_tell_key(void *user, const struct policy_key_use *use);
void policy_missing_keys(const struct policy *policy, const struct policy_request *request,
                         policy_tell_key *tell, void *user);

#endif
