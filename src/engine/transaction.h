/* transaction.h - a job whose writes happen all or not at all. Private to this folder; commit
 * thread.
 *
 * The group runs its jobs one after another, so a transaction needs no locks: its writes are run
 * like any others, and when one of them fails, the slots get back what they held before the job.
 * All writes are tried even then, since the client is told of each. */
#ifndef GRAMME_ENGINE_TRANSACTION_H
#define GRAMME_ENGINE_TRANSACTION_H

#include "engine/group.h"
#include "engine/token.h"

/* Makes the slots that the job will use, besides those of its writes. */
void transaction_reserve(struct group *group, const struct write_job *job);
enum { TRANSACTION_SLOTS_MAX = TOKEN_SLOTS_MAX };

void transaction_run(struct group *group, struct write_job *job);

/* With engine_options.transaction_conflicts: the error of a write to an item that another
 * transaction of the group has used. NULL: none. */
struct error *transaction_conflict(struct group *group, const struct write_job *job,
                                   const struct item_write *write);

#endif
