/* change.c - see change.h. */
#include "iam/change.h"

#include "iam/names.h"

enum { TAG_NAME_MAX = 128, TAG_VALUE_MAX = 256 };

struct principal principal_new(struct arena *arena, const struct iam_options *options,
                               enum principal_kind kind, struct slice name, int64_t now_ms) {
    const char *prefix = kind == PRINCIPAL_USER ? "AIDA" : "AROA";
    const struct principal empty = {
        .kind = kind,
        .name = name,
        .id = key_make_id(arena, options->random, prefix),
        .created_ms = now_ms,
        .session_max_s = ROLE_SESSION_DEFAULT_S,
    };
    return principal_copy(arena, &empty);
}

struct principal principal_copy(struct arena *arena, const struct principal *principal) {
    struct principal copy = *principal;
    copy.policies = ARENA_ARRAY(arena, struct named_policy, PRINCIPAL_POLICIES_MAX + 1);
    copy.tags = ARENA_ARRAY(arena, struct caller_tag, PRINCIPAL_TAGS_MAX + 1);
    if (copy.policy_count > 0)
        memcpy(copy.policies, principal->policies, copy.policy_count * sizeof(*copy.policies));
    if (copy.tag_count > 0)
        memcpy(copy.tags, principal->tags, copy.tag_count * sizeof(*copy.tags));
    return copy;
}

/* ---- policies ---- */

static struct error *check_document(struct arena *arena, enum policy_kind kind, struct slice name,
                                    struct slice document) {
    const struct policy *ignored;
    if (document.len > POLICY_DOCUMENT_MAX)
        return error_new(arena, ERROR_IAM_LIMIT_EXCEEDED, "policy %.*s is longer than %d bytes",
                         SLICE_ARGS(name), POLICY_DOCUMENT_MAX);
    struct slice title = arena_printf(arena, "policy %.*s", SLICE_ARGS(name));
    struct policy_document given = {kind, (const char *)title.data, document};
    struct error *error = policy_parse(arena, &given, &ignored);
    if (error != NULL)
        error->code = ERROR_IAM_MALFORMED_POLICY;
    return error;
}

static size_t find_policy(const struct principal *principal, struct slice name) {
    size_t at = 0;
    while (at < principal->policy_count && !slice_equal(principal->policies[at].name, name))
        at++;
    return at;
}

struct error *principal_put_policy(struct arena *arena, struct principal *principal,
                                   struct slice name, struct slice document) {
    size_t at = find_policy(principal, name);
    if (!name_is_valid(name, 1, POLICY_NAME_MAX))
        return error_new(arena, ERROR_VALIDATION, "'%.*s' is no name for a policy",
                         SLICE_ARGS(name));
    if (at == PRINCIPAL_POLICIES_MAX)
        return error_new(arena, ERROR_IAM_LIMIT_EXCEEDED, "more than %d policies",
                         PRINCIPAL_POLICIES_MAX);
    TRY(check_document(arena, POLICY_OF_IDENTITY, name, document));
    principal->policies[at] = (struct named_policy){name, document, NULL};
    principal->policy_count += at == principal->policy_count;
    return NULL;
}

bool principal_remove_policy(struct principal *principal, struct slice name) {
    size_t at = find_policy(principal, name);
    if (at == principal->policy_count)
        return false;
    principal->policy_count--;
    memmove(&principal->policies[at], &principal->policies[at + 1],
            (principal->policy_count - at) * sizeof(*principal->policies));
    return true;
}

struct error *principal_set_trust(struct arena *arena, struct principal *role,
                                  struct slice document) {
    TRY(check_document(arena, POLICY_OF_TRUST, SLICE_LITERAL("trust"), document));
    role->trust.document = document;
    return NULL;
}

struct error *principal_set_boundary(struct arena *arena, struct principal *principal,
                                     struct slice document) {
    if (slice_present(document))
        TRY(check_document(arena, POLICY_OF_IDENTITY, SLICE_LITERAL("boundary"), document));
    principal->boundary.document = document;
    return NULL;
}

/* ---- tags ---- */

static size_t find_tag(const struct principal *principal, struct slice name) {
    size_t at = 0;
    while (at < principal->tag_count && !slice_equal(principal->tags[at].name, name))
        at++;
    return at;
}

struct error *principal_put_tag(struct arena *arena, struct principal *principal,
                                struct caller_tag tag) {
    size_t at = find_tag(principal, tag.name);
    if (tag.name.len == 0 || tag.name.len > TAG_NAME_MAX || tag.value.len > TAG_VALUE_MAX)
        return error_new(arena, ERROR_VALIDATION,
                         "a tag has a name of 1 to %d bytes and a value of up to %d", TAG_NAME_MAX,
                         TAG_VALUE_MAX);
    if (at == PRINCIPAL_TAGS_MAX)
        return error_new(arena, ERROR_IAM_LIMIT_EXCEEDED, "more than %d tags", PRINCIPAL_TAGS_MAX);
    principal->tags[at] = tag;
    principal->tag_count += at == principal->tag_count;
    return NULL;
}

bool principal_remove_tag(struct principal *principal, struct slice name) {
    size_t at = find_tag(principal, name);
    if (at == principal->tag_count)
        return false;
    principal->tag_count--;
    memmove(&principal->tags[at], &principal->tags[at + 1],
            (principal->tag_count - at) * sizeof(*principal->tags));
    return true;
}

/* ---- the rest ---- */

struct error *principal_set_session_max(struct arena *arena, struct principal *role,
                                        int64_t seconds) {
    if (seconds < ROLE_SESSION_DEFAULT_S || seconds > ROLE_SESSION_MAX_S)
        return error_new(arena, ERROR_VALIDATION, "a session may last %d to %d seconds at most",
                         ROLE_SESSION_DEFAULT_S, ROLE_SESSION_MAX_S);
    role->session_max_s = seconds;
    return NULL;
}

struct access_key key_new(struct arena *arena, const struct iam_options *options, struct slice user,
                          int64_t now_ms) {
    return (struct access_key){
        .user = user,
        .id = key_make_id(arena, options->random, "AKIA"),
        .secret = key_make_secret(arena, options->random),
        .created_ms = now_ms,
        .active = true,
    };
}

struct record key_gone(struct slice id) {
    return (struct record){.kind = SLICE_LITERAL(STORED_KEY), .name = id};
}
