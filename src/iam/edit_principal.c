/* edit_principal.c - users and roles made, shown, changed, deleted.
 *
 * Creating and changing take the same members: "policies" {name: document}, "boundary" and "trust"
 * documents, "tags" {name: value}, "session_max_s"; in a change null takes something away, and what
 * is not named stays. Documents are read before they are stored. */
#include "iam/change.h"
#include "iam/edit.h"
#include "iam/names.h"

static const char *word_of(enum principal_kind kind) {
    return kind == PRINCIPAL_USER ? "user" : "role";
}

/* ---- what is given ---- */

/* A document, or null to take it away. */
static struct error *set_policy(const struct edit *edit, struct principal *principal,
                                const struct json_value *given) {
    if (given->kind == JSON_STRING)
        return principal_put_policy(edit->arena, principal, given->name, given->text);
    if (given->kind == JSON_NULL && principal_remove_policy(principal, given->name))
        return NULL;
    return error_local(edit->arena, "there is no policy '%.*s'", SLICE_ARGS(given->name));
}

static struct error *set_tag(const struct edit *edit, struct principal *principal,
                             const struct json_value *given) {
    if (given->kind == JSON_STRING)
        return principal_put_tag(edit->arena, principal,
                                 (struct caller_tag){given->name, given->text});
    if (given->kind == JSON_NULL && principal_remove_tag(principal, given->name))
        return NULL;
    return error_local(edit->arena, "there is no tag '%.*s'", SLICE_ARGS(given->name));
}

static const struct json_value *first_of(const struct edit *edit, const char *member) {
    const struct json_value *object = json_find(edit->input, member);
    return object == NULL ? NULL : object->first;
}

static struct error *set_session_max(const struct edit *edit, struct principal *principal) {
    const struct json_value *given = json_find(edit->input, "session_max_s");
    if (given == NULL)
        return NULL;
    int64_t seconds = 0;
    for (size_t i = 0; given->kind == JSON_INTEGER && i < given->text.len && i < 9; i++)
        seconds = seconds * 10 + (given->text.data[i] - '0');
    return principal_set_session_max(edit->arena, principal, seconds);
}

static struct error *apply(const struct edit *edit, struct principal *principal) {
    for (const struct json_value *p = first_of(edit, "policies"); p != NULL; p = p->next)
        TRY(set_policy(edit, principal, p));
    for (const struct json_value *tag = first_of(edit, "tags"); tag != NULL; tag = tag->next)
        TRY(set_tag(edit, principal, tag));
    if (json_find(edit->input, "boundary") != NULL)
        TRY(principal_set_boundary(edit->arena, principal,
                                   json_find_text(edit->input, "boundary")));
    if (principal->kind == PRINCIPAL_USER)
        return NULL;
    struct slice trust = json_find_text(edit->input, "trust");
    if (json_find(edit->input, "trust") != NULL)
        principal->trust.document = SLICE_NONE;
    if (slice_present(trust))
        TRY(principal_set_trust(edit->arena, principal, trust));
    if (!slice_present(principal->trust.document))
        return error_local(edit->arena, "a role needs a trust policy: who may take it");
    return set_session_max(edit, principal);
}

/* ---- answers ---- */

static void write_principal(struct edit *edit, const struct principal *principal, bool whole) {
    struct json_writer *json = &edit->output;
    json_object_begin(json);
    member_text(json, "name", principal->name);
    member_text(json, "id", principal->id);
    if (slice_present(principal->arn))
        member_text(json, "arn", principal->arn);
    member_time(json, "created", principal->created_ms);
    member_object(json, "policies");
    for (size_t i = 0; i < principal->policy_count; i++)
        member_text(
            json,
            (const char *)arena_printf(edit->arena, "%.*s", SLICE_ARGS(principal->policies[i].name))
                .data,
            whole ? principal->policies[i].document : SLICE_LITERAL(""));
    json_object_end(json);
    if (whole && slice_present(principal->boundary.document))
        member_text(json, "boundary", principal->boundary.document);
    if (whole && slice_present(principal->trust.document))
        member_text(json, "trust", principal->trust.document);
    if (principal->kind == PRINCIPAL_ROLE)
        member_integer(json, "session_max_s", principal->session_max_s);
    member_object(json, "tags");
    for (size_t i = 0; whole && i < principal->tag_count; i++) {
        json_name(json, principal->tags[i].name);
        json_string(json, principal->tags[i].value);
    }
    json_object_end(json);
    json_object_end(json);
}

/* ---- commands ---- */

struct error *edit_create(struct edit *edit) {
    struct slice name;
    TRY(edit_text(edit, "name", &name));
    if (!name_is_valid(name, 1, PRINCIPAL_NAME_MAX) || slice_is(name, "root"))
        return error_local(edit->arena,
                           "'%.*s' is no name for a %s: it has 1 to %d letters, digits and "
                           "+=,.@_-, and is not root",
                           SLICE_ARGS(name), word_of(edit->kind), PRINCIPAL_NAME_MAX);
    if (directory_find(edit->now, edit->kind, name) != NULL)
        return error_local(edit->arena, "there is a %s '%.*s' already", word_of(edit->kind),
                           SLICE_ARGS(name));
    struct principal principal =
        principal_new(edit->arena, edit->options, edit->kind, name, edit->now_ms);
    TRY(apply(edit, &principal));
    edit_change(edit, principal_record(edit->arena, &principal));
    write_principal(edit, &principal, true);
    return NULL;
}

struct error *edit_update(struct edit *edit) {
    const struct principal *found;
    TRY(edit_find(edit, &found));
    struct principal principal = principal_copy(edit->arena, found);
    TRY(apply(edit, &principal));
    edit_change(edit, principal_record(edit->arena, &principal));
    write_principal(edit, &principal, true);
    return NULL;
}

/* A user's keys go with the user: nobody could use them. */
struct error *edit_delete(struct edit *edit) {
    const struct principal *found;
    TRY(edit_find(edit, &found));
    edit_change(edit, record_gone(principal_record(edit->arena, found)));
    for (size_t i = 0; edit->kind == PRINCIPAL_USER && i < edit->now->key_count; i++)
        if (slice_equal(edit->now->keys[i].user, found->name))
            edit_change(edit, key_gone(edit->now->keys[i].id));
    write_principal(edit, found, false);
    return NULL;
}

struct error *edit_list(struct edit *edit) {
    json_array_begin(&edit->output);
    for (size_t i = 0; i < edit->now->counts[edit->kind]; i++)
        write_principal(edit, &edit->now->principals[edit->kind][i], false);
    json_array_end(&edit->output);
    return NULL;
}

struct error *edit_show(struct edit *edit) {
    const struct principal *found;
    TRY(edit_find(edit, &found));
    write_principal(edit, found, true);
    return NULL;
}
