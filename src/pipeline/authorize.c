/* authorize.c - between the operations, which tell what a request needs
 * (ops/permission/permission.h), and the policies, which tell what is granted (policy/decide.h).
 *
 * A server may have one policy for all callers, which counts as one of their own.
 * Memory: the call's arena. Threads: any; nothing is kept. */
#include "pipeline/authorize.h"

#include "base/container.h"
#include "ops/permission/permission.h"
#include "pipeline/context_keys.h"
#include "policy/decide.h"

struct authorization {
    struct permission_check check;
    const struct policy *common; /* of all callers, or NULL */
    const struct caller *caller;
    struct policy_values context[POLICY_KEY_COUNT]; /* what does not come from the operation */
};

static struct error *refuse(const struct authorization *self, const struct permission *permission,
                            const struct policy_decision *decision) {
    struct arena *arena = permission->call->arena;
    const struct policy_request *request = &permission->request;
    struct slice arn = context_arn(arena, self->caller);
    struct slice reason = policy_refusal(arena, decision, request->action);
    return error_new(arena, ERROR_ACCESS_DENIED,
                     "User: %.*s is not authorized to perform: %.*s on resource: %.*s %.*s",
                     SLICE_ARGS(arn), SLICE_ARGS(request->action), SLICE_ARGS(request->resource),
                     SLICE_ARGS(reason));
}

/* Streams have no tags. */
static void add_resource_tags(struct permission *permission) {
    enum arn_kind kind;
    const struct table *table = permission_table(permission, &kind);
    if (table == NULL || (kind != ARN_TABLE && kind != ARN_INDEX))
        return;
    for (size_t i = 0; i < table->definition.tag_count; i++)
        permission_add_named(permission, POLICY_KEY_RESOURCE_TAG, table->definition.tags[i].key,
                             table->definition.tags[i].value);
}

static struct error *ask(const struct permission_check *check, struct permission *permission) {
    const struct authorization *self = container_of(check, const struct authorization, check);
    struct policy_request *request = &permission->request;
    request->caller = self->caller;
    for (size_t i = 0; i < POLICY_KEY_COUNT; i++)
        if (self->context[i].count > 0)
            request->values[i] = self->context[i];
    request->values[POLICY_KEY_RESOURCE_TAG].count = 0; /* the last one was on another resource */
    if (permission_wanted(check, POLICY_KEY_RESOURCE_TAG))
        add_resource_tags(permission);
    const struct policy_sides sides = {.common = self->common};
    struct policy_decision decision = policy_decide(&sides, request);
    return decision.allowed ? NULL : refuse(self, permission, &decision);
}

struct error *authorize_call(const struct policy *policy, struct exchange *exchange,
                             struct op_call *call, const struct caller *caller) {
    if (policy == NULL && (caller->kind == CALLER_ANYONE || caller->kind == CALLER_ROOT))
        return NULL;
    struct authorization self = {.common = policy, .caller = caller};
    self.check = (struct permission_check){.ask = ask, .keys = policy_sides_keys(policy, caller)};
    const struct context_source source = {exchange, caller, call->context->clock};
    context_values(&source, self.check.keys, self.context);
    return permission_ask(call, &self.check);
}
