/* summed.h - records with a checksum: items, records of streams and of history.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 2
 *   1       4     CRC-32 of all that follows, little-endian
 *   5       ...   the rest
 *
 * The sum is made where a record is encoded, and goes with its bytes: through memory, the store,
 * caches and backups. Whoever decodes them looks whether anything has changed them on the way.
 *
 * Version 1 is the same without a sum: it is read, and no longer written. The two differ in two
 * bits, so that a flipped bit does not make a record without a sum of one that has it. */
#ifndef GRAMME_CODEC_SUMMED_H
#define GRAMME_CODEC_SUMMED_H

#include <libdeflate.h>

#include "base/bytes.h"
#include "base/slice.h"

enum { UNSUMMED_VERSION = 1, SUMMED_VERSION = 2, UNSUMMED_HEADER = 1, SUMMED_HEADER = 5 };

static inline uint32_t summed_sum(struct slice record) {
    return libdeflate_crc32(0, record.data + SUMMED_HEADER, record.len - SUMMED_HEADER);
}

/* Version and sum, of a record of which the rest is there. */
static inline struct slice summed_seal(uint8_t *bytes, size_t len) {
    struct slice record = slice_of(bytes, len);
    bytes[0] = SUMMED_VERSION;
    store_u32(bytes + 1, summed_sum(record));
    return record;
}

/* The rest of a record that is known to be one. */
static inline struct slice summed_rest(struct slice record) {
    return slice_skip(record, record.data[0] == SUMMED_VERSION ? SUMMED_HEADER : UNSUMMED_HEADER);
}

/* The same of any bytes; absent when the version is none of these, or the sum is wrong. */
static inline struct slice summed_open(struct slice record) {
    bool has_sum = record.len >= SUMMED_HEADER && record.data[0] == SUMMED_VERSION;
    bool good = has_sum ? load_u32(record.data + 1) == summed_sum(record)
                        : record.len > 0 && record.data[0] == UNSUMMED_VERSION;
    return good ? summed_rest(record) : SLICE_NONE;
}

#endif
