/* ahead.h - on a store far away: what writes will look at is fetched while the commit before them
 * is under way, so that their group takes one round trip instead of two. Private to this folder.
 *
 * What was fetched is what the store held after some commit, whose number is known, and it is right
 * unless a later one wrote that key (recent.h). Nobody else writes, or the commit of the group that
 * builds on it would be refused. What is not right any more is read again. */
#ifndef GRAMME_ENGINE_AHEAD_H
#define GRAMME_ENGINE_AHEAD_H

#include "engine/group.h"
#include "engine/recent.h"

/* engine_submit_writes (write.h) starts it, where there is something to gain. */

/* Gives the slots of the job's items, which are there, what was fetched, where that is right. On
 * the commit thread, as the next. */
void ahead_take(const struct recent *recent, struct group *group, const struct write_job *job);
/* Lets go of what was fetched. */
void ahead_end(struct write_job *job);

#endif
