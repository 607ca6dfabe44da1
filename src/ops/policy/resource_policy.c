/* resource_policy.c - see the header. */
#include "ops/policy/resource_policy.h"

#include <inttypes.h>

#include "base/timestamp.h"
#include "json/member.h"
#include "model/limits.h"
#include "ops/request/arn.h"

/* ---- the resource ---- */

struct error *policy_target_read(struct op_call *call, struct slice given,
                                 struct policy_target *ret_target) {
    struct arn arn;
    struct arena *arena = call->arena;
    if (!slice_starts_with(given, SLICE_LITERAL("arn:")))
        return error_validation(arena, PVI "ARNs must start with 'arn:': %.*s", SLICE_ARGS(given));
    if (!arn_parse(given, &arn) || !slice_is(arn.service, "dynamodb") ||
        (arn.kind != ARN_TABLE && arn.kind != ARN_STREAM))
        return error_validation(arena, PVI "Provided Arn is not a DynamoDB resource arn: %.*s",
                                SLICE_ARGS(given));
    if (!slice_equal(arn.account, call->context->account))
        return error_validation(arena, "This action is only supported by accounts that match the "
                                       "resource owner\u2019s account.");
    if (!slice_is(arn.partition, "aws") || !slice_equal(arn.region, call->context->region))
        return error_validation(arena, PVI "Invalid ResourceArn provided as input %.*s",
                                SLICE_ARGS(given));
    *ret_target = (struct policy_target){given, arn.table, arn.id};
    return NULL;
}

struct attached_policy *policy_target_place(const struct policy_target *target,
                                            struct table_definition *definition) {
    return slice_present(target->label) ? &definition->stream_policy : &definition->policy;
}

struct error *policy_target_find(struct arena *arena, const struct policy_target *target,
                                 const struct table *table,
                                 const struct attached_policy **ret_attached) {
    if (table == NULL)
        return table_not_found(arena, target->table_name);
    const struct table_definition *definition = &table->definition;
    if (slice_present(target->label) && !slice_equal(target->label, definition->stream_label))
        return error_new(arena, ERROR_RESOURCE_NOT_FOUND,
                         "Requested resource not found: Stream: %.*s not found for Table: %.*s",
                         SLICE_ARGS(target->label), SLICE_ARGS(target->table_name));
    *ret_attached = slice_present(target->label) ? &definition->stream_policy : &definition->policy;
    return NULL;
}

/* ---- revisions ---- */

#define NOT_FOUND "Resource-based policy not found for the provided ResourceArn: "

struct error *policy_not_found(struct arena *arena, const struct policy_target *target) {
    return error_new(arena, ERROR_POLICY_NOT_FOUND, NOT_FOUND "%.*s", SLICE_ARGS(target->arn));
}

/* "table orders", "stream 2026-10-17T08:30:00.000". */
static struct slice name_of(struct arena *arena, const struct policy_target *target) {
    if (slice_present(target->label))
        return arena_printf(arena, "stream %.*s", SLICE_ARGS(target->label));
    return arena_printf(arena, "table %.*s", SLICE_ARGS(target->table_name));
}

struct error *policy_check_revision(struct arena *arena, const struct policy_target *target,
                                    const struct attached_policy *attached, struct slice expected) {
    struct slice name = name_of(arena, target);
    struct slice revision = arena_printf(arena, "%" PRId64, attached->revision_ms);
    bool there = slice_present(attached->document);
    if (!slice_present(expected))
        return NULL;
    if (slice_is(expected, "NO_POLICY"))
        return !there ? NULL
                      : error_new(arena, ERROR_POLICY_NOT_FOUND,
                                  NOT_FOUND "Requested policy update expecting none to be present "
                                            "for %.*s, but a policy exists with revision id %.*s.",
                                  SLICE_ARGS(name), SLICE_ARGS(revision));
    if (!there)
        return error_new(arena, ERROR_POLICY_NOT_FOUND,
                         NOT_FOUND "Requested update for policy with revision id %.*s, but %.*s "
                                   "has no associated policy.",
                         SLICE_ARGS(expected), SLICE_ARGS(name));
    if (slice_equal(expected, revision))
        return NULL;
    return error_new(arena, ERROR_POLICY_NOT_FOUND,
                     NOT_FOUND "Requested update for policy with revision id %.*s, but the policy "
                               "associated to target %.*s has revision id %.*s.",
                     SLICE_ARGS(expected), SLICE_ARGS(name), SLICE_ARGS(revision));
}

struct error *policy_check_change(struct arena *arena, const struct policy_target *target,
                                  const struct table *table, const struct attached_policy *attached,
                                  int64_t now_ms) {
    int64_t again_ms = attached->revision_ms + LIMIT_POLICY_CHANGE_MS;
    char again[TIMESTAMP_CHARS + 1];
    if (table->definition.status == TABLE_DELETING)
        TRY(table_check_active(arena, &table->definition));
    if (attached->revision_ms == 0 || now_ms >= again_ms)
        return NULL;
    timestamp_print(again_ms, again);
    return error_new(arena, ERROR_THROTTLING,
                     "Resource-based policy for %.*s modified within the previous %d milliseconds. "
                     "Please try again after %sZ.",
                     SLICE_ARGS(name_of(arena, target)), LIMIT_POLICY_CHANGE_MS, again);
}

int64_t policy_next_revision(const struct attached_policy *attached, int64_t now_ms) {
    return now_ms > attached->revision_ms ? now_ms : attached->revision_ms + 1;
}

void policy_write_revision(struct op_call *call, int64_t revision_ms) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    if (revision_ms != 0)
        member_text(&json, "RevisionId", arena_printf(call->arena, "%" PRId64, revision_ms));
    json_object_end(&json);
}
