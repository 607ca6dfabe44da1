/* edit.c - see edit.h. */
#include "identity/edit.h"

#include "iam/names.h"

/* As many as an account has at first. */
static const size_t quotas[] = {[PRINCIPAL_USER] = 5000, [PRINCIPAL_ROLE] = 1000};
static const char *const words[] = {[PRINCIPAL_USER] = "User", [PRINCIPAL_ROLE] = "Role"};

const struct input_field identity_tag_fields[] = {
    INPUT("Key", INPUT_TEXT, .required = true, .min = 1, .max = 128),
    INPUT("Value", INPUT_TEXT, .required = true, .max = 256),
    INPUT_END,
};

struct error *identity_edit(struct service_call *call, enum principal_kind kind,
                            struct error *(*change)(struct identity_edit *edit)) {
    struct iam *iam;
    TRY(identity_iam(call, &iam));
    struct identity_edit edit = {
        .call = call,
        .kind = kind,
        .options = iam_options(iam),
        .now = iam_change_begin(iam),
    };
    struct error *error = change(&edit);
    if (error == NULL && slice_present(edit.change.name))
        error = iam_change(iam, call->arena, &edit.change, 1);
    iam_change_end(iam);
    return error;
}

struct error *identity_open(const struct identity_edit *edit, struct principal *ret_principal) {
    const struct principal *found;
    TRY(identity_find(edit->call, edit->now, edit->kind, &found));
    *ret_principal = principal_copy(edit->call->arena, found);
    return NULL;
}

void identity_store(struct identity_edit *edit, const struct principal *principal) {
    edit->change = principal_record(edit->call->arena, principal);
}

/* ---- creating ---- */

static struct error *check_name(const struct identity_edit *edit, struct slice name) {
    struct arena *arena = edit->call->arena;
    const char *member = edit->kind == PRINCIPAL_USER ? "userName" : "roleName";
    if (!name_is_valid(name, 1, PRINCIPAL_NAME_MAX))
        return error_new(arena, ERROR_VALIDATION,
                         "The specified value for %s is invalid. It must contain only alphanumeric "
                         "characters and/or the following: +=,.@_-",
                         member);
    if (slice_is(name, "root"))
        return error_new(arena, ERROR_VALIDATION, "root is the owner of the account");
    if (directory_find(edit->now, edit->kind, name) != NULL)
        return error_new(arena, ERROR_IAM_ENTITY_ALREADY_EXISTS,
                         "%s with name %.*s already exists.", words[edit->kind], SLICE_ARGS(name));
    return NULL;
}

/* What there is not can not be asked for. */
static struct error *check_options(const struct identity_edit *edit) {
    const struct json_value *input = edit->call->input;
    struct slice path = input_text(input, "Path");
    struct slice boundary = input_text(input, "PermissionsBoundary");
    if (slice_present(path) && !slice_is(path, "/"))
        return error_new(edit->call->arena, ERROR_VALIDATION,
                         "There are no paths here: that of every user and role is /");
    if (slice_present(boundary))
        return error_new(edit->call->arena, ERROR_IAM_NO_SUCH_ENTITY,
                         "Scope ARN: %.*s does not exist or is not attachable.",
                         SLICE_ARGS(boundary));
    return NULL;
}

struct error *identity_put_tags(const struct identity_edit *edit, struct principal *principal) {
    struct arena *arena = edit->call->arena;
    const struct json_value *tags = input_items(edit->call->input, "Tags");
    for (const struct json_value *tag = tags; tag != NULL; tag = tag->next) {
        struct slice key = input_text(tag, "Key");
        for (const struct json_value *before = tags; before != tag; before = before->next)
            if (slice_equal_ignoring_case(input_text(before, "Key"), key))
                return error_new(arena, ERROR_IAM_INVALID_INPUT,
                                 "Duplicate tag keys found. Please note that Tag keys are case "
                                 "insensitive.");
        TRY(principal_put_tag(arena, principal,
                              (struct caller_tag){key, input_text(tag, "Value")}));
    }
    return NULL;
}

struct error *identity_create(const struct identity_edit *edit, struct principal *ret_principal) {
    struct service_call *call = edit->call;
    bool user = edit->kind == PRINCIPAL_USER;
    struct slice name = input_text(call->input, user ? "UserName" : "RoleName");
    TRY(check_name(edit, name));
    TRY(check_options(edit));
    if (edit->now->counts[edit->kind] >= quotas[edit->kind])
        return error_new(call->arena, ERROR_IAM_LIMIT_EXCEEDED,
                         "Cannot exceed quota for %ssPerAccount: %zu", words[edit->kind],
                         quotas[edit->kind]);
    struct principal principal =
        principal_new(call->arena, edit->options, edit->kind, name, clock_now_ms(&system_clock));
    principal.arn = user ? identity_user_arn(call, 0) : identity_role_arn(call, 0);
    TRY(identity_put_tags(edit, &principal));
    *ret_principal = principal;
    return NULL;
}

struct error *identity_check_empty(const struct identity_edit *edit,
                                   const struct principal *principal) {
    if (principal->policy_count == 0)
        return NULL;
    return error_new(edit->call->arena, ERROR_IAM_DELETE_CONFLICT,
                     "Cannot delete entity, must delete policies first.");
}
