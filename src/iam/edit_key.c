/* edit_key.c - keys made, shown, turned on and off, replaced. */
#include "iam/change.h"
#include "iam/edit.h"

static const struct slice owner = {(const uint8_t *)"", 0};

/* The user that "user" names; without it the owner of the account. */
static struct error *read_user(const struct edit *edit, struct slice *ret_user) {
    struct slice user = json_find_text(edit->input, "user");
    if (user.len > 0 && directory_find(edit->now, PRINCIPAL_USER, user) == NULL)
        return error_local(edit->arena, "there is no user '%.*s'", SLICE_ARGS(user));
    *ret_user = slice_present(user) ? user : owner;
    return NULL;
}

static struct error *check_room(const struct edit *edit, struct slice user) {
    if (directory_count_keys(edit->now, user) < PRINCIPAL_KEYS_MAX)
        return NULL;
    return error_local(edit->arena,
                       "%.*s has %d keys already, and no more are allowed: delete one first",
                       user.len == 0 ? 4 : (int)user.len,
                       user.len == 0 ? "root" : (const char *)user.data, PRINCIPAL_KEYS_MAX);
}

static void write_key(struct edit *edit, const struct access_key *key) {
    struct json_writer *json = &edit->output;
    json_object_begin(json);
    member_text(json, "id", key->id);
    member_text(json, "user", key->user);
    member_bool(json, "active", key->active);
    member_bool(json, "usable", slice_present(key->secret));
    member_time(json, "created", key->created_ms);
    json_object_end(json);
}

/* With the secret, this once. */
static void write_new_key(struct edit *edit, const struct access_key *key) {
    struct json_writer *json = &edit->output;
    json_object_begin(json);
    member_text(json, "id", key->id);
    member_text(json, "user", key->user);
    member_text(json, "secret", key->secret);
    json_object_end(json);
}

struct error *edit_create_key(struct edit *edit) {
    struct slice user;
    TRY(read_user(edit, &user));
    TRY(check_room(edit, user));
    struct access_key key = key_new(edit->arena, edit->options, user, edit->now_ms);
    edit_change(edit, key_record(edit->arena, edit->options->seal, &key));
    write_new_key(edit, &key);
    return NULL;
}

static bool is_key_id(struct slice id) {
    if (id.len < ACCESS_KEY_ID_MIN || id.len > ACCESS_KEY_ID_MAX)
        return false;
    for (size_t i = 0; i < id.len; i++) {
        uint8_t c = id.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
              c == '_'))
            return false;
    }
    return true;
}

/* The same key again, with the same secret, is fine: what brings it at every start does no harm. */
struct error *edit_import_key(struct edit *edit) {
    struct access_key key = {.created_ms = edit->now_ms, .active = true};
    TRY(read_user(edit, &key.user));
    TRY(edit_text(edit, "id", &key.id));
    TRY(edit_text(edit, "secret", &key.secret));
    if (!is_key_id(key.id))
        return error_local(edit->arena,
                           "an access key id has %d to %d letters, digits and underscores",
                           ACCESS_KEY_ID_MIN, ACCESS_KEY_ID_MAX);
    if (key.secret.len == 0 || key.secret.len > SECRET_KEY_MAX)
        return error_local(edit->arena, "a secret has 1 to %d characters", SECRET_KEY_MAX);
    const struct access_key *known = directory_find_key(edit->now, key.id);
    bool same = known != NULL && slice_equal(known->user, key.user) &&
                slice_equal(known->secret, key.secret);
    if (known != NULL && !same)
        return error_local(edit->arena, "there is a key %.*s already: delete it first",
                           SLICE_ARGS(key.id));
    if (!same) {
        TRY(check_room(edit, key.user));
        edit_change(edit, key_record(edit->arena, edit->options->seal, &key));
    }
    write_key(edit, same ? known : &key);
    return NULL;
}

struct error *edit_list_keys(struct edit *edit) {
    bool filtered = json_find(edit->input, "user") != NULL;
    struct slice user;
    TRY(read_user(edit, &user));
    json_array_begin(&edit->output);
    for (size_t i = 0; i < edit->now->key_count; i++)
        if (!filtered || slice_equal(edit->now->keys[i].user, user))
            write_key(edit, &edit->now->keys[i]);
    json_array_end(&edit->output);
    return NULL;
}

static struct error *find_key(const struct edit *edit, struct access_key *ret_key) {
    struct slice id;
    TRY(edit_text(edit, "id", &id));
    const struct access_key *key = directory_find_key(edit->now, id);
    if (key == NULL)
        return error_local(edit->arena, "there is no key %.*s", SLICE_ARGS(id));
    *ret_key = *key;
    return NULL;
}

static struct error *set_active(struct edit *edit, bool active) {
    struct access_key key;
    TRY(find_key(edit, &key));
    if (!slice_present(key.secret))
        return error_local(edit->arena, "the secret of %.*s cannot be opened here: delete the key",
                           SLICE_ARGS(key.id));
    if (key.active != active) {
        key.active = active;
        edit_change(edit, key_record(edit->arena, edit->options->seal, &key));
    }
    write_key(edit, &key);
    return NULL;
}

struct error *edit_enable_key(struct edit *edit) {
    return set_active(edit, true);
}

struct error *edit_disable_key(struct edit *edit) {
    return set_active(edit, false);
}

struct error *edit_delete_key(struct edit *edit) {
    struct access_key key;
    TRY(find_key(edit, &key));
    edit_change(edit, key_gone(key.id));
    write_key(edit, &key);
    return NULL;
}

/* A new key for the same user. The old one stays, so that nothing stops working: unless there were
 * two, when the one that is disabled makes room. */
struct error *edit_rotate_key(struct edit *edit) {
    struct access_key old;
    TRY(find_key(edit, &old));
    const struct access_key *given_up = NULL;
    for (size_t i = 0; i < edit->now->key_count; i++) {
        const struct access_key *key = &edit->now->keys[i];
        if (slice_equal(key->user, old.user) && !slice_equal(key->id, old.id) && !key->active)
            given_up = key;
    }
    if (given_up == NULL)
        TRY(check_room(edit, old.user));
    else
        edit_change(edit, key_gone(given_up->id));
    struct access_key key = key_new(edit->arena, edit->options, old.user, edit->now_ms);
    edit_change(edit, key_record(edit->arena, edit->options->seal, &key));
    write_new_key(edit, &key);
    return NULL;
}
