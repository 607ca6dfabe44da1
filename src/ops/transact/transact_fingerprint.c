/* transact_fingerprint.c - the request written out in one form, then hashed. Attribute values are
 * canonical already (model/value.h); placeholders are put in order. */
#include "ops/transact/transact_fingerprint.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "engine/write.h"
#include "model/limits.h"

/* Values take at most three bytes for each of the JSON they came from, and a length goes with two
 * bytes or more. */
enum { FORM_BYTES_MAX = 8 * LIMIT_BODY_BYTES };

void transact_fingerprint_begin(struct transact_fingerprint *fingerprint, struct op_call *call) {
    fingerprint->call = call;
    buffer_init(&fingerprint->form, FORM_BYTES_MAX);
    transact_fingerprint_add(fingerprint, slice_text(call->op->name));
}

void transact_fingerprint_add_byte(struct transact_fingerprint *fingerprint, uint8_t byte) {
    buffer_append_byte(&fingerprint->form, byte);
}

void transact_fingerprint_add(struct transact_fingerprint *fingerprint, struct slice part) {
    uint8_t head[5] = {slice_present(part)};
    store_u32(head + 1, (uint32_t)part.len);
    buffer_append(&fingerprint->form, head, sizeof(head));
    buffer_append_slice(&fingerprint->form, part);
}

static void add_count(struct transact_fingerprint *fingerprint, size_t count) {
    uint8_t bytes[4];
    store_u32(bytes, (uint32_t)count);
    buffer_append(&fingerprint->form, bytes, sizeof(bytes));
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

void transact_fingerprint_add_names(struct transact_fingerprint *fingerprint,
                                    const struct field_list *names) {
    struct arena *arena = fingerprint->call->arena;
    struct arena_mark mark = arena_mark(arena);
    const struct field_pair *pairs = sorted(arena, names, sizeof(*pairs));
    add_count(fingerprint, names->count);
    for (size_t i = 0; i < names->count; i++) {
        transact_fingerprint_add(fingerprint, pairs[i].key);
        transact_fingerprint_add(fingerprint, pairs[i].value);
    }
    arena_rewind(arena, mark);
}

void transact_fingerprint_add_values(struct transact_fingerprint *fingerprint,
                                     const struct field_list *values) {
    struct arena *arena = fingerprint->call->arena;
    struct arena_mark mark = arena_mark(arena);
    const struct field_value *entries = sorted(arena, values, sizeof(*entries));
    add_count(fingerprint, values->count);
    for (size_t i = 0; i < values->count; i++) {
        transact_fingerprint_add(fingerprint, entries[i].key);
        transact_fingerprint_add(fingerprint, value_slice(entries[i].value));
    }
    arena_rewind(arena, mark);
}

void transact_fingerprint_add_parameters(struct transact_fingerprint *fingerprint,
                                         const struct field_list *parameters) {
    const struct field_item *items = parameters->items;
    add_count(fingerprint, parameters->count);
    for (size_t i = 0; i < parameters->count; i++)
        transact_fingerprint_add(fingerprint, value_slice(items[i].value));
}

void transact_fingerprint_end(struct transact_fingerprint *fingerprint,
                              uint8_t ret_fingerprint[16]) {
    engine_fingerprint(fingerprint->call->context->engine, buffer_slice(&fingerprint->form),
                       ret_fingerprint);
    buffer_release(&fingerprint->form);
}
