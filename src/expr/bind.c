/* bind.c - filling a program's slots from the request.
 *
 * Names and values are looked up once per slot. With many placeholders in the request, a small hash
 * table is made for the lookups, so that their cost stays in proportion to the request. Its hash
 * has a key of the process, so that a client cannot choose placeholders that meet in one place.
 * Threads: any; the key is made once. */
#include "expr/bind.h"

#include <pthread.h>

#include "base/check.h"
#include "base/random.h"
#include "base/siphash.h"
#include "expr/limits.h"

enum { LOOKUPS_WITHOUT_TABLE = 64 };

/* ---- lookup ---- */

/* Finds placeholders by key; of two with the same key, the later. */
struct lookup {
    struct expr_placeholder *all;
    size_t count;
    uint32_t *table; /* 1 + number of the placeholder, 0 when free; NULL: search */
    size_t mask;
};

static uint8_t hash_secret[SIPHASH_KEY_BYTES];
static pthread_once_t hash_secret_once = PTHREAD_ONCE_INIT;

static void make_hash_secret(void) {
    random_fill(&system_random, hash_secret, sizeof(hash_secret));
}

/* Only for a lookup with a table: lookup_make() sees to the secret. */
static size_t hash_key(struct slice key) {
    uint8_t bytes[SIPHASH_BYTES];
    siphash128(hash_secret, key, bytes);
    size_t hash;
    memcpy(&hash, bytes, sizeof(hash));
    return hash;
}

static struct lookup lookup_make(struct arena *arena, struct expr_placeholder *all, size_t count,
                                 size_t lookups) {
    struct lookup lookup = {.all = all, .count = count};
    if (count * lookups <= LOOKUPS_WITHOUT_TABLE)
        return lookup;
    CHECK(pthread_once(&hash_secret_once, make_hash_secret) == 0);
    size_t size = 16;
    while (size < 2 * count)
        size *= 2;
    lookup.table = ARENA_ARRAY(arena, uint32_t, size);
    lookup.mask = size - 1;
    for (size_t i = 0; i < count; i++) {
        size_t at = hash_key(all[i].key) & lookup.mask;
        while (lookup.table[at] != 0 && !slice_equal(all[lookup.table[at] - 1].key, all[i].key))
            at = (at + 1) & lookup.mask;
        lookup.table[at] = (uint32_t)(i + 1);
    }
    return lookup;
}

static struct expr_placeholder *lookup_find(const struct lookup *lookup, struct slice key) {
    if (lookup->table == NULL) {
        for (size_t i = lookup->count; i-- > 0;)
            if (slice_equal(lookup->all[i].key, key))
                return &lookup->all[i];
        return NULL;
    }
    size_t at = hash_key(key) & lookup->mask;
    while (lookup->table[at] != 0) {
        struct expr_placeholder *found = &lookup->all[lookup->table[at] - 1];
        if (slice_equal(found->key, key))
            return found;
        at = (at + 1) & lookup->mask;
    }
    return NULL;
}

/* ---- slots ---- */

static const struct slice *bind_names(struct arena *arena, const struct program_arrays *from,
                                      struct expr_placeholders *given) {
    if (from->name_count == 0)
        return NULL;
    struct slice *names = ARENA_ARRAY(arena, struct slice, from->name_count);
    struct lookup lookup = lookup_make(arena, given->names, given->name_count, from->name_count);
    for (uint16_t i = 0; i < from->name_count; i++) {
        struct expr_placeholder *found = lookup_find(&lookup, from->names[i]);
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
    struct lookup lookup = lookup_make(arena, given->values, given->value_count, from->value_count);
    for (uint16_t i = 0; i < from->value_count; i++) {
        struct expr_placeholder *found = lookup_find(&lookup, from->values[i]);
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
