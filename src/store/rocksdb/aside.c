/* aside.c - see aside.h. Memory: none. Threads: whoever opens the database. */
#include "store/rocksdb/aside.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ASIDE "judging"

/* Calls `act` on every regular file of a directory; false when one call was. */
static bool for_each_file(int directory, int other,
                          bool (*act)(int directory, int other, const char *name)) {
    int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *files = fd < 0 ? NULL : fdopendir(fd);
    bool done = files != NULL;
    if (files == NULL)
        return fd >= 0 && close(fd) != 0;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        struct stat status;
        if (fstatat(directory, file->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            done = act(directory, other, file->d_name) && done;
    }
    closedir(files);
    return done;
}

static bool link_file(int directory, int aside, const char *name) {
    return linkat(directory, name, aside, name, 0) == 0;
}

static bool unlink_file(int directory, int other, const char *name) {
    (void)other;
    return unlinkat(directory, name, 0) == 0;
}

/* A file that was not there. */
static bool unlink_new(int directory, int aside, const char *name) {
    return faccessat(aside, name, F_OK, 0) == 0 || unlinkat(directory, name, 0) == 0;
}

/* A name that is still the same file would not be moved. */
static bool put_back(int aside, int directory, const char *name) {
    return renameat(aside, name, directory, name) == 0 &&
           (unlinkat(aside, name, 0) == 0 || errno == ENOENT);
}

struct folders {
    int directory;
    int aside;
};

static bool folders_open(const char *directory, struct folders *ret_folders) {
    int parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int aside = parent < 0 ? -1 : openat(parent, ASIDE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (aside < 0 && parent >= 0)
        close(parent);
    *ret_folders = (struct folders){parent, aside};
    return aside >= 0;
}

/* Also removes the one beside, when it is empty. */
static bool folders_close(const struct folders *folders) {
    close(folders->aside);
    bool removed = unlinkat(folders->directory, ASIDE, AT_REMOVEDIR) == 0;
    close(folders->directory);
    return removed;
}

void aside_drop(const char *directory) {
    struct folders folders;
    if (!folders_open(directory, &folders))
        return;
    for_each_file(folders.aside, -1, unlink_file);
    folders_close(&folders);
}

bool aside_keep(const char *directory) {
    struct folders folders;
    aside_drop(directory);
    int parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool made = parent >= 0 && mkdirat(parent, ASIDE, 0700) == 0;
    if (parent >= 0)
        close(parent);
    if (!made || !folders_open(directory, &folders))
        return false;
    bool kept = for_each_file(folders.directory, folders.aside, link_file);
    close(folders.aside);
    close(folders.directory);
    if (!kept)
        aside_drop(directory);
    return kept;
}

bool aside_restore(const char *directory) {
    struct folders folders;
    if (!folders_open(directory, &folders))
        return false;
    bool cleared = for_each_file(folders.directory, folders.aside, unlink_new);
    bool restored = for_each_file(folders.aside, folders.directory, put_back);
    return folders_close(&folders) && cleared && restored;
}
