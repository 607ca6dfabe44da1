/* dump.h - a whole store as one stream of bytes, of one moment, whatever engine holds it.
 *
 * dump_write reads a store in one read transaction, so that it takes what it finds at one moment
 * while writers go on. dump_read takes such a stream from anywhere, verifies all of it, and passes
 * it on or loads it into an empty store of any engine. Truncation, changed bytes, blocks that are
 * lost, doubled or swapped, and bytes after the end are all found; a dump of a newer format is
 * refused. The format is drawn in format.h.
 *
 * Memory: a dump's block, at most DUMP_BLOCK_MAX, and what the transaction holds. Errors and the
 * slices of a summary live in the caller's arena. Threads: any, one per call. */
#ifndef GRAMME_STORE_DUMP_DUMP_H
#define GRAMME_STORE_DUMP_DUMP_H

#include "store/sight.h"

enum {
    DUMP_FORMAT = 1,
    DUMP_PROGRAM_MAX = 100, /* bytes of the text that says who made a dump */
    DUMP_NAME_MAX = 64,     /* of a keyspace's name */
    DUMP_VALUE_MAX = 15 << 20,
};

/* Where a dump goes. An error ends the dump; one more block may follow, which says why. */
struct dump_sink {
    struct error *(*write)(struct dump_sink *sink, struct arena *arena, struct slice bytes);
};

/* Where a dump comes from: up to `size` bytes, none only at the end. */
struct dump_source {
    struct error *(*read)(struct dump_source *source, struct arena *arena, void *bytes, size_t size,
                          size_t *ret_len);
};

/* Told after every block, some hundred times a second at most. */
struct dump_progress {
    void (*report)(struct dump_progress *progress, uint64_t records, uint64_t bytes);
};

struct dump_summary {
    struct slice program; /* who made it */
    int64_t made_ms;      /* when, since 1970 */
    size_t keyspace_count;
    struct slice names[STORE_KEYSPACES_MAX];
    uint64_t records[STORE_KEYSPACES_MAX]; /* of each keyspace */
    uint64_t record_count;                 /* of all */
    uint64_t bytes;                        /* of the dump */
};

struct dump_write_options {
    struct store *store;
    const struct store_keyspace *keyspaces; /* as the store was opened with */
    size_t keyspace_count;
    const char *program;
    int64_t now_ms;
    struct dump_sink *sink;
    struct dump_progress *progress; /* or NULL */
    store_look *look;               /* how the store is read, or NULL: as it is */
};

struct error *dump_write(struct arena *arena, const struct dump_write_options *options,
                         struct dump_summary *ret_summary);

/* Asked about every record before anything is done with it; what a dump's bytes mean is not known
 * here. */
struct dump_check {
    struct error *(*check)(struct dump_check *check, struct arena *arena,
                           const struct store_key *key, struct slice value);
};

struct dump_read_options {
    struct dump_source *source;
    /* The keyspaces that may be in the dump; any other is an error. With `store`: as it was opened
     * with. */
    const struct store_keyspace *keyspaces;
    size_t keyspace_count;
    struct dump_sink *sink; /* gets the dump as it is read, or NULL */
    /* Gets the records, or NULL. It is empty, and after an error holds some of them. They are
     * durable when dump_read returns. */
    struct store *store;
    struct dump_progress *progress; /* or NULL */
    struct dump_check *check;       /* or NULL */
};

struct error *dump_read(struct arena *arena, const struct dump_read_options *options,
                        struct dump_summary *ret_summary);

#endif
