/* dump_check.h - whether the records of a dump are a database.
 *
 * A dump's own checksums tell that it is as it was written. Who wrote it, and what its records are,
 * they do not tell; and what is in the store is believed from then on, as far as it can be. So each
 * record is checked by its keyspace (codec/record_check.h), and against the definitions of tables,
 * streams and backups, which come first in a dump: an item stands under its own key in a table that
 * has such items, an index entry in its index.
 *
 * Memory: the definitions are kept until dump_checker_release(). Threads: one. */
#ifndef GRAMME_ENGINE_DUMP_CHECK_H
#define GRAMME_ENGINE_DUMP_CHECK_H

#include "codec/format.h"
#include "codec/record_check.h"
#include "store/dump/dump.h"

struct dump_checker {
    struct dump_check base;
    struct arena definitions; /* what the owners point to */
    struct arena scratch;     /* of one record */
    struct record_owner *owners;
    size_t owner_count;
    size_t owner_room;
    bool sorted; /* the catalog is complete, and its owners are in the order of their ids */
    bool has_format;
    struct format_record format;
};

void dump_checker_init(struct dump_checker *checker);
void dump_checker_release(struct dump_checker *checker);

#endif
