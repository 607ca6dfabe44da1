/* backup.h - what is known of a backup, as bytes.
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version: 1
 *   1       4     length of the definition, little-endian
 *   5       ...   definition of the table when the backup was taken (codec/catalog.h)
 *   then    rest  one flat value of type M, its entries by name (codec/stored_fields.h)
 *
 * Its items are a range of their own in the items' keyspace, under the backup's id. */
#ifndef GRAMME_CODEC_BACKUP_H
#define GRAMME_CODEC_BACKUP_H

#include "base/error.h"
#include "model/words.h"

struct backup {
    struct slice name;
    uint32_t id; /* of the range of its items */
    enum backup_type type;
    enum backup_status status;
    int64_t created_ms;
    int64_t expiry_ms; /* 0: it stays */
    int64_t size_bytes;
    int64_t item_count;
    struct slice definition; /* as it was stored */
};

struct slice backup_encode(struct arena *arena, const struct backup *backup);
/* The slices point into `bytes`. Fails on damage and on a newer version; the definition is not
 * looked into. */
struct error *backup_decode(struct arena *arena, struct slice bytes, struct backup *ret_backup);

#endif
