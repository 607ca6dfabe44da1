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

#include "engine/owners.h"
#include "store/dump/dump.h"

struct dump_checker {
    struct dump_check base;
    struct owners owners;
    struct arena scratch; /* of one record */
};

void dump_checker_init(struct dump_checker *checker);
void dump_checker_release(struct dump_checker *checker);

#endif
