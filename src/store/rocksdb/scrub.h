/* scrub.h - a database that is open, read through slowly: so that a disk that rots is noticed while
 * there is still a backup.
 *
 * A pass reads every block of every table with its checksum, oldest table first, at a rate at which
 * it ends in its time, at least SCRUB_RATE_MIN; then nothing happens until that time is over.
 * Tables that a compaction makes meanwhile are the next pass's. A damaged one is told in the log,
 * and counted; the server goes on, and answers what it has of it with errors.
 *
 * Threads: one of its own, which waits nearly always. Statistics on any. */
#ifndef GRAMME_STORE_ROCKSDB_SCRUB_H
#define GRAMME_STORE_ROCKSDB_SCRUB_H

#include "store/rocksdb/internal.h"

enum {
    SCRUB_RATE_MIN = 1 << 20, /* bytes a second */
    SCRUB_REST_MS_MAX =
        60 *
        1000, /* after a start, before anything is read; a thousandth of a pass when that is less */
};

/* Nothing when the store's options want none. */
void scrubber_start(struct rocksdb_store *store);
/* Before the database is closed; fine when it was not started. */
void scrubber_stop(struct rocksdb_store *store);

enum { SCRUB_STATISTICS = 3 };
/* Fills so many, or none when there is no scrub; returns how many. */
size_t scrubber_statistics(const struct rocksdb_store *store,
                           struct store_statistic ret_list[SCRUB_STATISTICS]);

#endif
