/* expiry_key.h - the bytes by which items are found in the order in which they expire.
 *
 *   OFFSET  SIZE       MEANING
 *   0       4          id of the table's range of expiries, big-endian
 *   4       8          expiry in seconds since 1970, big-endian
 *   12      16..1040   the item's key without its table id (key.h)
 *
 * The value is empty. */
#ifndef GRAMME_CODEC_EXPIRY_KEY_H
#define GRAMME_CODEC_EXPIRY_KEY_H

#include "base/arena.h"

struct slice expiry_key_encode(struct arena *arena, uint32_t ttl_id, uint64_t seconds,
                               struct slice item_key);
/* The smallest key of a second. */
struct slice expiry_key_first(struct arena *arena, uint32_t ttl_id, uint64_t seconds);

/* Long enough for the parts below. */
bool expiry_key_is_sound(struct slice key);
uint64_t expiry_key_seconds(struct slice key);
struct slice expiry_key_item(struct arena *arena, uint32_t table_id, struct slice key);

#endif
