/* library.h - libpq, PostgreSQL's client library, loaded when a store is opened through it. */
#ifndef GRAMME_STORE_POSTGRES_LIBRARY_H
#define GRAMME_STORE_POSTGRES_LIBRARY_H

#include <libpq-fe.h>

#include "base/error.h"

struct libpq_library {
#define LIBPQ(name) __typeof__(PQ##name) *name;
#include "store/postgres/library.def"
#undef LIBPQ
};

/* Whole after libpq_load(). */
extern struct libpq_library libpq;

/* Does nothing when it is loaded already. Any thread. */
struct error *libpq_load(struct arena *arena);

#endif
