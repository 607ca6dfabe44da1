/* authorize.c - between the operations, which tell what a request needs
 * (ops/permission/permission.h), and the policy, which tells what is granted (policy/policy.h).
 *
 * A server may have one policy for all callers, and each caller may have some of their own; what
 * several say is decided as if they stood in one document.
 * Memory: the call's arena. Threads: any; nothing is kept. */
#include "pipeline/authorize.h"

#include "base/timestamp.h"
#include "ops/permission/permission.h"
#include "policy/policy.h"

/* What is known of the caller, after the values that the operations have. */
enum caller_value {
    CALLER_USERNAME = PERMISSION_KEY_COUNT,
    CALLER_PRINCIPAL_ARN,
    CALLER_PRINCIPAL_ACCOUNT,
    CALLER_CURRENT_TIME,
    CALLER_EPOCH_TIME,
    VALUE_COUNT
};
_Static_assert((int)VALUE_COUNT <= (int)POLICY_VALUES_MAX, "every value has its bit");

static const struct policy_key key_list[] = {
#define KEY(symbol, name, list) {name, PERMISSION_##symbol, list, false},
#define ALIAS(symbol, name, list) KEY(symbol, name, list)
#include "ops/permission/permission_keys.def"
#undef KEY
#undef ALIAS
    {"aws:username", CALLER_USERNAME, false, true},
    {"aws:PrincipalArn", CALLER_PRINCIPAL_ARN, false, true},
    {"aws:PrincipalAccount", CALLER_PRINCIPAL_ACCOUNT, false, true},
    {"aws:CurrentTime", CALLER_CURRENT_TIME, false, false},
    {"aws:EpochTime", CALLER_EPOCH_TIME, false, false},
};

struct error *authorize_load(struct arena *arena, const char *path,
                             const struct policy **ret_policy) {
    static const struct policy_keys keys = {key_list, sizeof(key_list) / sizeof(*key_list)};
    return policy_load(arena, &keys, path, ret_policy);
}

struct authorization {
    struct permission_check check; /* first: ask() gets the whole by it */
    const struct policy *policy;   /* of all callers, or NULL */
    const struct caller *who;
    struct arena *arena;
    struct slice caller[VALUE_COUNT - PERMISSION_KEY_COUNT];
};

static struct slice *caller_value(struct authorization *self, enum caller_value value) {
    return &self->caller[value - PERMISSION_KEY_COUNT];
}

/* ---- one permission ---- */

static struct error *refuse(const struct authorization *self, const struct permission *permission,
                            bool by_statement) {
    struct slice principal = self->caller[CALLER_PRINCIPAL_ARN - PERMISSION_KEY_COUNT];
    struct slice reason =
        by_statement
            ? SLICE_LITERAL("with an explicit deny in an identity-based policy")
            : arena_printf(self->arena, "because no identity-based policy allows the %.*s action",
                           SLICE_ARGS(permission->action));
    return error_new(self->arena, ERROR_ACCESS_DENIED,
                     "User: %.*s is not authorized to perform: %.*s on resource: %.*s %.*s",
                     SLICE_ARGS(principal), SLICE_ARGS(permission->action),
                     SLICE_ARGS(permission->resource), SLICE_ARGS(reason));
}

/* A denial of one is a denial; otherwise one that allows is enough. */
static enum policy_verdict decide(const struct authorization *self,
                                  const struct policy_request *request) {
    enum policy_verdict verdict =
        self->policy == NULL ? POLICY_NOT_ALLOWED : policy_evaluate(self->policy, request);
    for (size_t i = 0; i < self->who->policy_count && verdict != POLICY_DENIED; i++) {
        enum policy_verdict next = policy_evaluate(self->who->policies[i], request);
        if (next != POLICY_NOT_ALLOWED)
            verdict = next;
    }
    return verdict;
}

static struct error *ask(const struct permission_check *check,
                         const struct permission *permission) {
    const struct authorization *self = (const struct authorization *)(const void *)check;
    struct policy_request request = {.action = permission->action,
                                     .resource = permission->resource};
    for (size_t i = 0; i < PERMISSION_KEY_COUNT; i++)
        request.values[i] =
            (struct policy_values){permission->values[i].list, permission->values[i].count};
    for (size_t i = PERMISSION_KEY_COUNT; i < VALUE_COUNT; i++)
        if (slice_present(self->caller[i - PERMISSION_KEY_COUNT]))
            request.values[i] = (struct policy_values){&self->caller[i - PERMISSION_KEY_COUNT], 1};
    enum policy_verdict verdict = decide(self, &request);
    return verdict == POLICY_ALLOWED ? NULL : refuse(self, permission, verdict == POLICY_DENIED);
}

/* ---- the caller ---- */

static void tell_time(struct authorization *self, int64_t now_ms) {
    *caller_value(self, CALLER_CURRENT_TIME) = timestamp_of_second(self->arena, now_ms);
    *caller_value(self, CALLER_EPOCH_TIME) =
        arena_printf(self->arena, "%lld", (long long)(now_ms / 1000));
}

/* A bit for each value that some policy looks at. */
static uint32_t values_used(const struct authorization *self) {
    uint32_t used = self->policy == NULL ? 0 : policy_values_used(self->policy);
    for (size_t i = 0; i < self->who->policy_count; i++)
        used |= policy_values_used(self->who->policies[i]);
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
    const uint32_t time_bits = UINT32_C(1) << CALLER_CURRENT_TIME | UINT32_C(1)
                                                                        << CALLER_EPOCH_TIME;
    if (policy == NULL && (caller->kind == CALLER_ANYONE || caller->kind == CALLER_ROOT))
        return NULL;
    struct authorization self = {.policy = policy, .who = caller, .arena = call->arena};
    self.check = (struct permission_check){.ask = ask, .keys = values_used(&self)};
    *caller_value(&self, CALLER_USERNAME) = caller->name;
    *caller_value(&self, CALLER_PRINCIPAL_ACCOUNT) = caller->account;
    *caller_value(&self, CALLER_PRINCIPAL_ARN) = arn_of(call->arena, caller);
    if (self.check.keys & time_bits)
        tell_time(&self, clock_now_ms(call->context->clock));
    return permission_ask(call, &self.check);
}
