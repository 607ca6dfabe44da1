/* machine.c - the memory of the machine and the limits on it, from the kernel's files. */
#include "base/machine.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* UINT64_MAX when the file is not there or names no number: "max" is no limit. */
static uint64_t limit_in(const char *path) {
    uint64_t limit = UINT64_MAX;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return UINT64_MAX;
    if (fscanf(file, "%" SCNu64, &limit) != 1)
        limit = UINT64_MAX;
    fclose(file);
    return limit;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* The limits of the process's control group and of those around it, as the second version of
 * control groups has them: one folder within another. */
static uint64_t group_limit(void) {
    char line[1024] = "", path[1100];
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return UINT64_MAX;
    while (fgets(line, sizeof(line), file) != NULL && strncmp(line, "0::", 3) != 0)
        line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    char *group = line[0] == '\0' ? line : line + strlen("0::");
    uint64_t limit = limit_in("/sys/fs/cgroup/memory.max");
    while (group[0] == '/' && group[1] != '\0') {
        snprintf(path, sizeof(path), "/sys/fs/cgroup%s/memory.max", group);
        limit = smaller(limit, limit_in(path));
        *strrchr(group, '/') = '\0';
    }
    return limit;
}

uint64_t machine_memory_bytes(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    uint64_t bytes = pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes : 0;
    uint64_t first_version = limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes");
    uint64_t limit = smaller(group_limit(), first_version);
    if (bytes == 0)
        return limit == UINT64_MAX ? 0 : limit;
    return smaller(bytes, limit);
}
