/* state.h - a policy as it is kept, for the files of policy.h only. */
#ifndef GRAMME_POLICY_STATE_H
#define GRAMME_POLICY_STATE_H

#include "policy/address.h"
#include "policy/pattern.h"
#include "policy/policy.h"

/* ---- conditions ---- */

enum operand_kind {
    OPERAND_TEXT,
    OPERAND_TEXT_ANY_CASE,
    OPERAND_PATTERN,
    OPERAND_ARN,
    OPERAND_BOOL,
    OPERAND_NULL,
    OPERAND_NUMBER,
    OPERAND_DATE,
    OPERAND_ADDRESS,
    OPERAND_BINARY,
};

enum { LESS = 1, EQUAL = 2, GREATER = 4 };

struct condition_operator {
    const char *name;
    enum operand_kind kind;
    bool negated;
    unsigned accepts;
};

/* NULL: there is no such operator. */
const struct condition_operator *condition_operator_find(struct slice name);

struct operand {
    struct pattern pattern;      /* OPERAND_TEXT, _TEXT_ANY_CASE, _PATTERN */
    struct arn_pattern *arn;     /* OPERAND_ARN */
    bool truth;                  /* OPERAND_BOOL, OPERAND_NULL */
    int64_t seconds;             /* OPERAND_DATE: since 1970 */
    struct slice text;           /* OPERAND_NUMBER, OPERAND_BINARY */
    struct address_range *range; /* OPERAND_ADDRESS */
};

/* What of a key's several values must match. */
enum condition_scope { SCOPE_SINGLE, SCOPE_ALL, SCOPE_ANY };

struct condition {
    const struct condition_operator *op;
    enum condition_scope scope;
    bool if_exists;
    struct policy_key_use use;
    struct operand *operands; /* one of them must match, or none when the operator is negated */
    size_t operand_count;
};

bool condition_holds(const struct condition *condition, const struct policy_values *values);

/* Decimal numbers without an exponent, compared exactly. False: one of them is none. */
bool decimal_compare(struct slice a, struct slice b, int *ret_order);

/* ---- statements ---- */

struct statement_actions {
    struct pattern *list;
    size_t count;
    bool inverted; /* NotAction */
};

struct statement_resources {
    struct arn_pattern *list;
    size_t count;  /* 0: the document has none */
    bool inverted; /* NotResource */
};

enum principal_kind {
    PRINCIPAL_EVERYONE,
    PRINCIPAL_ACCOUNT,
    PRINCIPAL_ARN,
    PRINCIPAL_NOBODY, /* who never calls */
};

struct principal {
    enum principal_kind kind;
    struct slice text; /* the account's number, the ARN */
};

struct statement_principals {
    struct principal *list;
    size_t count;  /* 0: the document has none */
    bool inverted; /* NotPrincipal */
};

struct policy_statement {
    struct policy_position begin, end; /* of the document */
    bool denies;
    struct statement_principals principals;
    struct statement_actions actions;
    struct statement_resources resources;
    struct condition *conditions; /* all must hold */
    size_t condition_count;
};

bool statement_names_action(const struct policy_statement *statement,
                            const struct policy_request *request);
bool statement_names_resource(const struct policy_statement *statement,
                              const struct policy_request *request);
enum policy_verdict statement_evaluate(const struct policy_statement *statement,
                                       const struct policy_request *request);

struct policy {
    struct policy_statement *statements;
    size_t statement_count;
    uint64_t keys_used;
};

#endif
