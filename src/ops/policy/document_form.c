/* document_form.c - the canonical form of a policy: what the service gives back.
 *
 * Without white space; elements in one order; a list of one as its element; an account as its root
 * and nobody twice; a single statement in a list; the version that holds. */
#include "base/buffer.h"
#include "base/check.h"
#include "json/member.h"
#include "json/tree.h"
#include "model/limits.h"
#include "ops/policy/resource_document.h"

enum { FORM_BYTES_MAX = 16 * LIMIT_POLICY_BYTES, ACCOUNT_CHARS = 12 };

static void write_scalar(struct json_writer *json, const struct json_value *value) {
    if (value->kind == JSON_STRING) {
        json_string(json, value->text);
    } else if (value->kind == JSON_TRUE || value->kind == JSON_FALSE) {
        json_bool(json, value->kind == JSON_TRUE);
    } else { /* a number, as it was written */
        if (json->comma)
            buffer_append_byte(json->out, ',');
        buffer_append_slice(json->out, value->text);
        json->comma = true;
    }
}

static void write_list(struct json_writer *json, const struct json_value *value) {
    const struct json_value *at = document_first(value);
    bool one = at != NULL && document_next(value, at) == NULL;
    if (!one)
        json_array_begin(json);
    for (; at != NULL; at = document_next(value, at))
        write_scalar(json, at);
    if (!one)
        json_array_end(json);
}

/* ---- principals ---- */

static struct slice principal_form(struct arena *arena, struct slice text) {
    bool account = text.len == ACCOUNT_CHARS && text.data[0] >= '0' && text.data[0] <= '9';
    return account ? arena_printf(arena, "arn:aws:iam::%.*s:root", SLICE_ARGS(text)) : text;
}

static bool is_among(const struct slice *list, size_t count, struct slice text) {
    for (size_t i = 0; i < count; i++)
        if (slice_equal(list[i], text))
            return true;
    return false;
}

static void write_accounts(struct arena *arena, struct json_writer *json,
                           const struct json_value *value) {
    size_t count = 0, room = 0;
    for (const struct json_value *at = document_first(value); at != NULL;
         at = document_next(value, at))
        room++;
    struct slice *list = ARENA_ARRAY(arena, struct slice, room);
    for (const struct json_value *at = document_first(value); at != NULL;
         at = document_next(value, at)) {
        struct slice form = principal_form(arena, at->text);
        if (!is_among(list, count, form))
            list[count++] = form;
    }
    if (count > 1)
        json_array_begin(json);
    for (size_t i = 0; i < count; i++)
        json_string(json, list[i]);
    if (count > 1)
        json_array_end(json);
}

static void write_principal(struct arena *arena, struct json_writer *json,
                            const struct json_value *value) {
    if (value->kind == JSON_STRING) {
        json_string(json, value->text);
        return;
    }
    json_object_begin(json);
    for (const struct json_value *kind = value->first; kind != NULL; kind = kind->next) {
        json_name(json, kind->name);
        if (slice_is(kind->name, "AWS"))
            write_accounts(arena, json, kind);
        else
            write_list(json, kind);
    }
    json_object_end(json);
}

/* ---- the rest ---- */

static void write_condition(struct json_writer *json, const struct json_value *value) {
    json_object_begin(json);
    for (const struct json_value *at = value->first; at != NULL; at = at->next) {
        json_name(json, at->name);
        json_object_begin(json);
        for (const struct json_value *key = at->first; key != NULL; key = key->next) {
            json_name(json, key->name);
            write_list(json, key);
        }
        json_object_end(json);
    }
    json_object_end(json);
}

static void write_statement(struct arena *arena, struct json_writer *json,
                            const struct document_statement *statement) {
    json_object_begin(json);
    for (size_t i = 0; i < DOCUMENT_GROUPS; i++) {
        const struct json_value *element = statement->elements[i];
        if (element == NULL)
            continue;
        json_name(json, element->name);
        if (i == DOCUMENT_EFFECT)
            json_string(json, slice_equal_ignoring_case(element->text, SLICE_LITERAL("Allow"))
                                  ? SLICE_LITERAL("Allow")
                                  : SLICE_LITERAL("Deny"));
        else if (i == DOCUMENT_PRINCIPAL)
            write_principal(arena, json, element);
        else if (i == DOCUMENT_CONDITION)
            write_condition(json, element);
        else
            write_list(json, element);
    }
    json_object_end(json);
}

struct slice document_form(struct arena *arena, const struct document_parts *parts) {
    CLEANUP(buffer_release) struct buffer text;
    struct json_writer json;
    buffer_init(&text, FORM_BYTES_MAX);
    json_writer_init(&json, &text);
    json_object_begin(&json);
    member_text(&json, "Version",
                slice_present(parts->version) ? parts->version : SLICE_LITERAL("2008-10-17"));
    if (slice_present(parts->id))
        member_text(&json, "Id", parts->id);
    member_array(&json, "Statement");
    for (size_t i = 0; i < parts->count; i++)
        write_statement(arena, &json, &parts->statements[i]);
    json_array_end(&json);
    json_object_end(&json);
    CHECK(!text.overflow);
    return arena_slice(arena, buffer_slice(&text));
}
