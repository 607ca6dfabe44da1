/* resource_document.c - a policy's checks, in this order: its size, its JSON, its elements, Sids,
 * actions, resources, principals, all that evaluation needs, and whether it is for everybody.
 *
 * Elements that the service would not know either are syntax errors, with their place. What only
 * gramme does not know, a condition key say, has gramme's words. */
#include "ops/policy/resource_document.h"

#include "base/buffer.h"
#include "json/tree.h"
#include "model/limits.h"
#include "ops/permission/actions.h"
#include "ops/request/arn.h"
#include "ops/request/name_set.h"

enum { INVALID_ACTIONS_BYTES = 4 * LIMIT_POLICY_BYTES };

struct reading {
    struct arena *arena;
    struct slice text;
    bool stream;
    struct document_parts parts;
};

/* ---- errors ---- */

#define INVALID PVI "Invalid policy document: "

static struct error *syntax_error(const struct reading *reading, size_t at) {
    size_t row = 1, line_at = 0;
    for (size_t i = 0; i < at && i < reading->text.len; i++) {
        if (reading->text.data[i] != '\n')
            continue;
        row++;
        line_at = i + 1;
    }
    return error_validation(reading->arena, INVALID "Syntax error at position (%zu,%zu)", row,
                            at - line_at + 1);
}

static struct error *missing(const struct reading *reading, const char *name) {
    return error_validation(reading->arena, INVALID "Missing required field %s", name);
}

/* ---- elements ---- */

const struct json_value *document_first(const struct json_value *value) {
    return value->kind == JSON_ARRAY_BEGIN ? value->first : value;
}

const struct json_value *document_next(const struct json_value *value,
                                       const struct json_value *at) {
    return value->kind == JSON_ARRAY_BEGIN ? at->next : NULL;
}

static struct error *check_strings(const struct reading *reading, const struct json_value *value) {
    const struct json_value *at = document_first(value);
    if (at == NULL)
        return syntax_error(reading, value->at);
    for (; at != NULL; at = document_next(value, at))
        if (at->kind != JSON_STRING)
            return syntax_error(reading, at->at);
    return NULL;
}

/* "*", or lists by the kind of principal. */
static struct error *check_principal(const struct reading *reading,
                                     const struct json_value *value) {
    if (value->kind == JSON_STRING && slice_is(value->text, "*"))
        return NULL;
    if (value->kind != JSON_OBJECT_BEGIN || value->first == NULL)
        return syntax_error(reading, value->at);
    for (const struct json_value *kind = value->first; kind != NULL; kind = kind->next) {
        if (!slice_is(kind->name, "AWS") && !slice_is(kind->name, "Service") &&
            !slice_is(kind->name, "Federated") && !slice_is(kind->name, "CanonicalUser"))
            return syntax_error(reading, kind->name_at);
        TRY(check_strings(reading, kind));
    }
    return NULL;
}

static struct error *check_effect(const struct reading *reading, const struct json_value *value) {
    bool known = value->kind == JSON_STRING &&
                 (slice_equal_ignoring_case(value->text, SLICE_LITERAL("Allow")) ||
                  slice_equal_ignoring_case(value->text, SLICE_LITERAL("Deny")));
    return known ? NULL : syntax_error(reading, value->at);
}

static struct error *check_text(const struct reading *reading, const struct json_value *value) {
    return value->kind == JSON_STRING ? NULL : syntax_error(reading, value->at);
}

/* {operator: {key: value or values}} */
static struct error *check_condition(const struct reading *reading,
                                     const struct json_value *value) {
    if (value->kind != JSON_OBJECT_BEGIN)
        return syntax_error(reading, value->at);
    for (const struct json_value *at = value->first; at != NULL; at = at->next) {
        if (at->kind != JSON_OBJECT_BEGIN)
            return syntax_error(reading, at->at);
        for (const struct json_value *key = at->first; key != NULL; key = key->next)
            for (const struct json_value *one = document_first(key); one != NULL;
                 one = document_next(key, one))
                if (one->kind == JSON_OBJECT_BEGIN || one->kind == JSON_ARRAY_BEGIN ||
                    one->kind == JSON_NULL)
                    return syntax_error(reading, one->at);
    }
    return NULL;
}

static const struct {
    const char *name;
    enum document_group group;
    struct error *(*check)(const struct reading *reading, const struct json_value *value);
} elements[] = {
    {"Sid", DOCUMENT_SID, check_text},
    {"Effect", DOCUMENT_EFFECT, check_effect},
    {"Principal", DOCUMENT_PRINCIPAL, check_principal},
    {"NotPrincipal", DOCUMENT_PRINCIPAL, check_principal},
    {"Action", DOCUMENT_ACTION, check_strings},
    {"NotAction", DOCUMENT_ACTION, check_strings},
    {"Resource", DOCUMENT_RESOURCE, check_strings},
    {"NotResource", DOCUMENT_RESOURCE, check_strings},
    {"Condition", DOCUMENT_CONDITION, check_condition},
};

static struct error *take_element(const struct reading *reading,
                                  struct document_statement *statement,
                                  const struct json_value *element) {
    for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
        if (!slice_is(element->name, elements[i].name))
            continue;
        const struct json_value **place = &statement->elements[elements[i].group];
        if (*place != NULL)
            return syntax_error(reading, element->name_at);
        *place = element;
        return elements[i].check(reading, element);
    }
    return syntax_error(reading, element->name_at);
}

static struct error *take_statement(const struct reading *reading, const struct json_value *value,
                                    struct document_statement *statement) {
    static const char *const required[DOCUMENT_GROUPS] = {
        [DOCUMENT_EFFECT] = "Effect",
        [DOCUMENT_PRINCIPAL] = "Principal",
        [DOCUMENT_ACTION] = "Action",
        [DOCUMENT_RESOURCE] = "Resource",
    };
    if (value->kind != JSON_OBJECT_BEGIN)
        return syntax_error(reading, value->at);
    for (const struct json_value *at = value->first; at != NULL; at = at->next)
        TRY(take_element(reading, statement, at));
    for (size_t i = 0; i < DOCUMENT_GROUPS; i++)
        if (required[i] != NULL && statement->elements[i] == NULL)
            return missing(reading, required[i]);
    return NULL;
}

static struct error *take_statements(struct reading *reading, const struct json_value *value) {
    struct document_parts *parts = &reading->parts;
    const struct json_value *at = document_first(value);
    size_t count = 0;
    if (at == NULL)
        return error_validation(reading->arena,
                                INVALID "Could not parse the policy: Statement is empty!");
    for (; at != NULL; at = document_next(value, at))
        count++;
    parts->statements = ARENA_ARRAY(reading->arena, struct document_statement, count);
    for (at = document_first(value); at != NULL; at = document_next(value, at)) {
        parts->statements[parts->count] = (struct document_statement){0};
        TRY(take_statement(reading, at, &parts->statements[parts->count++]));
    }
    return NULL;
}

static struct error *take_version(struct reading *reading, const struct json_value *value) {
    if (value->kind != JSON_STRING ||
        (!slice_is(value->text, "2012-10-17") && !slice_is(value->text, "2008-10-17")))
        return syntax_error(reading, value->at);
    reading->parts.version = value->text;
    return NULL;
}

static struct error *take_document(struct reading *reading, const struct json_value *root) {
    if (root->kind != JSON_OBJECT_BEGIN)
        return syntax_error(reading, root->at);
    for (const struct json_value *at = root->first; at != NULL; at = at->next) {
        struct document_parts *parts = &reading->parts;
        if (slice_is(at->name, "Version") && !slice_present(parts->version)) {
            TRY(take_version(reading, at));
        } else if (slice_is(at->name, "Id") && !slice_present(parts->id)) {
            TRY(check_text(reading, at));
            parts->id = at->text;
        } else if (slice_is(at->name, "Statement") && parts->count == 0) {
            TRY(take_statements(reading, at));
        } else {
            return syntax_error(reading, at->name_at);
        }
    }
    return reading->parts.count == 0 ? missing(reading, "Statement") : NULL;
}

/* ---- what they say ---- */

static struct error *check_sids(const struct reading *reading) {
    const struct document_parts *parts = &reading->parts;
    struct name_set sids = name_set_new(reading->arena, parts->count);
    for (size_t i = 0; i < parts->count; i++)
        if (parts->statements[i].elements[DOCUMENT_SID] != NULL)
            sids.names[sids.count++] = parts->statements[i].elements[DOCUMENT_SID]->text;
    name_set_sort(&sids);
    return slice_present(name_set_duplicate(&sids))
               ? error_validation(reading->arena,
                                  INVALID "The Statement Ids in the policy are not unique")
               : NULL;
}

static struct error *check_actions(const struct reading *reading) {
    unsigned on = reading->stream ? ACTION_ON_STREAM : ACTION_ON_TABLE | ACTION_ON_INDEX;
    CLEANUP(buffer_release) struct buffer wrong;
    buffer_init(&wrong, INVALID_ACTIONS_BYTES);
    for (size_t i = 0; i < reading->parts.count; i++) {
        const struct json_value *list = reading->parts.statements[i].elements[DOCUMENT_ACTION];
        for (const struct json_value *at = document_first(list); at != NULL;
             at = document_next(list, at))
            if (!action_pattern_fits(reading->arena, at->text, on))
                buffer_printf(&wrong, "%s\"%.*s\"", wrong.len > 0 ? ", " : "",
                              SLICE_ARGS(at->text));
    }
    if (wrong.len == 0)
        return NULL;
    return error_validation(reading->arena, INVALID "The following action names are invalid: %.*s",
                            SLICE_ARGS(buffer_slice(&wrong)));
}

/* Any table will do, also one that is not there. */
static bool resource_fits(const struct reading *reading, const struct arn *arn) {
    if (!slice_is(arn->service, "dynamodb"))
        return false;
    if (reading->stream)
        return arn->kind == ARN_STREAM ||
               memchr(arn->resource.data, '*', arn->resource.len) != NULL;
    return arn->kind == ARN_TABLE || arn->kind == ARN_INDEX || slice_is(arn->resource, "*");
}

static struct error *check_resources(const struct reading *reading) {
    for (size_t i = 0; i < reading->parts.count; i++) {
        const struct json_value *list = reading->parts.statements[i].elements[DOCUMENT_RESOURCE];
        for (const struct json_value *at = document_first(list); at != NULL;
             at = document_next(list, at)) {
            struct arn arn;
            if (slice_is(at->text, "*"))
                continue;
            if (!arn_parse(at->text, &arn))
                return syntax_error(reading, at->at);
            if (!resource_fits(reading, &arn))
                return error_validation(
                    reading->arena, INVALID "The relative-id \"%.*s\" is invalid for ARN \"%.*s\"",
                    SLICE_ARGS(arn.resource), SLICE_ARGS(at->text));
        }
    }
    return NULL;
}

static struct error *check_principals(const struct reading *reading) {
    for (size_t i = 0; i < reading->parts.count; i++) {
        const struct json_value *of_kinds =
            reading->parts.statements[i].elements[DOCUMENT_PRINCIPAL];
        const struct json_value *list = json_find(of_kinds, "AWS");
        for (const struct json_value *at = list == NULL ? NULL : document_first(list); at != NULL;
             at = document_next(list, at))
            if (!policy_is_principal(at->text))
                return error_validation(reading->arena,
                                        PVI "Invalid principal in policy document.");
    }
    return NULL;
}

/* ---- the whole ---- */

static struct error *read_parts(struct reading *reading) {
    if (reading->text.len > LIMIT_POLICY_BYTES)
        return error_validation(reading->arena, PVI "Maximum policy size of %d bytes exceeded",
                                LIMIT_POLICY_BYTES);
    const struct json_value *root = json_tree_read(reading->arena, reading->text, NULL);
    if (root == NULL)
        return error_validation(reading->arena, INVALID "This policy contains invalid Json");
    TRY(take_document(reading, root));
    TRY(check_sids(reading));
    TRY(check_actions(reading));
    TRY(check_resources(reading));
    return check_principals(reading);
}

struct error *resource_document_read(struct arena *arena, struct slice text, bool stream,
                                     struct resource_document *ret_document) {
    struct reading reading = {.arena = arena, .text = text, .stream = stream};
    TRY(read_parts(&reading));
    struct resource_document document = {.form = document_form(arena, &reading.parts),
                                         .unversioned = !slice_present(reading.parts.version)};
    const struct policy_document given = {POLICY_OF_RESOURCE, "", document.form};
    struct error *error = policy_parse(arena, &given, &document.policy);
    if (error != NULL) /* its name is empty: ": statement 1 ..." */
        return error_validation(arena, PVI "Invalid policy document%.*s",
                                SLICE_ARGS(error->message));
    if (policy_is_unbounded(document.policy))
        return error_validation(arena, "Resource-based policy grants unbounded access in one or "
                                       "more elements. Please revise the policy to ensure "
                                       "least-privilege form of access");
    *ret_document = document;
    return NULL;
}
