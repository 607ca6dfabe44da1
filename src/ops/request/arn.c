/* arn.c - ARNs taken apart, and TableName members that may be one. */
#include "ops/request/arn.h"

#include "base/leniency.h"
#include "model/limits.h"
#include "ops/op.h"
#include "ops/request/field.h"

/* Cuts `*rest` at the first such byte; false when there is none. */
static bool take_part(struct slice *rest, char end, struct slice *ret_part) {
    const uint8_t *at = rest->len == 0 ? NULL : memchr(rest->data, end, rest->len);
    if (at == NULL)
        return false;
    size_t len = (size_t)(at - rest->data);
    *ret_part = slice_first(*rest, len);
    *rest = slice_skip(*rest, len + 1);
    return true;
}

static enum arn_kind kind_of(struct slice word) {
    static const char *const words[] = {
        [ARN_INDEX] = "index",   [ARN_STREAM] = "stream", [ARN_BACKUP] = "backup",
        [ARN_EXPORT] = "export", [ARN_IMPORT] = "import",
    };
    for (int kind = ARN_INDEX; kind <= ARN_IMPORT; kind++)
        if (slice_is(word, words[kind]))
            return (enum arn_kind)kind;
    return ARN_OTHER;
}

static void parse_resource(struct arn *arn) {
    struct slice rest = arn->resource, word;
    if (!take_part(&rest, '/', &word) || !slice_is(word, "table"))
        return;
    struct slice table = rest;
    if (!take_part(&rest, '/', &table)) {
        arn->kind = ARN_TABLE;
        arn->table = table;
    } else if (take_part(&rest, '/', &word) && kind_of(word) != ARN_OTHER) {
        arn->kind = kind_of(word);
        arn->table = table;
        arn->id = rest;
    }
}

bool arn_parse(struct slice text, struct arn *ret_arn) {
    struct arn arn = {.kind = ARN_OTHER};
    struct slice prefix;
    if (!take_part(&text, ':', &prefix) || !slice_is(prefix, "arn") ||
        !take_part(&text, ':', &arn.partition) || !take_part(&text, ':', &arn.service) ||
        !take_part(&text, ':', &arn.region) || !take_part(&text, ':', &arn.account))
        return false;
    arn.resource = text;
    parse_resource(&arn);
    *ret_arn = arn;
    return true;
}

static uint8_t *put(uint8_t *at, struct slice text) {
    memcpy(at, text.data, text.len);
    return at + text.len;
}

/* By hand: where there are policies, every request needs one. */
struct slice table_arn_print(const struct op_call *call, struct slice table_name) {
    const struct slice head = SLICE_LITERAL("arn:aws:dynamodb:"), middle = SLICE_LITERAL(":table/");
    struct slice region = call->context->region, account = call->context->account;
    size_t len = head.len + region.len + 1 + account.len + middle.len + table_name.len;
    uint8_t *text = arena_alloc(call->arena, len);
    uint8_t *at = put(put(text, head), region);
    *at++ = ':';
    put(put(put(at, account), middle), table_name);
    return slice_of(text, len);
}

struct error *arn_denied(const struct op_call *call, struct slice arn) {
    const char *name = call->op->name;
    return error_new(call->arena, ERROR_ACCESS_DENIED,
                     "User: arn:aws:iam::%.*s:root is not authorized to perform: dynamodb:%s on "
                     "resource: %.*s because no resource-based policy allows the dynamodb:%s "
                     "action",
                     SLICE_ARGS(call->context->account), name, SLICE_ARGS(arn), name);
}

static bool is_partition(struct slice text) {
    return slice_is(text, "aws") || slice_is(text, "aws-cn") || slice_is(text, "aws-us-gov");
}

#define ARN_ERROR(arena, what, arn) \
    error_validation((arena), "1 validation error detected: " what " '%.*s'", SLICE_ARGS(arn))

struct error *table_name_resolve(const struct op_call *call, struct slice given,
                                 struct slice *ret_name) {
    static const char format_text[] =
        "1 validation error detected: Valid ARN format is "
        "arn:<partition>:dynamodb:<region>:<account-id>:table/<table-name>";
    if (!slice_starts_with(given, SLICE_LITERAL("arn:"))) {
        *ret_name = given;
        return NULL;
    }
    struct arena *arena = call->arena;
    struct arn arn;
    if (!arn_parse(given, &arn) || !slice_is(arn.service, "dynamodb"))
        return error_validation(arena, format_text);
    if (!is_partition(arn.partition))
        return ARN_ERROR(arena, "Invalid AWS partition in", given);
    bool any = call->context->leniencies & LENIENT_ANY_ARN;
    if (!any && !slice_equal(arn.region, call->context->region))
        return ARN_ERROR(arena, "Invalid AWS region in", given);
    if (arn.kind != ARN_TABLE)
        return ARN_ERROR(arena, "Invalid resource type in", given);
    if (!field_name_matches(arn.table) || arn.table.len > LIMIT_TABLE_NAME_MAX)
        return error_validation(arena, format_text);
    if (!any && !slice_equal(arn.account, call->context->account))
        return arn_denied(call, given);
    *ret_name = arn.table;
    return NULL;
}
