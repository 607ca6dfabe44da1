/* check_items.c - see check_items.h.
 *
 * Items come in the order of their keys, so those of a partition are neighbours: the size of an
 * item collection is summed up on the way, and compared when the next one begins. */
#include "engine/check_items.h"

#include "codec/collection.h"
#include "codec/item.h"
#include "engine/check_place.h"
#include "engine/collection.h"
#include "engine/expiry.h"
#include "engine/index.h"

/* ---- how far what is derived has come ---- */

static bool is_filling(const struct record_owner *derived) {
    return derived->range == RANGE_INDEX
               ? derived->index->status == TABLE_CREATING
               : derived->range == RANGE_EXPIRY && derived->table->ttl_building;
}

bool check_is_covered(const struct checking *checking, const struct record_owner *derived,
                      struct slice item_key) {
    const struct record_owner *table = owners_find(&checking->owners, derived->table->id);
    const struct copy_state *copy = checking_state(checking, table)->copy;
    if (copy != NULL)
        return copy->phase == COPY_BUILD && copy->cursor.len > 0 &&
               slice_compare(key_without_id(item_key), copy->cursor) <= 0;
    struct slice cursor = checking_state(checking, derived)->cursor;
    return !is_filling(derived) || (slice_present(cursor) && slice_compare(item_key, cursor) <= 0);
}

/* ---- one item ---- */

/* What an item should have beside it. */
struct expected {
    size_t count;
    struct store_key *keys;
    struct slice *values;
    const struct record_owner **owners;
};

static void expect(struct checking *checking, struct expected *expected, uint32_t id,
                   struct slice item_key, struct slice stored) {
    const struct record_owner *owner = owners_find(&checking->owners, id);
    struct arena *arena = &checking->scratch;
    struct index_entry entry = owner->index != NULL
                                   ? index_entry_of(arena, &checking->owners.format.keys,
                                                    owner->table, owner->index, stored)
                                   : expiry_entry_of(arena, owner->table, item_key, stored);
    if (!slice_present(entry.key) || !check_is_covered(checking, owner, item_key))
        return;
    size_t i = expected->count++;
    expected->keys[i] = (struct store_key){KEYSPACE_INDEXES, entry.key};
    expected->values[i] = entry.stored;
    expected->owners[i] = owner;
}

/* Of whatever version: an entry with a checksum may stand where one without it follows. */
static bool is_same(struct slice found, struct slice expected) {
    struct slice rest = summed_open(found);
    return slice_equal(found, expected) ||
           (slice_present(rest) && expected.len > 0 && slice_equal(rest, summed_rest(expected)));
}

static struct error *compare(struct checking *checking, const struct expected *expected) {
    struct arena *arena = &checking->scratch;
    struct slice *found = ARENA_ARRAY(arena, struct slice, expected->count);
    if (expected->count == 0)
        return NULL;
    TRY(checking_get(checking, expected->count, expected->keys, found));
    for (size_t i = 0; i < expected->count; i++) {
        const struct record_owner *owner = expected->owners[i];
        struct slice name = owner->index != NULL ? owner->index->name : SLICE_LITERAL("");
        const char *kind = owner->index != NULL ? "entry in index " : "expiry";
        if (!slice_present(found[i]))
            checking_fault(checking, "it has no %s%.*s", kind, SLICE_ARGS(name));
        else if (!is_same(found[i], expected->values[i]))
            checking_fault(checking, "its %s%.*s is not what follows from it", kind,
                           SLICE_ARGS(name));
    }
    return NULL;
}

static struct error *check_beside(struct checking *checking, const struct table_definition *table,
                                  struct slice key, struct slice stored) {
    struct arena *arena = &checking->scratch;
    size_t most = table->index_count + 1;
    struct expected expected = {.keys = ARENA_ARRAY(arena, struct store_key, most),
                                .values = ARENA_ARRAY(arena, struct slice, most),
                                .owners = ARENA_ARRAY(arena, const struct record_owner *, most)};
    for (size_t i = 0; i < table->index_count; i++)
        expect(checking, &expected, table->indexes[i].id, key, stored);
    if (table->ttl_id != 0)
        expect(checking, &expected, table->ttl_id, key, stored);
    return compare(checking, &expected);
}

/* ---- item collections ---- */

static bool has_local_index(const struct table_definition *table) {
    for (size_t i = 0; i < table->index_count; i++)
        if (!table->indexes[i].global)
            return true;
    return false;
}

/* The collection is complete: what its record says is what was summed up. */
static void end_collection(struct checking *checking) {
    struct check_collection *collection = &checking->collection;
    struct store_key key = {KEYSPACE_INDEXES, slice_of(collection->key, sizeof(collection->key))};
    struct slice record;
    uint64_t stored = 0;
    if (!collection->open)
        return;
    collection->open = false;
    struct error *error = checking_get(checking, 1, &key, &record);
    if (error == NULL)
        error = collection_decode(&checking->scratch, record, &stored);
    if (error == NULL && stored != collection->bytes)
        error = error_local(&checking->scratch, "its record says %llu bytes, and it has %llu",
                            (unsigned long long)stored, (unsigned long long)collection->bytes);
    if (error != NULL)
        checking_fault_at(checking, &key, "%.*s", SLICE_ARGS(error->message));
}

static void add_to_collection(struct checking *checking, const struct record_owner *owner,
                              struct slice key, struct slice stored) {
    struct check_collection *collection = &checking->collection;
    struct slice partition = key_partition(key);
    if (!collection->open || memcmp(collection->key, partition.data, partition.len) != 0) {
        end_collection(checking);
        memcpy(collection->key, partition.data, partition.len);
        collection->open = true;
        collection->bytes = 0;
    }
    if (check_is_covered(checking, owner, key))
        collection->bytes += collection_bytes_of(owner->table, stored);
}

/* ---- all of them ---- */

static struct error *check_item(struct checking *checking, struct slice key, struct slice value) {
    const struct store_key at = {KEYSPACE_ITEMS, key};
    TRY(owned_record_check(&checking->scratch, &checking->owners, &at, value));
    const struct record_owner *owner = checking_owner(checking, key);
    if (owner == NULL) {
        checking_left_over(checking);
        return NULL;
    }
    struct table_count *found = &checking_state(checking, owner)->found;
    found->items++;
    found->bytes += stored_item_size(value);
    if (owner->table == NULL)
        return NULL; /* a backup */
    if (has_local_index(owner->table))
        add_to_collection(checking, owner, key, value);
    return check_beside(checking, owner->table, key, value);
}

void check_items(struct checking *checking) {
    checking_scan_all(checking, KEYSPACE_ITEMS, check_item);
    end_collection(checking);
    checking_end_record(checking);
}
