/* tag_ops.c - the tags of a user or a role. */
#include "identity/edit.h"
#include "identity/output.h"
#include "identity/page.h"

static const struct input_field list_user_fields[] = {INPUT_USER_NAME, INPUT_PAGE, INPUT_END};
static const struct input_field list_role_fields[] = {INPUT_ROLE_NAME, INPUT_PAGE, INPUT_END};

#define INPUT_TAGS_GIVEN                                                          \
    INPUT("Tags", INPUT_LIST, .required = true, .items = INPUT_OBJECT, .max = 50, \
          .members = identity_tag_fields)
#define INPUT_TAG_KEYS                                                                            \
    INPUT("TagKeys", INPUT_LIST, .required = true, .items = INPUT_TEXT, .max = 50, .item_min = 1, \
          .item_max = 128)

static const struct input_field tag_user_fields[] = {INPUT_USER_NAME, INPUT_TAGS_GIVEN, INPUT_END};
static const struct input_field tag_role_fields[] = {INPUT_ROLE_NAME, INPUT_TAGS_GIVEN, INPUT_END};
static const struct input_field untag_user_fields[] = {INPUT_USER_NAME, INPUT_TAG_KEYS, INPUT_END};
static const struct input_field untag_role_fields[] = {INPUT_ROLE_NAME, INPUT_TAG_KEYS, INPUT_END};

/* ---- ListUserTags, ListRoleTags ---- */

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

/* ---- TagUser, TagRole, UntagUser, UntagRole ---- */

static struct error *tag(struct identity_edit *edit) {
    struct principal principal;
    TRY(identity_open(edit, &principal));
    TRY(identity_put_tags(edit, &principal));
    identity_store(edit, &principal);
    return NULL;
}

static struct error *tag_user(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, tag);
}

static struct error *tag_role(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, tag);
}

/* One that is not there is gone already. */
static struct error *untag(struct identity_edit *edit) {
    struct principal principal;
    TRY(identity_open(edit, &principal));
    for (const struct json_value *key = input_items(edit->call->input, "TagKeys"); key != NULL;
         key = key->next)
        principal_remove_tag(&principal, key->text);
    identity_store(edit, &principal);
    return NULL;
}

static struct error *untag_user(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, untag);
}

static struct error *untag_role(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_ROLE, untag);
}

const struct service_op identity_tag_user = {
    "TagUser", tag_user, tag_user_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT, identity_user_arn};
const struct service_op identity_tag_role = {
    "TagRole", tag_role, tag_role_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT, identity_role_arn};
const struct service_op identity_untag_user = {"UntagUser", untag_user, untag_user_fields,
                                               SERVICE_CHANGES | SERVICE_NO_OUTPUT,
                                               identity_user_arn};
const struct service_op identity_untag_role = {"UntagRole", untag_role, untag_role_fields,
                                               SERVICE_CHANGES | SERVICE_NO_OUTPUT,
                                               identity_role_arn};
const struct service_op identity_list_user_tags = {"ListUserTags", list_user_tags, list_user_fields,
                                                   0, identity_user_arn};
const struct service_op identity_list_role_tags = {"ListRoleTags", list_role_tags, list_role_fields,
                                                   0, identity_role_arn};
