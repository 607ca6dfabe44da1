/* cut.h - a file of a database that is to end before what a crash left at its end.
 *
 * The file is replaced, so that one that was kept aside (aside.h) stays as it was. Threads: whoever
 * opens the database. Memory: none. */
#ifndef GRAMME_STORE_ROCKSDB_CUT_H
#define GRAMME_STORE_ROCKSDB_CUT_H

#include <stdbool.h>
#include <stdint.h>

/* A manifest or log, with its number. False, and errno: it is as it was. */
bool file_cut(int directory, const char *name, uint64_t number, uint64_t end);

#endif
