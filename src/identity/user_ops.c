/* user_ops.c - users: listed, shown, made and deleted. */
#include "identity/edit.h"
#include "identity/output.h"
#include "identity/page.h"

static const struct input_field list_fields[] = {
    INPUT("PathPrefix", INPUT_TEXT, .min = 1, .max = 512),
    INPUT_PAGE,
    INPUT_END,
};

static const struct input_field get_fields[] = {INPUT_OWN_USER_NAME, INPUT_END};

static const struct input_field create_fields[] = {
    INPUT("UserName", INPUT_TEXT, .required = true, .min = 1, .max = PRINCIPAL_NAME_MAX),
    INPUT_NEW,
    INPUT_END,
};

static const struct input_field delete_fields[] = {INPUT_USER_NAME, INPUT_END};

/* ---- ListUsers, GetUser ---- */

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
    int64_t created_ms = clock_now_ms(&system_clock);
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

/* ---- CreateUser, DeleteUser ---- */

static struct error *create(struct identity_edit *edit) {
    struct principal user;
    TRY(identity_create(edit, &user));
    identity_store(edit, &user);
    identity_write_user(edit->call, "User", &user);
    return NULL;
}

static struct error *create_user(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, create);
}

static struct error *delete (struct identity_edit *edit) {
    const struct principal *user;
    TRY(identity_find(edit->call, edit->now, PRINCIPAL_USER, &user));
    TRY(identity_check_empty(edit, user));
    if (directory_count_keys(edit->now, user->name) > 0)
        return error_new(edit->call->arena, ERROR_IAM_DELETE_CONFLICT,
                         "Cannot delete entity, must delete access keys first.");
    edit->change = record_gone(principal_record(edit->call->arena, user));
    return NULL;
}

static struct error *delete_user(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, delete);
}

const struct service_op identity_create_user = {"CreateUser", create_user, create_fields,
                                                SERVICE_CHANGES, identity_user_arn};
const struct service_op identity_delete_user = {"DeleteUser", delete_user, delete_fields,
                                                SERVICE_CHANGES | SERVICE_NO_OUTPUT,
                                                identity_user_arn};
const struct service_op identity_list_users = {"ListUsers", list_users, list_fields, 0,
                                               identity_users_arn};
const struct service_op identity_get_user = {"GetUser", get_user, get_fields, 0, identity_user_arn};
