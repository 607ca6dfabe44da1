/* state.h - what an engine is made of: the owners of all that it knows. Private to this folder, and
 * for the files that bring several of them together; each says in its header which threads come to
 * it. */
#ifndef GRAMME_ENGINE_STATE_H
#define GRAMME_ENGINE_STATE_H

#include <pthread.h>

#include "engine/backfill_keeper.h"
#include "engine/backup_keeper.h"
#include "engine/catalog.h"
#include "engine/commit_queue.h"
#include "engine/copy.h"
#include "engine/damage.h"
#include "engine/format.h"
#include "engine/options.h"
#include "engine/recent.h"
#include "engine/reclaim.h"
#include "engine/sequence.h"
#include "engine/stream_keeper.h"
#include "engine/sweeper.h"
#include "engine/token_keeper.h"

struct engine {
    struct engine_options options;
    struct store *store;
    struct eventual *eventual; /* as in the options */
    struct format_record format;
    struct sequence sequence;
    struct catalog catalog;
    struct copies copies;
    struct token_keeper tokens;
    struct backup_keeper backups;
    struct stream_keeper streams;
    struct backfill_keeper filling;
    struct sweeper sweeper;
    struct reclaims reclaims;
    struct recent recent;
    struct commit_queue queue;
    struct damage damage;
    bool stale;                  /* what is known must be read again first (hold.h) */
    struct timespec others_at;   /* of others.c */
    struct committer *committer; /* of commit.c */
    pthread_t commit_thread;     /* unless options.stepped */
    int64_t time_at_open_ms;     /* of the last number then */
};

#endif
