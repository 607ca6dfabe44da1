/* disk.c - a disk that fails when it is told to, and that notes what a power loss would take: for
 * LD_PRELOAD.
 *
 * GRAMME_DISK names the folder that is on this disk; GRAMME_DISK_CONTROL a file, mapped and shared
 * with the test, that holds struct control. Every call that touches the folder is counted; the
 * chosen one fails. With GRAMME_DISK_JOURNAL the calls that matter to a power loss are lines of
 * that file, and what is deleted or replaced is kept, as links, in GRAMME_DISK_TRASH, which is on
 * the same file system:
 *   S inode size       the file, of that size, was synced
 *   O inode offset     it was written below its size
 *   C path             it was created
 *   R from to trash    it was renamed; what was there before is in the trash, or -
 *   U path trash       it was deleted
 *   M path             a folder was made
 *   D path             a folder was synced
 * A line is written by one call, after what it tells, so that a kill leaves whole lines. Between a
 * call and its line there is a moment, in which a kill makes the loss smaller than it would be.
 *
 * Calls go to the kernel directly: neither libc nor a sanitizer comes in between. */
#undef _FILE_OFFSET_BITS /* else open() is another name of open64(), and both are needed */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { OPEN, READ, WRITE, SYNC, RENAME, UNLINK, TRUNCATE, MAP, FOLDER, KIND_COUNT };

struct control {
    _Atomic uint64_t calls;              /* of all kinds that may fail, since it was set to 0 */
    _Atomic uint64_t counts[KIND_COUNT]; /* of each */
    _Atomic uint64_t fail_at;            /* the call that fails; 0: none */
    _Atomic uint64_t fail_times;         /* that one and those after it: so many */
    _Atomic uint32_t error;
    _Atomic uint32_t kinds; /* bits: those that are counted as calls */
    _Atomic uint64_t failed;
};

enum { FDS_MAX = 65536, LINE_MAX_BYTES = 3 * PATH_MAX };

static const char *folder, *trash;
static size_t folder_len;
static struct control *control;
static int journal = -1;
static _Atomic uint8_t watched[FDS_MAX];
static _Atomic uint64_t trash_count;

__attribute__((constructor)) static void begin(void) {
    folder = getenv("GRAMME_DISK");
    trash = getenv("GRAMME_DISK_TRASH");
    const char *shared = getenv("GRAMME_DISK_CONTROL"), *lines = getenv("GRAMME_DISK_JOURNAL");
    if (folder == NULL || shared == NULL)
        return;
    folder_len = strlen(folder);
    int fd = (int)syscall(SYS_openat, AT_FDCWD, shared, O_RDWR | O_CLOEXEC, 0);
    void *map = (void *)syscall(SYS_mmap, NULL, sizeof(*control), PROT_READ | PROT_WRITE,
                                MAP_SHARED, fd, 0);
    control = map == MAP_FAILED ? NULL : map;
    syscall(SYS_close, fd);
    if (lines != NULL && trash != NULL)
        journal = (int)syscall(SYS_openat, AT_FDCWD, lines, O_WRONLY | O_APPEND | O_CLOEXEC, 0);
}

static bool is_on_disk(int at, const char *path) {
    if (control == NULL)
        return false;
    if (path[0] != '/')
        return at >= 0 && at < FDS_MAX && watched[at];
    return strncmp(path, folder, folder_len) == 0 &&
           (path[folder_len] == '/' || path[folder_len] == '\0');
}

static bool is_watched(int fd) {
    return control != NULL && fd >= 0 && fd < FDS_MAX && watched[fd];
}

/* Whether this call is the one to fail; errno is set then. */
static bool fails(enum kind kind) {
    control->counts[kind]++;
    if ((control->kinds & (UINT32_C(1) << kind)) == 0)
        return false;
    uint64_t call = ++control->calls, at = control->fail_at;
    if (at == 0 || call < at || call >= at + control->fail_times)
        return false;
    control->failed++;
    errno = (int)control->error;
    return true;
}

/* ---- the journal ---- */

static void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void note(const char *format, ...) {
    char line[LINE_MAX_BYTES];
    int error = errno;
    if (journal < 0)
        return;
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    syscall(SYS_write, journal, line, (size_t)len);
    errno = error;
}

static const char *full_path(int at, const char *path, char full[PATH_MAX]) {
    char link[64];
    if (path[0] == '/')
        return path;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", at);
    ssize_t len = syscall(SYS_readlinkat, AT_FDCWD, link, full, (size_t)PATH_MAX - 1);
    if (len < 0)
        return path;
    snprintf(full + len, (size_t)(PATH_MAX - len), "/%s", path);
    return full;
}

/* Links what the path names to the trash; "-": there is nothing. */
static const char *keep(const char *path, char kept[PATH_MAX]) {
    if (journal < 0)
        return "-";
    snprintf(kept, PATH_MAX, "%s/%llu", trash, (unsigned long long)++trash_count);
    if (syscall(SYS_linkat, AT_FDCWD, path, AT_FDCWD, kept, 0) != 0)
        return "-";
    return kept;
}

static off_t size_of(int fd, unsigned long long *ret_inode, bool *ret_folder) {
    struct stat status;
    if (fstat(fd, &status) != 0)
        return 0;
    *ret_inode = status.st_ino;
    *ret_folder = S_ISDIR(status.st_mode);
    return status.st_size;
}

/* ---- opening ---- */

static int open_file(int at, const char *path, int flags, mode_t mode) {
    bool ours = is_on_disk(at, path);
    if (ours && fails(OPEN))
        return -1;
    bool creates = false;
    if (ours && journal >= 0 && (flags & O_CREAT) != 0)
        creates = syscall(SYS_faccessat, at, path, F_OK) != 0;
    int fd = (int)syscall(SYS_openat, at, path, flags, mode);
    if (fd >= 0 && fd < FDS_MAX)
        watched[fd] = ours;
    if (fd >= 0 && creates) {
        char full[PATH_MAX];
        note("C %s\n", full_path(at, path, full));
    }
    return fd;
}

static mode_t mode_in(int flags, va_list arguments) {
    return (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(arguments, mode_t) : 0;
}

#define OPEN_LIKE(name, ...)                              \
    {                                                     \
        va_list arguments;                                \
        va_start(arguments, flags);                       \
        mode_t mode = mode_in(flags, arguments);          \
        va_end(arguments);                                \
        return open_file(__VA_ARGS__, path, flags, mode); \
    }

int open(const char *path, int flags, ...)
    OPEN_LIKE(open, AT_FDCWD) int open64(const char *path, int flags, ...)
        OPEN_LIKE(open64, AT_FDCWD) int openat(int at, const char *path, int flags, ...)
            OPEN_LIKE(openat, at) int openat64(int at, const char *path, int flags, ...)
                OPEN_LIKE(openat64, at)

                    int close(int fd) {
    if (fd >= 0 && fd < FDS_MAX)
        watched[fd] = 0;
    return (int)syscall(SYS_close, fd);
}

/* ---- reading and writing ---- */

ssize_t read(int fd, void *bytes, size_t size) {
    return is_watched(fd) && fails(READ) ? -1 : syscall(SYS_read, fd, bytes, size);
}

ssize_t pread(int fd, void *bytes, size_t size, off_t offset) {
    return is_watched(fd) && fails(READ) ? -1 : syscall(SYS_pread64, fd, bytes, size, offset);
}

ssize_t pread64(int fd, void *bytes, size_t size, off_t offset) {
    return pread(fd, bytes, size, offset);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    return is_watched(fd) && fails(WRITE) ? -1 : syscall(SYS_write, fd, bytes, size);
}

ssize_t writev(int fd, const struct iovec *parts, int count) {
    return is_watched(fd) && fails(WRITE) ? -1 : syscall(SYS_writev, fd, parts, count);
}

ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset) {
    if (!is_watched(fd))
        return syscall(SYS_pwrite64, fd, bytes, size, offset);
    if (fails(WRITE))
        return -1;
    unsigned long long inode = 0;
    bool is_folder = false;
    if (journal >= 0 && offset < size_of(fd, &inode, &is_folder))
        note("O %llu %lld\n", inode, (long long)offset);
    return syscall(SYS_pwrite64, fd, bytes, size, offset);
}

ssize_t pwrite64(int fd, const void *bytes, size_t size, off_t offset) {
    return pwrite(fd, bytes, size, offset);
}

static int sync_with(long call, int fd) {
    unsigned long long inode = 0;
    bool is_folder = false;
    if (!is_watched(fd))
        return (int)syscall(call, fd);
    if (fails(SYNC))
        return -1;
    off_t size = size_of(fd, &inode, &is_folder);
    int result = (int)syscall(call, fd);
    char path[PATH_MAX];
    if (result == 0 && is_folder)
        note("D %s\n", full_path(fd, ".", path));
    else if (result == 0)
        note("S %llu %lld\n", inode, (long long)size);
    return result;
}

int fsync(int fd) {
    return sync_with(SYS_fsync, fd);
}

int fdatasync(int fd) {
    return sync_with(SYS_fdatasync, fd);
}

int ftruncate(int fd, off_t size) {
    return is_watched(fd) && fails(TRUNCATE) ? -1 : (int)syscall(SYS_ftruncate, fd, size);
}

int ftruncate64(int fd, off_t size) {
    return ftruncate(fd, size);
}

int fallocate(int fd, int mode, off_t offset, off_t size) {
    return is_watched(fd) && fails(TRUNCATE) ? -1
                                             : (int)syscall(SYS_fallocate, fd, mode, offset, size);
}

int fallocate64(int fd, int mode, off_t offset, off_t size) {
    return fallocate(fd, mode, offset, size);
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    if (is_watched(fd) && fails(MAP))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

void *mmap64(void *address, size_t size, int protection, int flags, int fd, off_t offset) {
    return mmap(address, size, protection, flags, fd, offset);
}

/* ---- names ---- */

int renameat(int from_at, const char *from, int to_at, const char *to) {
    char from_full[PATH_MAX], to_full[PATH_MAX], kept[PATH_MAX];
    bool ours = is_on_disk(to_at, to);
    if (ours && fails(RENAME))
        return -1;
    const char *before = ours ? keep(full_path(to_at, to, to_full), kept) : "-";
    int result = (int)syscall(SYS_renameat, from_at, from, to_at, to);
    if (ours && result == 0)
        note("R %s %s %s\n", full_path(from_at, from, from_full), full_path(to_at, to, to_full),
             before);
    return result;
}

int rename(const char *from, const char *to) {
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

int unlinkat(int at, const char *path, int flags) {
    char full[PATH_MAX], kept[PATH_MAX];
    bool ours = is_on_disk(at, path);
    if (ours && fails(UNLINK))
        return -1;
    const char *before = ours && flags == 0 ? keep(full_path(at, path, full), kept) : "-";
    int result = (int)syscall(SYS_unlinkat, at, path, flags);
    if (ours && result == 0 && flags == 0)
        note("U %s %s\n", full_path(at, path, full), before);
    return result;
}

int unlink(const char *path) {
    return unlinkat(AT_FDCWD, path, 0);
}

int linkat(int from_at, const char *from, int to_at, const char *to, int flags) {
    char full[PATH_MAX];
    bool ours = is_on_disk(to_at, to);
    if (ours && fails(RENAME))
        return -1;
    int result = (int)syscall(SYS_linkat, from_at, from, to_at, to, flags);
    if (ours && result == 0)
        note("C %s\n", full_path(to_at, to, full));
    return result;
}

int link(const char *from, const char *to) {
    return linkat(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int mkdir(const char *path, mode_t mode) {
    if (is_on_disk(AT_FDCWD, path) && fails(FOLDER))
        return -1;
    int result = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (result == 0 && is_on_disk(AT_FDCWD, path))
        note("M %s\n", path);
    return result;
}
