/* delete_resource_policy.c - DeleteResourcePolicy: takes the policy of a table or a stream away.
 *
 * One that is gone already is fine: the reply has the revision of when it went. */
#include "model/limits.h"
#include "ops/policy/resource_policy.h"

struct delete_policy_request {
    struct slice resource_arn;
    struct slice expected_revision;
};

static const struct field delete_policy_fields[] = {
    POLICY_ARN_FIELD(delete_policy_request),
    EXPECTED_REVISION_FIELD(delete_policy_request),
    FIELDS_END,
};
static const struct shape delete_policy_shape = {
    "DeleteResourcePolicyInput", sizeof(struct delete_policy_request), delete_policy_fields};

struct delete_policy {
    struct table_change change;
    struct policy_target target;
    int64_t revision_ms;
};

static struct error *validate(struct op_call *call) {
    const struct delete_policy_request *request = call->request;
    struct policy_target target;
    TRY(policy_target_read(call, request->resource_arn, &target));
    TRY(table_change_new(call, target.table_name, sizeof(struct delete_policy)));
    ((struct delete_policy *)call->work)->target = target;
    return NULL;
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct delete_policy_request *request = call->request;
    struct delete_policy *work = call->work;
    const struct attached_policy *attached;
    int64_t now_ms = work->change.now_ms;
    TRY(policy_target_find(job->arena, &work->target, current, &attached));
    TRY(policy_check_revision(job->arena, &work->target, attached, request->expected_revision));
    work->revision_ms = attached->revision_ms;
    if (!slice_present(attached->document))
        return NULL;
    TRY(policy_check_change(job->arena, &work->target, current, attached, now_ms));
    work->revision_ms = policy_next_revision(attached, now_ms);
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    *policy_target_place(&work->target, &ret_change->definition) =
        (struct attached_policy){.revision_ms = work->revision_ms};
    return NULL;
}

static struct error *run(struct op_call *call, enum op_state *ret_state) {
    table_change_submit(call, change, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct delete_policy *work = call->work;
    TRY(table_change_finish(call));
    policy_write_revision(call, work->revision_ms);
    return NULL;
}

const struct op op_delete_resource_policy = {
    .name = "DeleteResourcePolicy",
    .action = "dynamodb:DeleteResourcePolicy",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &delete_policy_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
