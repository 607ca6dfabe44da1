/* cut.c - see cut.h. */
#include "store/rocksdb/cut.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { NAME_BYTES = 32 };

static bool copy_start(int from, int to, uint64_t len) {
    uint8_t bytes[16 * 1024];
    for (uint64_t done = 0; done < len;) {
        size_t part = len - done < sizeof(bytes) ? (size_t)(len - done) : sizeof(bytes);
        ssize_t count = pread(from, bytes, part, (off_t)done);
        if (count <= 0 || pwrite(to, bytes, (size_t)count, (off_t)done) != count)
            return false;
        done += (uint64_t)count;
    }
    return fsync(to) == 0;
}

bool file_cut(int directory, const char *name, uint64_t number, uint64_t end) {
    char fresh[NAME_BYTES]; /* a name that RocksDB removes when a crash leaves it */
    snprintf(fresh, sizeof(fresh), "%06llu.dbtmp", (unsigned long long)number);
    int from = openat(directory, name, O_RDONLY | O_CLOEXEC);
    int to = openat(directory, fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    bool cut = from >= 0 && to >= 0 && copy_start(from, to, end) &&
               renameat(directory, fresh, directory, name) == 0 && fsync(directory) == 0;
    int error = errno;
    if (from >= 0)
        close(from);
    if (to >= 0)
        close(to);
    if (!cut)
        unlinkat(directory, fresh, 0);
    errno = error;
    return cut;
}
