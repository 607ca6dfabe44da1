/* none_ops.c - lists of what users and roles never have here: managed policies, groups, instance
 * profiles. Tools ask for them before they change or delete somebody. */
#include "identity/page.h"
#include "identity/request.h"

static const struct input_field user_fields[] = {INPUT_USER_NAME, INPUT_PAGE, INPUT_END};
static const struct input_field role_fields[] = {INPUT_ROLE_NAME, INPUT_PAGE, INPUT_END};

static struct error *list_none(struct service_call *call, enum principal_kind kind,
                               const char *member) {
    CLEANUP(directory_release) struct directory *now = NULL;
    const struct principal *ignored;
    TRY(identity_look(call, &now));
    TRY(identity_find(call, now, kind, &ignored));
    answer_list(call->answer, member);
    answer_end(call->answer);
    answer_bool(call->answer, "IsTruncated", false);
    return NULL;
}

static struct error *list_attached_user_policies(struct service_call *call) {
    return list_none(call, PRINCIPAL_USER, "AttachedPolicies");
}

static struct error *list_attached_role_policies(struct service_call *call) {
    return list_none(call, PRINCIPAL_ROLE, "AttachedPolicies");
}

static struct error *list_groups_for_user(struct service_call *call) {
    return list_none(call, PRINCIPAL_USER, "Groups");
}

static struct error *list_instance_profiles_for_role(struct service_call *call) {
    return list_none(call, PRINCIPAL_ROLE, "InstanceProfiles");
}

const struct service_op identity_list_attached_user_policies = {
    "ListAttachedUserPolicies", list_attached_user_policies, user_fields, 0, identity_user_arn};
const struct service_op identity_list_attached_role_policies = {
    "ListAttachedRolePolicies", list_attached_role_policies, role_fields, 0, identity_role_arn};
const struct service_op identity_list_groups_for_user = {"ListGroupsForUser", list_groups_for_user,
                                                         user_fields, 0, identity_user_arn};
const struct service_op identity_list_instance_profiles_for_role = {
    "ListInstanceProfilesForRole", list_instance_profiles_for_role, role_fields, 0,
    identity_role_arn};
