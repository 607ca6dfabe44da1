/* process.c - numbers from /proc/self. */
#include "prometheus/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

static bool read_text(const char *path, char *text, size_t size) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    ssize_t len = read(fd, text, size - 1);
    close(fd);
    if (len <= 0)
        return false;
    text[len] = '\0';
    return true;
}

static double boot_time(void) {
    char text[16384];
    if (!read_text("/proc/stat", text, sizeof(text)))
        return 0;
    const char *line = strstr(text, "\nbtime ");
    return line == NULL ? 0 : strtod(line + strlen("\nbtime "), NULL);
}

/* Fields of /proc/self/stat by their numbers in proc(5), which count from the state on after the
 * name; the name may hold anything, but ends with the last parenthesis. */
enum { STAT_STATE = 3, STAT_UTIME = 14, STAT_STIME, STAT_START = 22, STAT_VSIZE, STAT_RSS };

static bool read_stat(double ret_fields[STAT_RSS + 1]) {
    char text[2048];
    if (!read_text("/proc/self/stat", text, sizeof(text)))
        return false;
    char *at = strrchr(text, ')');
    if (at == NULL)
        return false;
    at += strlen(") S");
    for (int field = STAT_STATE + 1; field <= STAT_RSS; field++)
        ret_fields[field] = strtod(at, &at);
    return true;
}

static void write_stat(struct exposition *exposition) {
    double fields[STAT_RSS + 1], ticks = (double)sysconf(_SC_CLK_TCK), boot = boot_time();
    if (!read_stat(fields))
        return;
    exposition_single(exposition, "process_cpu_seconds", EXPOSITION_COUNTER,
                      "Processor time, of users and of the system.",
                      (fields[STAT_UTIME] + fields[STAT_STIME]) / ticks);
    exposition_single(exposition, "process_virtual_memory_bytes", EXPOSITION_GAUGE,
                      "Size of the address space.", fields[STAT_VSIZE]);
    exposition_single(exposition, "process_resident_memory_bytes", EXPOSITION_GAUGE,
                      "Memory in use.", fields[STAT_RSS] * (double)sysconf(_SC_PAGESIZE));
    if (boot > 0)
        exposition_single(exposition, "process_start_time_seconds", EXPOSITION_GAUGE,
                          "When it started, since 1970.", boot + fields[STAT_START] / ticks);
}

/* Calls open(), not opendir(): ThreadSanitizer registers only descriptors of the former. It would
 * mistake this one for a socket of the same number that libuv closed by a raw system call. */
static DIR *open_folder(const char *path) {
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 ? NULL : fdopendir(fd);
}

static void write_files(struct exposition *exposition) {
    struct rlimit limit;
    DIR *folder = open_folder("/proc/self/fd");
    if (folder != NULL) {
        double count = -3; /* "." and ".." and this one */
        while (readdir(folder) != NULL)
            count++;
        closedir(folder);
        exposition_single(exposition, "process_open_fds", EXPOSITION_GAUGE,
                          "Open file descriptors.", count);
    }
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
        exposition_single(exposition, "process_max_fds", EXPOSITION_GAUGE, "How many there may be.",
                          (double)limit.rlim_cur);
}

void process_page_write(struct exposition *exposition) {
    write_stat(exposition);
    write_files(exposition);
}
