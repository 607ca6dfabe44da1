/* evaluate.c - evaluating a policy. */
#include "policy/state.h"

static bool action_applies(const struct statement_actions *actions,
                           const struct policy_request *request) {
    for (size_t i = 0; i < actions->count; i++)
        if (pattern_matches(&actions->list[i], request->values, request->action))
            return !actions->inverted;
    return actions->inverted;
}

static bool resource_applies(const struct statement_resources *resources,
                             const struct policy_request *request) {
    for (size_t i = 0; i < resources->count; i++)
        if (arn_pattern_matches(&resources->list[i], request->values, request->resource))
            return !resources->inverted;
    return resources->inverted;
}

static bool statement_applies(const struct policy_statement *statement,
                              const struct policy_request *request) {
    if (!action_applies(&statement->actions, request) ||
        !resource_applies(&statement->resources, request))
        return false;
    for (size_t i = 0; i < statement->condition_count; i++)
        if (!condition_holds(&statement->conditions[i], request->values))
            return false;
    return true;
}

enum policy_verdict policy_evaluate(const struct policy *policy,
                                    const struct policy_request *request) {
    enum policy_verdict verdict = POLICY_NOT_ALLOWED;
    for (size_t i = 0; i < policy->statement_count; i++) {
        if (!statement_applies(&policy->statements[i], request))
            continue;
        if (policy->statements[i].denies)
            return POLICY_DENIED;
        verdict = POLICY_ALLOWED;
    }
    return verdict;
}

uint64_t policy_keys_used(const struct policy *policy) {
    return policy->keys_used;
}
