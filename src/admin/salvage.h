/* salvage.h - a new data directory from what can be read of a damaged one, or of a damaged backup.
 *
 * Of a directory: store/rocksdb/salvage.h reads it, engine/salvage.h makes a database of it. Of a
 * backup: everything before the place where it is damaged. The key of secrets comes along. The new
 * directory appears when it is whole. Memory: the arena. Threads: the caller's. */
#ifndef GRAMME_ADMIN_SALVAGE_H
#define GRAMME_ADMIN_SALVAGE_H

#include "admin/check.h"
#include "engine/salvage.h"

struct data_salvage {
    uint64_t faults; /* of the source, that were told: files, gaps and records */
    struct salvage_totals totals;
};

/* `options->faults` is told what is wrong with the source, and what is lost. `target` is not there
 * yet, or empty, and encrypted as the source is. An error: nothing was made. */
struct error *data_salvage(struct arena *arena, const struct data_check_options *options,
                           const char *target, struct data_salvage *ret_salvage);

#endif
