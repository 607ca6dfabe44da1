/* whole.c - see whole.h. Memory: the transaction's arena. */
#include "engine/whole.h"

#include "base/bytes.h"
#include "base/container.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "engine/keyspace.h"
#include "engine/parts.h"

enum { STATISTICS_KEY_BYTES = 5 };

struct whole {
    struct store_sight base;
    struct arena *arena;
    struct part_counts counts;
    uint64_t last;   /* of the parts */
    bool shows_last; /* the last number was seen */
};

/* ---- what is seen ---- */

static struct error *see_statistics(struct whole *whole, struct slice key, struct slice *value) {
    struct table_count count;
    const struct part_count *parts =
        key.len == STATISTICS_KEY_BYTES
            ? part_counts_find(&whole->counts, load_u32_be(key.data + 1))
            : NULL;
    if (parts == NULL)
        return NULL;
    TRY(statistics_decode(whole->arena, *value, &count.items, &count.bytes));
    *value = statistics_encode(whole->arena, count.items + parts->count.items,
                               count.bytes + parts->count.bytes);
    return NULL;
}

static struct error *see_last(struct whole *whole, struct slice *value) {
    uint64_t number;
    whole->shows_last = true;
    if (whole->last == 0)
        return NULL;
    TRY(sequence_decode(whole->arena, *value, &number));
    if (number < whole->last)
        *value = sequence_encode(whole->arena, whole->last);
    return NULL;
}

/* The parts come right behind the leader's own record, and the first is in its place where that is
 * not there. */
static bool see_part_number(struct whole *whole, struct store_key *key, struct slice *value) {
    if (whole->shows_last)
        return false;
    whole->shows_last = true;
    key->key = sequence_key();
    *value = sequence_encode(whole->arena, whole->last);
    return true;
}

static struct error *see(struct store_sight *base, struct store_key *key, struct slice *value,
                         bool *ret_seen) {
    struct whole *whole = container_of(base, struct whole, base);
    *ret_seen = true;
    if (key->keyspace != KEYSPACE_CATALOG)
        return NULL;
    switch (key->key.data[0]) {
    case 'L':
        return see_last(whole, value);
    case 'N':
        *ret_seen = see_part_number(whole, key, value);
        return NULL;
    case 'P':
        *ret_seen = false;
        return NULL;
    case 'S':
        return see_statistics(whole, key->key, value);
    default:
        return NULL;
    }
}

struct error *engine_look_whole(struct store_txn *txn, struct store_sight **ret_sight) {
    struct whole *whole = ARENA_NEW(txn->arena, struct whole);
    whole->base.see = see;
    whole->arena = txn->arena;
    TRY(part_counts_read(txn->arena, txn, &whole->counts));
    TRY(part_numbers_read(txn->arena, txn, &whole->last));
    *ret_sight = &whole->base;
    return NULL;
}

/* ---- what may be there ---- */

/* One server may have deleted more than it has put; all of them together have not. */
static struct error *check_statistics(struct arena *arena, struct slice value) {
    struct table_count count;
    TRY(statistics_decode(arena, value, &count.items, &count.bytes));
    return count.items >= 0 && count.bytes >= 0
               ? NULL
               : error_local(arena, "the statistics of a table are damaged");
}

struct error *whole_record_check(struct arena *arena, struct slice key, struct slice value) {
    switch (key.data[0]) {
    case 'S':
        return check_statistics(arena, value);
    case 'N':
    case 'P':
        return error_local(arena, "it is of one of several servers, and not of all");
    default:
        return NULL;
    }
}
