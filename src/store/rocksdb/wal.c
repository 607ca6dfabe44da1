/* wal.c - takes a batch whose commit failed back out of RocksDB's log.
 *
 * A commit that fails while it is appended leaves a torn record, which recovery ignores. One that
 * fails in the sync after it leaves a whole record behind, which a restart would replay although
 * the writer was told that it failed. RocksDB never writes to a log file again after an error on
 * it, so such a record stays the last of its file and can be cut off. The record is compared byte
 * for byte with the batch, the sequence number in it included, which no acknowledged batch shares.
 *
 * What a log looks like is told in log_walk.h.
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
#include "store/rocksdb/log_walk.h"

enum {
    BLOCK = LOG_BLOCK,
    HEADER = LOG_HEADER,
    PAYLOAD_MAX = BLOCK - HEADER,
    BATCH_HEADER = 12, /* of a batch: sequence number (8), count (4) */
};

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

/* A log as RocksDB sees it: where it begins in its file, and its key. */
struct log {
    int fd;
    off_t begin;
    struct ctr *key; /* NULL: it is plain */
};

static bool log_read(const struct log *log, uint8_t *data, size_t len, off_t offset) {
    if (!read_all(log->fd, data, len, log->begin + offset))
        return false;
    if (log->key != NULL)
        file_cipher_calls.apply(log->key, (uint64_t)offset, data, data, len);
    return true;
}

static enum retraction retract_from(const struct log *file, struct slice batch) {
    struct stat status;
    if (fstat(file->fd, &status) != 0)
        return RECORD_STUCK;
    if (status.st_size <= file->begin)
        return RECORD_ABSENT;
    off_t size = status.st_size - file->begin;
    /* A record that ends the file starts within this many bytes of its end. */
    off_t reach = (off_t)(batch.len + (batch.len / PAYLOAD_MAX + 2) * HEADER + BLOCK);
    off_t from = size <= reach ? 0 : (size - reach) / BLOCK * BLOCK;
    size_t len = (size_t)(size - from);
    uint8_t *log = malloc(len + 1);
    CHECK(log != NULL);
    enum retraction result = RECORD_STUCK;
    size_t start = 0;
    if (log_read(file, log, len, from)) {
        result = RECORD_ABSENT;
        if (last_record_is(slice_of(log, len), batch, &start)) {
            bool cut =
                ftruncate(file->fd, file->begin + from + (off_t)start) == 0 && fsync(file->fd) == 0;
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

static enum retraction retract_from_encrypted(struct file_cipher *cipher, int fd,
                                              struct slice batch) {
    uint8_t header[FILE_HEADER_BYTES];
    struct log log = {.fd = fd, .begin = FILE_HEADER_BYTES};
    ssize_t len = pread(fd, header, sizeof(header), 0);
    if (len < 0)
        return RECORD_STUCK;
    enum file_state state = file_cipher_calls.open(cipher, header, (size_t)len, &log.key);
    if (state != FILE_KEYED)
        return state == FILE_EMPTY ? RECORD_ABSENT : RECORD_STUCK;
    enum retraction result = retract_from(&log, batch);
    file_cipher_calls.release(log.key);
    return result;
}

static enum retraction retract_from_named(struct file_cipher *cipher, int directory,
                                          const char *name, struct slice batch) {
    int fd = openat(directory, name, O_RDWR | O_CLOEXEC);
    if (fd < 0) /* RocksDB may have deleted it: then so is the record */
        return errno == ENOENT ? RECORD_ABSENT : RECORD_STUCK;
    enum retraction result = cipher != NULL ? retract_from_encrypted(cipher, fd, batch)
                                            : retract_from(&(struct log){.fd = fd}, batch);
    close(fd);
    return result;
}

/* RocksDB numbers a batch right before it writes it to the log. */
bool rocksdb_wal_was_reached(struct slice batch) {
    static const uint8_t no_sequence[8] = {0};
    return batch.len >= BATCH_HEADER && memcmp(batch.data, no_sequence, sizeof(no_sequence)) != 0;
}

bool rocksdb_wal_retract(const struct rocksdb_store *store, struct slice batch) {
    DIR *files = opendir(store->config.options.directory);
    if (files == NULL)
        return false;
    bool retracted = true;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        if (is_log(file->d_name) &&
            retract_from_named(store->cipher, dirfd(files), file->d_name, batch) == RECORD_STUCK)
            retracted = false;
    }
    closedir(files);
    return retracted;
}
