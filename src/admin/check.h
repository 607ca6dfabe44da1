/* check.h - whether a data directory, a shared store or a backup is sound: what `gramme check`
 * does.
 *
 * Of a directory: its files (store/rocksdb/check.h), then its records (engine/check.h). Nothing in
 * it changes, and no server may run on it. Of a shared store: its records as they are at one
 * moment, beside its servers. Of a backup: as `gramme restore --check`.
 *
 * Memory: the arena. Threads: the caller's. */
#ifndef GRAMME_ADMIN_CHECK_H
#define GRAMME_ADMIN_CHECK_H

#include "admin/dump_file.h"
#include "engine/check_report.h"
#include "store/rocksdb/check.h"

struct fault_observer {
    void (*fault)(struct fault_observer *observer, struct slice text);
};

struct data_check_options {
    const char *path;             /* or the URL of a shared store */
    const struct master_key *key; /* of what is encrypted; NULL: it is plain */
    struct fault_observer *faults;
    struct dump_observer *observer; /* how far it is */
};

struct data_check {
    const char *name; /* what was checked, for messages */
    uint64_t faults;
    bool is_backup;
    struct dump_file_summary backup; /* when it has no faults */
    bool has_files;                  /* it is a directory */
    struct files_summary files;
    bool opened; /* its records could be looked at */
    struct check_summary records;
};

/* An error: it could not be checked. */
struct error *data_check(struct arena *arena, const struct data_check_options *options,
                         struct data_check *ret_check);

#endif
