/* unbounded.c - whether a policy lets everybody in.
 *
 * The service refuses such ones for its resources: a statement that allows everybody something, and
 * no condition that says by their name, account or network who they are. */
#include "policy/state.h"

static bool names_everybody(const struct statement_principals *principals) {
    if (principals->inverted)
        return true;
    for (size_t i = 0; i < principals->count; i++)
        if (principals->list[i].kind == PRINCIPAL_EVERYONE)
            return true;
    return false;
}

static bool has_wildcard(const struct pattern *pattern) {
    for (size_t i = 0; i < pattern->count; i++)
        if (pattern->parts[i].kind == PATTERN_ANY || pattern->parts[i].kind == PATTERN_ONE)
            return true;
    return false;
}

static bool operand_bounds(enum operand_kind kind, const struct operand *operand) {
    enum { ACCOUNT_PART = 4 };
    switch (kind) {
    case OPERAND_TEXT:
    case OPERAND_TEXT_ANY_CASE:
        return true;
    case OPERAND_PATTERN:
        return !has_wildcard(&operand->pattern);
    case OPERAND_ARN:
        return !operand->arn->everything && !has_wildcard(&operand->arn->parts[ACCOUNT_PART]);
    case OPERAND_ADDRESS:
        return operand->range->bits > 0;
    case OPERAND_BOOL:
    case OPERAND_NULL:
    case OPERAND_NUMBER:
    case OPERAND_DATE:
    case OPERAND_BINARY:
        break;
    }
    return false;
}

static bool condition_bounds(const struct condition *condition) {
    const uint64_t keys = policy_key_bit(POLICY_KEY_PRINCIPAL_ARN) |
                          policy_key_bit(POLICY_KEY_PRINCIPAL_ACCOUNT) |
                          policy_key_bit(POLICY_KEY_USERID) | policy_key_bit(POLICY_KEY_USERNAME) |
                          policy_key_bit(POLICY_KEY_SOURCE_IP) | policy_key_bit(POLICY_KEY_NEVER);
    if (!(keys & policy_key_bit(condition->use.key)) || condition->op->negated ||
        condition->if_exists || condition->scope == SCOPE_ALL)
        return false;
    for (size_t i = 0; i < condition->operand_count; i++)
        if (!operand_bounds(condition->op->kind, &condition->operands[i]))
            return false;
    return true;
}

static bool statement_bounded(const struct policy_statement *statement) {
    if (statement->denies || !names_everybody(&statement->principals))
        return true;
    for (size_t i = 0; i < statement->condition_count; i++)
        if (condition_bounds(&statement->conditions[i]))
            return true;
    return false;
}

bool policy_is_unbounded(const struct policy *policy) {
    for (size_t i = 0; i < policy->statement_count; i++)
        if (!statement_bounded(&policy->statements[i]))
            return true;
    return false;
}
