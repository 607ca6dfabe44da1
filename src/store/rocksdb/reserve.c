/* reserve.c - see reserve.h. Where the file system cannot set room aside (fallocate), there is no
 * reserve: a file of zeros may take none. */
#include "store/rocksdb/reserve.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/deadline.h"
#include "base/log.h"

enum { LOOK_MS = 10 * 1000, TIMES_FREE = 4, BLOCK = 512 };

static unsigned long long megabytes(const struct reserve *reserve) {
    return (unsigned long long)(reserve->bytes >> 20);
}

bool reserve_give_up(struct reserve *reserve) {
    struct stat status;
    if (reserve->path == NULL || stat(reserve->path, &status) != 0 || status.st_blocks == 0 ||
        unlink(reserve->path) != 0)
        return false;
    log_warning("the disk is full: a reserve of %llu MB is given up to start with; make room",
                (unsigned long long)status.st_blocks * BLOCK >> 20);
    reserve->given_up = true;
    return true;
}

static bool is_whole(int fd, uint64_t bytes) {
    struct stat status;
    return fstat(fd, &status) == 0 && (uint64_t)status.st_size == bytes &&
           (uint64_t)status.st_blocks * BLOCK >= bytes;
}

static bool has_room(int fd, uint64_t bytes) {
    struct statvfs disk;
    return fstatvfs(fd, &disk) == 0 &&
           (uint64_t)disk.f_bavail * disk.f_frsize >= TIMES_FREE * bytes;
}

/* Of a file that is open: whether it is whole now. */
static bool fill(const struct reserve *reserve, int fd) {
    if (is_whole(fd, reserve->bytes))
        return true;
    if (!has_room(fd, reserve->bytes) || ftruncate(fd, 0) != 0)
        return false;
    return fallocate(fd, 0, 0, (off_t)reserve->bytes) == 0;
}

static bool make(const struct reserve *reserve) {
    int fd = open(reserve->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool whole = fill(reserve, fd);
    int cause = errno;
    close(fd);
    if (!whole)
        unlink(reserve->path); /* a part of one is of no use */
    errno = cause;
    return whole;
}

void reserve_look(struct reserve *reserve) {
    if (reserve->path == NULL || atomic_load(&reserve->kept) || !deadline_passed(&reserve->look))
        return;
    reserve->look = deadline_after_ms(LOOK_MS);
    bool kept = reserve->bytes > 0 ? make(reserve) : unlink(reserve->path) == 0 || errno == ENOENT;
    if (kept && reserve->given_up)
        log_info("the reserve of %llu MB on the disk is made again", megabytes(reserve));
    reserve->given_up = reserve->given_up && !kept;
    atomic_store(&reserve->kept, kept);
}
