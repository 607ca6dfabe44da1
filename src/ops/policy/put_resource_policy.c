/* put_resource_policy.c - PutResourcePolicy: gives a table or a stream its policy.
 *
 * An equivalent document changes nothing: the reply has the revision that there is. One that would
 * keep its author from changing it again needs their word that they mean it. */
#include "model/limits.h"
#include "ops/permission/permission.h"
#include "ops/policy/resource_document.h"
#include "ops/policy/resource_policy.h"

struct put_policy_request {
    struct slice resource_arn;
    struct slice policy;
    struct slice expected_revision;
    struct field_bool confirmed;
};

static const struct field put_policy_fields[] = {
    POLICY_ARN_FIELD(put_policy_request),
    {NAMED("Policy"), AT(struct put_policy_request, policy), .type = FIELD_STRING,
     .flags = FIELD_REQUIRED},
    EXPECTED_REVISION_FIELD(put_policy_request),
    {NAMED("ConfirmRemoveSelfResourceAccess"), AT(struct put_policy_request, confirmed),
     .type = FIELD_BOOLEAN},
    FIELDS_END,
};
static const struct shape put_policy_shape = {"PutResourcePolicyInput",
                                              sizeof(struct put_policy_request), put_policy_fields};

struct put_policy {
    struct table_change change;
    struct policy_target target;
    struct resource_document document;
    int64_t revision_ms;
};

static struct error *validate(struct op_call *call) {
    const struct put_policy_request *request = call->request;
    struct policy_target target;
    TRY(policy_target_read(call, request->resource_arn, &target));
    TRY(table_change_new(call, target.table_name, sizeof(struct put_policy)));
    ((struct put_policy *)call->work)->target = target;
    return NULL;
}

/* Would the caller be refused, if the new document stood there already? */
static struct error *check_lock_out(struct op_call *call) {
    const struct put_policy_request *request = call->request;
    const struct put_policy *work = call->work;
    struct permission permission = {
        .call = call,
        .request = {.action = slice_text(call->op->action), .resource = request->resource_arn},
        .proposed = work->document.policy,
    };
    if (request->confirmed.value || call->context->ask == NULL ||
        call->context->ask(&permission) == NULL)
        return NULL;
    return error_new(call->arena, ERROR_ACCESS_DENIED,
                     "The new resource policy will not allow you to update the resource policy in "
                     "the future.");
}

static struct error *change(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    const struct op_call *call = job->context;
    const struct put_policy_request *request = call->request;
    struct put_policy *work = call->work;
    const struct attached_policy *attached;
    int64_t now_ms = work->change.now_ms;
    TRY(policy_target_find(job->arena, &work->target, current, &attached));
    TRY(policy_check_revision(job->arena, &work->target, attached, request->expected_revision));
    work->revision_ms = attached->revision_ms;
    if (slice_present(attached->document) && slice_equal(attached->document, work->document.form) &&
        attached->unversioned == work->document.unversioned)
        return NULL;
    TRY(policy_check_change(job->arena, &work->target, current, attached, now_ms));
    work->revision_ms = policy_next_revision(attached, now_ms);
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    *policy_target_place(&work->target, &ret_change->definition) = (struct attached_policy){
        work->document.form, work->document.unversioned, work->revision_ms};
    return NULL;
}

/* The document is looked at once it is known what it is for. */
static struct error *run(struct op_call *call, enum op_state *ret_state) {
    const struct put_policy_request *request = call->request;
    struct put_policy *work = call->work;
    const struct table *table = catalog_find(call->context->catalog, work->target.table_name);
    const struct attached_policy *attached;
    TRY(policy_target_find(call->arena, &work->target, table, &attached));
    TRY(resource_document_read(call->arena, request->policy, slice_present(work->target.label),
                               &work->document));
    TRY(check_lock_out(call));
    table_change_submit(call, change, ret_state);
    return NULL;
}

static struct error *finish(struct op_call *call) {
    const struct put_policy *work = call->work;
    TRY(table_change_finish(call));
    policy_write_revision(call, work->revision_ms);
    return NULL;
}

const struct op op_put_resource_policy = {
    .name = "PutResourcePolicy",
    .action = "dynamodb:PutResourcePolicy",
    .flags = OP_CONTROL | OP_WRITES,
    .input = &put_policy_shape,
    .validate = validate,
    .run = run,
    .finish = finish,
    .release = table_change_release,
};
