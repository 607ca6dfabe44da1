/* library.c - finding functions by their names. */
#include "base/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct error *find_symbols(struct arena *arena, void *library, const char *file,
                                  const struct library_symbol *symbols, size_t count) {
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL)
            return error_local(arena, "the library %s has no %s", file, symbols[i].name);
        memcpy(symbols[i].pointer, &found, sizeof(found));
    }
    return NULL;
}

struct error *library_load(struct arena *arena, const char *file,
                           const struct library_symbol *symbols, size_t count) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return error_local(arena, "cannot load a library: %s", dlerror());
    return find_symbols(arena, library, file, symbols, count);
}

/* The dynamic linker loads files only, so it becomes one, in memory. */
static struct error *write_file(struct arena *arena, const char *name, struct slice file,
                                int *ret_fd) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    if (fd >= 0 && write(fd, file.data, file.len) == (ssize_t)file.len) {
        *ret_fd = fd;
        return NULL;
    }
    struct error *error = error_local(
        arena, "cannot load the library %s, a part of this program: %s", name, strerror(errno));
    if (fd >= 0)
        close(fd);
    return error;
}

struct error *library_load_embedded(struct arena *arena, const char *name, struct slice file,
                                    const struct library_symbol *symbols, size_t count) {
    int fd = -1;
    char path[32];
    TRY(write_file(arena, name, file, &fd));
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    close(fd);
    if (library == NULL)
        return error_local(arena, "cannot load the library %s, a part of this program: %s", name,
                           dlerror());
    return find_symbols(arena, library, name, symbols, count);
}
