/* load.c - reading a policy document: its elements and its statements.
 *
 * Fails closed: what is not known here is an error, with the statement and the element it stands
 * in. Memory: the policy's arena; the document is copied there, and texts point into it. */
#include "policy/loader.h"

#include <errno.h>
#include <stdio.h>

#include "base/buffer.h"
#include "base/check.h"

/* ---- errors ---- */

struct error *policy_fault(const struct policy_loader *loader, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(loader->arena, format, args);
    va_end(args);
    struct slice place = SLICE_LITERAL("");
    if (loader->statement > 0 && slice_present(loader->sid))
        place = arena_printf(loader->arena, " statement %zu (%.*s)", loader->statement,
                             SLICE_ARGS(loader->sid));
    else if (loader->statement > 0)
        place = arena_printf(loader->arena, " statement %zu", loader->statement);
    if (slice_present(loader->element))
        place = arena_printf(loader->arena, "%.*s%s %.*s", SLICE_ARGS(place),
                             loader->statement > 0 ? "," : "", SLICE_ARGS(loader->element));
    return error_local(loader->arena, "%s:%.*s%s %.*s", loader->document->name, SLICE_ARGS(place),
                       place.len > 0 ? ":" : "", SLICE_ARGS(text));
}

struct error *policy_shape_fault(const struct policy_loader *loader, const char *wanted) {
    if (loader->json.token != JSON_ERROR)
        return policy_fault(loader, "%s", wanted);
    size_t line = 1;
    for (const uint8_t *at = loader->json.start; at < loader->json.next; at++)
        line += *at == '\n';
    return error_local(loader->arena, "%s: line %zu is not valid JSON", loader->document->name,
                       line);
}

void *policy_room(struct arena *arena, void *list, size_t count, size_t size) {
    if ((count & (count - 1)) != 0) /* the array's capacity is the next power of two */
        return list;
    void *more = arena_zalloc(arena, size * (count == 0 ? 1 : 2 * count));
    if (count > 0)
        memcpy(more, list, size * count);
    return more;
}

/* ---- texts ---- */

struct pattern_syntax policy_syntax(const struct policy_loader *loader, bool wildcards) {
    return (struct pattern_syntax){
        .wildcards = wildcards,
        .variables = loader->variables,
    };
}

static struct error *variable_fault(const struct policy_loader *loader, struct slice at) {
    const uint8_t *end = memchr(at.data, '}', at.len);
    size_t len = end == NULL ? at.len : (size_t)(end - at.data) + 1;
    return policy_fault(loader, "the variable %.*s is not known here", (int)len,
                        (const char *)at.data);
}

static void note_keys(struct policy_loader *loader, const struct pattern *pattern) {
    for (size_t i = 0; i < pattern->count; i++)
        if (pattern->parts[i].kind == PATTERN_VALUE)
            loader->keys_used |= policy_key_bit(pattern->parts[i].use.key);
}

struct error *policy_read_pattern(struct policy_loader *loader, const struct pattern_syntax *syntax,
                                  struct slice text, struct pattern *ret_pattern) {
    struct slice variable;
    if (!pattern_parse(loader->arena, syntax, text, ret_pattern, &variable))
        return variable_fault(loader, variable);
    note_keys(loader, ret_pattern);
    return NULL;
}

struct error *policy_read_arn(struct policy_loader *loader, struct slice text,
                              struct arn_pattern *ret_arn) {
    struct slice variable = SLICE_NONE;
    const struct pattern_syntax syntax = policy_syntax(loader, true);
    enum arn_fault fault = arn_pattern_parse(loader->arena, &syntax, text, ret_arn, &variable);
    if (fault == ARN_NOT_AN_ARN)
        return policy_fault(loader,
                            "\"%.*s\" is no ARN: arn:partition:service:region:account:resource, or "
                            "* for everything",
                            SLICE_ARGS(text));
    if (fault == ARN_VARIABLE)
        return variable_fault(loader, variable);
    for (size_t i = 0; i < ARN_PARTS; i++)
        note_keys(loader, &ret_arn->parts[i]);
    return NULL;
}

/* ---- elements of a statement ---- */

struct error *policy_read_strings(struct policy_loader *loader, policy_take *take,
                                  struct policy_statement *statement) {
    static const char wanted[] = "must be a string or a list of strings";
    if (json_next(&loader->json) == JSON_STRING)
        return take(loader, statement, loader->json.text);
    if (loader->json.token != JSON_ARRAY_BEGIN)
        return policy_shape_fault(loader, wanted);
    size_t count = 0;
    for (; json_next(&loader->json) == JSON_STRING; count++)
        TRY(take(loader, statement, loader->json.text));
    if (loader->json.token != JSON_ARRAY_END || count == 0)
        return policy_shape_fault(loader, wanted);
    return NULL;
}

static struct error *take_action(struct policy_loader *loader, struct policy_statement *statement,
                                 struct slice text) {
    /* Actions have no variables: a $ stands for itself. */
    const struct pattern_syntax syntax = {.wildcards = true, .any_case = true};
    struct statement_actions *actions = &statement->actions;
    const uint8_t *colon = text.len == 0 ? NULL : memchr(text.data, ':', text.len);
    bool named = colon != NULL && colon > text.data && colon < text.data + text.len - 1;
    if (!named && !slice_is(text, "*"))
        return policy_fault(loader, "\"%.*s\" is no action: service:Action, or * for all",
                            SLICE_ARGS(text));
    return policy_read_pattern(loader, &syntax, text,
                               POLICY_ADD(loader->arena, actions->list, actions->count));
}

static struct error *take_resource(struct policy_loader *loader, struct policy_statement *statement,
                                   struct slice text) {
    struct statement_resources *resources = &statement->resources;
    return policy_read_arn(loader, text,
                           POLICY_ADD(loader->arena, resources->list, resources->count));
}

static struct error *read_text(struct policy_loader *loader, struct slice *ret_text) {
    if (json_next(&loader->json) != JSON_STRING)
        return policy_shape_fault(loader, "must be a string");
    *ret_text = loader->json.text;
    return NULL;
}

static struct error *read_effect(struct policy_loader *loader, struct policy_statement *statement) {
    struct slice text = SLICE_NONE;
    TRY(read_text(loader, &text));
    if (!slice_is(text, "Allow") && !slice_is(text, "Deny"))
        return policy_fault(loader, "must be Allow or Deny, not \"%.*s\"", SLICE_ARGS(text));
    statement->denies = slice_is(text, "Deny");
    return NULL;
}

static struct error *read_sid(struct policy_loader *loader, struct policy_statement *statement) {
    (void)statement;
    return read_text(loader, &loader->sid);
}

static struct error *read_actions(struct policy_loader *loader,
                                  struct policy_statement *statement) {
    statement->actions.inverted = slice_is(loader->element, "NotAction");
    return policy_read_strings(loader, take_action, statement);
}

static struct error *read_resources(struct policy_loader *loader,
                                    struct policy_statement *statement) {
    statement->resources.inverted = slice_is(loader->element, "NotResource");
    return policy_read_strings(loader, take_resource, statement);
}

/* Of two elements of one group, a statement has only one. */
enum element_group {
    GROUP_SID,
    GROUP_EFFECT,
    GROUP_PRINCIPAL,
    GROUP_ACTION,
    GROUP_RESOURCE,
    GROUP_CONDITION
};

static const struct {
    const char *name;
    enum element_group group;
    struct error *(*read)(struct policy_loader *loader, struct policy_statement *statement);
} elements[] = {
    {"Sid", GROUP_SID, read_sid},
    {"Effect", GROUP_EFFECT, read_effect},
    {"Principal", GROUP_PRINCIPAL, policy_read_principals},
    {"NotPrincipal", GROUP_PRINCIPAL, policy_read_principals},
    {"Action", GROUP_ACTION, read_actions},
    {"NotAction", GROUP_ACTION, read_actions},
    {"Resource", GROUP_RESOURCE, read_resources},
    {"NotResource", GROUP_RESOURCE, read_resources},
    {"Condition", GROUP_CONDITION, policy_read_conditions},
};

static struct error *check_place(const struct policy_loader *loader, enum element_group group) {
    enum policy_kind kind = loader->document->kind;
    if (group == GROUP_PRINCIPAL && kind == POLICY_OF_IDENTITY)
        return policy_fault(loader, "has no place in the policy of an identity");
    if (group == GROUP_RESOURCE && kind == POLICY_OF_TRUST)
        return policy_fault(loader, "has no place in the trust policy of a role");
    return NULL;
}

static struct error *read_element(struct policy_loader *loader, struct policy_statement *statement,
                                  unsigned *seen) {
    for (size_t i = 0; i < sizeof(elements) / sizeof(*elements); i++) {
        if (!slice_is(loader->element, elements[i].name))
            continue;
        if (*seen & 1U << elements[i].group)
            return policy_fault(loader, "stands here twice, or beside its opposite");
        *seen |= 1U << elements[i].group;
        TRY(check_place(loader, elements[i].group));
        return elements[i].read(loader, statement);
    }
    return policy_fault(loader, "is not an element of a statement");
}

static struct error *check_complete(struct policy_loader *loader, unsigned seen) {
    enum policy_kind kind = loader->document->kind;
    loader->element = SLICE_NONE;
    if (!(seen & 1U << GROUP_EFFECT))
        return policy_fault(loader, "Effect is missing");
    if (!(seen & 1U << GROUP_PRINCIPAL) && kind != POLICY_OF_IDENTITY)
        return policy_fault(loader, "Principal is missing, or NotPrincipal");
    if (!(seen & 1U << GROUP_ACTION))
        return policy_fault(loader, "Action is missing, or NotAction");
    if (!(seen & 1U << GROUP_RESOURCE) && kind != POLICY_OF_TRUST)
        return policy_fault(loader, "Resource is missing, or NotResource");
    return NULL;
}

/* Of a byte that is not before the last one that was asked for. */
static struct policy_position position_of(struct policy_loader *loader, const uint8_t *byte) {
    for (; loader->counted < byte; loader->counted++) {
        loader->position.column += (*loader->counted & 0xc0) != 0x80;
        if (*loader->counted == '\n')
            loader->position = (struct policy_position){loader->position.line + 1, 1};
    }
    return loader->position;
}

/* The reader is on the statement's first token. */
static struct error *read_statement(struct policy_loader *loader, struct policy *policy) {
    unsigned seen = 0;
    loader->statement = policy->statement_count + 1;
    loader->sid = SLICE_NONE;
    loader->element = SLICE_NONE;
    if (loader->json.token != JSON_OBJECT_BEGIN)
        return policy_shape_fault(loader, "must be an object");
    struct policy_statement *statement =
        POLICY_ADD(loader->arena, policy->statements, policy->statement_count);
    statement->begin = position_of(loader, loader->json.next - 1);
    while (json_next(&loader->json) == JSON_NAME) {
        loader->element = loader->json.text;
        TRY(read_element(loader, statement, &seen));
        loader->element = SLICE_NONE;
    }
    if (loader->json.token != JSON_OBJECT_END)
        return policy_shape_fault(loader, "must be an object");
    statement->end = position_of(loader, loader->json.next);
    return check_complete(loader, seen);
}

/* ---- the document ---- */

static struct error *read_statements(struct policy_loader *loader, struct policy *policy) {
    if (policy->statement_count > 0)
        return policy_fault(loader, "stands here twice");
    if (json_next(&loader->json) == JSON_OBJECT_BEGIN) {
        TRY(read_statement(loader, policy));
    } else if (loader->json.token == JSON_ARRAY_BEGIN) {
        while (json_next(&loader->json) != JSON_ARRAY_END)
            TRY(read_statement(loader, policy));
    } else {
        return policy_shape_fault(loader, "must be an object or a list of objects");
    }
    loader->statement = 0;
    return NULL;
}

/* Without a version a document is of the old one. */
static struct error *read_version(struct policy_loader *loader, struct slice text) {
    loader->variables = slice_is(text, "2012-10-17");
    if (!loader->variables && !slice_is(text, "2008-10-17"))
        return policy_fault(loader, "must be 2012-10-17 or 2008-10-17, not \"%.*s\"",
                            SLICE_ARGS(text));
    return NULL;
}

/* The version may come last and matters for all: it is looked for first, and with it whether all of
 * the document is JSON. */
static struct error *find_version(struct policy_loader *loader) {
    bool found = false;
    if (json_next(&loader->json) != JSON_OBJECT_BEGIN)
        return policy_shape_fault(loader, "must be a JSON object");
    while (json_next(&loader->json) == JSON_NAME) {
        struct slice text = SLICE_NONE;
        bool version = slice_is(loader->json.text, "Version");
        if (json_next(&loader->json) == JSON_STRING)
            text = loader->json.text;
        if (!json_skip(&loader->json))
            break;
        if (!version)
            continue;
        loader->element = SLICE_LITERAL("Version");
        if (found || !slice_present(text))
            return policy_fault(loader, "must be one string");
        TRY(read_version(loader, text));
        loader->element = SLICE_NONE;
        found = true;
    }
    return json_finish(&loader->json) ? NULL : policy_shape_fault(loader, "");
}

static struct error *read_document(struct policy_loader *loader, struct policy *policy) {
    struct slice ignored;
    json_next(&loader->json);
    while (json_next(&loader->json) == JSON_NAME) {
        loader->element = loader->json.text;
        if (slice_is(loader->element, "Statement"))
            TRY(read_statements(loader, policy));
        else if (slice_is(loader->element, "Id") || slice_is(loader->element, "Version"))
            TRY(read_text(loader, &ignored));
        else
            return policy_fault(loader, "is not an element of a policy");
        loader->element = SLICE_NONE;
    }
    if (policy->statement_count == 0)
        return policy_fault(loader, "Statement is missing");
    return NULL;
}

struct error *policy_parse(struct arena *arena, const struct policy_document *document,
                           const struct policy **ret_policy) {
    struct policy *policy = ARENA_NEW(arena, struct policy);
    struct policy_loader loader = {.arena = arena, .document = document};
    struct slice text = arena_slice(arena, document->text);
    json_reader_init(&loader.json, text, arena);
    TRY(find_version(&loader));
    json_reader_init(&loader.json, text, arena);
    loader.counted = text.data;
    loader.position = (struct policy_position){1, 1};
    TRY(read_document(&loader, policy));
    policy->keys_used = loader.keys_used;
    *ret_policy = policy;
    return NULL;
}

struct error *policy_load(struct arena *arena, const char *path, struct slice *ret_text,
                          const struct policy **ret_policy) {
    FILE *file = fopen(path, "rbe");
    if (file == NULL)
        return error_local(arena, "%s: cannot be read: %s", path, strerror(errno));
    CLEANUP(buffer_release) struct buffer text;
    buffer_init(&text, POLICY_BYTES_MAX + 1);
    buffer_grow(&text, POLICY_BYTES_MAX + 1);
    text.len = fread(text.data, 1, POLICY_BYTES_MAX + 1, file);
    bool failed = ferror(file) != 0;
    fclose(file);
    if (failed)
        return error_local(arena, "%s: cannot be read", path);
    if (text.len > POLICY_BYTES_MAX)
        return error_local(arena, "%s: a policy has at most %d bytes", path, POLICY_BYTES_MAX);
    *ret_text = arena_slice(arena, buffer_slice(&text));
    const struct policy_document document = {POLICY_OF_IDENTITY, path, *ret_text};
    return policy_parse(arena, &document, ret_policy);
}
