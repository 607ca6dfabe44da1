/* check_derived.c - see check_derived.h. */
#include "engine/check_derived.h"

#include "codec/expiry_key.h"
#include "codec/index_key.h"
#include "codec/item.h"
#include "engine/check_items.h"
#include "engine/expiry.h"

/* The item with that key, and whether what is derived has come to it; an error when it is not
 * there, or damaged, which the items' part has told. */
static struct error *find_item(struct checking *checking, const struct record_owner *owner,
                               struct slice item_key, struct slice *ret_stored) {
    struct arena *arena = &checking->scratch;
    struct store_key key = {KEYSPACE_ITEMS, item_key};
    TRY(checking_get(checking, 1, &key, ret_stored));
    if (!slice_present(*ret_stored))
        return error_local(arena, "its item is not there");
    struct stored_item item;
    TRY(item_record_decode(arena, &owner->table->keys, item_key, *ret_stored, &item));
    return check_is_covered(checking, owner, item_key)
               ? NULL
               : error_local(arena,
                             "it is there before its time: what fills it has not come to it");
}

static struct error *check_entry(struct checking *checking, const struct record_owner *owner,
                                 struct slice key, struct slice value) {
    struct arena *arena = &checking->scratch;
    const struct key_codec *codec = &checking->owners.format.keys;
    const struct table_definition *table = owner->table;
    struct slice stored;
    struct slice item_key =
        key_encode(arena, codec, table->id, &table->keys, stored_item_value(value));
    TRY(find_item(checking, owner, item_key, &stored));
    struct slice is =
        index_key_encode(arena, codec, table, owner->index, stored_item_value(stored));
    return slice_present(is) && slice_equal(is, key)
               ? NULL
               : error_local(arena, "its item belongs elsewhere in the index, or not at all");
}

static struct error *check_expiry(struct checking *checking, const struct record_owner *owner,
                                  struct slice key) {
    struct arena *arena = &checking->scratch;
    struct slice item_key = expiry_key_item(arena, owner->table->id, key), stored;
    TRY(find_item(checking, owner, item_key, &stored));
    struct slice is = expiry_entry_of(arena, owner->table, item_key, stored).key;
    return slice_present(is) && slice_equal(is, key)
               ? NULL
               : error_local(arena, "its item does not expire then");
}

/* That it is right the items' part has seen, when there are items. */
static struct error *check_collection(struct checking *checking, struct slice key) {
    struct arena *arena = &checking->scratch;
    struct store_range range = {KEYSPACE_ITEMS, key, key_after_prefix(arena, key)};
    bool found = false;
    TRY(checking_has_any(checking, &range, &found));
    return found ? NULL : error_local(arena, "it has no items");
}

static struct error *check_record_of(struct checking *checking, struct slice key,
                                     struct slice value) {
    const struct store_key at = {KEYSPACE_INDEXES, key};
    TRY(owned_record_check(&checking->scratch, &checking->owners, &at, value));
    const struct record_owner *owner = checking_owner(checking, key);
    if (owner == NULL || owner->table == NULL) {
        checking_left_over(checking);
        return NULL;
    }
    if (owner->range == RANGE_TABLE)
        return check_collection(checking, key);
    struct table_count *found = &checking_state(checking, owner)->found;
    found->items++;
    if (owner->range == RANGE_EXPIRY)
        return check_expiry(checking, owner, key);
    found->bytes += stored_item_size(value);
    return check_entry(checking, owner, key, value);
}

void check_derived(struct checking *checking) {
    checking_scan_all(checking, KEYSPACE_INDEXES, check_record_of);
}
