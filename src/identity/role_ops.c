/* role_ops.c - roles: listed, shown, made, changed and deleted. */
#include "identity/edit.h"
#include "identity/output.h"
#include "identity/page.h"

static const struct input_field list_fields[] = {
    INPUT("PathPrefix", INPUT_TEXT, .min = 1, .max = 512),
    INPUT_PAGE,
    INPUT_END,
};

static const struct input_field get_fields[] = {INPUT_ROLE_NAME, INPUT_END};

#define INPUT_SETTINGS                                                            \
    INPUT("Description", INPUT_TEXT, .max = ROLE_DESCRIPTION_MAX),                \
        INPUT("MaxSessionDuration", INPUT_INTEGER, .min = ROLE_SESSION_DEFAULT_S, \
              .max = ROLE_SESSION_MAX_S)

static const struct input_field create_fields[] = {
    INPUT("RoleName", INPUT_TEXT, .required = true, .min = 1, .max = PRINCIPAL_NAME_MAX),
    INPUT("AssumeRolePolicyDocument", INPUT_TEXT, .required = true, .min = 1),
    INPUT_SETTINGS,
    INPUT_NEW,
    INPUT_END,
};

static const struct input_field update_fields[] = {INPUT_ROLE_NAME, INPUT_SETTINGS, INPUT_END};

static const struct input_field trust_fields[] = {
    INPUT_ROLE_NAME,
    INPUT("PolicyDocument", INPUT_TEXT, .required = true, .min = 1),
    INPUT_END,
};

/* ---- ListRoles, GetRole ---- */

static struct error *list_roles(struct service_call *call) {
    CLEANUP(directory_release) struct directory *now = NULL;
    TRY(identity_look(call, &now));
    struct page_list list = page_list_principals(call, now, PRINCIPAL_ROLE);
    struct page page = page_of(call, &list);
    answer_list(call->answer, "Roles");
    for (size_t i = page.from; i < page.to; i++)
        identity_write_role(call, NULL, &now->principals[PRINCIPAL_ROLE][i]);
    answer_end(call->answer);
    page_write(call, &list, page);
    return NULL;
}

static struct error *get_role(struct service_call *call) {
    CLEANUP(directory_release) struct directory *now = NULL;
    const struct principal *role;
    TRY(identity_look(call, &now));
    TRY(identity_find(call, now, PRINCIPAL_ROLE, &role));
    identity_write_role(call, "Role", role);
    return NULL;
}

/* ---- CreateRole, UpdateRole, UpdateAssumeRolePolicy, DeleteRole ---- */

/* What is not given stays. */
static struct error *set_settings(const struct identity_edit *edit, struct principal *role) {
    const struct service_call *call = edit->call;
    struct slice description = input_text(call->input, "Description");
    if (slice_present(description))
        role->description = description;
    return principal_set_session_max(
        call->arena, role, input_integer(call->input, "MaxSessionDuration", role->session_max_s));
}

static struct error *create(struct identity_edit *edit) {
    struct service_call *call = edit->call;
    struct principal role;
    TRY(identity_create(edit, &role));
    TRY(principal_set_trust(call->arena, &role,
                            input_text(call->input, "AssumeRolePolicyDocument")));
    TRY(set_settings(edit, &role));
    identity_store(edit, &role);
    identity_write_role(call, "Role", &role);
    return NULL;
}

static struct error *create_role(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, create);
}

static struct error *update(struct identity_edit *edit) {
    struct principal role;
    TRY(identity_open(edit, &role));
    TRY(set_settings(edit, &role));
    identity_store(edit, &role);
    return NULL;
}

static struct error *update_role(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, update);
}

static struct error *set_trust(struct identity_edit *edit) {
    struct principal role;
    TRY(identity_open(edit, &role));
    TRY(principal_set_trust(edit->call->arena, &role,
                            input_text(edit->call->input, "PolicyDocument")));
    identity_store(edit, &role);
    return NULL;
}

static struct error *update_assume_role_policy(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, set_trust);
}

static struct error *delete (struct identity_edit *edit) {
    const struct principal *role;
    TRY(identity_find(edit->call, edit->now, PRINCIPAL_ROLE, &role));
    TRY(identity_check_empty(edit, role));
    edit->change = record_gone(principal_record(edit->call->arena, role));
    return NULL;
}

static struct error *delete_role(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, delete);
}

const struct service_op identity_create_role = {"CreateRole", create_role, create_fields,
                                                SERVICE_CHANGES, identity_role_arn};
const struct service_op identity_update_role = {"UpdateRole", update_role, update_fields,
                                                SERVICE_CHANGES, identity_role_arn};
const struct service_op identity_update_assume_role_policy = {
    "UpdateAssumeRolePolicy", update_assume_role_policy, trust_fields,
    SERVICE_CHANGES | SERVICE_NO_OUTPUT, identity_role_arn};
const struct service_op identity_delete_role = {
    "DeleteRole", delete_role, get_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT, identity_role_arn};
const struct service_op identity_list_roles = {"ListRoles", list_roles, list_fields, 0,
                                               identity_roles_arn};
const struct service_op identity_get_role = {"GetRole", get_role, get_fields, 0, identity_role_arn};
