/* write_throttle.h - whether a write may happen, by what its table, its partition key and the
 * indexes that it changes have left. Private to this folder; commit thread.
 *
 * Here and not where requests come in, because here writes run one after another, and it is known
 * what each of them does to which index: so not one more is let in than there are units for,
 * however many come at once, and what is refused has changed nothing. What a write took is drawn
 * before the next one is asked about; of a transaction, when all of it is decided.
 *
 * A group that is run again after a conflict draws again: that is rare, and nobody counts on the
 * units that are lost. What the engine itself deletes, when its time has come, is free. */
#ifndef GRAMME_ENGINE_WRITE_THROTTLE_H
#define GRAMME_ENGINE_WRITE_THROTTLE_H

#include "engine/group.h"

static inline bool write_is_throttled(const struct group *group, const struct item_write *write) {
    return __builtin_expect(group->owners.options->throttle != NULL, 0) && !write->expired;
}

/* Before anything is decided: the table and the partition key. */
struct error *write_throttle_check(const struct group *group, const struct write_job *job,
                                   const struct item_write *write);
/* When its index_writes are known: the global indexes among them. `table` is the present one. */
struct error *write_throttle_check_indexes(const struct group *group, const struct write_job *job,
                                           const struct item_write *write,
                                           const struct table *table);

/* What a write took that stands for itself, and what all writes of a transaction took. */
void write_throttle_take(const struct group *group, const struct item_write *write);
void write_throttle_take_all(const struct group *group, const struct write_job *job);

#endif
