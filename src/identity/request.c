/* request.c - see request.h. */
#include "identity/request.h"

#include "policy/caller.h"

static const struct {
    const char *member;
    const char *word;
} kinds[] = {
    [PRINCIPAL_USER] = {"UserName", "user"},
    [PRINCIPAL_ROLE] = {"RoleName", "role"},
};

/* ---- ARNs ---- */

static struct slice arn_of(const struct service_call *call, enum principal_kind kind,
                           struct slice name) {
    return arena_printf(call->arena, "arn:aws:iam::%.*s:%s/%.*s", SLICE_ARGS(call->account),
                        kinds[kind].word, SLICE_ARGS(name));
}

struct slice identity_user_arn(const struct service_call *call, size_t number) {
    struct slice name = input_text(call->input, "UserName");
    if (number > 0)
        return SLICE_NONE;
    if (slice_present(name))
        return arn_of(call, PRINCIPAL_USER, name);
    bool user = call->caller->kind == CALLER_USER || call->caller->kind == CALLER_ROOT;
    return user ? call->caller->arn : arn_of(call, PRINCIPAL_USER, SLICE_LITERAL(""));
}

struct slice identity_role_arn(const struct service_call *call, size_t number) {
    return number > 0 ? SLICE_NONE
                      : arn_of(call, PRINCIPAL_ROLE, input_text(call->input, "RoleName"));
}

struct slice identity_users_arn(const struct service_call *call, size_t number) {
    return number > 0 ? SLICE_NONE : arn_of(call, PRINCIPAL_USER, SLICE_LITERAL(""));
}

struct slice identity_roles_arn(const struct service_call *call, size_t number) {
    return number > 0 ? SLICE_NONE : arn_of(call, PRINCIPAL_ROLE, SLICE_LITERAL(""));
}

/* ---- finding ---- */

/* Who has a user's rights for a while only may not make themselves lasting ones. The session of a
 * role may what the role may. */
struct error *identity_iam(const struct service_call *call, struct iam **ret_iam) {
    const struct identity *identity = call->state;
    if (call->caller->issued_ms != 0 && call->caller->kind != CALLER_SESSION)
        return error_new(call->arena, ERROR_UNRECOGNIZED_CLIENT,
                         "The security token included in the request is invalid");
    return identity->know(identity->user, call->arena, ret_iam);
}

struct error *identity_look(const struct service_call *call, struct directory **ret_directory) {
    struct iam *iam;
    TRY(identity_iam(call, &iam));
    *ret_directory = iam_directory(iam);
    return NULL;
}

void directory_release(struct directory **directory) {
    directory_unref(*directory);
}

struct error *identity_no_such(const struct service_call *call, enum principal_kind kind,
                               struct slice name) {
    return error_new(call->arena, ERROR_IAM_NO_SUCH_ENTITY,
                     "The %s with name %.*s cannot be found.", kinds[kind].word, SLICE_ARGS(name));
}

struct error *identity_find(const struct service_call *call, const struct directory *directory,
                            enum principal_kind kind, const struct principal **ret_principal) {
    struct slice name = input_text(call->input, kinds[kind].member);
    const struct principal *found = directory_find(directory, kind, name);
    if (found == NULL)
        return identity_no_such(call, kind, name);
    *ret_principal = found;
    return NULL;
}

struct error *identity_user_name(const struct service_call *call, struct slice *ret_name) {
    struct slice name = input_text(call->input, "UserName");
    if (!slice_present(name) && call->caller->kind == CALLER_SESSION)
        return error_new(call->arena, ERROR_VALIDATION,
                         "Must specify userName when calling with non-User credentials");
    if (!slice_present(name))
        name = call->caller->kind == CALLER_USER ? call->caller->name : SLICE_LITERAL("");
    *ret_name = name;
    return NULL;
}

struct error *identity_check_user(const struct service_call *call,
                                  const struct directory *directory, struct slice name) {
    if (name.len > 0 && directory_find(directory, PRINCIPAL_USER, name) == NULL)
        return identity_no_such(call, PRINCIPAL_USER, name);
    return NULL;
}

struct error *identity_no_policy(const struct service_call *call, enum principal_kind kind,
                                 struct slice name) {
    return error_new(call->arena, ERROR_IAM_NO_SUCH_ENTITY,
                     "The %s policy with name %.*s cannot be found.", kinds[kind].word,
                     SLICE_ARGS(name));
}
