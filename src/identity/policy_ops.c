/* policy_ops.c - the policies of a user or a role, by name. */
#include "identity/edit.h"
#include "identity/output.h"
#include "identity/page.h"

static const struct input_field list_user_fields[] = {INPUT_USER_NAME, INPUT_PAGE, INPUT_END};
static const struct input_field list_role_fields[] = {INPUT_ROLE_NAME, INPUT_PAGE, INPUT_END};
static const struct input_field one_of_user_fields[] = {INPUT_USER_NAME, INPUT_POLICY_NAME,
                                                        INPUT_END};
static const struct input_field one_of_role_fields[] = {INPUT_ROLE_NAME, INPUT_POLICY_NAME,
                                                        INPUT_END};

#define INPUT_DOCUMENT INPUT("PolicyDocument", INPUT_TEXT, .required = true, .min = 1)

static const struct input_field put_user_fields[] = {INPUT_USER_NAME, INPUT_POLICY_NAME,
                                                     INPUT_DOCUMENT, INPUT_END};
static const struct input_field put_role_fields[] = {INPUT_ROLE_NAME, INPUT_POLICY_NAME,
                                                     INPUT_DOCUMENT, INPUT_END};

/* ---- ListUserPolicies, ListRolePolicies ---- */

static struct error *list_policies(struct service_call *call, enum principal_kind kind) {
    CLEANUP(directory_release) struct directory *now = NULL;
    const struct principal *found;
    TRY(identity_look(call, &now));
    TRY(identity_find(call, now, kind, &found));
    struct page_list list = page_list_new(call->arena, found->policy_count);
    for (size_t i = 0; i < found->policy_count; i++)
        page_add(&list, found->policies[i].name);
    page_sort(&list);
    struct page page = page_of(call, &list);
    answer_list(call->answer, "PolicyNames");
    for (size_t i = page.from; i < page.to; i++)
        answer_text(call->answer, NULL, list.names[i]);
    answer_end(call->answer);
    page_write(call, &list, page);
    return NULL;
}

static struct error *list_user_policies(struct service_call *call) {
    return list_policies(call, PRINCIPAL_USER);
}

static struct error *list_role_policies(struct service_call *call) {
    return list_policies(call, PRINCIPAL_ROLE);
}

/* ---- GetUserPolicy, GetRolePolicy ---- */

static struct error *get_policy(struct service_call *call, enum principal_kind kind) {
    CLEANUP(directory_release) struct directory *now = NULL;
    const struct principal *found;
    struct slice name = input_text(call->input, "PolicyName");
    size_t at = 0;
    TRY(identity_look(call, &now));
    TRY(identity_find(call, now, kind, &found));
    while (at < found->policy_count && !slice_equal(found->policies[at].name, name))
        at++;
    if (at == found->policy_count)
        return identity_no_policy(call, kind, name);
    answer_text(call->answer, kind == PRINCIPAL_USER ? "UserName" : "RoleName", found->name);
    answer_text(call->answer, "PolicyName", name);
    identity_write_document(call, "PolicyDocument", found->policies[at].document);
    return NULL;
}

static struct error *get_user_policy(struct service_call *call) {
    return get_policy(call, PRINCIPAL_USER);
}

static struct error *get_role_policy(struct service_call *call) {
    return get_policy(call, PRINCIPAL_ROLE);
}

/* ---- PutUserPolicy, PutRolePolicy, DeleteUserPolicy, DeleteRolePolicy ---- */

static struct error *put(struct identity_edit *edit) {
    const struct json_value *input = edit->call->input;
    struct principal principal;
    edit->call->subject = input_text(input, "PolicyName");
    TRY(identity_open(edit, &principal));
    TRY(principal_put_policy(edit->call->arena, &principal, edit->call->subject,
                             input_text(input, "PolicyDocument")));
    identity_store(edit, &principal);
    return NULL;
}

static struct error *put_user_policy(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, put);
}

static struct error *put_role_policy(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, put);
}

static struct error *delete (struct identity_edit *edit) {
    struct slice name = edit->call->subject = input_text(edit->call->input, "PolicyName");
    struct principal principal;
    TRY(identity_open(edit, &principal));
    if (!principal_remove_policy(&principal, name))
        return identity_no_policy(edit->call, edit->kind, name);
    identity_store(edit, &principal);
    return NULL;
}

static struct error *delete_user_policy(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, delete);
}

static struct error *delete_role_policy(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, delete);
}

const struct service_op identity_put_user_policy = {
    "PutUserPolicy", put_user_policy, put_user_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT,
    identity_user_arn};
const struct service_op identity_put_role_policy = {
    "PutRolePolicy", put_role_policy, put_role_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT,
    identity_role_arn};
const struct service_op identity_delete_user_policy = {
    "DeleteUserPolicy", delete_user_policy, one_of_user_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT,
    identity_user_arn};
const struct service_op identity_delete_role_policy = {
    "DeleteRolePolicy", delete_role_policy, one_of_role_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT,
    identity_role_arn};
const struct service_op identity_list_user_policies = {"ListUserPolicies", list_user_policies,
                                                       list_user_fields, 0, identity_user_arn};
const struct service_op identity_list_role_policies = {"ListRolePolicies", list_role_policies,
                                                       list_role_fields, 0, identity_role_arn};
const struct service_op identity_get_user_policy = {"GetUserPolicy", get_user_policy,
                                                    one_of_user_fields, 0, identity_user_arn};
const struct service_op identity_get_role_policy = {"GetRolePolicy", get_role_policy,
                                                    one_of_role_fields, 0, identity_role_arn};
