/* reserve.h - room on the disk that is kept for a start on a full one.
 *
 * Opening a database writes, since its log becomes tables. On a full disk it can only be read, and
 * that by which room is made, deleting, is refused. So a file beside it takes some room while there
 * is plenty. A start that finds none gives it up, and it is made again when there is room for
 * several of it.
 *
 * Threads: the one that opens the database, and from then on the watermark's. */
#ifndef GRAMME_STORE_ROCKSDB_RESERVE_H
#define GRAMME_STORE_ROCKSDB_RESERVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct reserve {
    const char *path;     /* borrowed; NULL: nobody cares for one */
    uint64_t bytes;       /* 0: there is to be none */
    atomic_bool kept;     /* it is as it should be */
    bool given_up;        /* and not made again yet */
    struct timespec look; /* not before this is there another attempt to make it */
};

/* True: there was one, and its room is free now. */
bool reserve_give_up(struct reserve *reserve);
/* Makes it when it is not there, or not whole, and there is room; removes one that is not to be. At
 * most once in some seconds, and nothing when all is as it should be. */
void reserve_look(struct reserve *reserve);

static inline uint64_t reserve_kept_bytes(const struct reserve *reserve) {
    return atomic_load(&reserve->kept) ? reserve->bytes : 0;
}

#endif
