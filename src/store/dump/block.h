/* block.h - the blocks of a dump as they are read, each verified before it is looked into. Private
 * to this folder. */
#ifndef GRAMME_STORE_DUMP_BLOCK_H
#define GRAMME_STORE_DUMP_BLOCK_H

#include "store/dump/format.h"

struct block_reader {
    struct arena *arena;
    struct dump_source *source;
    uint64_t offset; /* of what was read, for messages and the trailer */
    uint32_t crc;
    uint64_t block_offset; /* where the current block begins */
    uint8_t kind;
    uint32_t records;
    struct buffer bytes; /* head and payload of the current block */
};

/* Reads the preamble; refuses what is not a dump and what is newer. `ret_preamble` has
 * DUMP_PREAMBLE_BYTES. */
struct error *block_reader_open(struct block_reader *reader, uint8_t *ret_preamble);
void block_reader_close(struct block_reader *reader);

/* The next block into reader->bytes; its checksum is right. An error also where the writer gave up.
 */
struct error *block_read(struct block_reader *reader);
struct slice block_payload(const struct block_reader *reader);
/* An error unless the source has ended. */
struct error *block_read_end(struct block_reader *reader);

/* "the backup is damaged at byte N: <what>", N where the current block begins. */
struct error *block_damaged(struct block_reader *reader, const char *what);

#endif
