/* authorize.c - between the operations, which tell what a request needs
 * (ops/permission/permission.h), and the policies, which tell what is granted (policy/decide.h).
 *
 * A server may have one policy for all callers, which counts as one of their own.
 * Memory: the call's arena. Threads: any; nothing is kept. */
#include "pipeline/authorize.h"

#include "base/container.h"
#include "ops/permission/actions.h"
#include "ops/permission/permission.h"
#include "pipeline/context_keys.h"

struct authorization {
    struct permission_check check;
    const struct policy *common; /* of all callers, or NULL */
    const struct caller *caller;
    bool attached; /* tables and streams have policies, and they count */
    struct policy_values context[POLICY_KEY_COUNT]; /* what does not come from the operation */
};

struct error *authorize_refusal(struct arena *arena, const struct policy_request *request,
                                const struct policy_decision *decision) {
    struct slice arn = context_arn(arena, request->caller);
    struct slice reason = policy_refusal(arena, decision, request->action);
    return error_new(arena, ERROR_ACCESS_DENIED,
                     "User: %.*s is not authorized to perform: %.*s on resource: %.*s %.*s",
                     SLICE_ARGS(arn), SLICE_ARGS(request->action), SLICE_ARGS(request->resource),
                     SLICE_ARGS(reason));
}

/* Streams have no tags. They are the table's, which the view of the catalog holds. */
static void add_resource_tags(struct permission *permission) {
    enum arn_kind kind;
    const struct table *table = permission_table(permission, &kind);
    if (table == NULL || (kind != ARN_TABLE && kind != ARN_INDEX))
        return;
    for (size_t i = 0; i < table->definition.tag_count; i++)
        permission_add_named(permission, POLICY_KEY_RESOURCE_TAG, table->definition.tags[i].key,
                             table->definition.tags[i].value);
}

/* The policy of the table or the stream, when it has a say in the action. */
static const struct policy *attached_policy(const struct permission *permission) {
    enum arn_kind kind;
    const struct table *table = permission_table(permission, &kind);
    if (permission->proposed != NULL || table == NULL)
        return permission->proposed;
    const struct policy *attached = kind == ARN_STREAM                       ? table->stream_policy
                                    : kind == ARN_TABLE || kind == ARN_INDEX ? table->policy
                                                                             : NULL;
    const struct action *action = attached == NULL ? NULL : action_find(permission->request.action);
    return action == NULL || (action->resources & ACTION_ON_UNATTACHED) ? NULL : attached;
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
    const struct policy_sides sides = {
        .common = self->common,
        .resource = self->attached ? attached_policy(permission) : NULL,
    };
    struct policy_decision decision = policy_decide(&sides, request);
    if (decision.allowed)
        return NULL;
    permission->call->denied++;
    return authorize_refusal(permission->call->arena, request, &decision);
}

/* In the arena: it is large, and most requests need none. */
static struct authorization *open(struct exchange *exchange, const struct policy *common,
                                  const struct caller *caller, const struct clock *clock,
                                  uint64_t keys) {
    struct authorization *self = ARENA_NEW(&exchange->arena, struct authorization);
    const struct context_source source = {exchange, caller, clock};
    self->common = common;
    self->caller = caller;
    self->check = (struct permission_check){ask, keys | policy_sides_keys(common, caller)};
    context_values(&source, self->check.keys, self->context);
    return self;
}

struct error *authorize_call(const struct policy *policy, struct exchange *exchange,
                             struct op_call *call, const struct caller *caller) {
    uint64_t keys = 0;
    if (policy == NULL && caller->kind == CALLER_ANYONE)
        return NULL;
    bool attached =
        catalog_policies(call->context->catalog, &keys) && caller->kind != CALLER_ANYONE;
    if (policy == NULL && caller->kind == CALLER_ROOT && !attached)
        return NULL;
    struct authorization *self =
        open(exchange, policy, caller, call->context->clock, attached ? keys : 0);
    self->attached = attached;
    return permission_ask(call, &self->check);
}

struct error *authorize_permission(const struct policy *policy, struct exchange *exchange,
                                   const struct caller *caller, struct permission *permission) {
    struct caller known = *caller;
    uint64_t keys = permission->proposed == NULL ? 0 : policy_keys_used(permission->proposed);
    if (caller->kind == CALLER_ANYONE) {
        known.arn = known.principal_arn = context_arn(&exchange->arena, caller);
        known.kind = policy == NULL ? CALLER_ROOT : CALLER_USER; /* nothing else limits them */
    }
    struct authorization *self =
        open(exchange, policy, &known, permission->call->context->clock, keys);
    self->attached = true;
    return ask(&self->check, permission);
}
