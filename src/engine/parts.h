/* parts.h - what other servers than the one that leads have stored by themselves, where several
 * write (hold.h): how many items each has added to a range, and its own last number. Private to
 * this folder. Memory: the arena. */
#ifndef GRAMME_ENGINE_PARTS_H
#define GRAMME_ENGINE_PARTS_H

#include "engine/table_stats.h"

struct part_count {
    uint32_t id; /* of the range */
    struct table_count count;
};

/* Of each range what they have counted together, by id. */
struct part_counts {
    struct part_count *list;
    size_t count, room;
};

struct error *part_counts_read(struct arena *arena, struct store_txn *txn,
                               struct part_counts *ret_counts);
/* NULL: none of them has counted anything of it. */
const struct part_count *part_counts_find(const struct part_counts *counts, uint32_t id);

/* The largest of their numbers; 0: there is none. */
struct error *part_numbers_read(struct arena *arena, struct store_txn *txn, uint64_t *ret_last);

#endif
