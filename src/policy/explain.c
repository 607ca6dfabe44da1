/* explain.c - see explain.h. */
#include "policy/explain.h"

#include "policy/state.h"

size_t policy_statement_count(const struct policy *policy) {
    return policy->statement_count;
}

struct policy_match policy_match(const struct policy *policy, size_t number,
                                 const struct policy_request *request) {
    const struct policy_statement *statement = &policy->statements[number];
    return (struct policy_match){statement_evaluate(statement, request), statement->begin,
                                 statement->end};
}

/* ---- what is missing ---- */

struct search {
    const struct policy_values *values; /* of the request */
    policy_tell_key *tell;
    void *user;
};

static void look_at_key(const struct search *search, const struct policy_key_use *use) {
    if (policy_values_of(search->values, use).count == 0)
        search->tell(search->user, use);
}

/* A variable that has a text for its absence misses nothing. */
static void look_at_pattern(const struct search *search, const struct pattern *pattern) {
    for (size_t i = 0; i < pattern->count; i++)
        if (pattern->parts[i].kind == PATTERN_VALUE && !slice_present(pattern->parts[i].text))
            look_at_key(search, &pattern->parts[i].use);
}

static void look_at_arn(const struct search *search, const struct arn_pattern *arn) {
    for (size_t i = 0; !arn->everything && i < ARN_PARTS; i++)
        look_at_pattern(search, &arn->parts[i]);
}

/* Who asks whether a key is there does not need it. */
static void look_at_condition(const struct search *search, const struct condition *condition) {
    if (condition->op->kind == OPERAND_NULL)
        return;
    look_at_key(search, &condition->use);
    for (size_t i = 0; i < condition->operand_count; i++) {
        if (condition->op->kind == OPERAND_ARN)
            look_at_arn(search, condition->operands[i].arn);
        else
            look_at_pattern(search, &condition->operands[i].pattern);
    }
}

void policy_missing_keys(const struct policy *policy, const struct policy_request *request,
                         policy_tell_key *tell, void *user) {
    const struct search search = {request->values, tell, user};
    for (size_t i = 0; i < policy->statement_count; i++) {
        const struct policy_statement *statement = &policy->statements[i];
        if (!statement_names_action(statement, request))
            continue;
        for (size_t j = 0; j < statement->resources.count; j++)
            look_at_arn(&search, &statement->resources.list[j]);
        for (size_t j = 0;
             j < statement->condition_count && statement_names_resource(statement, request); j++)
            look_at_condition(&search, &statement->conditions[j]);
    }
}
