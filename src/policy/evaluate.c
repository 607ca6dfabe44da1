/* evaluate.c - evaluating a policy. */
#include "policy/state.h"

bool statement_names_action(const struct policy_statement *statement,
                            const struct policy_request *request) {
    const struct statement_actions *actions = &statement->actions;
    for (size_t i = 0; i < actions->count; i++)
        if (pattern_matches(&actions->list[i], request->values, request->action))
            return !actions->inverted;
    return actions->inverted;
}

bool statement_names_resource(const struct policy_statement *statement,
                              const struct policy_request *request) {
    const struct statement_resources *resources = &statement->resources;
    if (resources->count == 0)
        return true;
    for (size_t i = 0; i < resources->count; i++)
        if (arn_pattern_matches(&resources->list[i], request->values, request->resource))
            return !resources->inverted;
    return resources->inverted;
}

/* ---- principals ---- */

/* As what a principal names the caller: a verdict that allows, or none. */
static enum policy_verdict principal_names(const struct principal *principal,
                                           const struct caller *caller) {
    switch (principal->kind) {
    case PRINCIPAL_EVERYONE:
        return POLICY_ALLOWED;
    case PRINCIPAL_ACCOUNT:
        if (!slice_equal(principal->text, caller->account))
            return POLICY_NOT_ALLOWED;
        return caller->kind == CALLER_ROOT ? POLICY_ALLOWED : POLICY_ALLOWED_FOR_ACCOUNT;
    case PRINCIPAL_ARN:
        if (slice_equal(principal->text, caller->arn))
            return POLICY_ALLOWED;
        return slice_equal(principal->text, caller->principal_arn) ? POLICY_ALLOWED_FOR_ROLE
                                                                   : POLICY_NOT_ALLOWED;
    case PRINCIPAL_NOBODY:
        break;
    }
    return POLICY_NOT_ALLOWED;
}

/* NotPrincipal with Deny spares only who is named in all that they are: the user and the account,
 * or the session, its role and the account. Who has a boundary it never spares. */
static bool spared(const struct statement_principals *principals, const struct caller *caller) {
    unsigned named = 0;
    unsigned wanted = 1U << POLICY_ALLOWED;
    if (caller->boundary != NULL)
        return false;
    if (caller->kind != CALLER_ROOT)
        wanted |= 1U << POLICY_ALLOWED_FOR_ACCOUNT;
    if (caller->kind == CALLER_SESSION)
        wanted |= 1U << POLICY_ALLOWED_FOR_ROLE;
    for (size_t i = 0; i < principals->count; i++) {
        if (principals->list[i].kind == PRINCIPAL_EVERYONE)
            return true;
        named |= 1U << principal_names(&principals->list[i], caller);
    }
    return (named & wanted) == wanted;
}

/* Whether a statement is about the caller, and as what. */
static enum policy_verdict principal_applies(const struct policy_statement *statement,
                                             const struct caller *caller) {
    const struct statement_principals *principals = &statement->principals;
    enum policy_verdict best = POLICY_NOT_ALLOWED;
    if (principals->count == 0)
        return POLICY_ALLOWED;
    if (principals->inverted && statement->denies)
        return spared(principals, caller) ? POLICY_NOT_ALLOWED : POLICY_ALLOWED;
    for (size_t i = 0; i < principals->count; i++) {
        enum policy_verdict next = principal_names(&principals->list[i], caller);
        best = next > best ? next : best;
    }
    if (principals->inverted)
        return best == POLICY_NOT_ALLOWED ? POLICY_ALLOWED : POLICY_NOT_ALLOWED;
    return best;
}

/* ---- statements ---- */

enum policy_verdict statement_evaluate(const struct policy_statement *statement,
                                       const struct policy_request *request) {
    if (!statement_names_action(statement, request) ||
        !statement_names_resource(statement, request))
        return POLICY_NOT_ALLOWED;
    enum policy_verdict verdict = principal_applies(statement, request->caller);
    if (verdict == POLICY_NOT_ALLOWED)
        return POLICY_NOT_ALLOWED;
    for (size_t i = 0; i < statement->condition_count; i++)
        if (!condition_holds(&statement->conditions[i], request->values))
            return POLICY_NOT_ALLOWED;
    return statement->denies ? POLICY_DENIED : verdict;
}

enum policy_verdict policy_evaluate(const struct policy *policy,
                                    const struct policy_request *request) {
    enum policy_verdict verdict = POLICY_NOT_ALLOWED;
    for (size_t i = 0; i < policy->statement_count && verdict != POLICY_DENIED; i++) {
        enum policy_verdict next = statement_evaluate(&policy->statements[i], request);
        verdict = next > verdict ? next : verdict;
    }
    return verdict;
}

uint64_t policy_keys_used(const struct policy *policy) {
    return policy->keys_used;
}
