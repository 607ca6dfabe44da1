/* get_resource_policy.c - GetResourcePolicy: the policy of a table or a stream, in its canonical
 * form. */
#include "json/member.h"
#include "model/limits.h"
#include "ops/policy/resource_policy.h"

#include <inttypes.h>

struct get_policy_request {
    struct slice resource_arn;
};

static const struct field get_policy_fields[] = {
    POLICY_ARN_FIELD(get_policy_request),
    FIELDS_END,
};
static const struct shape get_policy_shape = {"GetResourcePolicyInput",
                                              sizeof(struct get_policy_request), get_policy_fields};

static struct error *validate(struct op_call *call) {
    const struct get_policy_request *request = call->request;
    struct policy_target *target = ARENA_NEW(call->arena, struct policy_target);
    call->work = target;
    return policy_target_read(call, request->resource_arn, target);
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct policy_target *target = call->work;
    const struct table *table = catalog_find(call->context->catalog, target->table_name);
    const struct attached_policy *attached;
    TRY(policy_target_find(call->arena, target, table, &attached));
    if (!slice_present(attached->document))
        return policy_not_found(call->arena, target);
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    member_text(&json, "Policy", attached->document);
    member_text(&json, "RevisionId", arena_printf(call->arena, "%" PRId64, attached->revision_ms));
    json_object_end(&json);
    *ret_state = OP_DONE;
    return NULL;
}

const struct op op_get_resource_policy = {
    .name = "GetResourcePolicy",
    .action = "dynamodb:GetResourcePolicy",
    .flags = OP_CONTROL,
    .input = &get_policy_shape,
    .validate = validate,
    .run = run,
};
