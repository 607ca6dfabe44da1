/* format.h - the record that makes a store a gramme database.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     format version: 1
 *   1       16    secret of the partition key hash
 *   17      4     next table or index id, little-endian; ids are never used twice */
#ifndef GRAMME_CODEC_FORMAT_H
#define GRAMME_CODEC_FORMAT_H

#include "base/error.h"
#include "codec/key.h"

struct format_record {
    struct key_codec keys;
    uint32_t next_id;
};

struct slice format_encode(struct arena *arena, const struct format_record *record);
/* Fails on damage and on a newer version. */
struct error *format_decode(struct arena *arena, struct slice bytes,
                            struct format_record *ret_record);

#endif
