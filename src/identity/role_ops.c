/* role_ops.c - the roles there are. */
#include "identity/output.h"
#include "identity/page.h"
#include "identity/request.h"

static const struct input_field list_fields[] = {
    INPUT("PathPrefix", INPUT_TEXT, .min = 1, .max = 512),
    INPUT_PAGE,
    INPUT_END,
};

static const struct input_field get_fields[] = {INPUT_ROLE_NAME, INPUT_END};

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

const struct service_op identity_list_roles = {"ListRoles", list_roles, list_fields, 0,
                                               identity_roles_arn};
const struct service_op identity_get_role = {"GetRole", get_role, get_fields, 0, identity_role_arn};
