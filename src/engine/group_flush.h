/* group_flush.h - a group's changes on their way to the store. Private to this folder; commit
 * thread. */
#ifndef GRAMME_ENGINE_GROUP_FLUSH_H
#define GRAMME_ENGINE_GROUP_FLUSH_H

#include "engine/group.h"

/* Writes the slots that changed, their index entries, the statistics and the records of streams to
 * the transaction. False: nothing changed. */
bool group_flush(struct group *group, struct store_txn *txn);
/* The last step: after a commit, the tables' statistics take in what the group changed. */
void group_finish(struct group *group, bool committed);

#endif
