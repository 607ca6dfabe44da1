/* salvage_raw.h - the records of blocks whose checksums are wrong, as they are. Private to this
 * folder.
 *
 * A flipped bit spoils one record of a block, and mostly the others are as they were written;
 * which of them are, only who knows them can tell. RocksDB ends the program over some blocks that
 * it reads without a look at their checksums, so a process of its own does that, and what it came
 * to before it ended is what there is.
 *
 * Memory: at most RAW_BYTES_MAX, until raw_records_release(). */
#ifndef GRAMME_STORE_ROCKSDB_SALVAGE_RAW_H
#define GRAMME_STORE_ROCKSDB_SALVAGE_RAW_H

#include "base/buffer.h"
#include "store/store.h"

enum { RAW_BYTES_MAX = 64 << 20 };

struct raw_record {
    struct slice key;
    struct slice value;
};

struct raw_records {
    struct buffer bytes;
    struct raw_record *list; /* in the order of their keys, each once */
    size_t count;
};

/* Those of a range of a store of this engine, which nobody else uses. */
void raw_records_read(struct store *store, const struct store_range *range,
                      struct raw_records *ret_records);
void raw_records_release(struct raw_records *records);

#endif
