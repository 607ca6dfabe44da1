/* dump_file.h - a whole database into one file and back: what `gramme backup` and `gramme restore`
 * do.
 *
 * A backup is a dump (store/dump) of one moment. It is taken through the server that runs on the
 * directory, or, when none does, from the directory itself. Neither a file nor a directory gets its
 * name before it is whole and durable. Errors are texts for the person at the command line. */
#ifndef GRAMME_ADMIN_DUMP_FILE_H
#define GRAMME_ADMIN_DUMP_FILE_H

#include "base/error.h"

/* Told now and then how far it is. */
struct dump_observer {
    void (*report)(struct dump_observer *observer, uint64_t records, uint64_t bytes);
};

struct dump_file_summary {
    uint64_t records; /* of the store, index entries and definitions included */
    uint64_t items;
    uint64_t bytes;
    struct slice program; /* who made the backup, and when */
    int64_t made_ms;
    bool from_server; /* which was running */
};

struct dump_file_options {
    const char *directory;
    const char *file; /* "-" is standard output */
    bool replace;     /* the file may exist */
    const char *program;
    struct dump_observer *observer;
};

struct error *dump_file_make(struct arena *arena, const struct dump_file_options *options,
                             struct dump_file_summary *ret_summary);

struct dump_restore_options {
    const char *file;      /* "-" is standard input */
    const char *directory; /* is not there or empty; NULL: the file is only verified */
    struct dump_observer *observer;
};

struct error *dump_file_restore(struct arena *arena, const struct dump_restore_options *options,
                                struct dump_file_summary *ret_summary);

#endif
