/* group_run.h - running jobs of writes as one group. Private to this folder; commit thread. */
#ifndef GRAMME_ENGINE_GROUP_RUN_H
#define GRAMME_ENGINE_GROUP_RUN_H

#include "engine/write.h"

/* Cuts the leading jobs of one group off the list, all of them writes. A group ends at so many
 * items or bytes that its memory and the wait of its first request are bounded. */
struct job *group_take(struct job **list, size_t *ret_writes);
/* Runs and commits them. On an error nothing has happened to any of them. */
struct error *group_run(struct engine *engine, struct arena *arena, struct job *jobs, size_t writes,
                        enum store_durability durability);
/* Runs a job of the commit thread's own as a group by itself; `done` is not called. */
struct error *group_run_own(struct engine *engine, struct arena *arena, struct write_job *job,
                            enum store_durability durability);

#endif
