/* index.c - the entries of items, before and after a change. Threads: any; memory: the arena that
 * is given. */
#include "engine/index.h"

#include "codec/index_entry.h"
#include "codec/index_key.h"

struct index_entry index_entry_of(struct arena *arena, const struct key_codec *codec,
                                  const struct table_definition *table,
                                  const struct table_index *index, struct slice stored) {
    struct index_entry entry = {SLICE_NONE, SLICE_NONE};
    if (!slice_present(stored))
        return entry;
    entry.key = index_key_encode(arena, codec, table, index, stored_item_value(stored));
    if (slice_present(entry.key))
        entry.stored = index_entry_encode(arena, table, index, stored);
    return entry;
}

uint64_t index_entry_size(const struct index_entry *entry) {
    return stored_item_size(entry->stored);
}

struct index_difference index_difference_of(struct arena *arena, const struct key_codec *codec,
                                            const struct table_definition *table,
                                            const struct table_index *index, struct slice before,
                                            struct slice after) {
    struct index_difference difference = {
        .before = index_entry_of(arena, codec, table, index, before),
        .after = index_entry_of(arena, codec, table, index, after),
    };
    bool was = slice_present(difference.before.key), is = slice_present(difference.after.key);
    difference.key_changed = was && is && !slice_equal(difference.before.key, difference.after.key);
    difference.identical = was == is && !difference.key_changed &&
                           (!is || slice_equal(difference.before.stored, difference.after.stored));
    return difference;
}
