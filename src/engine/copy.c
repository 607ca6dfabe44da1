/* copy.c - the copies under way, and whose turn it is.
 *
 * They are few and take turns, a step each. Memory: each has its own, since it lives longer than
 * any arena here. Threads: commit thread. */
#include "engine/copy.h"

#include <stdlib.h>

#include "base/check.h"
#include "engine/keyspace.h"

/* ---- records ---- */

void copy_put(struct arena *arena, struct store_txn *txn, const struct copy_state *state) {
    struct store_key key = catalog_key(copy_key(arena, state->target));
    store_put(txn, &key, copy_state_encode(arena, state));
}

void copy_delete(struct arena *arena, struct store_txn *txn, uint32_t target) {
    struct store_key key = catalog_key(copy_key(arena, target));
    store_delete(txn, &key);
}

/* ---- the list ---- */

void copy_set_state(struct copy *copy, const struct copy_state *state) {
    kept_key_set(&copy->cursor, state->cursor.len > 0 ? state->cursor : SLICE_LITERAL(""));
    copy->state = *state;
    copy->state.cursor = copy->cursor.key;
}

static void free_copy(struct copy *copy) {
    kept_key_release(&copy->cursor);
    free(copy);
}

static void append(struct copies *copies, const struct copy_state *state) {
    struct copy *copy = calloc(1, sizeof(*copy)), **end = &copies->first;
    CHECK(copy != NULL);
    copy_set_state(copy, state);
    while (*end != NULL)
        end = &(*end)->next;
    *end = copy;
}

/* The source begins or ends to keep its history for the copy. */
static void look_at_source(const struct copies *copies, const struct catalog *catalog,
                           uint32_t source) {
    struct table *table = catalog_current_by_id(catalog, source);
    if (table != NULL)
        table->stats->copied = copy_reads(copies, source);
}

void copy_start(struct copies *copies, const struct catalog *catalog,
                const struct copy_state *state) {
    append(copies, state);
    look_at_source(copies, catalog, state->source);
}

void copy_stop(struct copies *copies, const struct catalog *catalog, uint32_t target) {
    for (struct copy **at = &copies->first; *at != NULL; at = &(*at)->next) {
        struct copy *copy = *at;
        if (copy->state.target != target)
            continue;
        *at = copy->next;
        look_at_source(copies, catalog, copy->state.source);
        free_copy(copy);
        return;
    }
}

/* The first one goes behind the others, so that a long one does not hold up a short one, nor one
 * that fails all of them. */
struct copy *copy_take_turn(struct copies *copies) {
    struct copy *first = copies->first, **end = &copies->first;
    if (first == NULL || first->next == NULL)
        return first;
    copies->first = first->next;
    while (*end != NULL)
        end = &(*end)->next;
    first->next = NULL;
    *end = first;
    return first;
}

void copies_clear(struct copies *copies) {
    while (copies->first != NULL) {
        struct copy *copy = copies->first;
        copies->first = copy->next;
        free_copy(copy);
    }
}

/* ---- loading ---- */

static struct error *load_all(struct copies *copies, struct arena *arena, struct store_scan *scan) {
    for (;;) {
        bool found;
        struct slice key, value;
        struct copy_state state;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        TRY(copy_state_decode(arena, value, &state));
        append(copies, &state);
    }
}

struct error *copies_load(struct copies *copies, struct arena *arena, struct store_txn *txn) {
    struct store_range all = range_in(KEYSPACE_CATALOG, copy_key_range(arena));
    struct store_scan *scan;
    struct copies loaded = {NULL};
    TRY(store_scan_open(txn, &all, false, &scan));
    struct error *error = load_all(&loaded, arena, scan);
    store_scan_close(scan);
    if (error != NULL) {
        copies_clear(&loaded);
        return error;
    }
    copies_clear(copies);
    *copies = loaded;
    return NULL;
}

void copies_look_at(const struct copies *copies, const struct catalog *catalog) {
    for (size_t i = 0; i < catalog->list->count; i++) {
        struct table *table = catalog->list->tables[i];
        table->stats->copied = copy_reads(copies, table->definition.id);
    }
}

/* ---- questions ---- */

const struct copy *copy_into(const struct copies *copies, uint32_t target) {
    const struct copy *copy = copies->first;
    while (copy != NULL && copy->state.target != target)
        copy = copy->next;
    return copy;
}

bool copy_reads(const struct copies *copies, uint32_t source) {
    for (const struct copy *copy = copies->first; copy != NULL; copy = copy->next)
        if (copy->state.source == source)
            return true;
    return false;
}

bool copy_takes_backup(const struct copies *copies, uint32_t source) {
    for (const struct copy *copy = copies->first; copy != NULL; copy = copy->next)
        if (copy->state.kind == COPY_TAKE_BACKUP && copy->state.source == source)
            return true;
    return false;
}

uint64_t copy_reads_back_to(const struct copies *copies, uint32_t source) {
    uint64_t first = UINT64_MAX;
    for (const struct copy *copy = copies->first; copy != NULL; copy = copy->next)
        if (copy->state.source == source && copy->state.until < first)
            first = copy->state.until;
    return first;
}

size_t copy_restores(const struct copies *copies) {
    size_t count = 0;
    for (const struct copy *copy = copies->first; copy != NULL; copy = copy->next)
        count += copy->state.kind != COPY_TAKE_BACKUP;
    return count;
}
