/* load_condition.c - reading the Condition of a statement:
 *
 *   {"Bool": {"dynamodb:FullTableScan": "true"}, "ForAllValues:StringLike": {...}, ...} */
#include "base/base64.h"
#include "base/date.h"
#include "policy/loader.h"

/* An operator as it is written: ForAllValues:StringEqualsIfExists. */
struct written_operator {
    struct slice text;
    const struct condition_operator *op;
    enum condition_scope scope;
    bool if_exists;
};

/* ---- operators ---- */

static bool take_prefix(struct slice *text, struct slice prefix) {
    if (!slice_starts_with(*text, prefix))
        return false;
    *text = slice_skip(*text, prefix.len);
    return true;
}

static bool take_suffix(struct slice *text, struct slice suffix) {
    if (text->len < suffix.len || !slice_equal(slice_skip(*text, text->len - suffix.len), suffix))
        return false;
    text->len -= suffix.len;
    return true;
}

static struct error *read_operator(struct policy_loader *loader, struct slice text,
                                   struct written_operator *ret_written) {
    struct written_operator written = {.text = text};
    struct slice name = text;
    if (take_prefix(&name, SLICE_LITERAL("ForAllValues:")))
        written.scope = SCOPE_ALL;
    else if (take_prefix(&name, SLICE_LITERAL("ForAnyValue:")))
        written.scope = SCOPE_ANY;
    written.if_exists = take_suffix(&name, SLICE_LITERAL("IfExists"));
    written.op = condition_operator_find(name);
    if (written.op == NULL)
        return policy_fault(loader, "the operator %.*s is not known here", SLICE_ARGS(text));
    if (written.op->kind == OPERAND_NULL && (written.if_exists || written.scope != SCOPE_SINGLE))
        return policy_fault(loader, "Null goes with no prefix and no suffix, unlike in %.*s",
                            SLICE_ARGS(text));
    *ret_written = written;
    return NULL;
}

/* ---- values ---- */

static struct error *wrong_value(struct policy_loader *loader, const char *kind,
                                 struct slice text) {
    return policy_fault(loader, "\"%.*s\" is no %s", SLICE_ARGS(text), kind);
}

static struct error *read_truth(struct policy_loader *loader, struct slice text, bool *ret_truth) {
    *ret_truth = slice_equal_ignoring_case(text, SLICE_LITERAL("true"));
    if (!*ret_truth && !slice_equal_ignoring_case(text, SLICE_LITERAL("false")))
        return wrong_value(loader, "truth value: true or false", text);
    return NULL;
}

static struct error *read_date(struct policy_loader *loader, struct slice text,
                               int64_t *ret_seconds) {
    if (!date_read(text, ret_seconds))
        return wrong_value(loader, "date: 2026-10-17T08:30:00Z or 2026-10-17", text);
    return NULL;
}

static struct error *read_range(struct policy_loader *loader, struct slice text,
                                struct operand *operand) {
    operand->range = ARENA_NEW(loader->arena, struct address_range);
    return address_range_parse(text, operand->range)
               ? NULL
               : wrong_value(loader, "address: 192.0.2.1, 10.0.0.0/8 or 2001:db8::/32", text);
}

static struct error *read_binary(struct policy_loader *loader, struct slice text,
                                 struct operand *operand) {
    size_t len;
    uint8_t *bytes = arena_alloc(loader->arena, base64_decoded_max(text.len));
    operand->text = text;
    return base64_decode(text, bytes, &len) == BASE64_OK ? NULL
                                                         : wrong_value(loader, "base64", text);
}

static struct error *read_operand(struct policy_loader *loader, enum operand_kind kind,
                                  struct slice text, struct operand *operand) {
    struct pattern_syntax syntax = policy_syntax(loader, kind == OPERAND_PATTERN);
    int order;
    switch (kind) {
    case OPERAND_TEXT:
    case OPERAND_TEXT_ANY_CASE:
    case OPERAND_PATTERN:
        syntax.any_case = kind == OPERAND_TEXT_ANY_CASE;
        return policy_read_pattern(loader, &syntax, text, &operand->pattern);
    case OPERAND_ARN:
        operand->arn = ARENA_NEW(loader->arena, struct arn_pattern);
        return policy_read_arn(loader, text, operand->arn);
    case OPERAND_BOOL:
    case OPERAND_NULL:
        return read_truth(loader, text, &operand->truth);
    case OPERAND_NUMBER:
        operand->text = text;
        return decimal_compare(text, text, &order) ? NULL : wrong_value(loader, "number", text);
    case OPERAND_DATE:
        return read_date(loader, text, &operand->seconds);
    case OPERAND_ADDRESS:
        return read_range(loader, text, operand);
    case OPERAND_BINARY:
        return read_binary(loader, text, operand);
    }
    return NULL;
}

/* The text of a value, which JSON may say in several ways: "true" and true. */
static bool value_text(const struct json_reader *json, struct slice *ret_text) {
    if (json->token == JSON_TRUE)
        *ret_text = SLICE_LITERAL("true");
    else if (json->token == JSON_FALSE)
        *ret_text = SLICE_LITERAL("false");
    else if (json->token == JSON_STRING || json->token == JSON_INTEGER ||
             json->token == JSON_DECIMAL)
        *ret_text = json->text;
    else
        return false;
    return true;
}

static struct error *read_operands(struct policy_loader *loader, struct condition *condition) {
    static const char wanted[] = "the value of a condition must be a string, a number, a truth "
                                 "value or a list of them";
    struct slice text;
    json_next(&loader->json);
    bool list = loader->json.token == JSON_ARRAY_BEGIN;
    if (list)
        json_next(&loader->json);
    while (value_text(&loader->json, &text)) {
        TRY(read_operand(loader, condition->op->kind, text,
                         POLICY_ADD(loader->arena, condition->operands, condition->operand_count)));
        if (!list)
            return NULL;
        json_next(&loader->json);
    }
    if (!list || loader->json.token != JSON_ARRAY_END || condition->operand_count == 0)
        return policy_shape_fault(loader, wanted);
    return NULL;
}

/* ---- keys ---- */

static struct error *read_condition(struct policy_loader *loader,
                                    const struct written_operator *written, struct slice name,
                                    struct policy_statement *statement) {
    struct policy_key_use use;
    if (!policy_key_find(name, &use))
        return policy_fault(loader, "the condition key %.*s is not known here", SLICE_ARGS(name));
    if (use.form == POLICY_KEY_LIST && written->scope == SCOPE_SINGLE &&
        written->op->kind != OPERAND_NULL)
        return policy_fault(loader,
                            "%.*s may have several values: write ForAllValues:%.*s or "
                            "ForAnyValue:%.*s",
                            SLICE_ARGS(name), SLICE_ARGS(written->text), SLICE_ARGS(written->text));
    struct condition *condition =
        POLICY_ADD(loader->arena, statement->conditions, statement->condition_count);
    condition->op = written->op;
    condition->scope = written->scope;
    condition->if_exists = written->if_exists;
    condition->use = use;
    loader->keys_used |= policy_key_bit(use.key);
    for (size_t i = 0; i + 1 < statement->condition_count; i++) {
        const struct condition *before = &statement->conditions[i];
        if (before->op == condition->op && before->scope == condition->scope &&
            before->if_exists == condition->if_exists && policy_key_same(&before->use, &use))
            return policy_fault(loader, "%.*s has %.*s twice", SLICE_ARGS(written->text),
                                SLICE_ARGS(name));
    }
    return read_operands(loader, condition);
}

struct error *policy_read_conditions(struct policy_loader *loader,
                                     struct policy_statement *statement) {
    if (json_next(&loader->json) != JSON_OBJECT_BEGIN)
        return policy_shape_fault(loader, "must be an object");
    while (json_next(&loader->json) == JSON_NAME) {
        struct written_operator written = {0};
        TRY(read_operator(loader, loader->json.text, &written));
        if (json_next(&loader->json) != JSON_OBJECT_BEGIN)
            return policy_shape_fault(loader, "an operator must have an object");
        while (json_next(&loader->json) == JSON_NAME)
            TRY(read_condition(loader, &written, loader->json.text, statement));
    }
    return NULL;
}
