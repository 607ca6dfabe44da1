/* record_check.h - whether a record is one that gramme writes, key and value, by its keyspace.
 *
 * What is read while a server runs is looked at where it is read, as far as reading it needs
 * (codec/item.h). This is for bytes that come from elsewhere, from a backup: everything that can be
 * told of one record is checked, and by its table's definition that it stands where it belongs.
 *
 * An error says what is wrong, and not where: the caller knows. Memory: the arena. Threads: any. */
#ifndef GRAMME_CODEC_RECORD_CHECK_H
#define GRAMME_CODEC_RECORD_CHECK_H

#include "codec/key.h"

/* What the records with one id are. */
enum record_range {
    RANGE_UNKNOWN, /* what is left of a table or an index that is gone */
    RANGE_TABLE,   /* also a backup */
    RANGE_INDEX,
    RANGE_EXPIRY,
    RANGE_STREAM,
};

struct record_owner {
    uint32_t id;
    enum record_range range;
    const struct key_schema *keys;          /* of the table; NULL: unknown */
    const struct table_definition *table;   /* of a table, an index or expiries */
    const struct table_index *index;        /* of an index */
    const struct stream_definition *stream; /* of a stream */
    const struct backup *backup;            /* of a backup */
};

struct error *catalog_record_check(struct arena *arena, struct slice key, struct slice value);
struct error *item_record_check(struct arena *arena, const struct key_codec *codec,
                                const struct record_owner *owner, struct slice key,
                                struct slice value);
/* Index entries, sizes of item collections, expiries. */
struct error *index_record_check(struct arena *arena, const struct key_codec *codec,
                                 const struct record_owner *owner, struct slice key,
                                 struct slice value);
/* Records of streams, and history. */
struct error *change_record_check(struct arena *arena, const struct key_codec *codec,
                                  const struct record_owner *owner, struct slice key,
                                  struct slice value);

#endif
