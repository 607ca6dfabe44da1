/* library.c - filling the table of libpq's functions, once for the process. */
#include "store/postgres/library.h"

#include <pthread.h>

#include "base/library.h"

struct libpq_library libpq;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static const struct library_symbol symbols[] = {
#define LIBPQ(name) {"PQ" #name, &libpq.name},
#include "store/postgres/library.def"
#undef LIBPQ
};

struct error *libpq_load(struct arena *arena) {
    struct error *error = NULL;
    pthread_mutex_lock(&load_lock);
    if (!loaded)
        error = library_load(arena, GRAMME_LIBPQ_LIBRARY, symbols,
                             sizeof(symbols) / sizeof(symbols[0]));
    loaded = error == NULL;
    pthread_mutex_unlock(&load_lock);
    return error;
}
