/* sync_rate.c - how many small appends this file system makes durable per second, one after the
 * other: the limit of a database that syncs every write by itself.
 *
 *     sync_rate FILE [SECONDS [BYTES]]
 *
 * Appends BYTES and calls fdatasync, over and over, to a file whose space was set aside before, as
 * a write-ahead log has it. Prints one line of JSON and removes the file. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"

enum { BYTES_DEFAULT = 400, BYTES_MAX = 64 * 1024, SPACE = 64 * 1024 * 1024 };

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + (double)at.tv_nsec / 1e9;
}

int main(int argc, char **argv) {
    static char bytes[BYTES_MAX];
    double seconds = argc > 2 ? atof(argv[2]) : 1;
    size_t size = argc > 3 ? strtoul(argv[3], NULL, 10) : BYTES_DEFAULT;
    if (argc < 2 || size == 0 || size > BYTES_MAX) {
        fputs("usage: sync_rate FILE [SECONDS [BYTES]]\n", stderr);
        return 2;
    }
    int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
    if (fd < 0) {
        perror(argv[1]);
        return 1;
    }
    /* Not every file system can; then the log grows as it goes there, too. */
    (void)!fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, SPACE);
    memset(bytes, 'x', sizeof(bytes));
    uint64_t count = 0;
    double begin = now(), end = begin;
    for (; end - begin < seconds; end = now(), count++)
        CHECK(write(fd, bytes, size) == (ssize_t)size && fdatasync(fd) == 0);
    printf("{\"syncs\": %lu, \"seconds\": %.3f, \"rate\": %.1f}\n", count, end - begin,
           (double)count / (end - begin));
    close(fd);
    unlink(argv[1]);
    return 0;
}
