/* key_ops.c - access keys. Without a user's name they are the caller's own. */
#include "identity/output.h"
#include "identity/page.h"
#include "identity/request.h"

static const struct input_field list_fields[] = {INPUT_OWN_USER_NAME, INPUT_PAGE, INPUT_END};

/* The owner has no name. */
static void write_key(const struct service_call *call, const struct access_key *key) {
    answer_object(call->answer, NULL);
    if (key->user.len > 0)
        answer_text(call->answer, "UserName", key->user);
    answer_text(call->answer, "AccessKeyId", key->id);
    answer_word(call->answer, "Status", key->active ? "Active" : "Inactive");
    identity_write_time(call, "CreateDate", key->created_ms);
    answer_end(call->answer);
}

static struct error *list_access_keys(struct service_call *call) {
    CLEANUP(directory_release) struct directory *now = NULL;
    struct slice name;
    TRY(identity_look(call, &now));
    TRY(identity_user_name(call, &name));
    TRY(identity_check_user(call, now, name));
    struct page_list list = page_list_new(call->arena, now->key_count);
    for (size_t i = 0; i < now->key_count; i++)
        if (slice_equal(now->keys[i].user, name))
            page_add(&list, now->keys[i].id);
    struct page page = page_of(call, &list);
    answer_list(call->answer, "AccessKeyMetadata");
    for (size_t i = page.from; i < page.to; i++)
        write_key(call, directory_find_key(now, list.names[i]));
    answer_end(call->answer);
    page_write(call, &list, page);
    return NULL;
}

const struct service_op identity_list_access_keys = {"ListAccessKeys", list_access_keys,
                                                     list_fields, 0, identity_user_arn};
