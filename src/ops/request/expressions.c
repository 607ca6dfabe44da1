/* expressions.c - mixing, presence, binding. Memory: the call's arena, besides the programs'
 * references. */
#include "ops/request/expressions.h"

#include "base/check.h"
#include "model/index_key.h"
#include "model/key.h"

void expressions_add(struct expressions *expressions, enum expr_kind kind, const char *member,
                     struct slice text) {
    CHECK(expressions->count < EXPRESSIONS_MAX);
    expressions->list[expressions->count++] = (struct expression){kind, member, text, NULL, NULL};
}

/* NULL when the operation has no such expression. */
static const struct expression *find_kind(const struct expressions *expressions,
                                          enum expr_kind kind) {
    for (size_t i = 0; i < expressions->count; i++)
        if (expressions->list[i].kind == kind)
            return &expressions->list[i];
    return NULL;
}

static bool any_text(const struct expressions *expressions) {
    for (size_t i = 0; i < expressions->count; i++)
        if (slice_present(expressions->list[i].text))
            return true;
    return false;
}

/* Projections take no :values. */
static bool any_text_with_values(const struct expressions *expressions) {
    for (size_t i = 0; i < expressions->count; i++)
        if (slice_present(expressions->list[i].text) &&
            expressions->list[i].kind != EXPR_PROJECTION)
            return true;
    return false;
}

/* An operation may have no such member at all. */
static bool any_given(const struct field_list *placeholders) {
    return placeholders != NULL && placeholders->present;
}

static void append_name(struct buffer *list, const char *name) {
    if (list->len > 0)
        buffer_append_text(list, ", ");
    buffer_append_text(list, name);
}

/* The service lists them in this order, which is not the order in which it checks them. */
static void list_given(const struct expressions *expressions, struct buffer *names) {
    static const enum expr_kind order[] = {EXPR_UPDATE, EXPR_PROJECTION, EXPR_FILTER,
                                           EXPR_CONDITION, EXPR_KEY_CONDITION};
    for (size_t i = 0; i < sizeof(order) / sizeof(*order); i++) {
        const struct expression *expression = find_kind(expressions, order[i]);
        if (expression != NULL && slice_present(expression->text))
            append_name(names, expression->member);
    }
}

static struct error *mixing_error(struct arena *arena, const struct expressions *expressions,
                                  size_t legacy_count, const struct legacy_parameter *legacy) {
    struct buffer old_names, new_names;
    buffer_init(&old_names, 1024);
    buffer_init(&new_names, 1024);
    for (size_t i = 0; i < legacy_count; i++)
        if (legacy[i].present)
            append_name(&old_names, legacy[i].member);
    list_given(expressions, &new_names);
    struct error *error =
        error_request(arena,
                      "Can not use both expression and non-expression parameters in the same "
                      "request: Non-expression parameters: {%.*s} Expression parameters: {%.*s}",
                      SLICE_ARGS(buffer_slice(&old_names)), SLICE_ARGS(buffer_slice(&new_names)));
    buffer_release(&old_names);
    buffer_release(&new_names);
    return error;
}

struct error *expressions_check_mixing(struct arena *arena, const struct expressions *expressions,
                                       size_t legacy_count, const struct legacy_parameter *legacy) {
    bool any_legacy = false;
    for (size_t i = 0; i < legacy_count; i++)
        any_legacy = any_legacy || legacy[i].present;
    if (!any_legacy || !any_text(expressions))
        return NULL;
    return mixing_error(arena, expressions, legacy_count, legacy);
}

struct error *expressions_check_presence(struct arena *arena,
                                         const struct expressions *expressions) {
    const struct field_list *names = expressions->names, *values = expressions->values;
    if (any_given(names) && !any_text(expressions))
        return error_request(arena, "ExpressionAttributeNames can only be specified when using "
                                    "expressions");
    if (any_given(values) && !any_text_with_values(expressions))
        return error_request(
            arena, "ExpressionAttributeValues can only be specified when using expressions%s",
            expressions->values_alone_suffix == NULL ? "" : expressions->values_alone_suffix);
    return NULL;
}

/* ---- placeholders ---- */

/* What is to be said of a :value that has a fault, in the words of the call's layer. */
static struct error *value_error(struct op_call *call, const struct field_value *value) {
    if (call->layer == VALUE_LAYER_CURRENT) {
        /* Too deep a value is said about an item without, about a placeholder with the envelope. */
        if (value->fault_kind == VALUE_FAULT_DEPTH)
            value->fault->request_level = true;
        return value->fault;
    }
    return error_request(call->arena,
                         "ExpressionAttributeValues contains invalid value: %.*s for key %.*s",
                         SLICE_ARGS(value->fault->message), SLICE_ARGS(value->key));
}

static struct error *gather_names(struct op_call *call, const struct field_list *names,
                                  struct expr_placeholders *given) {
    if (!any_given(names))
        return NULL;
    if (names->count == 0)
        return error_request(call->arena, "ExpressionAttributeNames must not be empty");
    const struct field_pair *pairs = names->items;
    given->name_count = names->count;
    given->names = ARENA_ARRAY(call->arena, struct expr_placeholder, names->count);
    for (size_t i = 0; i < names->count; i++)
        given->names[i] = (struct expr_placeholder){.key = pairs[i].key, .name = pairs[i].value};
    return NULL;
}

static struct error *gather_values(struct op_call *call, const struct field_list *values,
                                   struct expr_placeholders *given) {
    if (!any_given(values))
        return NULL;
    if (values->count == 0)
        return error_request(call->arena, "ExpressionAttributeValues must not be empty");
    const struct field_value *entries = values->items;
    given->value_count = values->count;
    given->values = ARENA_ARRAY(call->arena, struct expr_placeholder, values->count);
    for (size_t i = 0; i < values->count; i++)
        given->values[i] =
            (struct expr_placeholder){.key = entries[i].key, .value = entries[i].value};
    return NULL;
}

static struct error *check_value_faults(struct op_call *call,
                                        const struct expressions *expressions) {
    const struct field_list *values = expressions->values;
    if (values == NULL)
        return NULL;
    const struct field_value *entries = values->items;
    for (size_t i = 0; i < values->count; i++)
        if (entries[i].fault != NULL)
            return value_error(call, &entries[i]);
    return NULL;
}

static struct error *bind_one(struct op_call *call, struct expression *expression,
                              struct expr_placeholders *given) {
    if (!slice_present(expression->text))
        return NULL;
    TRY(expr_compile(call->arena, expression->kind, expression->text, call->context->exprs,
                     &expression->program));
    return expr_bind(call->arena, expression->program, given, &expression->bound);
}

struct error *expressions_bind(struct op_call *call, struct expressions *expressions) {
    if (!any_text(expressions) && !any_given(expressions->names) && !any_given(expressions->values))
        return NULL; /* most requests by key */
    struct expr_placeholders given = {0};
    TRY(gather_names(call, expressions->names, &given));
    TRY(gather_values(call, expressions->values, &given));
    TRY(expr_placeholders_check(call->arena, &given));
    if (!expressions->values_last)
        TRY(check_value_faults(call, expressions));
    for (size_t i = 0; i < expressions->count; i++)
        TRY(bind_one(call, &expressions->list[i], &given));
    TRY(expr_placeholders_check_unused(call->arena, &given));
    return expressions->values_last ? check_value_faults(call, expressions) : NULL;
}

struct error *expressions_take(struct op_call *call, struct expressions *expressions,
                               struct expr_program *program, enum expr_kind kind,
                               struct expr_placeholders *given) {
    struct expression *place = expressions->list;
    while (place->kind != kind) {
        place++;
        CHECK(place < expressions->list + expressions->count);
    }
    CHECK(place->program == NULL);
    place->program = program;
    return expr_bind(call->arena, program, given, &place->bound);
}

void expressions_release(struct expressions *expressions) {
    for (size_t i = 0; i < expressions->count; i++) {
        if (expressions->list[i].program != NULL)
            expr_program_unref(expressions->list[i].program);
        expressions->list[i].program = NULL;
    }
}

const struct expr *expressions_get(const struct expressions *expressions, enum expr_kind kind) {
    const struct expression *expression = find_kind(expressions, kind);
    return expression == NULL ? NULL : expression->bound;
}

/* ---- paths into keys ---- */

struct key_paths {
    struct arena *arena;
    const struct table_definition *table;
};

struct error *key_path_check(struct arena *arena, const struct table_definition *table,
                             struct slice name) {
    bool key = key_schema_has(&table->keys, name);
    if (!key && !index_key_attribute(table, name))
        return NULL;
    return error_validation(arena,
                            "Key attributes must be scalars; list random access '[]' and map "
                            "lookup '.' are not allowed: %s: %.*s",
                            key ? "Key" : "IndexKey", SLICE_ARGS(name));
}

static struct error *check_visited(void *context, const struct expr_path_visit *visit) {
    const struct key_paths *paths = context;
    return visit->nested ? key_path_check(paths->arena, paths->table, visit->name) : NULL;
}

struct error *expressions_check_key_paths(struct arena *arena,
                                          const struct expressions *expressions,
                                          const struct table_definition *table) {
    struct key_paths paths = {arena, table};
    for (size_t i = 0; i < expressions->count; i++)
        if (expressions->list[i].bound != NULL)
            TRY(expr_visit_paths(expressions->list[i].bound, check_visited, &paths));
    return NULL;
}
