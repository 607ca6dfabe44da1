/* decide.c - see decide.h. */
#include "policy/decide.h"

enum { SIDE_COUNT = POLICY_SIDE_SESSION + 1 };

static enum policy_verdict greater(enum policy_verdict a, enum policy_verdict b) {
    return a > b ? a : b;
}

static enum policy_verdict evaluate(const struct policy *policy,
                                    const struct policy_request *request,
                                    enum policy_verdict without) {
    return policy == NULL ? without : policy_evaluate(policy, request);
}

static enum policy_verdict identity_verdict(const struct policy *common,
                                            const struct policy_request *request) {
    const struct caller *caller = request->caller;
    enum policy_verdict verdict = caller->kind == CALLER_ROOT ? POLICY_ALLOWED : POLICY_NOT_ALLOWED;
    verdict = greater(verdict, evaluate(common, request, POLICY_NOT_ALLOWED));
    for (size_t i = 0; i < caller->policy_count && verdict != POLICY_DENIED; i++)
        verdict = greater(verdict, policy_evaluate(caller->policies[i], request));
    return verdict;
}

static struct policy_decision refused(enum policy_side side, bool denied) {
    return (struct policy_decision){.denied = denied, .side = side};
}

/* Nobody denies it. */
static struct policy_decision decide_allowed(const struct policy_sides *sides,
                                             const enum policy_verdict verdicts[SIDE_COUNT]) {
    enum policy_verdict resource = verdicts[POLICY_SIDE_RESOURCE];
    bool own = verdicts[POLICY_SIDE_IDENTITY] == POLICY_ALLOWED;
    if (resource == POLICY_ALLOWED && !sides->other_account)
        return (struct policy_decision){.allowed = true};
    if (!own && (sides->other_account || resource != POLICY_ALLOWED_FOR_ROLE))
        return refused(POLICY_SIDE_IDENTITY, false);
    if (sides->other_account && resource == POLICY_NOT_ALLOWED)
        return refused(POLICY_SIDE_RESOURCE, false);
    for (unsigned side = POLICY_SIDE_BOUNDARY; side <= POLICY_SIDE_SESSION; side++)
        if (verdicts[side] != POLICY_ALLOWED)
            return refused(side, false);
    return (struct policy_decision){.allowed = true};
}

struct policy_decision policy_decide(const struct policy_sides *sides,
                                     const struct policy_request *request) {
    const struct caller *caller = request->caller;
    const enum policy_verdict verdicts[SIDE_COUNT] = {
        [POLICY_SIDE_IDENTITY] = identity_verdict(sides->common, request),
        [POLICY_SIDE_RESOURCE] = evaluate(sides->resource, request, POLICY_NOT_ALLOWED),
        [POLICY_SIDE_BOUNDARY] = evaluate(caller->boundary, request, POLICY_ALLOWED),
        [POLICY_SIDE_SESSION] = evaluate(caller->session, request, POLICY_ALLOWED),
    };
    for (unsigned side = 0; side < SIDE_COUNT; side++)
        if (verdicts[side] == POLICY_DENIED)
            return refused(side, true);
    return decide_allowed(sides, verdicts);
}

uint64_t policy_sides_keys(const struct policy *common, const struct caller *caller) {
    uint64_t used = common == NULL ? 0 : policy_keys_used(common);
    for (size_t i = 0; i < caller->policy_count; i++)
        used |= policy_keys_used(caller->policies[i]);
    if (caller->boundary != NULL)
        used |= policy_keys_used(caller->boundary);
    if (caller->session != NULL)
        used |= policy_keys_used(caller->session);
    return used;
}

struct slice policy_refusal(struct arena *arena, const struct policy_decision *decision,
                            struct slice action) {
    static const struct {
        const char *article;
        const char *name;
    } sides[SIDE_COUNT] = {
        [POLICY_SIDE_IDENTITY] = {"an", "identity-based policy"},
        [POLICY_SIDE_RESOURCE] = {"a", "resource-based policy"},
        [POLICY_SIDE_BOUNDARY] = {"a", "permissions boundary"},
        [POLICY_SIDE_SESSION] = {"a", "session policy"},
    };
    if (decision->denied)
        return arena_printf(arena, "with an explicit deny in %s %s", sides[decision->side].article,
                            sides[decision->side].name);
    return arena_printf(arena, "because no %s allows the %.*s action", sides[decision->side].name,
                        SLICE_ARGS(action));
}
