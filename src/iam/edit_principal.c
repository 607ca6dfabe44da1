/* edit_principal.c - users and roles made, shown, changed, deleted.
 *
 * Creating and changing take the same members: "policies" {name: document}, "boundary" and "trust"
 * documents, "tags" {name: value}, "session_max_s"; in a change null takes something away, and what
 * is not named stays. Documents are read before they are stored. */
#include "iam/edit.h"
#include "iam/names.h"

enum { DOCUMENT_MAX = 10 * 1024, TAG_NAME_MAX = 128, TAG_VALUE_MAX = 256 };

static const char *word_of(enum principal_kind kind) {
    return kind == PRINCIPAL_USER ? "user" : "role";
}

/* ---- what is given ---- */

static struct error *check_document(const struct edit *edit, enum policy_kind kind,
                                    struct slice name, struct slice document) {
    const struct policy *ignored;
    if (document.len > DOCUMENT_MAX)
        return error_local(edit->arena, "policy %.*s is longer than %d bytes", SLICE_ARGS(name),
                           DOCUMENT_MAX);
    struct slice title = arena_printf(edit->arena, "policy %.*s", SLICE_ARGS(name));
    struct policy_document given = {kind, (const char *)title.data, document};
    return policy_parse(edit->arena, &given, &ignored);
}

/* Puts a document under its name, in the order of arrival. */
static struct error *set_policy(const struct edit *edit, struct principal *principal,
                                const struct json_value *given) {
    size_t at = 0;
    while (at < principal->policy_count && !slice_equal(principal->policies[at].name, given->name))
        at++;
    if (given->kind == JSON_NULL) {
        if (at == principal->policy_count)
            return error_local(edit->arena, "there is no policy '%.*s'", SLICE_ARGS(given->name));
        principal->policy_count--;
        memmove(&principal->policies[at], &principal->policies[at + 1],
                (principal->policy_count - at) * sizeof(*principal->policies));
        return NULL;
    }
    if (given->kind != JSON_STRING || !name_is_valid(given->name, 1, 128))
        return error_local(edit->arena, "'%.*s' is no name for a policy", SLICE_ARGS(given->name));
    if (at == PRINCIPAL_POLICIES_MAX)
        return error_local(edit->arena, "more than %d policies", PRINCIPAL_POLICIES_MAX);
    TRY(check_document(edit, POLICY_OF_IDENTITY, given->name, given->text));
    principal->policies[at] = (struct named_policy){given->name, given->text, NULL};
    principal->policy_count += at == principal->policy_count;
    return NULL;
}

static struct error *set_tag(const struct edit *edit, struct principal *principal,
                             const struct json_value *given) {
    size_t at = 0;
    while (at < principal->tag_count && !slice_equal(principal->tags[at].name, given->name))
        at++;
    if (given->kind == JSON_NULL) {
        if (at == principal->tag_count)
            return error_local(edit->arena, "there is no tag '%.*s'", SLICE_ARGS(given->name));
        principal->tag_count--;
        memmove(&principal->tags[at], &principal->tags[at + 1],
                (principal->tag_count - at) * sizeof(*principal->tags));
        return NULL;
    }
    if (given->kind != JSON_STRING || given->name.len == 0 || given->name.len > TAG_NAME_MAX ||
        given->text.len > TAG_VALUE_MAX)
        return error_local(edit->arena, "a tag has a name of 1 to %d bytes and a value of up to %d",
                           TAG_NAME_MAX, TAG_VALUE_MAX);
    if (at == PRINCIPAL_TAGS_MAX)
        return error_local(edit->arena, "more than %d tags", PRINCIPAL_TAGS_MAX);
    principal->tags[at] = (struct caller_tag){given->name, given->text};
    principal->tag_count += at == principal->tag_count;
    return NULL;
}

/* A document that there is once. */
static struct error *set_document(const struct edit *edit, const char *member,
                                  enum policy_kind kind, struct named_policy *policy) {
    const struct json_value *given = json_find(edit->input, member);
    if (given == NULL)
        return NULL;
    policy->document = given->text;
    if (given->kind == JSON_NULL)
        return NULL;
    return check_document(edit, kind, slice_text(member), given->text);
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
    if (seconds < ROLE_SESSION_DEFAULT_S || seconds > ROLE_SESSION_MAX_S)
        return error_local(edit->arena, "a session may last %d to %d seconds at most",
                           ROLE_SESSION_DEFAULT_S, ROLE_SESSION_MAX_S);
    principal->session_max_s = seconds;
    return NULL;
}

/* Room for what may be added. */
static void make_room(const struct edit *edit, struct principal *principal) {
    struct named_policy *policies =
        ARENA_ARRAY(edit->arena, struct named_policy, PRINCIPAL_POLICIES_MAX + 1);
    struct caller_tag *tags = ARENA_ARRAY(edit->arena, struct caller_tag, PRINCIPAL_TAGS_MAX + 1);
    if (principal->policy_count > 0)
        memcpy(policies, principal->policies, principal->policy_count * sizeof(*policies));
    if (principal->tag_count > 0)
        memcpy(tags, principal->tags, principal->tag_count * sizeof(*tags));
    principal->policies = policies;
    principal->tags = tags;
}

static struct error *apply(const struct edit *edit, struct principal *principal) {
    make_room(edit, principal);
    for (const struct json_value *p = first_of(edit, "policies"); p != NULL; p = p->next)
        TRY(set_policy(edit, principal, p));
    for (const struct json_value *tag = first_of(edit, "tags"); tag != NULL; tag = tag->next)
        TRY(set_tag(edit, principal, tag));
    TRY(set_document(edit, "boundary", POLICY_OF_IDENTITY, &principal->boundary));
    if (principal->kind == PRINCIPAL_USER)
        return NULL;
    TRY(set_document(edit, "trust", POLICY_OF_TRUST, &principal->trust));
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
    struct principal principal = {
        .kind = edit->kind, .created_ms = edit->now_ms, .session_max_s = ROLE_SESSION_DEFAULT_S};
    TRY(edit_text(edit, "name", &principal.name));
    if (!name_is_valid(principal.name, 1, PRINCIPAL_NAME_MAX) || slice_is(principal.name, "root"))
        return error_local(edit->arena,
                           "'%.*s' is no name for a %s: it has 1 to %d letters, digits and "
                           "+=,.@_-, and is not root",
                           SLICE_ARGS(principal.name), word_of(edit->kind), PRINCIPAL_NAME_MAX);
    if (directory_find(edit->now, edit->kind, principal.name) != NULL)
        return error_local(edit->arena, "there is a %s '%.*s' already", word_of(edit->kind),
                           SLICE_ARGS(principal.name));
    principal.id = key_make_id(edit->arena, edit->options->random,
                               edit->kind == PRINCIPAL_USER ? "AIDA" : "AROA");
    TRY(apply(edit, &principal));
    edit_change(edit, principal_record(edit->arena, &principal));
    write_principal(edit, &principal, true);
    return NULL;
}

struct error *edit_update(struct edit *edit) {
    const struct principal *found;
    TRY(edit_find(edit, &found));
    struct principal principal = *found;
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
            edit_change(edit, (struct record){.kind = SLICE_LITERAL(STORED_KEY),
                                              .name = edit->now->keys[i].id});
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
