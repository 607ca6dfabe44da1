/* library.h - a shared library that is loaded when it is needed and not when the program starts.
 *
 * Some libraries take more memory and more time to load than all of gramme, for something that
 * most runs never do. They are called through a table of pointers that this fills. */
#ifndef GRAMME_BASE_LIBRARY_H
#define GRAMME_BASE_LIBRARY_H

#include "base/error.h"

struct library_symbol {
    const char *name;
    void *pointer; /* to the pointer to fill */
};

/* `file` is the name by which the dynamic linker knows the library (scripts/soname). It stays
 * loaded for good; a second call is harmless. The error's text says what is missing. */
struct error *library_load(struct arena *arena, const char *file,
                           const struct library_symbol *symbols, size_t count);

/* The same for a library that is part of the program: its file's content, byte for byte. `name` is
 * for the error and for who looks at the process. */
struct error *library_load_embedded(struct arena *arena, const char *name, struct slice file,
                                    const struct library_symbol *symbols, size_t count);

#endif
