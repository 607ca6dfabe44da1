/* user_ops.c - the users there are. */
#include "identity/output.h"
#include "identity/page.h"
#include "identity/request.h"

static const struct input_field list_fields[] = {
    INPUT("PathPrefix", INPUT_TEXT, .min = 1, .max = 512),
    INPUT_PAGE,
    INPUT_END,
};

static const struct input_field get_fields[] = {INPUT_OWN_USER_NAME, INPUT_END};

static struct error *list_users(struct service_call *call) {
    CLEANUP(directory_release) struct directory *now = NULL;
    TRY(identity_look(call, &now));
    struct page_list list = page_list_principals(call, now, PRINCIPAL_USER);
    struct page page = page_of(call, &list);
    answer_list(call->answer, "Users");
    for (size_t i = page.from; i < page.to; i++)
        identity_write_user(call, NULL, &now->principals[PRINCIPAL_USER][i]);
    answer_end(call->answer);
    page_write(call, &list, page);
    return NULL;
}

/* Who is no user, and came with their first key. */
static void write_owner(const struct service_call *call, const struct directory *now) {
    int64_t created_ms = clock_now_ms(call->clock);
    for (size_t i = 0; i < now->key_count; i++)
        if (now->keys[i].user.len == 0 && now->keys[i].created_ms < created_ms)
            created_ms = now->keys[i].created_ms;
    answer_object(call->answer, "User");
    answer_text(call->answer, "UserId", call->account);
    answer_text(call->answer, "Arn",
                arena_printf(call->arena, "arn:aws:iam::%.*s:root", SLICE_ARGS(call->account)));
    identity_write_time(call, "CreateDate", created_ms);
    answer_end(call->answer);
}

static struct error *get_user(struct service_call *call) {
    CLEANUP(directory_release) struct directory *now = NULL;
    struct slice name;
    TRY(identity_look(call, &now));
    TRY(identity_user_name(call, &name));
    TRY(identity_check_user(call, now, name));
    if (name.len == 0)
        write_owner(call, now);
    else
        identity_write_user(call, "User", directory_find(now, PRINCIPAL_USER, name));
    return NULL;
}

const struct service_op identity_list_users = {"ListUsers", list_users, list_fields, 0,
                                               identity_users_arn};
const struct service_op identity_get_user = {"GetUser", get_user, get_fields, 0, identity_user_arn};
