/* replay.h - what RocksDB's logs hold, written to a database that is not theirs.
 *
 * For a database whose manifest is lost, so that nobody knows which logs it needs: all of them, in
 * their order, over what is in tables. A record of a log is a batch:
 *   OFFSET SIZE  MEANING
 *   0      8     number of its first change, little-endian
 *   8      4     how many there are
 *   12     ...   of each: a tag, the family's number (varint) where the tag has one, then key and
 *                value, key, or both ends of a range, each with its length (varint)
 * Families are numbered in the order in which they were made, from 1 on: that of the keyspaces.
 * Records that cannot be read are passed over. Threads: the caller's. */
#ifndef GRAMME_STORE_ROCKSDB_REPLAY_H
#define GRAMME_STORE_ROCKSDB_REPLAY_H

#include "store/rocksdb/internal.h"

/* The logs of a directory, encrypted as the store's files are. */
struct error *rocksdb_replay(struct rocksdb_store *store, struct arena *arena,
                             const char *directory);

#endif
