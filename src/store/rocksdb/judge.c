/* judge.c - see judge.h. */
#include "store/rocksdb/judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/container.h"
#include "store/rocksdb/log_walk.h"
#include "store/rocksdb/manifest.h"
#include "store/rocksdb/scrub_mark.h"

enum {
    BATCH_HEADER = 12, /* sequence number (8), count (4) */
    TAG_LOG_DATA = 3,  /* then a length and so many bytes, which are ours */
    PROOF_AT = BATCH_HEADER + 2,
};

struct reading {
    struct log_visitor base;
    const struct manifest *manifest;
    char name[32]; /* of the log that is read */
    uint64_t next; /* the number of the next change; 0: none was read yet */
    uint64_t commits;
    bool bad;          /* something is missing.. */
    char bad_name[32]; /* ..from this log.. */
    uint64_t bad_at;   /* ..and this byte on.. */
    uint64_t missing;  /* ..beginning with this number; 0: unknown */
    uint64_t proven;   /* it was synced by the word of a record behind it, up to here; 0: not */
};

/* ---- one log ---- */

static void note_bad(struct log_visitor *base, uint64_t offset) {
    struct reading *reading = container_of(base, struct reading, base);
    if (reading->bad)
        return;
    reading->bad = true;
    reading->bad_at = offset;
    reading->missing = reading->next;
    memcpy(reading->bad_name, reading->name, sizeof(reading->name));
}

static uint64_t proof_of(struct slice start) {
    if (start.len < PROOF_AT + PROOF_BYTES || start.data[BATCH_HEADER] != TAG_LOG_DATA ||
        start.data[BATCH_HEADER + 1] != PROOF_BYTES)
        return 0;
    return load_u64(start.data + PROOF_AT);
}

static void take_record(struct log_visitor *base, uint64_t offset, struct slice start) {
    struct reading *reading = container_of(base, struct reading, base);
    if (start.len < BATCH_HEADER)
        return;
    uint64_t sequence = load_u64(start.data), count = load_u32(start.data + 8);
    uint64_t proof = proof_of(start);
    uint64_t next = reading->next != 0 ? reading->next : reading->manifest->last_sequence + 1;
    if (count == 0)
        return; /* RocksDB's own */
    if (!reading->bad && sequence > next) {
        note_bad(base, offset);
        reading->missing = next;
    }
    if (!reading->bad) {
        reading->next = sequence + count;
        reading->commits++;
        return;
    }
    bool speaks = reading->missing != 0 ? proof >= reading->missing : proof + 1 >= sequence;
    if (speaks && proof > reading->proven)
        reading->proven = proof;
}

/* ---- all logs ---- */

static struct error *walk_logs(struct arena *arena, struct file_cipher *cipher, DIR *files,
                               struct reading *reading) {
    uint64_t *numbers = ARENA_ARRAY(arena, uint64_t, LOGS_MAX);
    size_t count = log_find(files, reading->manifest->first_log, numbers);
    for (size_t i = 0; i < count; i++) {
        snprintf(reading->name, sizeof(reading->name), "%06llu.log",
                 (unsigned long long)numbers[i]);
        enum log_walked walked = log_walk(cipher, dirfd(files), reading->name, &reading->base);
        if (walked == LOG_UNREADABLE)
            return error_local(arena, "its file %s cannot be read: %s", reading->name,
                               strerror(errno));
        if (walked == LOG_FOREIGN)
            return error_local(arena, "its file %s is not encrypted by the key of this directory",
                               reading->name);
    }
    return NULL;
}

static struct error *judge_logs(struct arena *arena, const struct reading *reading,
                                const struct watermark *watermark) {
    uint64_t last = reading->next == 0 ? 0 : reading->next - 1;
    if (last < reading->manifest->last_sequence)
        last = reading->manifest->last_sequence;
    bool promised = last < watermark->sequence;
    if (reading->bad && (reading->proven != 0 || promised))
        return error_local(
            arena,
            "its log %s cannot be read at byte %llu, and writes that were durable are lost: "
            "up to change %llu they are there, up to %llu they were synced",
            reading->bad_name, (unsigned long long)reading->bad_at, (unsigned long long)last,
            (unsigned long long)(reading->proven > watermark->sequence ? reading->proven
                                                                       : watermark->sequence));
    if (promised)
        return error_local(arena,
                           "the end of its log is missing: up to change %llu writes are there, up "
                           "to %llu they were synced by the word of its file " WATERMARK_FILE,
                           (unsigned long long)last, (unsigned long long)watermark->sequence);
    return NULL;
}

/* ---- the manifest ---- */

static struct error *judge_manifest(struct arena *arena, const struct manifest *manifest,
                                    const struct watermark *watermark) {
    uint64_t end = manifest->torn ? manifest->torn_at : manifest->size;
    if (manifest->number < watermark->manifest)
        return error_local(
            arena,
            "its file CURRENT names manifest %llu, and %llu was in use by the word of its "
            "file " WATERMARK_FILE,
            (unsigned long long)manifest->number, (unsigned long long)watermark->manifest);
    if (manifest->number == watermark->manifest && end < watermark->manifest_bytes)
        return error_local(arena,
                           "its file MANIFEST-%06llu ends at byte %llu, and had %llu by the word "
                           "of its file " WATERMARK_FILE,
                           (unsigned long long)manifest->number, (unsigned long long)end,
                           (unsigned long long)watermark->manifest_bytes);
    return NULL;
}

/* Where a manifest is to end whose last edit came to the disk in part; 0: where it does. RocksDB
 * syncs an edit before it acts by it, so one that was cut short has done nothing yet. But without a
 * mark nothing tells it from one that was synced, and was damaged later. */
static uint64_t end_of_edits(const struct manifest *manifest, const struct watermark *watermark) {
    return manifest->torn && manifest->any && watermark->mark != 0 ? manifest->torn_at : 0;
}

/* ---- headers ---- */

/* Of every encrypted file: RocksDB runs into assertions over some that it cannot read. */
static struct error *judge_headers(struct arena *arena, struct file_cipher *cipher, DIR *files) {
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        char start[2];
        struct stat status;
        if (strcmp(file->d_name, WATERMARK_FILE) != 0 &&
            strncmp(file->d_name, SCRUB_FILE, strlen(SCRUB_FILE)) != 0 &&
            fstatat(dirfd(files), file->d_name, &status, 0) == 0 && S_ISREG(status.st_mode) &&
            log_read_text(cipher, dirfd(files), file->d_name, start, sizeof(start)) == LOG_FOREIGN)
            return error_local(arena, "its file %s is not encrypted by the key of this directory",
                               file->d_name);
    }
    rewinddir(files);
    return NULL;
}

/* ---- all of it ---- */

bool rocksdb_reads_forever(void) {
    return GRAMME_ROCKSDB_MAJOR >= 9;
}

static struct error *judge(struct arena *arena, struct file_cipher *cipher, const char *directory,
                           DIR *files, struct judgement *judgement) {
    struct manifest manifest;
    if (cipher != NULL)
        TRY(judge_headers(arena, cipher, files));
    TRY(watermark_read(arena, directory, &judgement->watermark));
    TRY(manifest_read(arena, cipher, directory, &manifest));
    TRY(judge_manifest(arena, &manifest, &judgement->watermark));
    judgement->manifest = manifest.number;
    judgement->manifest_end = end_of_edits(&manifest, &judgement->watermark);
    judgement->is_new = manifest.number == 0;
    if (manifest.number == 0 || !manifest.known)
        return NULL;
    struct reading reading = {.base = {PROOF_AT + PROOF_BYTES, take_record, note_bad},
                              .manifest = &manifest};
    TRY(walk_logs(arena, cipher, files, &reading));
    judgement->is_endless = reading.base.is_endless;
    TRY(judge_logs(arena, &reading, &judgement->watermark));
    judgement->commits = reading.commits;
    judgement->dropped_at = reading.bad_at;
    memcpy(judgement->dropped, reading.bad_name, sizeof(reading.bad_name));
    return NULL;
}

struct error *rocksdb_judge(struct arena *arena, struct file_cipher *cipher, const char *directory,
                            struct judgement *ret_judgement) {
    *ret_judgement = (struct judgement){.is_new = true};
    DIR *files = opendir(directory);
    if (files == NULL)
        return NULL; /* RocksDB makes it, or says why not */
    struct error *error = judge(arena, cipher, directory, files, ret_judgement);
    closedir(files);
    return error;
}

struct error *rocksdb_judge_manifest(struct arena *arena, struct file_cipher *cipher,
                                     const char *directory) {
    struct watermark watermark = {.mark = 0};
    struct manifest manifest;
    if (watermark_read(arena, directory, &watermark) != NULL)
        watermark = (struct watermark){.mark = 0};
    TRY(manifest_read(arena, cipher, directory, &manifest));
    if (manifest.number == 0)
        return error_local(arena, "its file CURRENT is missing");
    return judge_manifest(arena, &manifest, &watermark);
}
