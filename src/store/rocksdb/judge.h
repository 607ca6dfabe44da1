/* judge.h - whether what is in a database's directory is all that was made durable there.
 *
 * RocksDB takes what it cannot read at the end of a log, or of its manifest, for what a crash cut
 * short: it starts without it, and deletes what it no longer knows. After a crash that is right,
 * and with a disk that lost or changed something it is not. What tells them apart:
 *  - A change has a number, and numbers have no gaps: logs go on where the manifest and each other
 *    end.
 *  - Each commit says in its log record up to which number everything was synced when it was made
 *    (write.c). What cannot be read, or is missing, and was synced by the word of a record behind
 *    it, is damage; what was not may be missing after a loss of power.
 *  - The file SYNCED (watermark.h) says the same of the end, for which no record behind it speaks,
 *    and of the manifest.
 * Nothing is written here. Memory: errors in the arena. */
#ifndef GRAMME_STORE_ROCKSDB_JUDGE_H
#define GRAMME_STORE_ROCKSDB_JUDGE_H

#include "store/rocksdb/watermark.h"

enum { PROOF_BYTES = 8 }; /* of what a commit says */

struct judgement {
    struct watermark watermark;
    bool is_new;         /* there is no database yet */
    uint64_t commits;    /* that opening it replays */
    uint64_t dropped_at; /* what a crash cut short: from this byte of a log on.. */
    char dropped[32];    /* ..with this name; "": nothing */
    bool is_endless;     /* RocksDB 9 would never come to an end there (log_walk.h) */
    /* The same of the manifest, from this byte on; 0: it is whole. RocksDB would take it for
     * damage, unless it ends there. */
    uint64_t manifest_end;
    uint64_t manifest; /* its number */
};

/* Whether RocksDB is a version that does not get past what is_endless tells of. */
bool rocksdb_reads_forever(void);

/* An error says what is damaged, and where. */
struct error *rocksdb_judge(struct arena *arena, struct file_cipher *cipher, const char *directory,
                            struct judgement *ret_judgement);

/* Only of the manifest: whether it is there, whole, and no older than it was. */
struct error *rocksdb_judge_manifest(struct arena *arena, struct file_cipher *cipher,
                                     const char *directory);

#endif
