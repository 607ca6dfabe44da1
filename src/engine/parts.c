/* parts.c - see parts.h. */
#include "engine/parts.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "engine/keyspace.h"

enum { FIRST_ROOM = 16 };

typedef struct error *take_record(struct arena *arena, struct slice key, struct slice value,
                                  void *to);

static struct error *take_all(struct store_scan *scan, struct arena *arena, take_record *take,
                              void *to) {
    for (;;) {
        bool found;
        struct slice key, value;
        TRY(store_scan_next(scan, &found, &key, &value));
        if (!found)
            return NULL;
        TRY(take(arena, key, value, to));
    }
}

static struct error *read_range(struct arena *arena, struct store_txn *txn, struct key_range keys,
                                take_record *take, void *to) {
    struct store_range range = range_in(KEYSPACE_CATALOG, keys);
    struct store_scan *scan;
    TRY(store_scan_open(txn, &range, false, &scan));
    struct error *error = take_all(scan, arena, take, to);
    store_scan_close(scan);
    return error;
}

/* ---- counts ---- */

static struct part_count *add(struct arena *arena, struct part_counts *counts, uint32_t id) {
    if (counts->count == counts->room) {
        struct part_count *before = counts->list;
        counts->room = counts->room == 0 ? FIRST_ROOM : 2 * counts->room;
        counts->list = ARENA_ARRAY(arena, struct part_count, counts->room);
        if (counts->count > 0)
            memcpy(counts->list, before, counts->count * sizeof(*before));
    }
    struct part_count *added = &counts->list[counts->count++];
    *added = (struct part_count){.id = id};
    return added;
}

/* They come in the order of ids. */
static struct error *take_count(struct arena *arena, struct slice key, struct slice value,
                                void *to) {
    struct part_counts *counts = to;
    struct table_count count;
    uint32_t id = load_u32_be(key.data + 1);
    TRY(statistics_decode(arena, value, &count.items, &count.bytes));
    bool known = counts->count > 0 && counts->list[counts->count - 1].id == id;
    struct part_count *sum = known ? &counts->list[counts->count - 1] : add(arena, counts, id);
    sum->count.items += count.items;
    sum->count.bytes += count.bytes;
    return NULL;
}

struct error *part_counts_read(struct arena *arena, struct store_txn *txn,
                               struct part_counts *ret_counts) {
    *ret_counts = (struct part_counts){.list = NULL};
    return read_range(arena, txn, part_statistics_key_range(arena), take_count, ret_counts);
}

static int compare(const void *a, const void *b) {
    const struct part_count *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

const struct part_count *part_counts_find(const struct part_counts *counts, uint32_t id) {
    const struct part_count wanted = {.id = id};
    return counts->count == 0
               ? NULL
               : bsearch(&wanted, counts->list, counts->count, sizeof(wanted), compare);
}

/* ---- numbers ---- */

static struct error *take_number(struct arena *arena, struct slice key, struct slice value,
                                 void *to) {
    uint64_t *last = to, number;
    (void)key;
    TRY(sequence_decode(arena, value, &number));
    if (number > *last)
        *last = number;
    return NULL;
}

struct error *part_numbers_read(struct arena *arena, struct store_txn *txn, uint64_t *ret_last) {
    *ret_last = 0;
    return read_range(arena, txn, part_sequence_key_range(arena), take_number, ret_last);
}
