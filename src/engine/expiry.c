/* expiry.c - entries by expiry, derived from items. */
#include "engine/expiry.h"

#include "codec/expiry_key.h"
#include "engine/backfill_cursor.h"
#include "engine/keyspaces.h"
#include "model/limits.h"
#include "model/number.h"

enum { DAY_SECONDS = 24 * 60 * 60 };

uint64_t expiry_oldest(int64_t now_ms) {
    const int64_t longest = (int64_t)(LIMIT_TTL_PAST_YEARS * 365 + 1) * DAY_SECONDS;
    int64_t now = now_ms / 1000;
    return now > longest ? (uint64_t)(now - longest) : 0;
}

uint64_t expiry_end(int64_t now_ms) {
    return (uint64_t)((now_ms + 999) / 1000);
}

bool expiry_of(const struct table_definition *table, struct value item, uint64_t *ret_seconds) {
    struct value value = value_map_find(item, table->ttl_attribute);
    int64_t seconds;
    if (value_type(value) != VALUE_N || number_is_negative(value_scalar(value)) ||
        !number_integer_part(value_scalar(value), &seconds))
        return false;
    *ret_seconds = (uint64_t)seconds;
    return true;
}

struct index_entry expiry_entry_of(struct arena *arena, const struct table_definition *table,
                                   struct slice item_key, struct slice stored) {
    struct index_entry entry = {SLICE_NONE, SLICE_NONE};
    uint64_t seconds;
    if (!slice_present(stored) || !expiry_of(table, stored_item_value(stored), &seconds))
        return entry;
    entry.key = expiry_key_encode(arena, table->ttl_id, seconds, item_key);
    entry.stored = SLICE_LITERAL("");
    return entry;
}

/* The sweeper looks from the first entry that it knows of; one that comes before is the first now.
 */
static void tell_sweeper(struct group *group, struct table_stats *stats, struct slice key) {
    uint64_t seconds = expiry_key_seconds(key);
    if (seconds < expiry_oldest((int64_t)group->now_ms - group->owners.options->ttl_delay_ms))
        return;
    if (slice_present(stats->first_due.key) && slice_compare(key, stats->first_due.key) < 0)
        kept_key_set(&stats->first_due, key);
    sweeper_expect(group->owners.sweeper, seconds);
}

void expiry_flush(struct group *group, const struct slot *slot, struct store_txn *txn) {
    const struct table_definition *table = &slot->table->definition;
    struct table_stats *stats = slot->table->ttl_stats;
    if (!backfill_covers(table->ttl_building, stats, slot->key))
        return;
    struct store_key before = {
        KEYSPACE_INDEXES, expiry_entry_of(group->arena, table, slot->key, slot->committed).key};
    struct index_entry entry = expiry_entry_of(group->arena, table, slot->key, slot->current);
    struct store_key after = {KEYSPACE_INDEXES, entry.key};
    bool was = slice_present(before.key), is = slice_present(after.key);
    if (was == is && (!is || slice_equal(before.key, after.key)))
        return;
    table_stats_count(&group->touched, stats, (int)is - (int)was, 0);
    if (was)
        store_delete(txn, &before);
    if (is) {
        store_put(txn, &after, entry.stored);
        tell_sweeper(group, stats, after.key);
    }
}
