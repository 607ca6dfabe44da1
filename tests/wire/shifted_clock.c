/* shifted_clock.c - a system clock that is wrong by as many seconds as a file says: for LD_PRELOAD.
 *
 * The file has one int64_t, in this machine's order, and is mapped, so that a test sets the clock
 * of a running server by writing to it. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *seconds_off;

__attribute__((constructor)) static void open_file(void) {
    const char *path = getenv("GRAMME_CLOCK_OFF");
    int fd = path == NULL ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    void *map = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof(int64_t), PROT_READ, MAP_SHARED, fd, 0);
    if (map != MAP_FAILED)
        seconds_off = map;
    if (fd >= 0)
        close(fd);
}

int clock_gettime(clockid_t id, struct timespec *ret_now) {
    int result = (int)syscall(SYS_clock_gettime, id, ret_now);
    if (result == 0 && id == CLOCK_REALTIME && seconds_off != NULL)
        ret_now->tv_sec += *seconds_off;
    return result;
}
