/* scrub_mark.h - how far a scrub is (scrub.h), in a file of its own, so that one that a stop cut
 * short goes on where it was.
 *
 * A line of text, replaced as a whole and not synced: one that a loss of power took, or that does
 * not agree with its checksum (CRC-32C of what stands before the last comma), begins a new pass.
 *   gramme scrubbed, format 1: table 12, faults 0 and 0, began 1700000000000, ended 1690000000000,
 *   checksum 89abcdef */
#ifndef GRAMME_STORE_ROCKSDB_SCRUB_MARK_H
#define GRAMME_STORE_ROCKSDB_SCRUB_MARK_H

#include <stdbool.h>
#include <stdint.h>

#define SCRUB_FILE "SCRUBBED"

struct scrub_mark {
    uint64_t table;       /* the last that was read in this pass; 0: none is under way */
    uint64_t faults;      /* damaged tables of this pass.. */
    uint64_t last_faults; /* ..and of the one before */
    int64_t began_ms;     /* the newest pass; 0: there was none */
    int64_t ended_ms;     /* the last one that came to its end; 0: none did */
};

/* All 0 when there is none. */
struct scrub_mark scrub_mark_read(const char *directory);
/* False: not now. */
bool scrub_mark_write(const char *directory, const struct scrub_mark *mark);

#endif
