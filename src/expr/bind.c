/* bind.c - filling a program's slots from the request.
 *
 * Names and values are looked up once per slot. With many placeholders in the request the slots are
 * sorted and each placeholder looks for its own, so that the cost stays in proportion to the
 * request whatever a client chooses. Threads: any. */
#include "expr/bind.h"

#include <stdlib.h>

#include "expr/limits.h"

enum { LOOKUPS_WITHOUT_ORDER = 64 };

/* ---- lookup ---- */

/* Finds the placeholder of a slot; of two with the same key, the later. */
struct lookup {
    const struct slice *slots; /* their keys, each another */
    struct expr_placeholder *all;
    size_t count;
    struct expr_placeholder **found; /* by slot; NULL: search */
};

struct slot_key {
    struct slice key;
    uint16_t slot;
};

static int compare_slots(const void *a, const void *b) {
    return slice_compare(((const struct slot_key *)a)->key, ((const struct slot_key *)b)->key);
}

static void find_all(struct arena *arena, struct lookup *lookup, uint16_t slot_count) {
    struct slot_key *sorted = ARENA_ARRAY(arena, struct slot_key, slot_count);
    for (uint16_t i = 0; i < slot_count; i++)
        sorted[i] = (struct slot_key){lookup->slots[i], i};
    qsort(sorted, slot_count, sizeof(*sorted), compare_slots);
    lookup->found = ARENA_ARRAY(arena, struct expr_placeholder *, slot_count);
    for (size_t i = 0; i < lookup->count; i++) {
        struct slot_key wanted = {.key = lookup->all[i].key};
        const struct slot_key *at =
            bsearch(&wanted, sorted, slot_count, sizeof(*sorted), compare_slots);
        if (at != NULL)
            lookup->found[at->slot] = &lookup->all[i];
    }
}

static struct lookup lookup_make(struct arena *arena, const struct slice *slots,
                                 uint16_t slot_count, struct expr_placeholder *all, size_t count) {
    struct lookup lookup = {.slots = slots, .all = all, .count = count};
    if (count * slot_count > LOOKUPS_WITHOUT_ORDER)
        find_all(arena, &lookup, slot_count);
    return lookup;
}

static struct expr_placeholder *lookup_find(const struct lookup *lookup, uint16_t slot) {
    if (lookup->found != NULL)
        return lookup->found[slot];
    for (size_t i = lookup->count; i-- > 0;)
        if (slice_equal(lookup->all[i].key, lookup->slots[slot]))
            return &lookup->all[i];
    return NULL;
}

/* ---- slots ---- */

static const struct slice *bind_names(struct arena *arena, const struct program_arrays *from,
                                      struct expr_placeholders *given) {
    if (from->name_count == 0)
        return NULL;
    struct slice *names = ARENA_ARRAY(arena, struct slice, from->name_count);
    struct lookup lookup =
        lookup_make(arena, from->names, from->name_count, given->names, given->name_count);
    for (uint16_t i = 0; i < from->name_count; i++) {
        struct expr_placeholder *found = lookup_find(&lookup, i);
        if (found == NULL)
            continue;
        found->used = true;
        names[i] = found->name;
    }
    return names;
}

static const struct value *bind_values(struct arena *arena, const struct program_arrays *from,
                                       struct expr_placeholders *given) {
    if (from->value_count == 0)
        return NULL;
    struct value *values = ARENA_ARRAY(arena, struct value, from->value_count);
    struct lookup lookup =
        lookup_make(arena, from->values, from->value_count, given->values, given->value_count);
    for (uint16_t i = 0; i < from->value_count; i++) {
        struct expr_placeholder *found = lookup_find(&lookup, i);
        if (found == NULL)
            continue;
        found->used = true;
        values[i] = found->value;
    }
    return values;
}

/* A path without slots is used where it stands in the program. */
static struct path bind_path(const struct binder *b, const struct program_path *path) {
    const struct program_arrays *from = &b->program->is;
    if (!path->has_slots)
        return (struct path){from->elements + path->first, path->count};
    struct path_element *elements =
        arena_copy(b->arena, from->elements + path->first, path->count * sizeof(*elements));
    for (uint16_t i = 0; i < path->count; i++) {
        uint16_t slot = from->element_slots[path->first + i];
        if (slot != SLOT_NONE)
            elements[i].name = b->names[slot];
    }
    return (struct path){elements, path->count};
}

static const struct path *bind_paths(const struct binder *b) {
    const struct program_arrays *from = &b->program->is;
    struct path *paths = arena_alloc(b->arena, from->path_count * sizeof(*paths));
    for (uint16_t i = 0; i < from->path_count; i++)
        paths[i] = bind_path(b, &from->paths[i]);
    return paths;
}

/* ---- the whole ---- */

bool expr_finds_in_one_pass(const struct expr *expr, struct value item) {
    return expr->path_set.count * item.len > PATH_BYTES_LOOKED_UP;
}

struct error *expr_bind(struct arena *arena, const struct expr_program *program,
                        struct expr_placeholders *given, struct expr **ret_expr) {
    struct binder b = {.arena = arena, .program = program};
    b.names = bind_names(arena, &program->is, given);
    b.values = bind_values(arena, &program->is, given);
    b.paths = bind_paths(&b);
    b.stack = arena_alloc(arena, program->stack_max * sizeof(*b.stack));
    TRY(bind_check(&b));
    struct expr *expr = ARENA_NEW(arena, struct expr);
    *expr = (struct expr){.program = program, .values = b.values, .paths = b.paths};
    if (program->kind != EXPR_PROJECTION && program->is.path_count > PATHS_LOOKED_UP)
        expr->path_set = path_set_sort(arena, b.paths, program->is.path_count);
    if (program->kind == EXPR_UPDATE || program->kind == EXPR_PROJECTION)
        expr->tree = path_set_tree(arena, &b.targets);
    else if (program->kind == EXPR_KEY_CONDITION)
        expr->key_conditions = bind_key_conditions(&b);
    *ret_expr = expr;
    return NULL;
}
