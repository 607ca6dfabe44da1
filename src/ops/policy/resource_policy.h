/* resource_policy.h - what the operations on the policies of tables and streams share.
 *
 * A policy is a part of the table's definition, also that of its stream. The revision of a policy
 * is the ms in which it came; one that went leaves the ms in which it did. */
#ifndef GRAMME_OPS_POLICY_RESOURCE_POLICY_H
#define GRAMME_OPS_POLICY_RESOURCE_POLICY_H

#include "ops/table/table_change.h"

/* A table, or one of its streams, which need not be there. */
struct policy_target {
    struct slice arn; /* as it was given */
    struct slice table_name;
    struct slice label; /* of the stream; absent: it is the table */
};

/* The ResourceArn member. */
#define POLICY_ARN_FIELD(request)                                                    \
    {                                                                                \
        NAMED("ResourceArn"), AT(struct request, resource_arn),                      \
            .type = FIELD_STRING, .flags = FIELD_REQUIRED, .resource = RESOURCE_ARN, \
            LENGTH(1, LIMIT_RESOURCE_ARN_CHARS)                                      \
    }
#define EXPECTED_REVISION_FIELD(request)                                    \
    {                                                                       \
        NAMED("ExpectedRevisionId"), AT(struct request, expected_revision), \
            .type = FIELD_STRING, LENGTH(1, LIMIT_POLICY_REVISION_CHARS)    \
    }

/* Fails unless it is the ARN of a table or stream of this account and region. */
struct error *policy_target_read(struct op_call *call, struct slice arn,
                                 struct policy_target *ret_target);
/* The policy in a definition; fails when the table (NULL) or the stream is not there. */
struct error *policy_target_find(struct arena *arena, const struct policy_target *target,
                                 const struct table *table,
                                 const struct attached_policy **ret_attached);
/* Where it stands in a definition that is being made. */
struct attached_policy *policy_target_place(const struct policy_target *target,
                                            struct table_definition *definition);

/* "Resource-based policy not found for the provided ResourceArn: ..." */
struct error *policy_not_found(struct arena *arena, const struct policy_target *target);

/* Whether the revision is the one that is expected, when one is. */
struct error *policy_check_revision(struct arena *arena, const struct policy_target *target,
                                    const struct attached_policy *attached, struct slice expected);
/* Whether the policy may be changed now. */
struct error *policy_check_change(struct arena *arena, const struct policy_target *target,
                                  const struct table *table, const struct attached_policy *attached,
                                  int64_t now_ms);
/* Of a change that is made now: later than all before. */
int64_t policy_next_revision(const struct attached_policy *attached, int64_t now_ms);

/* {"RevisionId":"..."}; {} when there never was a policy. */
void policy_write_revision(struct op_call *call, int64_t revision_ms);

#endif
