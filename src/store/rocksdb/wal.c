/* wal.c - takes a batch whose commit failed back out of RocksDB's log.
 *
 * A commit that fails while it is appended leaves a torn record, which recovery ignores. One that
 * fails in the sync after it leaves a whole record behind, which a restart would replay although
 * the writer was told that it failed. RocksDB never writes to a log file again after an error on
 * it, so such a record stays the last of its file and can be cut off. The record is compared byte
 * for byte with the batch, the sequence number in it included, which no acknowledged batch shares.
 *
 * A log is a row of blocks of 32768 bytes, a record one or more fragments of:
 *   OFFSET SIZE  MEANING
 *   0      4     checksum
 *   4      2     length of the payload, little-endian
 *   6      1     1 whole record, 2 its first fragment, 3 a middle one, 4 its last
 *   7      len   payload; of all fragments together: the batch
 * Fewer than 7 bytes at the end of a block are zeros.
 *
 * Memory: the end of the file, as much as the batch is long, is malloc'ed for the comparison.
 * Threads: the writer. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/check.h"
#include "store/rocksdb/internal.h"

enum {
    BLOCK = 32768,
    HEADER = 7,
    PAYLOAD_MAX = BLOCK - HEADER,
    BATCH_HEADER = 12, /* of a batch: sequence number (8), count (4) */
};

enum fragment { FRAGMENT_WHOLE = 1, FRAGMENT_FIRST, FRAGMENT_MIDDLE, FRAGMENT_LAST };

enum retraction { RECORD_ABSENT, RECORD_RETRACTED, RECORD_STUCK };

/* Whether the record that ends `log` is the batch, and where it starts. `log` starts with a block.
 */
static bool last_record_is(struct slice log, struct slice batch, size_t *ret_start) {
    size_t start = 0, matched = 0;
    bool matching = false;
    for (size_t at = 0; at + HEADER <= log.len;) {
        if (BLOCK - at % BLOCK < HEADER) {
            at += BLOCK - at % BLOCK;
            continue;
        }
        size_t len = log.data[at + 4] | (size_t)log.data[at + 5] << 8;
        uint8_t type = log.data[at + 6];
        if (type < FRAGMENT_WHOLE || type > FRAGMENT_LAST || len > log.len - at - HEADER)
            return false;
        if (type == FRAGMENT_WHOLE || type == FRAGMENT_FIRST) {
            start = at;
            matched = 0;
            matching = true;
        }
        const uint8_t *payload = log.data + at + HEADER;
        matching = matching && len <= batch.len - matched &&
                   memcmp(payload, batch.data + matched, len) == 0;
        matched += matching ? len : 0;
        at += HEADER + len;
        bool ends = type == FRAGMENT_WHOLE || type == FRAGMENT_LAST;
        if (ends && matching && matched == batch.len && at == log.len) {
            *ret_start = start;
            return true;
        }
    }
    return false;
}

static bool read_all(int fd, uint8_t *data, size_t len, off_t offset) {
    while (len > 0) {
        ssize_t got = pread(fd, data, len, offset);
        if (got <= 0)
            return false;
        data += got;
        len -= (size_t)got;
        offset += got;
    }
    return true;
}

static enum retraction retract_from(int fd, struct slice batch) {
    struct stat file;
    if (fstat(fd, &file) != 0)
        return RECORD_STUCK;
    /* A record that ends the file starts within this many bytes of its end. */
    off_t reach = (off_t)(batch.len + (batch.len / PAYLOAD_MAX + 2) * HEADER + BLOCK);
    off_t from = file.st_size <= reach ? 0 : (file.st_size - reach) / BLOCK * BLOCK;
    size_t len = (size_t)(file.st_size - from);
    uint8_t *log = malloc(len + 1);
    CHECK(log != NULL);
    enum retraction result = RECORD_STUCK;
    size_t start = 0;
    if (read_all(fd, log, len, from)) {
        result = RECORD_ABSENT;
        if (last_record_is(slice_of(log, len), batch, &start)) {
            bool cut = ftruncate(fd, from + (off_t)start) == 0 && fsync(fd) == 0;
            result = cut ? RECORD_RETRACTED : RECORD_STUCK;
        }
    }
    free(log);
    return result;
}

static bool is_log(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL && strcmp(dot, ".log") == 0;
}

static enum retraction retract_from_named(int directory, const char *name, struct slice batch) {
    int fd = openat(directory, name, O_RDWR | O_CLOEXEC);
    if (fd < 0) /* RocksDB may have deleted it: then so is the record */
        return errno == ENOENT ? RECORD_ABSENT : RECORD_STUCK;
    enum retraction result = retract_from(fd, batch);
    close(fd);
    return result;
}

/* RocksDB numbers a batch right before it writes it to the log. */
bool rocksdb_wal_was_reached(struct slice batch) {
    static const uint8_t no_sequence[8] = {0};
    return batch.len >= BATCH_HEADER && memcmp(batch.data, no_sequence, sizeof(no_sequence)) != 0;
}

bool rocksdb_wal_retract(const char *directory, struct slice batch) {
    DIR *files = opendir(directory);
    if (files == NULL)
        return false;
    bool retracted = true;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (is_log(file->d_name) &&
            retract_from_named(dirfd(files), file->d_name, batch) == RECORD_STUCK)
            retracted = false;
    }
    closedir(files);
    return retracted;
}
