/* key_ops.c - access keys: listed, made, turned on and off, deleted. Without a user's name they are
 * the caller's own.
 *
 * A secret is in one answer, that to CreateAccessKey, and nowhere else in the clear: it is sealed
 * before it is stored. */
#include "base/secret.h"
#include "identity/edit.h"
#include "identity/output.h"
#include "identity/page.h"

static const struct input_field list_fields[] = {INPUT_OWN_USER_NAME, INPUT_PAGE, INPUT_END};

static const struct input_field create_fields[] = {INPUT_OWN_USER_NAME, INPUT_END};

#define INPUT_KEY_ID INPUT("AccessKeyId", INPUT_TEXT, .required = true, .min = 16, .max = 128)

static const struct input_field update_fields[] = {
    INPUT_OWN_USER_NAME,
    INPUT_KEY_ID,
    INPUT("Status", INPUT_TEXT, .required = true, .words = "[Active, Inactive]"),
    INPUT_END,
};

static const struct input_field delete_fields[] = {INPUT_OWN_USER_NAME, INPUT_KEY_ID, INPUT_END};

/* The owner has no name. */
static void write_members(const struct service_call *call, const struct access_key *key) {
    if (key->user.len > 0)
        answer_text(call->answer, "UserName", key->user);
    answer_text(call->answer, "AccessKeyId", key->id);
    answer_word(call->answer, "Status", key->active ? "Active" : "Inactive");
    identity_write_time(call, "CreateDate", key->created_ms);
}

/* ---- ListAccessKeys ---- */

static void write_item(const struct service_call *call, const struct access_key *key) {
    answer_object(call->answer, NULL);
    write_members(call, key);
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
        write_item(call, directory_find_key(now, list.names[i]));
    answer_end(call->answer);
    page_write(call, &list, page);
    return NULL;
}

/* ---- CreateAccessKey ---- */

static void write_new(const struct service_call *call, const struct access_key *key) {
    answer_object(call->answer, "AccessKey");
    write_members(call, key);
    answer_text(call->answer, "SecretAccessKey", key->secret);
    answer_end(call->answer);
}

static struct error *create(struct identity_edit *edit) {
    struct service_call *call = edit->call;
    struct slice name;
    TRY(identity_user_name(call, &name));
    TRY(identity_check_user(call, edit->now, name));
    if (directory_count_keys(edit->now, name) >= PRINCIPAL_KEYS_MAX)
        return error_new(call->arena, ERROR_IAM_LIMIT_EXCEEDED,
                         "Cannot exceed quota for AccessKeysPerUser: %d", PRINCIPAL_KEYS_MAX);
    struct access_key key = key_new(call->arena, edit->options, name, clock_now_ms(&system_clock));
    edit->change = key_record(call->arena, edit->options->seal, &key);
    call->subject = key.id;
    write_new(call, &key);
    secret_wipe((uint8_t *)(uintptr_t)key.secret.data, key.secret.len);
    return NULL;
}

static struct error *create_access_key(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, create);
}

/* ---- UpdateAccessKey, DeleteAccessKey ---- */

/* A key of somebody else is none. */
static struct error *find(const struct identity_edit *edit, struct access_key *ret_key) {
    struct slice id = input_text(edit->call->input, "AccessKeyId"), name;
    edit->call->subject = id;
    TRY(identity_user_name(edit->call, &name));
    TRY(identity_check_user(edit->call, edit->now, name));
    const struct access_key *key = directory_find_key(edit->now, id);
    if (key == NULL || !slice_equal(key->user, name))
        return error_new(edit->call->arena, ERROR_IAM_NO_SUCH_ENTITY,
                         "The Access Key with id %.*s cannot be found.", SLICE_ARGS(id));
    *ret_key = *key;
    return NULL;
}

static struct error *update(struct identity_edit *edit) {
    struct access_key key;
    TRY(find(edit, &key));
    bool active = slice_is(input_text(edit->call->input, "Status"), "Active");
    if (!slice_present(key.secret))
        return error_new(edit->call->arena, ERROR_IAM_UNMODIFIABLE_ENTITY,
                         "The secret of %.*s cannot be opened here: delete the key",
                         SLICE_ARGS(key.id));
    if (key.active != active) {
        key.active = active;
        edit->change = key_record(edit->call->arena, edit->options->seal, &key);
    }
    return NULL;
}

static struct error *update_access_key(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, update);
}

static struct error *delete (struct identity_edit *edit) {
    struct access_key key;
    TRY(find(edit, &key));
    edit->change = key_gone(key.id);
    return NULL;
}

static struct error *delete_access_key(struct service_call *call) {
    return identity_edit(call, PRINCIPAL_USER, delete);
}

const struct service_op identity_create_access_key = {
    "CreateAccessKey", create_access_key, create_fields, SERVICE_CHANGES, identity_user_arn};
const struct service_op identity_update_access_key = {
    "UpdateAccessKey", update_access_key, update_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT,
    identity_user_arn};
const struct service_op identity_delete_access_key = {
    "DeleteAccessKey", delete_access_key, delete_fields, SERVICE_CHANGES | SERVICE_NO_OUTPUT,
    identity_user_arn};
const struct service_op identity_list_access_keys = {"ListAccessKeys", list_access_keys,
                                                     list_fields, 0, identity_user_arn};
