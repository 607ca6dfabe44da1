/* authorize.c - between the operations, which tell what a request needs
 * (ops/permission/permission.h), and the policy, which tells what is granted (policy/policy.h).
 *
 * A server may have one policy for all callers, and each caller may have some of their own; what
 * several say is decided as if they stood in one document.
 * Memory: the call's arena. Threads: any; nothing is kept. */
#include "pipeline/authorize.h"

#include "base/container.h"
#include "base/timestamp.h"
#include "ops/permission/permission.h"

struct authorization {
    struct permission_check check;
    const struct policy *policy; /* of all callers, or NULL */
    const struct caller *who;
    struct arena *arena;
    struct slice
        known[POLICY_KEY_COUNT]; /* what does not come from the request; absent: it has none */
};

/* ---- one permission ---- */

static struct error *refuse(const struct authorization *self, const struct permission *permission,
                            bool by_statement) {
    const struct policy_request *request = &permission->request;
    struct slice principal = self->known[POLICY_KEY_PRINCIPAL_ARN];
    struct slice reason =
        by_statement
            ? SLICE_LITERAL("with an explicit deny in an identity-based policy")
            : arena_printf(self->arena, "because no identity-based policy allows the %.*s action",
                           SLICE_ARGS(request->action));
    return error_new(self->arena, ERROR_ACCESS_DENIED,
                     "User: %.*s is not authorized to perform: %.*s on resource: %.*s %.*s",
                     SLICE_ARGS(principal), SLICE_ARGS(request->action),
                     SLICE_ARGS(request->resource), SLICE_ARGS(reason));
}

/* A denial of one is a denial; otherwise one that allows is enough. */
static enum policy_verdict decide(const struct authorization *self,
                                  const struct policy_request *request) {
    enum policy_verdict verdict =
        self->policy == NULL ? POLICY_NOT_ALLOWED : policy_evaluate(self->policy, request);
    for (size_t i = 0; i < self->who->policy_count && verdict != POLICY_DENIED; i++) {
        enum policy_verdict next = policy_evaluate(self->who->policies[i], request);
        verdict = next > verdict ? next : verdict;
    }
    return verdict;
}

static struct error *ask(const struct permission_check *check, struct permission *permission) {
    struct authorization *self = container_of(check, struct authorization, check);
    struct policy_request *request = &permission->request;
    for (size_t i = 0; i < POLICY_KEY_COUNT; i++)
        if (slice_present(self->known[i]))
            request->values[i] = (struct policy_values){.list = &self->known[i], .count = 1};
    enum policy_verdict verdict = decide(self, request);
    return verdict == POLICY_ALLOWED ? NULL : refuse(self, permission, verdict == POLICY_DENIED);
}

/* ---- the caller ---- */

static void tell_time(struct authorization *self, int64_t now_ms) {
    self->known[POLICY_KEY_CURRENT_TIME] = timestamp_of_second(self->arena, now_ms);
    self->known[POLICY_KEY_EPOCH_TIME] =
        arena_printf(self->arena, "%lld", (long long)(now_ms / 1000));
}

/* A bit for each key that some policy looks at. */
static uint64_t keys_used(const struct authorization *self) {
    uint64_t used = self->policy == NULL ? 0 : policy_keys_used(self->policy);
    for (size_t i = 0; i < self->who->policy_count; i++)
        used |= policy_keys_used(self->who->policies[i]);
    return used;
}

static struct slice arn_of(struct arena *arena, const struct caller *caller) {
    if (slice_present(caller->arn))
        return caller->arn;
    return arena_printf(arena, "arn:aws:iam::%.*s:user/%.*s", SLICE_ARGS(caller->account),
                        SLICE_ARGS(caller->name));
}

struct error *authorize_call(const struct policy *policy, struct op_call *call,
                             const struct caller *caller) {
    const uint64_t times =
        policy_key_bit(POLICY_KEY_CURRENT_TIME) | policy_key_bit(POLICY_KEY_EPOCH_TIME);
    if (policy == NULL && (caller->kind == CALLER_ANYONE || caller->kind == CALLER_ROOT))
        return NULL;
    struct authorization self = {.policy = policy, .who = caller, .arena = call->arena};
    self.check = (struct permission_check){.ask = ask, .keys = keys_used(&self)};
    self.known[POLICY_KEY_USERNAME] = caller->name;
    self.known[POLICY_KEY_PRINCIPAL_ACCOUNT] = caller->account;
    self.known[POLICY_KEY_PRINCIPAL_ARN] = arn_of(call->arena, caller);
    if (self.check.keys & times)
        tell_time(&self, clock_now_ms(call->context->clock));
    return permission_ask(call, &self.check);
}
