/* transact_reads.c - several items from one snapshot. */
#include "ops/transact/transact_reads.h"

#include "engine/write.h"
#include "model/capacity.h"
#include "model/limits.h"
#include "ops/throttle/read_throttle.h"
#include "ops/transact/cancellation.h"
#include "ops/transact/transact_call.h"

/* Keys read at once, and the most that is read on the I/O thread. */
enum { ROUND_KEYS = 25 };

void transact_reads_init(struct transact_reads *reads, struct arena *arena, size_t count) {
    reads->count = count;
    reads->keys = ARENA_ARRAY(arena, struct read_key, count);
    reads->refused = ARENA_ARRAY(arena, struct error *, count);
    reads->table_names = ARENA_ARRAY(arena, struct slice, count);
    reads->items = ARENA_ARRAY(arena, struct stored_item, count);
}

static bool same_item(const struct read_key *a, const struct read_key *b) {
    return a->table->definition.id == b->table->definition.id && value_equal(a->key, b->key);
}

static struct error *check_distinct(struct arena *arena, const struct transact_reads *reads) {
    for (size_t i = 0; i < reads->count; i++)
        for (size_t before = 0; before < i; before++)
            if (reads->refused[before] == NULL && reads->refused[i] == NULL &&
                same_item(&reads->keys[before], &reads->keys[i]))
                return transact_same_item_error(arena);
    return NULL;
}

struct error *transact_reads_refusal(struct arena *arena, const struct transact_reads *reads) {
    for (size_t i = 0; i < reads->count; i++)
        if (reads->refused[i] != NULL)
            return cancellation_error(arena, reads->count, reads->refused);
    return NULL;
}

struct error *transact_reads_check(struct arena *arena, const struct transact_reads *reads) {
    TRY(check_distinct(arena, reads));
    return transact_reads_refusal(arena, reads);
}

bool transact_reads_few(const struct transact_reads *reads) {
    return reads->count <= ROUND_KEYS;
}

/* What all reads up to this one of its table cost at least: each of them needs its units. */
static uint64_t least_of(const struct transact_reads *reads, size_t i) {
    uint64_t halves = 0;
    for (size_t k = 0; k <= i; k++)
        if (reads->keys[k].table->limits == reads->keys[i].table->limits)
            halves += capacity_transact_read(0);
    return halves;
}

/* All of them, or none. */
static struct error *check_throttle(struct op_call *call, const struct transact_reads *reads) {
    struct error **errors = ARENA_ARRAY(call->arena, struct error *, reads->count);
    bool any = false;
    for (size_t i = 0; i < reads->count; i++) {
        const struct read_key *key = &reads->keys[i];
        struct read_ticket ticket = read_ticket_of_item(call, key->table, key->key);
        errors[i] = read_throttle_check(call, &ticket, least_of(reads, i));
        any = any || errors[i] != NULL;
    }
    return any ? cancellation_error(call->arena, reads->count, errors) : NULL;
}

static void account_for(struct op_call *call, const struct transact_reads *reads, size_t i) {
    const struct read_key *key = &reads->keys[i];
    uint64_t halves = account_transact_get(account_table(call, reads->table_names[i], key->table),
                                           &reads->items[i]);
    if (!reads_are_throttled(call))
        return;
    struct read_ticket ticket = read_ticket_of_item(call, key->table, key->key);
    read_throttle_take(call, &ticket, halves);
}

static struct error *too_large(struct arena *arena) {
    return error_validation(arena, "Collection size of items exceeded, which can also be caused "
                                   "by the aggregate size of the items in the transaction "
                                   "exceeding the 4MB limit");
}

struct error *transact_reads_get(struct op_call *call, struct reader *reader,
                                 struct transact_reads *reads) {
    uint64_t bytes = 0;
    if (reads_are_throttled(call))
        TRY(check_throttle(call, reads));
    for (size_t done = 0; done < reads->count;) {
        size_t left = reads->count - done;
        size_t count = left < ROUND_KEYS ? left : ROUND_KEYS;
        TRY(reader_get_many(reader, count, &reads->keys[done], &reads->items[done]));
        for (size_t i = 0; i < count; i++)
            bytes += reads->items[done + i].size;
        if (bytes > LIMIT_TRANSACTION_BYTES)
            return too_large(call->arena);
        done += count;
    }
    for (size_t i = 0; i < reads->count; i++)
        account_for(call, reads, i);
    return NULL;
}

struct error *transact_reads_start(struct op_call *call, struct transact_reads *reads) {
    if (reads_are_throttled(call))
        TRY(check_throttle(call, reads));
    return call_fetch_start(call, (struct call_read){READ_SNAPSHOT, true}, reads->count,
                            reads->keys, &reads->fetch);
}

struct error *transact_reads_finish(struct op_call *call, struct transact_reads *reads) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < reads->count; i++) {
        TRY(call_fetch_take(reads->fetch, i, &reads->items[i]));
        bytes += reads->items[i].size;
    }
    if (bytes > LIMIT_TRANSACTION_BYTES)
        return too_large(call->arena);
    for (size_t i = 0; i < reads->count; i++)
        account_for(call, reads, i);
    return NULL;
}

void transact_reads_release(struct transact_reads *reads) {
    call_fetch_release(reads->fetch);
}
