/* copy.c - the copies under way, and whose turn it is.
 *
 * They are few and take turns, a step each. Memory: each has its own, since it lives longer than
 * any arena here. Threads: commit thread. */
#include "engine/copy.h"

#include <stdlib.h>

#include "base/check.h"
#include "engine/copy_step.h"
#include "engine/keyspace.h"
#include "engine/state.h"

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

static void set_state(struct copy *copy, const struct copy_state *state) {
    kept_key_set(&copy->cursor, state->cursor.len > 0 ? state->cursor : SLICE_LITERAL(""));
    copy->state = *state;
    copy->state.cursor = copy->cursor.key;
}

static void free_copy(struct copy *copy) {
    kept_key_release(&copy->cursor);
    free(copy);
}

static void append(struct engine *engine, const struct copy_state *state) {
    struct copy *copy = calloc(1, sizeof(*copy)), **end = &engine->copies;
    CHECK(copy != NULL);
    set_state(copy, state);
    while (*end != NULL)
        end = &(*end)->next;
    *end = copy;
}

/* The source begins or ends to keep its history for the copy. */
static void look_at_source(struct engine *engine, uint32_t source) {
    struct table *table = catalog_current_by_id(&engine->catalog, source);
    if (table != NULL)
        table->stats->copied = copy_reads(engine, source);
}

void copy_start(struct engine *engine, const struct copy_state *state) {
    append(engine, state);
    look_at_source(engine, state->source);
}

void copy_stop(struct engine *engine, uint32_t target) {
    for (struct copy **at = &engine->copies; *at != NULL; at = &(*at)->next) {
        struct copy *copy = *at;
        if (copy->state.target != target)
            continue;
        *at = copy->next;
        look_at_source(engine, copy->state.source);
        free_copy(copy);
        return;
    }
}

static struct error *load_all(struct engine *engine, struct arena *arena, struct store_scan *scan) {
    for (;;) {
        bool found;
        struct slice key, value;
        struct copy_state state;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        TRY(copy_state_decode(arena, value, &state));
        copy_start(engine, &state);
    }
}

struct error *copy_load(struct engine *engine, struct arena *arena, struct store_txn *txn) {
    struct store_range all = range_in(KEYSPACE_CATALOG, copy_key_range(arena));
    struct store_scan *scan;
    TRY(store_scan_open(txn, &all, false, &scan));
    struct error *error = load_all(engine, arena, scan);
    store_scan_close(scan);
    return error;
}

void copy_clear(struct engine *engine) {
    while (engine->copies != NULL) {
        struct copy *copy = engine->copies;
        engine->copies = copy->next;
        free_copy(copy);
    }
}

/* ---- questions ---- */

const struct copy *copy_into(const struct engine *engine, uint32_t target) {
    const struct copy *copy = engine->copies;
    while (copy != NULL && copy->state.target != target)
        copy = copy->next;
    return copy;
}

bool copy_reads(const struct engine *engine, uint32_t source) {
    for (const struct copy *copy = engine->copies; copy != NULL; copy = copy->next)
        if (copy->state.source == source)
            return true;
    return false;
}

uint64_t copy_reads_back_to(const struct engine *engine, uint32_t source) {
    uint64_t first = UINT64_MAX;
    for (const struct copy *copy = engine->copies; copy != NULL; copy = copy->next)
        if (copy->state.source == source && copy->state.until < first)
            first = copy->state.until;
    return first;
}

size_t copy_restores(const struct engine *engine) {
    size_t count = 0;
    for (const struct copy *copy = engine->copies; copy != NULL; copy = copy->next)
        count += copy->state.kind != COPY_TAKE_BACKUP;
    return count;
}

/* ---- the chore ---- */

/* The first one goes behind the others, so that a long one does not hold up a short one, nor one
 * that fails all of them. */
static struct copy *take_turn(struct engine *engine) {
    struct copy *first = engine->copies, **end = &engine->copies;
    if (first == NULL || first->next == NULL)
        return first;
    engine->copies = first->next;
    while (*end != NULL)
        end = &(*end)->next;
    first->next = NULL;
    *end = first;
    return first;
}

struct error *copy_step(struct engine *engine, struct arena *arena, enum chore_state *ret_state) {
    struct copy *copy = take_turn(engine);
    *ret_state = CHORE_ASLEEP;
    if (copy == NULL)
        return NULL;
    struct copy_run run;
    TRY(copy_run_step(engine, arena, &copy->state, &run));
    if (run.finished)
        copy_stop(engine, run.state.target);
    else
        set_state(copy, &run.state);
    copy_run_publish(&run);
    *ret_state = CHORE_STEPPED;
    return NULL;
}
