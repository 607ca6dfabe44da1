/* sts.c - see sts.h. What the service says of a role that does not exist is what it says of one
 * that the caller may not take: nobody learns which there are. */
#include "sts/sts.h"

#include <stdio.h>

#include "base/timestamp.h"
#include "policy/decide.h"
#include "query/xml.h"
#include "sts/validate.h"

enum { TOKEN_MAX_S = 129600, TOKEN_DEFAULT_S = 43200, CHAINED_MAX_S = 3600 };

#define TRY_STS(call)                     \
    do {                                  \
        struct sts_fault fault_ = (call); \
        if (fault_.code != NULL)          \
            return fault_;                \
    } while (0)

/* ---- answers ---- */

static void write_credentials(const struct sts_request *request, const struct session *session,
                              struct slice token, struct buffer *out) {
    xml_open(out, "Credentials");
    xml_text(out, "AccessKeyId", session->key_id);
    xml_text(out, "SecretAccessKey", session->secret);
    xml_text(out, "SessionToken", token);
    xml_text(out, "Expiration", timestamp_of_second(request->arena, session->ends_ms));
    xml_close(out, "Credentials");
}

/* Gives it a key and a token. Without verification nobody will ever look at it. */
static struct slice issue(const struct sts_request *request, struct session *session,
                          int64_t seconds) {
    session->issued_ms = clock_now_ms(request->clock);
    session->ends_ms = session->issued_ms + seconds * 1000;
    session_make_key(request->arena, request->random, session);
    if (request->iam == NULL)
        return random_uuid(request->random, request->arena);
    return session_seal(request->arena, iam_options(request->iam)->seal, session);
}

/* ---- GetCallerIdentity ---- */

static struct sts_fault get_caller_identity(const struct sts_request *request, struct buffer *out) {
    const struct caller *caller = request->caller;
    xml_text(out, "Arn", request->caller_arn);
    xml_text(out, "UserId", slice_present(caller->id) ? caller->id : caller->name);
    xml_text(out, "Account", caller->account);
    return STS_FINE;
}

/* ---- AssumeRole ---- */

static struct sts_fault denied(const struct sts_request *request) {
    return sts_fault(403, "AccessDenied",
                     arena_printf(request->arena,
                                  "User: %.*s is not authorized to perform: sts:AssumeRole on "
                                  "resource: %.*s",
                                  SLICE_ARGS(request->caller_arn),
                                  SLICE_ARGS(form_find(request->form, "RoleArn"))));
}

/* The role must trust them, and where it trusts the account only, their own policies must allow it
 * too. */
static bool may_assume(const struct sts_request *request, const struct principal *role,
                       struct slice session) {
    struct slice external = form_find(request->form, "ExternalId");
    struct policy_request asked = {.caller = request->caller,
                                   .action = SLICE_LITERAL("sts:AssumeRole"),
                                   .resource = role->arn};
    for (size_t i = 0; i < POLICY_KEY_COUNT; i++)
        asked.values[i] = request->values[i];
    asked.values[POLICY_KEY_ROLE_SESSION_NAME] = (struct policy_values){&session, 1, NULL};
    if (slice_present(external))
        asked.values[POLICY_KEY_EXTERNAL_ID] = (struct policy_values){&external, 1, NULL};
    enum policy_verdict trusted = policy_evaluate(role->trust.policy, &asked);
    if (trusted == POLICY_NOT_ALLOWED || trusted == POLICY_DENIED)
        return false;
    const struct policy_sides sides = {.common = request->common, .resource = role->trust.policy};
    return policy_decide(&sides, &asked).allowed;
}

static struct sts_fault find_role(const struct sts_request *request, struct slice name,
                                  struct slice session, const struct principal **ret_role) {
    if (request->caller->kind == CALLER_ROOT)
        return sts_fault(403, "AccessDenied",
                         SLICE_LITERAL("Roles may not be assumed by root accounts."));
    const struct principal *role =
        slice_present(name) ? directory_find(request->directory, PRINCIPAL_ROLE, name) : NULL;
    if (role == NULL || !may_assume(request, role, session))
        return denied(request);
    *ret_role = role;
    return STS_FINE;
}

static struct sts_fault check_length(const struct sts_request *request,
                                     const struct principal *role, int64_t seconds) {
    if (request->caller->kind == CALLER_SESSION && seconds > CHAINED_MAX_S)
        return sts_fault(400, "ValidationError",
                         SLICE_LITERAL("The requested DurationSeconds exceeds the 1 hour session "
                                       "limit for roles assumed by role chaining"));
    if (seconds > role->session_max_s)
        return sts_fault(400, "ValidationError",
                         SLICE_LITERAL("The requested DurationSeconds exceeds the "
                                       "MaxSessionDuration set for this role."));
    return STS_FINE;
}

static void write_role_user(const struct sts_request *request, const struct session *session,
                            struct buffer *out) {
    xml_open(out, "AssumedRoleUser");
    xml_text(out, "AssumedRoleId",
             arena_printf(request->arena, "%.*s:%.*s", SLICE_ARGS(session->principal_id),
                          SLICE_ARGS(session->name)));
    xml_text(out, "Arn",
             arena_printf(request->arena, "arn:aws:sts::%.*s:assumed-role/%.*s/%.*s",
                          SLICE_ARGS(request->caller->account), SLICE_ARGS(session->principal),
                          SLICE_ARGS(session->name)));
    xml_close(out, "AssumedRoleUser");
}

static struct sts_fault assume_role(const struct sts_request *request, struct buffer *out) {
    struct session session = {.of = SESSION_OF_ROLE};
    int64_t seconds;
    TRY_STS(validate_role(request, &session.principal, &session.name));
    TRY_STS(validate_duration(request, ROLE_SESSION_MIN_S, ROLE_SESSION_MAX_S,
                              ROLE_SESSION_DEFAULT_S, &seconds));
    TRY_STS(validate_policy(request, &session.policy));
    if (request->iam != NULL) {
        const struct principal *role = NULL;
        TRY_STS(find_role(request, session.principal, session.name, &role));
        TRY_STS(check_length(request, role, seconds));
        session.principal_id = role->id;
    } else {
        session.principal_id = SLICE_LITERAL("AROAGRAMME0000000000");
        if (!slice_present(session.principal))
            session.principal = SLICE_LITERAL("role");
    }
    struct slice token = issue(request, &session, seconds);
    write_credentials(request, &session, token, out);
    write_role_user(request, &session, out);
    return STS_FINE;
}

/* ---- GetSessionToken ---- */

static struct sts_fault get_session_token(const struct sts_request *request, struct buffer *out) {
    const struct caller *caller = request->caller;
    struct session session = {.of = SESSION_OF_OWNER,
                              .principal = SLICE_LITERAL(""),
                              .principal_id = SLICE_LITERAL(""),
                              .name = SLICE_LITERAL(""),
                              .policy = SLICE_LITERAL("")};
    int64_t seconds;
    if (caller->issued_ms != 0)
        return sts_fault(403, "AccessDenied",
                         SLICE_LITERAL("Cannot call GetSessionToken with session credentials"));
    TRY_STS(validate_duration(request, ROLE_SESSION_MIN_S, TOKEN_MAX_S, TOKEN_DEFAULT_S, &seconds));
    if (caller->kind == CALLER_USER) {
        session.of = SESSION_OF_USER;
        session.principal = caller->name;
        session.principal_id = caller->id;
    } else if (seconds > CHAINED_MAX_S) { /* the owner's last an hour at most */
        seconds = CHAINED_MAX_S;
    }
    struct slice token = issue(request, &session, seconds);
    write_credentials(request, &session, token, out);
    return STS_FINE;
}

/* ---- all of them ---- */

static const struct {
    const char *action;
    struct sts_fault (*run)(const struct sts_request *request, struct buffer *out);
    bool issues;
} actions[] = {
    {"GetCallerIdentity", get_caller_identity, false},
    {"AssumeRole", assume_role, true},
    {"GetSessionToken", get_session_token, true},
};

bool sts_issues(struct slice action) {
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
        if (slice_is(action, actions[i].action))
            return actions[i].issues;
    return false;
}

struct sts_fault sts_run(const struct sts_request *request, struct buffer *out) {
    struct slice action = form_find(request->form, "Action");
    for (size_t i = 0; i < sizeof(actions) / sizeof(actions[0]); i++) {
        if (!slice_is(action, actions[i].action))
            continue;
        char name[64];
        snprintf(name, sizeof(name), "%sResult", actions[i].action);
        xml_open(out, name);
        struct sts_fault fault = actions[i].run(request, out);
        xml_close(out, name);
        return fault;
    }
    return sts_fault(400, "InvalidAction",
                     arena_printf(request->arena, "Could not find operation %.*s for version %s",
                                  SLICE_ARGS(action), STS_VERSION));
}
