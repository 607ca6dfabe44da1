/* tag_ops.c - the tags of a user or a role. */
#include "identity/output.h"
#include "identity/page.h"
#include "identity/request.h"

static const struct input_field list_user_fields[] = {INPUT_USER_NAME, INPUT_PAGE, INPUT_END};
static const struct input_field list_role_fields[] = {INPUT_ROLE_NAME, INPUT_PAGE, INPUT_END};

static const struct caller_tag *tag_of(const struct principal *principal, struct slice name) {
    const struct caller_tag *tag = principal->tags;
    while (!slice_equal(tag->name, name))
        tag++;
    return tag;
}

static struct error *list_tags(struct service_call *call, enum principal_kind kind) {
    CLEANUP(directory_release) struct directory *now = NULL;
    const struct principal *found;
    TRY(identity_look(call, &now));
    TRY(identity_find(call, now, kind, &found));
    struct page_list list = page_list_new(call->arena, found->tag_count);
    for (size_t i = 0; i < found->tag_count; i++)
        page_add(&list, found->tags[i].name);
    page_sort(&list);
    struct page page = page_of(call, &list);
    answer_list(call->answer, "Tags");
    for (size_t i = page.from; i < page.to; i++)
        identity_write_tag(call, tag_of(found, list.names[i]));
    answer_end(call->answer);
    page_write(call, &list, page);
    return NULL;
}

static struct error *list_user_tags(struct service_call *call) {
    return list_tags(call, PRINCIPAL_USER);
}

static struct error *list_role_tags(struct service_call *call) {
    return list_tags(call, PRINCIPAL_ROLE);
}

const struct service_op identity_list_user_tags = {"ListUserTags", list_user_tags, list_user_fields,
                                                   0, identity_user_arn};
const struct service_op identity_list_role_tags = {"ListRoleTags", list_role_tags, list_role_fields,
                                                   0, identity_role_arn};
