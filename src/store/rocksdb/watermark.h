/* watermark.h - how far a database has been made durable, in a file of its own.
 *
 * RocksDB's files do not tell where they should end: a log or a manifest that lost its end looks
 * like one that a crash cut short. So a file SYNCED beside them says from time to time what was
 * durable when it was written: the number of the last change, and the manifest with its size. A
 * database that shows less is damaged. It never says more than was synced, so a mark that is lost
 * makes nobody refuse a sound database.
 *
 * The file has two slots of a page, which are written in turn; a loss of power can spoil one. A
 * slot is a line of text and zeros:
 *   gramme synced, format 1: mark 7, sequence 1234, manifest 5 of 678 bytes, checksum 89abcdef
 * The checksum is the CRC-32C of what stands before the last comma. The newer mark counts.
 *
 * Threads: a thread of its own writes, about once a second while there is something new. */
#ifndef GRAMME_STORE_ROCKSDB_WATERMARK_H
#define GRAMME_STORE_ROCKSDB_WATERMARK_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/error.h"
#include "store/rocksdb/file_cipher.h"
#include "store/rocksdb/reserve.h"

#define WATERMARK_FILE "SYNCED"

struct watermark {
    uint64_t mark; /* counts them; 0: there is none */
    uint64_t sequence;
    uint64_t manifest;
    uint64_t manifest_bytes;
};

/* No file, or one that was never finished: no mark. */
struct error *watermark_read(struct arena *arena, const char *directory,
                             struct watermark *ret_watermark);

struct watermark_keeper {
    const char *directory;
    struct file_cipher *cipher;
    struct watermark last;       /* that was written */
    struct reserve *reserve;     /* looked at between two marks */
    atomic_uint_fast64_t synced; /* the last sequence number that is durable */
    atomic_bool news;            /* since the thread looked */
    bool running;
    bool stopping;
    pthread_t thread;
    pthread_mutex_t lock; /* of `stopping`, and for the condition */
    pthread_cond_t wake;
};

/* `last` is what was read; everything up to `sequence` is durable. Nothing is written yet. */
void watermark_keeper_init(struct watermark_keeper *keeper, const char *directory,
                           struct file_cipher *cipher, const struct watermark *last,
                           uint64_t sequence);
void watermark_keeper_start(struct watermark_keeper *keeper, struct reserve *reserve);
/* Writes a last mark, when it was started. Fine when there was no init. */
void watermark_keeper_release(struct watermark_keeper *keeper);
/* Everything up to `sequence` is durable. */
void watermark_note(struct watermark_keeper *keeper, uint64_t sequence);

static inline uint64_t watermark_synced(const struct watermark_keeper *keeper) {
    return atomic_load_explicit(&keeper->synced, memory_order_relaxed);
}

#endif
