/* library.c - finding functions by their names. */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

struct error *library_load(struct arena *arena, const char *file,
                           const struct library_symbol *symbols, size_t count) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return error_local(arena, "cannot load a library: %s", dlerror());
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL)
            return error_local(arena, "the library %s has no %s", file, symbols[i].name);
        memcpy(symbols[i].pointer, &found, sizeof(found));
    }
    return NULL;
}
