/* transact_fingerprint.c - the request written out in one form, then hashed.
 *
 * Every part has its length in front, so that no two requests are written out alike. Attribute
 * values are canonical already (model/value.h); placeholders are put in order. */
#include "ops/transact/transact_fingerprint.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "engine/write.h"
#include "model/limits.h"

/* Values take at most three bytes for each of the JSON they came from, and a length goes with two
 * bytes or more. */
enum { FORM_BYTES_MAX = 8 * LIMIT_BODY_BYTES };

static void add(struct buffer *form, struct slice part) {
    uint8_t head[5] = {slice_present(part)};
    store_u32(head + 1, (uint32_t)part.len);
    buffer_append(form, head, sizeof(head));
    buffer_append_slice(form, part);
}

/* An element of a map of placeholders: both kinds begin with their key. */
static int compare_keys(const void *a, const void *b) {
    return slice_compare(*(const struct slice *)a, *(const struct slice *)b);
}

/* The elements of a map in the order of their keys. */
static const void *sorted(struct arena *arena, const struct field_list *map, size_t element_size) {
    if (map->count == 0)
        return NULL;
    void *elements = arena_copy(arena, map->items, map->count * element_size);
    qsort(elements, map->count, element_size, compare_keys);
    return elements;
}

static void add_names(struct buffer *form, struct arena *arena, const struct field_list *names) {
    const struct field_pair *pairs = sorted(arena, names, sizeof(*pairs));
    uint8_t count[4];
    store_u32(count, (uint32_t)names->count);
    buffer_append(form, count, sizeof(count));
    for (size_t i = 0; i < names->count; i++) {
        add(form, pairs[i].key);
        add(form, pairs[i].value);
    }
}

static void add_values(struct buffer *form, struct arena *arena, const struct field_list *values) {
    const struct field_value *entries = sorted(arena, values, sizeof(*entries));
    uint8_t count[4];
    store_u32(count, (uint32_t)values->count);
    buffer_append(form, count, sizeof(count));
    for (size_t i = 0; i < values->count; i++) {
        add(form, entries[i].key);
        add(form, value_slice(entries[i].value));
    }
}

static void add_action(struct buffer *form, struct arena *arena, uint8_t kind,
                       const struct transact_action_input *input) {
    if (input == NULL)
        return;
    buffer_append_byte(form, kind);
    add(form, input->table_name);
    add(form, value_slice(input->attributes.value));
    add(form, input->update_expression);
    add(form, input->condition_expression);
    add(form, input->return_values_on_condition_check_failure);
    add_names(form, arena, &input->expression_attribute_names);
    add_values(form, arena, &input->expression_attribute_values);
}

/* Hashes the form and gives it back. */
static void finish(const struct op_call *call, struct buffer *form, uint8_t ret_fingerprint[16]) {
    engine_fingerprint(call->context->engine, buffer_slice(form), ret_fingerprint);
    buffer_release(form);
}

void transact_fingerprint(struct op_call *call, const struct transact_write_items_request *request,
                          uint8_t ret_fingerprint[16]) {
    const struct transact_write_item *items = request->transact_items.items;
    struct arena_mark mark = arena_mark(call->arena);
    struct buffer form;
    buffer_init(&form, FORM_BYTES_MAX);
    add(&form, SLICE_LITERAL("TransactWriteItems"));
    add(&form, request->return_item_collection_metrics);
    for (size_t i = 0; i < request->transact_items.count; i++) {
        add_action(&form, call->arena, 'C', items[i].condition_check);
        add_action(&form, call->arena, 'P', items[i].put);
        add_action(&form, call->arena, 'D', items[i].delete);
        add_action(&form, call->arena, 'U', items[i].update);
    }
    finish(call, &form, ret_fingerprint);
    arena_rewind(call->arena, mark);
}

static void add_parameters(struct buffer *form, const struct field_list *parameters) {
    const struct field_item *items = parameters->items;
    uint8_t count[4];
    store_u32(count, (uint32_t)parameters->count);
    buffer_append(form, count, sizeof(count));
    for (size_t i = 0; i < parameters->count; i++)
        add(form, value_slice(items[i].value));
}

void transact_statements_fingerprint(struct op_call *call,
                                     const struct execute_transaction_request *request,
                                     uint8_t ret_fingerprint[16]) {
    const struct transact_statement_request *statements = request->transact_statements.items;
    struct buffer form;
    buffer_init(&form, FORM_BYTES_MAX);
    add(&form, SLICE_LITERAL("ExecuteTransaction"));
    for (size_t i = 0; i < request->transact_statements.count; i++) {
        add(&form, statements[i].statement);
        add_parameters(&form, &statements[i].parameters);
        add(&form, statements[i].return_values_on_condition_check_failure);
    }
    finish(call, &form, ret_fingerprint);
}
