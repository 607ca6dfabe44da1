/* simulation.c - see simulation.h. */
#include "identity/simulation.h"

#include "base/check.h"
#include "policy/explain.h"

static const char *const types[] = {
    [POLICY_SIDE_IDENTITY] = "IAM Policy",
    [POLICY_SIDE_RESOURCE] = "Resource Policy",
    [POLICY_SIDE_BOUNDARY] = "Permissions Boundary Policy",
    [POLICY_SIDE_SESSION] = "Session Policy",
};

/* ---- policies ---- */

struct simulation *simulation_new(struct service_call *call, size_t known) {
    struct simulation *simulation = ARENA_NEW(call->arena, struct simulation);
    simulation->call = call;
    simulation->room = known + input_count(call->input, "PolicyInputList") +
                       input_count(call->input, "PermissionsBoundaryPolicyInputList") + 1;
    simulation->policies = ARENA_ARRAY(call->arena, struct simulated_policy, simulation->room);
    return simulation;
}

void simulation_add(struct simulation *simulation, const struct simulated_policy *policy) {
    CHECK(simulation->count < simulation->room);
    simulation->policies[simulation->count++] = *policy;
}

static struct error *add_document(struct simulation *simulation, enum policy_side side,
                                  struct slice id, struct slice text) {
    struct arena *arena = simulation->call->arena;
    enum policy_kind kind = side == POLICY_SIDE_RESOURCE ? POLICY_OF_RESOURCE : POLICY_OF_IDENTITY;
    const struct policy_document document = {kind, (const char *)id.data, text};
    struct simulated_policy policy = {.side = side, .id = id};
    struct error *error = policy_parse(arena, &document, &policy.policy);
    if (error != NULL) {
        error->code = ERROR_IAM_INVALID_INPUT;
        return error;
    }
    simulation->bytes += text.len;
    simulation_add(simulation, &policy);
    return error_if_full(arena, 0);
}

static struct error *add_list(struct simulation *simulation, enum policy_side side,
                              const char *member) {
    size_t number = 0;
    for (const struct json_value *item = input_items(simulation->call->input, member); item != NULL;
         item = item->next) {
        struct slice id = arena_printf(simulation->call->arena, "%s.%zu", member, ++number);
        TRY(add_document(simulation, side, id, item->text));
    }
    return NULL;
}

/* A boundary that is given stands for that of the principal. */
static void forget_boundary(struct simulation *simulation) {
    size_t left = 0;
    for (size_t i = 0; i < simulation->count; i++)
        if (simulation->policies[i].side != POLICY_SIDE_BOUNDARY)
            simulation->policies[left++] = simulation->policies[i];
    simulation->count = left;
}

struct error *simulation_add_given(struct simulation *simulation) {
    const struct json_value *input = simulation->call->input;
    struct slice resource = input_text(input, "ResourcePolicy");
    TRY(add_list(simulation, POLICY_SIDE_IDENTITY, "PolicyInputList"));
    if (input_count(input, "PermissionsBoundaryPolicyInputList") > 0)
        forget_boundary(simulation);
    TRY(add_list(simulation, POLICY_SIDE_BOUNDARY, "PermissionsBoundaryPolicyInputList"));
    if (!slice_present(resource))
        return NULL;
    return add_document(simulation, POLICY_SIDE_RESOURCE, SLICE_LITERAL("ResourcePolicy"),
                        resource);
}

/* Of arn:aws:iam::ACCOUNT:root, or the account itself. */
static struct slice account_of(struct slice owner) {
    for (int parts = 0; parts < 4 && owner.len > 0; parts++) {
        const uint8_t *colon = memchr(owner.data, ':', owner.len);
        if (colon != NULL)
            owner = slice_skip(owner, (size_t)(colon - owner.data) + 1);
    }
    const uint8_t *end = owner.len == 0 ? NULL : memchr(owner.data, ':', owner.len);
    return end == NULL ? owner : slice_first(owner, (size_t)(end - owner.data));
}

void simulation_finish(struct simulation *simulation) {
    struct caller *caller = &simulation->caller;
    const struct policy **own =
        ARENA_ARRAY(simulation->call->arena, const struct policy *, simulation->count + 1);
    caller->policies = own;
    caller->policy_count = 0;
    caller->boundary = NULL;
    for (size_t i = 0; i < simulation->count; i++) {
        const struct simulated_policy *each = &simulation->policies[i];
        if (each->side == POLICY_SIDE_IDENTITY)
            own[caller->policy_count++] = each->policy;
        else if (each->side == POLICY_SIDE_BOUNDARY)
            caller->boundary = each->policy;
        else
            simulation->sides.resource = each->policy;
    }
    struct slice owner = account_of(input_text(simulation->call->input, "ResourceOwner"));
    simulation->sides.other_account = owner.len > 0 && !slice_equal(owner, caller->account);
    simulation->request.caller = caller;
    simulation_fill(simulation);
}

/* ---- answers ---- */

static void write_position(struct answer *answer, const char *name,
                           struct policy_position position) {
    answer_object(answer, name);
    answer_integer(answer, "Line", position.line);
    answer_integer(answer, "Column", position.column);
    answer_end(answer);
}

static void write_match(struct answer *answer, const struct simulated_policy *policy,
                        const struct policy_match *match) {
    answer_object(answer, NULL);
    answer_text(answer, "SourcePolicyId", policy->id);
    answer_word(answer, "SourcePolicyType", types[policy->side]);
    write_position(answer, "StartPosition", match->begin);
    write_position(answer, "EndPosition", match->end);
    answer_end(answer);
}

/* Whether a statement is a reason for the decision: what denies, or what allows. */
static bool decides(const struct policy_decision *decision, enum policy_side side,
                    enum policy_verdict verdict) {
    if (!decision->allowed)
        return decision->denied && verdict == POLICY_DENIED;
    return side != POLICY_SIDE_BOUNDARY &&
           (verdict == POLICY_ALLOWED || verdict == POLICY_ALLOWED_FOR_ROLE);
}

static void write_matches(const struct simulation *simulation,
                          const struct policy_decision *decision) {
    struct answer *answer = simulation->call->answer;
    answer_list(answer, "MatchedStatements");
    for (size_t i = 0; i < simulation->count; i++) {
        const struct simulated_policy *each = &simulation->policies[i];
        for (size_t j = 0; j < policy_statement_count(each->policy); j++) {
            struct policy_match match = policy_match(each->policy, j, &simulation->request);
            if (decides(decision, each->side, match.verdict))
                write_match(answer, each, &match);
        }
    }
    answer_end(answer);
}

enum { MISSING_MAX = 64 };

struct missing {
    struct answer *answer;
    struct arena *arena;
    struct policy_key_use told[MISSING_MAX];
    size_t count;
};

/* Each once. What no request ever has is not missed. */
static void tell_missing(void *user, const struct policy_key_use *use) {
    struct missing *missing = user;
    for (size_t i = 0; i < missing->count; i++)
        if (policy_key_same(&missing->told[i], use))
            return;
    if (use->key == POLICY_KEY_NEVER || missing->count == MISSING_MAX)
        return;
    missing->told[missing->count++] = *use;
    answer_text(missing->answer, NULL, policy_key_text(missing->arena, use));
}

static void write_missing(const struct simulation *simulation) {
    struct missing missing = {.answer = simulation->call->answer, .arena = simulation->call->arena};
    answer_list(missing.answer, "MissingContextValues");
    for (size_t i = 0; i < simulation->count; i++)
        policy_missing_keys(simulation->policies[i].policy, &simulation->request, tell_missing,
                            &missing);
    answer_end(missing.answer);
}

void simulation_write(struct simulation *simulation, struct slice action, struct slice resource) {
    struct answer *answer = simulation->call->answer;
    const struct policy *boundary = simulation->caller.boundary;
    simulation->request.action = action;
    simulation->request.resource = resource;
    struct policy_decision decision = policy_decide(&simulation->sides, &simulation->request);
    answer_object(answer, NULL);
    answer_text(answer, "EvalActionName", action);
    answer_text(answer, "EvalResourceName", resource);
    answer_word(answer, "EvalDecision",
                decision.allowed  ? "allowed"
                : decision.denied ? "explicitDeny"
                                  : "implicitDeny");
    write_matches(simulation, &decision);
    write_missing(simulation);
    if (boundary != NULL) {
        bool allows = policy_evaluate(boundary, &simulation->request) == POLICY_ALLOWED;
        answer_object(answer, "PermissionsBoundaryDecisionDetail");
        answer_bool(answer, "AllowedByPermissionsBoundary", allows);
        answer_end(answer);
    }
    answer_end(answer);
}
