/* dump_file.h - a whole database into one file and back: what `gramme backup` and `gramme restore`
 * do.
 *
 * A backup is a dump (store/dump) of one moment, sealed when the directory is encrypted
 * (dump_sealed.h). It is taken through the server that runs on the directory, or, when none does,
 * from the directory itself. A shared store is read where it is, beside its servers: they have one
 * thing less to do, and a standby may be asked. Neither a file nor a directory gets its name before
 * it is whole and durable. Errors are texts for the person at the command line. */
#ifndef GRAMME_ADMIN_DUMP_FILE_H
#define GRAMME_ADMIN_DUMP_FILE_H

#include "admin/store_place.h"

/* Told now and then how far it is. */
struct dump_observer {
    void (*report)(struct dump_observer *observer, uint64_t records, uint64_t bytes);
};

struct dump_check;

struct dump_file_summary {
    bool counted; /* false: it is encrypted and was not looked into, so only its size is known */
    bool encrypted;
    uint64_t records; /* of the store, index entries and definitions included */
    uint64_t items;
    uint64_t bytes;
    struct slice program; /* who made the backup, and when */
    int64_t made_ms;
    bool from_server; /* of a directory, which was running */
};

struct dump_file_options {
    struct store_place place;
    const char *file; /* "-" is standard output */
    bool replace;     /* the file may exist */
    /* Of an encrypted directory, or NULL; a server that runs on one needs none of the caller. Of a
     * shared store: encrypts the file. */
    const struct master_key *key;
    const char *program;
    struct dump_observer *observer;
};

struct error *dump_file_make(struct arena *arena, const struct dump_file_options *options,
                             struct dump_file_summary *ret_summary);

struct dump_restore_options {
    const char *file;         /* "-" is standard input */
    struct store_place place; /* is not there or empty */
    bool replace;             /* what is in a shared store goes first */
    /* Opens an encrypted file, and encrypts a directory; NULL: both are plain. */
    const struct master_key *key;
    struct dump_observer *observer;
    /* Asked about every record; NULL: whether it is one of a database (engine/dump_check.h). */
    struct dump_check *check;
};

/* Only verifies it; there is no place. What is wrong with a file that could be opened is no
 * error, but *ret_damage; then there is no summary. */
struct error *dump_file_check(struct arena *arena, const struct dump_restore_options *options,
                              struct dump_file_summary *ret_summary, struct error **ret_damage);

struct error *dump_file_restore(struct arena *arena, const struct dump_restore_options *options,
                                struct dump_file_summary *ret_summary);

#endif
