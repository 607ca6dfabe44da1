/* validate.c - see validate.h. */
#include "sts/validate.h"

#include "iam/names.h"

enum { ROLE_ARN_MIN = 20, ROLE_ARN_MAX = 2048, SESSION_NAME_MIN = 2 };

struct sts_fault sts_fault(int status, const char *code, struct slice message) {
    return (struct sts_fault){status, code, message};
}

static struct sts_fault invalid(struct slice message) {
    return sts_fault(400, "ValidationError", message);
}

static struct sts_fault constraint(const struct sts_request *request, const char *member,
                                   struct slice value, const char *wanted) {
    if (!slice_present(value))
        return invalid(arena_printf(request->arena,
                                    "1 validation error detected: Value null at '%s' failed to "
                                    "satisfy constraint: Member must not be null",
                                    member));
    return invalid(arena_printf(
        request->arena,
        "1 validation error detected: Value '%.*s' at '%s' failed to satisfy constraint: Member "
        "must %s",
        SLICE_ARGS(value), member, wanted));
}

static bool read_seconds(struct slice text, int64_t *ret_seconds) {
    int64_t seconds = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] < '0' || text.data[i] > '9' || i > 8)
            return false;
        seconds = seconds * 10 + (text.data[i] - '0');
    }
    *ret_seconds = seconds;
    return text.len > 0;
}

struct sts_fault validate_duration(const struct sts_request *request, int64_t low, int64_t high,
                                   int64_t otherwise, int64_t *ret_seconds) {
    struct slice text = form_find(request->form, "DurationSeconds");
    *ret_seconds = otherwise;
    if (!slice_present(text))
        return STS_FINE;
    if (!read_seconds(text, ret_seconds))
        return sts_fault(400, "MalformedInput", SLICE_LITERAL("DurationSeconds is no number"));
    if (*ret_seconds >= low && *ret_seconds <= high)
        return STS_FINE;
    bool few = *ret_seconds < low;
    struct slice wanted = arena_printf(request->arena, "have value %s than or equal to %lld",
                                       few ? "greater" : "less", (long long)(few ? low : high));
    return constraint(request, "durationSeconds", text, (const char *)wanted.data);
}

/* arn:aws:iam::ACCOUNT:role/NAME, of this account. */
static bool split_arn(const struct sts_request *request, struct slice arn, struct slice *ret_role) {
    struct slice prefix = arena_printf(request->arena, "arn:aws:iam::%.*s:role/",
                                       SLICE_ARGS(request->caller->account));
    if (!slice_starts_with(arn, prefix))
        return false;
    *ret_role = slice_skip(arn, prefix.len);
    return name_is_valid(*ret_role, 1, PRINCIPAL_NAME_MAX);
}

struct sts_fault validate_role(const struct sts_request *request, struct slice *ret_role,
                               struct slice *ret_session) {
    struct slice arn = form_find(request->form, "RoleArn");
    struct slice session = form_find(request->form, "RoleSessionName");
    if (!slice_present(arn) || arn.len < ROLE_ARN_MIN)
        return constraint(request, "roleArn", arn, "have length greater than or equal to 20");
    if (arn.len > ROLE_ARN_MAX)
        return constraint(request, "roleArn", arn, "have length less than or equal to 2048");
    if (!slice_present(session) || session.len < SESSION_NAME_MIN)
        return constraint(request, "roleSessionName", session,
                          "have length greater than or equal to 2");
    if (session.len > SESSION_NAME_MAX)
        return constraint(request, "roleSessionName", session,
                          "have length less than or equal to 64");
    if (!name_is_valid(session, SESSION_NAME_MIN, SESSION_NAME_MAX))
        return constraint(request, "roleSessionName", session,
                          "satisfy regular expression pattern: [\\w+=,.@-]*");
    if (!slice_starts_with(arn, SLICE_LITERAL("arn:")))
        return invalid(arena_printf(request->arena, "%.*s is invalid", SLICE_ARGS(arn)));
    if (!split_arn(request, arn, ret_role))
        *ret_role = SLICE_NONE;
    *ret_session = session;
    return STS_FINE;
}

struct sts_fault validate_policy(const struct sts_request *request, struct slice *ret_policy) {
    struct slice text = form_find(request->form, "Policy");
    const struct policy *ignored;
    *ret_policy = slice_present(text) ? text : SLICE_LITERAL("");
    if (!slice_present(text))
        return STS_FINE;
    if (text.len > SESSION_POLICY_MAX)
        return constraint(request, "policy", text, "have length less than or equal to 2048");
    struct policy_document document = {POLICY_OF_IDENTITY, "Policy", text};
    struct error *error = policy_parse(request->arena, &document, &ignored);
    if (error != NULL)
        return sts_fault(400, "MalformedPolicyDocument", error->message);
    return STS_FINE;
}
