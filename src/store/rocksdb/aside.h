/* aside.h - the files of a database as they are, kept until it is known that opening it was right.
 *
 * RocksDB changes no file that it finds: it writes new ones, and deletes those that it takes for
 * old. So a second name for each, in a directory beside them, keeps them all, and costs some
 * microseconds a file. Who finds the database damaged after all puts everything back as it was.
 * Where there are no hard links nothing is kept, and nothing is put back.
 * What a crash left of it is removed by the next one: until the database was found sound, nobody
 * has written to it. */
#ifndef GRAMME_STORE_ROCKSDB_ASIDE_H
#define GRAMME_STORE_ROCKSDB_ASIDE_H

#include <stdbool.h>

/* True when every file is kept. */
bool aside_keep(const char *directory);
void aside_drop(const char *directory);
/* With the database closed. False when not all could be put back. */
bool aside_restore(const char *directory);

#endif
