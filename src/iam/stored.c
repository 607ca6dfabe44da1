/* stored.c - see stored.h. Stored bytes are not believed: a member of another type, or none, is an
 * error that names the record. */
#include "iam/stored.h"

#include "base/base64.h"
#include "base/check.h"
#include "base/secret.h"
#include "json/member.h"
#include "json/tree.h"

enum { RECORD_BYTES_MAX = 1 << 20 };

/* ---- writing ---- */

static void write_policy(struct json_writer *json, const char *member,
                         const struct named_policy *policy) {
    if (slice_present(policy->document))
        member_text(json, member, policy->document);
}

static void write_principal(struct json_writer *json, const struct principal *principal) {
    json_object_begin(json);
    member_text(json, "id", principal->id);
    member_integer(json, "created", principal->created_ms);
    member_array(json, "policies");
    for (size_t i = 0; i < principal->policy_count; i++) {
        json_object_begin(json);
        member_text(json, "name", principal->policies[i].name);
        member_text(json, "document", principal->policies[i].document);
        json_object_end(json);
    }
    json_array_end(json);
    write_policy(json, "boundary", &principal->boundary);
    write_policy(json, "trust", &principal->trust);
    if (principal->kind == PRINCIPAL_ROLE)
        member_integer(json, "session_max_s", principal->session_max_s);
    if (slice_present(principal->description))
        member_text(json, "description", principal->description);
    member_object(json, "tags");
    for (size_t i = 0; i < principal->tag_count; i++) {
        json_name(json, principal->tags[i].name);
        json_string(json, principal->tags[i].value);
    }
    json_object_end(json);
    json_object_end(json);
}

/* What was written, in the arena. */
static struct slice take(struct arena *arena, struct buffer *out) {
    CHECK(!out->overflow);
    return arena_slice(arena, buffer_slice(out));
}

static struct slice kind_of(enum principal_kind kind) {
    return kind == PRINCIPAL_USER ? SLICE_LITERAL(STORED_USER) : SLICE_LITERAL(STORED_ROLE);
}

struct record principal_record(struct arena *arena, const struct principal *principal) {
    CLEANUP(buffer_release) struct buffer out;
    struct json_writer json;
    buffer_init(&out, RECORD_BYTES_MAX);
    json_writer_init(&json, &out);
    write_principal(&json, principal);
    return (struct record){
        .kind = kind_of(principal->kind), .name = principal->name, .value = take(arena, &out)};
}

struct record key_record(struct arena *arena, struct seal *seal, const struct access_key *key) {
    CLEANUP(buffer_release) struct buffer out;
    struct json_writer json;
    uint8_t *sealed = arena_alloc(arena, key->secret.len + SEAL_BYTES);
    seal_close(seal, key->id, key->secret, sealed);
    buffer_init(&out, RECORD_BYTES_MAX);
    json_writer_init(&json, &out);
    json_object_begin(&json);
    member_text(&json, "user", key->user);
    member_integer(&json, "created", key->created_ms);
    member_bool(&json, "active", key->active);
    json_name(&json, SLICE_LITERAL("secret"));
    json_base64(&json, slice_of(sealed, key->secret.len + SEAL_BYTES));
    json_object_end(&json);
    return (struct record){
        .kind = SLICE_LITERAL(STORED_KEY), .name = key->id, .value = take(arena, &out)};
}

struct record record_gone(struct record record) {
    record.value = SLICE_NONE;
    return record;
}

/* ---- reading ---- */

static struct error *damaged(struct arena *arena, const struct record *record) {
    return error_local(arena, "the record of the %.*s '%.*s' is damaged", SLICE_ARGS(record->kind),
                       SLICE_ARGS(record->name));
}

static bool read_integer(const struct json_value *object, const char *name, int64_t *ret_n) {
    const struct json_value *value = json_find(object, name);
    if (value == NULL || value->kind != JSON_INTEGER || value->text.len > 18)
        return false;
    int64_t n = 0;
    for (size_t i = 0; i < value->text.len; i++) {
        uint8_t c = value->text.data[i];
        if (c < '0' || c > '9')
            return false;
        n = n * 10 + (c - '0');
    }
    *ret_n = n;
    return true;
}

static size_t count_of(const struct json_value *first) {
    size_t count = 0;
    for (; first != NULL; first = first->next)
        count++;
    return count;
}

static bool read_policies(struct arena *arena, const struct json_value *object,
                          struct principal *principal) {
    const struct json_value *item = json_find_items(object, "policies");
    principal->policies = ARENA_ARRAY(arena, struct named_policy, count_of(item) + 1);
    for (; item != NULL; item = item->next) {
        struct named_policy *policy = &principal->policies[principal->policy_count++];
        policy->name = json_find_text(item, "name");
        policy->document = json_find_text(item, "document");
        if (policy->name.len == 0 || !slice_present(policy->document))
            return false;
    }
    return true;
}

static bool read_tags(struct arena *arena, const struct json_value *object,
                      struct principal *principal) {
    const struct json_value *tags = json_find(object, "tags");
    if (tags == NULL || tags->kind != JSON_OBJECT_BEGIN)
        return false;
    principal->tags = ARENA_ARRAY(arena, struct caller_tag, count_of(tags->first) + 1);
    for (const struct json_value *tag = tags->first; tag != NULL; tag = tag->next) {
        if (tag->kind != JSON_STRING)
            return false;
        principal->tags[principal->tag_count++] = (struct caller_tag){tag->name, tag->text};
    }
    return true;
}

static bool read_principal(struct arena *arena, const struct json_value *object,
                           struct principal *principal) {
    principal->id = json_find_text(object, "id");
    principal->boundary = (struct named_policy){.document = json_find_text(object, "boundary")};
    principal->trust = (struct named_policy){.document = json_find_text(object, "trust")};
    principal->description = json_find_text(object, "description");
    bool role = principal->kind == PRINCIPAL_ROLE;
    return principal->id.len > 0 && slice_present(principal->trust.document) == role &&
           read_integer(object, "created", &principal->created_ms) &&
           (!role || read_integer(object, "session_max_s", &principal->session_max_s)) &&
           read_policies(arena, object, principal) && read_tags(arena, object, principal);
}

struct error *principal_of_record(struct arena *arena, enum principal_kind kind,
                                  const struct record *record, struct principal *ret_principal) {
    struct principal principal = {.kind = kind, .name = record->name};
    const struct json_value *object = json_tree_read(arena, record->value, NULL);
    if (object == NULL || !read_principal(arena, object, &principal))
        return damaged(arena, record);
    *ret_principal = principal;
    return NULL;
}

static struct slice open_secret(struct arena *arena, struct seal *seal, struct slice id,
                                struct slice text) {
    size_t len;
    uint8_t *sealed = arena_alloc(arena, base64_decoded_max(text.len) + 1);
    if (base64_decode(text, sealed, &len) != BASE64_OK || len < SEAL_BYTES)
        return SLICE_NONE;
    uint8_t *secret = arena_alloc(arena, len);
    if (!seal_open(seal, id, slice_of(sealed, len), secret))
        return SLICE_NONE;
    return slice_of(secret, len - SEAL_BYTES);
}

struct error *key_of_record(struct arena *arena, struct seal *seal, const struct record *record,
                            struct access_key *ret_key) {
    const struct json_value *object = json_tree_read(arena, record->value, NULL);
    const struct json_value *active = json_find(object, "active");
    struct access_key key = {.id = record->name, .user = json_find_text(object, "user")};
    struct slice secret = json_find_text(object, "secret");
    if (!slice_present(key.user) || !slice_present(secret) || active == NULL ||
        !read_integer(object, "created", &key.created_ms))
        return damaged(arena, record);
    key.active = active->kind == JSON_TRUE;
    key.secret = open_secret(arena, seal, key.id, secret);
    *ret_key = key;
    return NULL;
}
