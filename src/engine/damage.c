/* damage.c - see the header. The place is told without a word of what is in the item, and only as
 * far as it has none: the text goes to the log. */
#include "engine/damage.h"

#include "codec/key.h"

struct error *damage_found(struct damage *damage, struct arena *arena, struct slice table_name,
                           struct slice key, const struct error *why) {
    char place[2 * ITEM_KEY_PREFIX + 1];
    size_t len = key.len < ITEM_KEY_PREFIX ? key.len : ITEM_KEY_PREFIX;
    hex_print(key.data, len, place);
    atomic_fetch_add_explicit(&damage->found, 1, memory_order_relaxed);
    return error_local(arena, "data is damaged: table %.*s at %.*s: %.*s", SLICE_ARGS(table_name),
                       (int)(2 * len), place, SLICE_ARGS(why->message));
}
