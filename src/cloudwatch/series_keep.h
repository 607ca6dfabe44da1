/* series_keep.h - the journal of series (series_records.h), and the thread that writes it. Private
 * to this folder.
 *
 * Threads: one of its own, which sleeps until something was added; `writing` lets one write at a
 * time. */
#ifndef GRAMME_CLOUDWATCH_SERIES_KEEP_H
#define GRAMME_CLOUDWATCH_SERIES_KEEP_H

#include "base/error.h"

struct series_store;

struct error *series_keep_load(struct series_store *store, struct arena *arena);
struct error *series_keep_start(struct series_store *store, struct arena *arena);
/* Has all that was added so far on disk when it returns. */
struct error *series_keep_write(struct series_store *store, struct arena *arena);
/* Writes what is left. */
void series_keep_stop(struct series_store *store);

#endif
