/* crc32c.h - the checksum of RocksDB's logs (Castagnoli's polynomial). */
#ifndef GRAMME_BASE_CRC32C_H
#define GRAMME_BASE_CRC32C_H

#include "base/slice.h"

/* Of some bytes, which go on where those with the checksum `before` ended; 0 at the beginning. */
uint32_t crc32c(uint32_t before, struct slice bytes);

#endif
