/* scrub_mark.c - see scrub_mark.h. */
#include "store/rocksdb/scrub_mark.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/crc32c.h"

#define FORMAT_TEXT \
    "gramme scrubbed, format 1: table %llu, faults %llu and %llu, began %lld, ended %lld"
#define CHECKSUM_TEXT ", checksum %08x\n"

enum { MARK_BYTES_MAX = 256 };

static size_t mark_text(const struct scrub_mark *mark, char text[MARK_BYTES_MAX]) {
    int len = snprintf(text, MARK_BYTES_MAX, FORMAT_TEXT, (unsigned long long)mark->table,
                       (unsigned long long)mark->faults, (unsigned long long)mark->last_faults,
                       (long long)mark->began_ms, (long long)mark->ended_ms);
    uint32_t checksum = crc32c(0, slice_of(text, (size_t)len));
    return (size_t)len +
           (size_t)snprintf(text + len, (size_t)(MARK_BYTES_MAX - len), CHECKSUM_TEXT, checksum);
}

struct scrub_mark scrub_mark_read(const char *directory) {
    char path[PATH_MAX], text[MARK_BYTES_MAX] = "", same[MARK_BYTES_MAX];
    unsigned long long table, faults, last_faults;
    long long began_ms, ended_ms;
    snprintf(path, sizeof(path), "%s/" SCRUB_FILE, directory);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
    if (fd >= 0)
        close(fd);
    if (len <= 0 ||
        sscanf(text, FORMAT_TEXT, &table, &faults, &last_faults, &began_ms, &ended_ms) != 5)
        return (struct scrub_mark){.table = 0};
    struct scrub_mark mark = {table, faults, last_faults, began_ms, ended_ms};
    mark_text(&mark, same);
    return strcmp(text, same) == 0 ? mark : (struct scrub_mark){.table = 0};
}

bool scrub_mark_write(const char *directory, const struct scrub_mark *mark) {
    char path[PATH_MAX], fresh[PATH_MAX], text[MARK_BYTES_MAX];
    size_t len = mark_text(mark, text);
    snprintf(path, sizeof(path), "%s/" SCRUB_FILE, directory);
    snprintf(fresh, sizeof(fresh), "%s/" SCRUB_FILE ".new", directory);
    int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool written = fd >= 0 && write(fd, text, len) == (ssize_t)len;
    if (fd >= 0)
        written = close(fd) == 0 && written;
    return written && rename(fresh, path) == 0;
}
