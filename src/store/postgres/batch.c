/* batch.c - what a write transaction does, gathered until its commit sends it.
 *
 * Writes to a key replace each other, and a range takes along what was written in it before. So
 * ranges can go first, then single keys, each once and in their order, which is the order in which
 * the server likes them too.
 * Memory: the batch's arena. Threads: the writer's. */
#include <stdlib.h>

#include "base/check.h"
#include "store/postgres/internal.h"

enum {
    STATEMENT_BYTES_MAX = 4 << 20, /* of keys and values in one statement, and one more */
    STATEMENT_ROWS_MAX = 10000,
    BATCH_BYTES_KEPT = 1 << 20, /* a buffer that grew larger gives its memory back */
};

void batch_init(struct batch *batch) {
    arena_init(&batch->arena);
    buffer_init(&batch->keys, INT32_MAX);
    buffer_init(&batch->values, INT32_MAX);
}

void batch_release(struct batch *batch) {
    arena_release(&batch->arena);
    buffer_release(&batch->keys);
    buffer_release(&batch->values);
    free(batch->writes);
    free(batch->ranges);
}

static void trim_buffer(struct buffer *buffer) {
    if (buffer->capacity <= BATCH_BYTES_KEPT)
        return;
    buffer_release(buffer);
    buffer_init(buffer, INT32_MAX);
}

void batch_reset(struct batch *batch) {
    arena_reset(&batch->arena);
    batch->count = batch->range_count = 0;
    trim_buffer(&batch->keys);
    trim_buffer(&batch->values);
}

bool batch_is_empty(const struct batch *batch) {
    return batch->count == 0 && batch->range_count == 0;
}

/* ---- gathering ---- */

static void *grown(void *list, size_t *capacity, size_t size) {
    *capacity = *capacity == 0 ? 64 : *capacity * 2;
    void *more = realloc(list, *capacity * size);
    CHECK(more != NULL);
    return more;
}

static uint32_t next_order(const struct batch *batch) {
    return (uint32_t)(batch->count + batch->range_count);
}

static void add_write(struct store_txn *txn, const struct store_key *key, struct slice value) {
    struct batch *batch = &postgres_of(txn->store)->batch;
    uint32_t order = next_order(batch);
    if (batch->count == batch->capacity)
        batch->writes = grown(batch->writes, &batch->capacity, sizeof(*batch->writes));
    batch->writes[batch->count++] =
        (struct write){arena_slice(&batch->arena, key->key), value, order, key->keyspace};
}

void postgres_put(struct store_txn *txn, const struct store_key *key, struct slice value) {
    add_write(txn, key, arena_slice(&postgres_of(txn->store)->batch.arena, value));
}

void postgres_remove(struct store_txn *txn, const struct store_key *key) {
    add_write(txn, key, SLICE_NONE);
}

static void add_range(struct store_txn *txn, const struct store_range *range, bool dropped) {
    struct batch *batch = &postgres_of(txn->store)->batch;
    uint32_t order = next_order(batch);
    if (batch->range_count == batch->range_capacity)
        batch->ranges = grown(batch->ranges, &batch->range_capacity, sizeof(*batch->ranges));
    struct store_range copy = {range->keyspace, arena_slice(&batch->arena, range->first),
                               SLICE_NONE};
    if (slice_present(range->last)) {
        copy.last = arena_slice(&batch->arena, range->last);
    } else { /* sorts after every key */
        uint8_t *highest = arena_alloc(&batch->arena, STORE_BOUND_MAX);
        copy.last = slice_of(memset(highest, 0xff, STORE_BOUND_MAX), STORE_BOUND_MAX);
    }
    batch->ranges[batch->range_count++] = (struct range_write){copy, order, dropped};
}

void postgres_remove_range(struct store_txn *txn, const struct store_range *range) {
    add_range(txn, range, false);
}

void postgres_drop_range(struct store_txn *txn, const struct store_range *range) {
    add_range(txn, range, true);
    atomic_store(&postgres_of(txn->store)->drops, true);
}

/* ---- what counts in the end ---- */

static int compare_writes(const void *a, const void *b) {
    const struct write *one = a, *other = b;
    if (one->keyspace != other->keyspace)
        return one->keyspace < other->keyspace ? -1 : 1;
    int order = slice_compare(one->key, other->key);
    if (order != 0)
        return order;
    return one->order < other->order ? -1 : 1;
}

static bool is_replaced(const struct batch *batch, size_t i) {
    const struct write *write = &batch->writes[i], *next = write + 1;
    if (i + 1 < batch->count && next->keyspace == write->keyspace &&
        slice_equal(next->key, write->key))
        return true;
    for (size_t j = 0; j < batch->range_count; j++) {
        const struct range_write *range = &batch->ranges[j];
        if (range->order > write->order && range->range.keyspace == write->keyspace &&
            slice_compare(range->range.first, write->key) <= 0 &&
            slice_compare(write->key, range->range.last) < 0)
            return true;
    }
    return false;
}

void batch_close(struct batch *batch) {
    size_t kept = 0;
    if (batch->count > 1)
        qsort(batch->writes, batch->count, sizeof(*batch->writes), compare_writes);
    for (size_t i = 0; i < batch->count; i++)
        if (!is_replaced(batch, i))
            batch->writes[kept++] = batch->writes[i];
    batch->count = kept;
}

/* Whether a key from `first` on, and before `last`, may begin with one of them. */
static bool is_watched(const char *const *watched, struct slice first, struct slice last) {
    for (; watched != NULL && *watched != NULL; watched++) {
        struct slice begin = slice_text(*watched);
        if (slice_starts_with(first, begin) ||
            (slice_compare(first, begin) < 0 && slice_compare(begin, last) < 0))
            return true;
    }
    return false;
}

bool batch_is_watched(const struct postgres_store *store) {
    const struct batch *batch = &store->batch;
    for (size_t i = 0; i < batch->range_count; i++) {
        const struct store_range *range = &batch->ranges[i].range;
        if (is_watched(store->watched[range->keyspace], range->first, range->last))
            return true;
    }
    for (size_t i = 0; i < batch->count; i++) {
        const struct write *write = &batch->writes[i];
        if (is_watched(store->watched[write->keyspace], write->key, write->key))
            return true;
    }
    return false;
}

/* ---- sending ---- */

static void send_ranges(struct postgres_store *store, struct session *session) {
    const struct batch *batch = &store->batch;
    for (size_t i = 0; i < batch->range_count; i++) {
        const struct store_range *range = &batch->ranges[i].range;
        if (batch->ranges[i].dropped) {
            drops_send(store, session, range);
            continue;
        }
        struct parameter ends[] = {parameter_of(range->first), parameter_of(range->last)};
        session_send(session, store->statements[range->keyspace][STATEMENT_DELETE_RANGE], ends, 2);
    }
}

/* As many writes of one kind and keyspace as a statement takes, from `from` on, leaving out the
 * others of that keyspace. Where it stopped. */
static size_t send_some(struct postgres_store *store, struct session *session, size_t from,
                        bool puts, size_t *sent) {
    struct batch *batch = &store->batch;
    uint8_t keyspace = batch->writes[from].keyspace;
    size_t rows = 0, i = from;
    array_begin(&batch->keys);
    array_begin(&batch->values);
    for (; i < batch->count && batch->writes[i].keyspace == keyspace; i++) {
        const struct write *write = &batch->writes[i];
        if (slice_present(write->value) != puts)
            continue;
        if (rows == STATEMENT_ROWS_MAX || batch->keys.len + batch->values.len > STATEMENT_BYTES_MAX)
            break;
        array_add(&batch->keys, write->key);
        if (puts)
            array_add(&batch->values, write->value);
        rows++;
    }
    if (rows == 0)
        return i;
    struct parameter arrays[] = {array_end(&batch->keys, rows), array_end(&batch->values, rows)};
    session_send(session, store->statements[keyspace][puts ? STATEMENT_PUT : STATEMENT_DELETE],
                 arrays, puts ? 2 : 1);
    ++*sent;
    return i;
}

size_t batch_send(struct postgres_store *store, struct session *session) {
    const struct batch *batch = &store->batch;
    size_t sent = batch->range_count;
    send_ranges(store, session);
    for (int puts = 0; puts <= 1; puts++)
        for (size_t from = 0; from < batch->count;)
            from = send_some(store, session, from, puts != 0, &sent);
    return sent;
}
