/* format.h - the bytes of a dump. Private to this folder.
 *
 * A dump is a preamble and blocks: one header, records in the order of their keyspaces and keys,
 * one trailer. Integers are little-endian, varints as in base/bytes.h.
 *
 *   PREAMBLE
 *   OFFSET SIZE  MEANING
 *   0      12    "gramme dump\n"
 *   12     4     format: 1
 *
 *   BLOCK
 *   0      1     kind: H header, R records, T trailer, E given up
 *   1      3     zeros
 *   4      4     length of the payload
 *   8      4     number of records in it
 *   12     4     CRC-32 of everything before it in the dump, without other such fields, and of the
 *                payload
 *   16     len   payload
 *
 * The checksum goes on from that of the block before (from the preamble's for the first), so that
 * each covers the whole dump up to its block: blocks cannot change places, and the trailer's is
 * that of all.
 *
 *   PAYLOAD OF H: u64 time in ms since 1970; varint length and text: the program; u8 number of
 *                 keyspaces; of each: varint length and name
 *   PAYLOAD OF R: u8 keyspace, by its position in the header; then per record: varint number of
 *                 bytes that its key shares with the key before it (0 for the block's first),
 *                 varint number of the key's other bytes, varint length of the value, those other
 *                 bytes, the value
 *   PAYLOAD OF T: of each keyspace: u64 number of records; u64 bytes of the dump before this block
 *   PAYLOAD OF E: text: why the writer gave up. Nothing follows
 */
#ifndef GRAMME_STORE_DUMP_FORMAT_H
#define GRAMME_STORE_DUMP_FORMAT_H

#include <libdeflate.h>

#include "base/bytes.h"
#include "store/dump/dump.h"

#define DUMP_MAGIC "gramme dump\n"

enum {
    DUMP_MAGIC_BYTES = sizeof(DUMP_MAGIC) - 1,
    DUMP_PREAMBLE_BYTES = DUMP_MAGIC_BYTES + 4,
    DUMP_BLOCK_HEAD = 16,
    DUMP_BLOCK_CRC = 12,        /* where in the head */
    DUMP_BLOCK_BYTES = 1 << 20, /* a block ends before it would grow larger, if it can */
    DUMP_BLOCK_MAX = 16 << 20,
    DUMP_TEXT_MAX = 1000, /* of E */
};

_Static_assert(DUMP_VALUE_MAX + STORE_KEY_MAX + 3 * VARINT_BYTES_MAX + 1 <= DUMP_BLOCK_MAX,
               "a block holds at least one record");

enum dump_kind {
    DUMP_HEADER = 'H',
    DUMP_RECORDS = 'R',
    DUMP_TRAILER = 'T',
    DUMP_GIVEN_UP = 'E',
};

/* The checksum after `head` (without its own field) and the payload. */
static inline uint32_t dump_crc(uint32_t before, const uint8_t *head, struct slice payload) {
    uint32_t crc = libdeflate_crc32(before, head, DUMP_BLOCK_CRC);
    return libdeflate_crc32(crc, payload.data, payload.len);
}

#endif
