/* salvage.c - see salvage.h.
 *
 * Definitions are written last: what of a table can stay is known when its records were seen. */
#include "engine/salvage.h"

#include "codec/backup.h"
#include "codec/catalog.h"
#include "codec/collection.h"
#include "codec/history.h"
#include "codec/item.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "codec/stream.h"
#include "codec/summed.h"
#include "codec/token.h"
#include "engine/check_changes.h"
#include "engine/check_place.h"
#include "engine/collection.h"
#include "engine/expiry.h"
#include "engine/format.h"
#include "engine/history.h"
#include "engine/keyspace.h"
#include "engine/owners.h"
#include "store/batch.h"

#define DAY_MS INT64_C(86400000)

struct salvaging {
    struct arena *arena;  /* what lives as long as this */
    struct arena scratch; /* of one record */
    struct store *to;
    struct salvage_observer *observer;
    int64_t now_ms;
    struct owners owners;
    struct table_count *found; /* one for each owner */
    struct store_batch batch;
    uint8_t keyspace;
    uint64_t last_number;
    uint64_t history; /* records that were taken */
    bool has_collection;
    uint8_t collection[ITEM_KEY_PREFIX]; /* the one that is summed up */
    uint64_t collection_bytes;
    struct salvage_totals totals;
};

/* ---- telling ---- */

static void lose(struct salvaging *salvaging, struct slice text) {
    salvaging->totals.lost++;
    salvaging->observer->lost(salvaging->observer, text);
}

static void lose_record(struct salvaging *salvaging, const struct store_key *key,
                        struct slice value, const struct error *error) {
    struct slice place = check_place(&salvaging->scratch, &salvaging->owners, key, value);
    lose(salvaging, arena_printf(&salvaging->scratch, "%.*s: %.*s", SLICE_ARGS(place),
                                 SLICE_ARGS(error->message)));
}

static struct error *put(struct salvaging *salvaging, uint8_t keyspace, struct slice key,
                         struct slice value) {
    struct store_key at = {keyspace, key};
    return store_batch_put(&salvaging->batch, salvaging->arena, &at, value);
}

/* A number that is far from its time would take all that follow with it. */
static struct error *check_number(struct salvaging *salvaging, uint64_t number) {
    uint64_t most = sequence_at(salvaging->now_ms + DAY_MS);
    most = most > salvaging->last_number ? most : salvaging->last_number;
    return number <= most ? NULL
                          : error_local(&salvaging->scratch, "it has a number of a time to come");
}

static void note_number(struct salvaging *salvaging, uint64_t number) {
    if (number > salvaging->last_number)
        salvaging->last_number = number;
}

/* ---- the catalog ---- */

/* The token's end is put with it, whatever came over. */
static struct error *take_token(struct salvaging *salvaging, struct slice key, struct slice value) {
    struct arena *arena = &salvaging->scratch;
    struct token_record token;
    TRY(token_decode(arena, value, &token));
    TRY(put(salvaging, KEYSPACE_CATALOG, key, value));
    return put(salvaging, KEYSPACE_CATALOG,
               token_end_key(arena, token.end_ms, catalog_key_hash(key)), SLICE_LITERAL(""));
}

static struct error *take_past_definition(struct salvaging *salvaging, struct slice key,
                                          struct slice value) {
    struct store_key at = {KEYSPACE_CATALOG, key};
    uint64_t number = load_u64_be(key.data + 5);
    struct error *error = check_number(salvaging, number);
    if (error != NULL) {
        lose_record(salvaging, &at, value, error);
        return NULL;
    }
    note_number(salvaging, number);
    return put(salvaging, KEYSPACE_CATALOG, key, value);
}

static struct error *take_catalog(struct salvaging *salvaging, struct slice key,
                                  struct slice value) {
    struct arena *arena = &salvaging->scratch;
    uint64_t number = 0;
    switch (key.data[0]) {
    case 'L':
        TRY(sequence_decode(arena, value, &number));
        note_number(salvaging, number);
        return NULL;
    case 'I':
        return take_token(salvaging, key, value);
    case 'F':
    case 'T':
    case 'D':
    case 'K':
        return owners_learn(&salvaging->owners, arena, key, value);
    case 'R':
        return put(salvaging, KEYSPACE_CATALOG, key, value);
    case 'H':
        return take_past_definition(salvaging, key, value);
    default:
        return NULL; /* made anew, or half done */
    }
}

static struct error *check_and_take_catalog(struct salvaging *salvaging, struct slice key,
                                            struct slice value) {
    struct store_key at = {KEYSPACE_CATALOG, key};
    struct error *error = catalog_record_check(&salvaging->scratch, key, value);
    if (error == NULL)
        return take_catalog(salvaging, key, value);
    lose_record(salvaging, &at, value, error);
    return NULL;
}

/* A table that is being restored, a backup that is being taken: they are begun again by hand. */
static bool is_half_done(const struct record_owner *owner) {
    return (owner->table != NULL && owner->table->restoring) ||
           (owner->backup != NULL && owner->backup->status != BACKUP_AVAILABLE);
}

/* A table that was deleted and left its items to a backup, and whose definition is back. */
static bool is_of_backup(const struct owners *owners, const struct table_definition *table) {
    for (size_t i = 0; table != NULL && i < owners->count; i++)
        if (owners->list[i].backup != NULL && owners->list[i].id == table->id)
            return true;
    return false;
}

static void leave_out_deleted(struct owners *owners) {
    size_t kept = 0;
    for (size_t i = 0; i < owners->count; i++)
        if (!is_of_backup(owners, owners->list[i].table))
            owners->list[kept++] = owners->list[i];
    owners->count = kept;
}

static struct error *settle_catalog(struct salvaging *salvaging) {
    struct owners *owners = &salvaging->owners;
    leave_out_deleted(owners);
    if (!owners->has_format)
        return error_local(salvaging->arena,
                           "the format record is lost, and with it the secret by which items are "
                           "found: nothing can be salvaged");
    for (size_t i = 0; i < owners->count; i++)
        if (owners->list[i].id >= owners->format.next_id)
            owners->format.next_id = owners->list[i].id + 1;
    TRY(owners_settle(owners, salvaging->arena));
    salvaging->found = ARENA_ARRAY(salvaging->arena, struct table_count, owners->count);
    return NULL;
}

/* ---- items ---- */

static struct table_count *found_of(const struct salvaging *salvaging, uint32_t id) {
    const struct record_owner *owner = owners_find(&salvaging->owners, id);
    return &salvaging->found[owner - salvaging->owners.list];
}

static struct error *end_collection(struct salvaging *salvaging) {
    struct slice key = slice_of(salvaging->collection, sizeof(salvaging->collection));
    if (!salvaging->has_collection)
        return NULL;
    salvaging->has_collection = false;
    return put(salvaging, KEYSPACE_INDEXES, key,
               collection_encode(&salvaging->scratch, salvaging->collection_bytes));
}

static struct error *add_to_collection(struct salvaging *salvaging,
                                       const struct table_definition *table, struct slice key,
                                       struct slice stored) {
    struct slice partition = key_partition(key);
    if (!salvaging->has_collection ||
        memcmp(salvaging->collection, partition.data, partition.len) != 0) {
        TRY(end_collection(salvaging));
        memcpy(salvaging->collection, partition.data, partition.len);
        salvaging->collection_bytes = 0;
        salvaging->has_collection = true;
    }
    salvaging->collection_bytes += collection_bytes_of(table, stored);
    return NULL;
}

static struct error *derive(struct salvaging *salvaging, uint32_t id, struct index_entry entry,
                            uint64_t bytes) {
    struct table_count *count = found_of(salvaging, id);
    if (!slice_present(entry.key))
        return NULL;
    count->items++;
    count->bytes += (int64_t)bytes;
    return put(salvaging, KEYSPACE_INDEXES, entry.key, entry.stored);
}

static struct error *derive_all(struct salvaging *salvaging, const struct table_definition *table,
                                struct slice key, struct slice stored) {
    struct arena *arena = &salvaging->scratch;
    bool local = false;
    for (size_t i = 0; i < table->index_count; i++) {
        const struct table_index *index = &table->indexes[i];
        struct index_entry entry =
            index_entry_of(arena, &salvaging->owners.format.keys, table, index, stored);
        TRY(derive(salvaging, index->id, entry, index_entry_size(&entry)));
        local = local || !index->global;
    }
    if (table->ttl_id != 0)
        TRY(derive(salvaging, table->ttl_id, expiry_entry_of(arena, table, key, stored), 0));
    return local ? add_to_collection(salvaging, table, key, stored) : NULL;
}

static struct error *take_item(struct salvaging *salvaging, const struct record_owner *owner,
                               struct slice key, struct slice value) {
    struct table_count *count = &salvaging->found[owner - salvaging->owners.list];
    count->items++;
    count->bytes += stored_item_size(value);
    salvaging->totals.items++;
    TRY(put(salvaging, KEYSPACE_ITEMS, key, value));
    return owner->table == NULL ? NULL : derive_all(salvaging, owner->table, key, value);
}

/* ---- changes ---- */

static uint64_t number_of_change(const struct record_owner *owner, struct slice key) {
    return owner->stream != NULL ? stream_record_number(key) : history_key_sequence(key);
}

static struct error *check_change(struct salvaging *salvaging, const struct record_owner *owner,
                                  struct slice key, struct slice value) {
    TRY(check_number(salvaging, number_of_change(owner, key)));
    return owner->stream == NULL
               ? NULL
               : check_stream_place(&salvaging->scratch, &salvaging->owners.format.keys,
                                    owner->stream, key, value);
}

static struct error *take_change(struct salvaging *salvaging, const struct record_owner *owner,
                                 struct slice key, struct slice value) {
    if (owner->stream == NULL && (owner->table == NULL || owner->table->pitr_days == 0))
        return NULL; /* what a copy needed */
    note_number(salvaging, number_of_change(owner, key));
    salvaging->history += owner->stream == NULL;
    salvaging->totals.changes++;
    return put(salvaging, KEYSPACE_CHANGES, key, value);
}

/* ---- records ---- */

static struct error *take_owned(struct salvaging *salvaging, struct slice key, struct slice value) {
    struct store_key at = {salvaging->keyspace, key};
    struct error *error = owned_record_check(&salvaging->scratch, &salvaging->owners, &at, value);
    const struct record_owner *owner =
        error != NULL ? NULL : owners_find(&salvaging->owners, load_u32_be(key.data));
    if (owner != NULL && salvaging->keyspace == KEYSPACE_CHANGES)
        error = check_change(salvaging, owner, key, value);
    if (error != NULL) {
        lose_record(salvaging, &at, value, error);
        return NULL;
    }
    if (owner == NULL || is_half_done(owner)) {
        salvaging->totals.left_over++;
        return NULL;
    }
    return salvaging->keyspace == KEYSPACE_ITEMS ? take_item(salvaging, owner, key, value)
                                                 : take_change(salvaging, owner, key, value);
}

struct error *salvaging_take(struct salvaging *salvaging, struct slice key, struct slice value) {
    struct error *error = salvaging->keyspace == KEYSPACE_CATALOG
                              ? check_and_take_catalog(salvaging, key, value)
                              : take_owned(salvaging, key, value);
    if (error != NULL)
        error = error_local(salvaging->arena, "%.*s", SLICE_ARGS(error->message));
    arena_reset(&salvaging->scratch);
    return error;
}

/* Definitions have no checksum. They are taken when they are sound, and someone should look at
 * them; what grants access is not. */
static bool vouches_in_catalog(struct salvaging *salvaging, struct slice key, struct slice value) {
    struct arena *arena = &salvaging->scratch;
    const struct store_key at = {KEYSPACE_CATALOG, key};
    if (memchr("FTDK", key.data[0], 4) == NULL || catalog_record_check(arena, key, value) != NULL)
        return false;
    struct slice place = check_place(arena, &salvaging->owners, &at, value);
    lose(
        salvaging,
        arena_printf(arena,
                     "%.*s: taken from a damaged block, and sound, but there is no telling whether "
                     "each of its settings is right",
                     SLICE_ARGS(place)));
    return true;
}

/* An item has its key in it; the number of a change stands in its key alone. */
static bool vouches_for_item(struct salvaging *salvaging, struct slice key, struct slice value) {
    const struct store_key at = {KEYSPACE_ITEMS, key};
    return value.len > 0 && value.data[0] == SUMMED_VERSION &&
           owned_record_check(&salvaging->scratch, &salvaging->owners, &at, value) == NULL;
}

bool salvaging_vouches(struct salvaging *salvaging, struct slice key, struct slice value) {
    bool vouches = false;
    if (salvaging->keyspace == KEYSPACE_CATALOG)
        vouches = vouches_in_catalog(salvaging, key, value);
    else if (salvaging->keyspace == KEYSPACE_ITEMS)
        vouches = vouches_for_item(salvaging, key, value);
    arena_reset(&salvaging->scratch);
    return vouches;
}

struct error *salvaging_next(struct salvaging *salvaging, uint8_t keyspace) {
    if (salvaging->keyspace == KEYSPACE_CATALOG && keyspace != KEYSPACE_CATALOG)
        TRY(settle_catalog(salvaging));
    if (salvaging->keyspace == KEYSPACE_ITEMS)
        TRY(end_collection(salvaging));
    salvaging->keyspace = keyspace;
    return NULL;
}

/* ---- definitions ---- */

static void end_stream(struct salvaging *salvaging, struct table_definition *table) {
    const struct record_owner *stream = owners_find(&salvaging->owners, table->stream_id);
    if (table->stream == STREAM_OFF ||
        (stream != NULL && stream->range == RANGE_STREAM && stream->stream->ended == 0 &&
         slice_equal(stream->stream->label, table->stream_label)))
        return;
    table->stream = STREAM_OFF;
    lose(salvaging, arena_printf(&salvaging->scratch, "table %.*s: its stream is lost, and is off",
                                 SLICE_ARGS(table->name)));
}

/* Everything that follows from its items is there. */
static void complete(struct table_definition *table, struct arena *arena) {
    table->indexes =
        arena_copy(arena, table->indexes, table->index_count * sizeof(*table->indexes));
    for (size_t i = 0; i < table->index_count; i++) {
        table->indexes[i].status = TABLE_ACTIVE;
        table->indexes[i].backfilling = false;
    }
    table->status = TABLE_ACTIVE;
    table->ttl_building = false;
}

static struct error *put_table(struct salvaging *salvaging, const struct record_owner *owner,
                               bool partial) {
    struct arena *arena = &salvaging->scratch;
    struct table_definition table = *owner->table;
    complete(&table, arena);
    end_stream(salvaging, &table);
    if (partial && table.pitr_days > 0)
        table.pitr_since_ms = salvaging->now_ms;
    salvaging->totals.tables++;
    return put(salvaging, KEYSPACE_CATALOG, table_key(arena, table.name),
               table_definition_encode(arena, &table));
}

static struct error *put_backup(struct salvaging *salvaging, const struct record_owner *owner) {
    struct arena *arena = &salvaging->scratch;
    struct table_count count = salvaging->found[owner - salvaging->owners.list];
    struct backup backup = *owner->backup;
    if (backup.item_count != count.items)
        lose(salvaging, arena_printf(arena, "backup %.*s: it had %lld items, and has %lld",
                                     SLICE_ARGS(backup.name), (long long)backup.item_count,
                                     (long long)count.items));
    backup.item_count = count.items;
    backup.size_bytes = count.bytes;
    return put(salvaging, KEYSPACE_CATALOG, backup_key(arena, backup.created_ms, backup.id),
               backup_encode(arena, &backup));
}

/* One that has lost its table ends. */
static struct error *put_stream(struct salvaging *salvaging, const struct record_owner *owner) {
    struct arena *arena = &salvaging->scratch;
    struct stream_definition stream = *owner->stream;
    bool used = false;
    for (size_t i = 0; i < salvaging->owners.count; i++) {
        const struct record_owner *other = &salvaging->owners.list[i];
        used =
            used || (other->range == RANGE_TABLE && other->table != NULL && !is_half_done(other) &&
                     other->table->stream != STREAM_OFF && other->table->stream_id == stream.id);
    }
    if (!used && stream.ended == 0)
        stream.ended = (int64_t)++salvaging->last_number;
    return put(salvaging, KEYSPACE_CATALOG,
               stream_definition_key(arena, stream.table_name, stream.label),
               stream_definition_encode(arena, &stream));
}

static struct error *put_owner(struct salvaging *salvaging, const struct record_owner *owner,
                               bool partial) {
    struct arena *arena = &salvaging->scratch;
    struct table_count count = salvaging->found[owner - salvaging->owners.list];
    if (is_half_done(owner)) {
        if (owner->range == RANGE_TABLE)
            lose(salvaging, arena_printf(arena, "%.*s: it was not complete yet, and is left out",
                                         SLICE_ARGS(check_owner_name(arena, owner))));
        return NULL;
    }
    if (owner->backup != NULL)
        return put_backup(salvaging, owner);
    if (owner->stream != NULL)
        return put_stream(salvaging, owner);
    if (owner->range == RANGE_TABLE)
        TRY(put_table(salvaging, owner, partial));
    return put(salvaging, KEYSPACE_CATALOG, statistics_key(arena, owner->id),
               statistics_encode(arena, count.items, count.bytes));
}

/* ---- beginning and end ---- */

void salvaging_begin(struct arena *arena, struct store *to, struct salvage_observer *observer,
                     int64_t now_ms, struct salvaging **ret_salvaging) {
    struct salvaging *salvaging = ARENA_NEW(arena, struct salvaging);
    *salvaging =
        (struct salvaging){.arena = arena, .to = to, .observer = observer, .now_ms = now_ms};
    arena_init(&salvaging->scratch);
    owners_init(&salvaging->owners);
    store_batch_init(&salvaging->batch, to);
    *ret_salvaging = salvaging;
}

void salvaging_free(struct salvaging *salvaging) {
    store_batch_release(&salvaging->batch);
    owners_release(&salvaging->owners);
    arena_release(&salvaging->scratch);
}

/* Of all tables; what it replaces can be undone no more. */
static struct error *drop_history(struct salvaging *salvaging) {
    struct arena *arena = &salvaging->scratch;
    struct store_txn *txn;
    enum store_outcome outcome;
    TRY(store_batch_commit(&salvaging->batch, salvaging->arena));
    TRY(store_begin(salvaging->to, arena, STORE_WRITE, &txn));
    for (size_t i = 0; i < salvaging->owners.count; i++) {
        const struct record_owner *owner = &salvaging->owners.list[i];
        if (owner->range == RANGE_TABLE && owner->table != NULL)
            history_drop(arena, txn, owner->id, HISTORY_ALL);
    }
    struct error *error = store_commit(txn, STORE_RELAXED, &outcome);
    store_end(txn);
    if (salvaging->history > 0)
        lose(salvaging, arena_printf(arena,
                                     "history: %llu changes, since some may be missing; "
                                     "point-in-time recovery begins anew",
                                     (unsigned long long)salvaging->history));
    salvaging->totals.changes -= salvaging->history;
    return error;
}

static struct error *put_all(struct salvaging *salvaging, bool partial) {
    struct arena *arena = &salvaging->scratch;
    note_number(salvaging, sequence_at(salvaging->now_ms));
    for (size_t i = 0; i < salvaging->owners.count; i++)
        TRY(put_owner(salvaging, &salvaging->owners.list[i], partial));
    TRY(put(salvaging, KEYSPACE_CATALOG, sequence_key(),
            sequence_encode(arena, salvaging->last_number)));
    TRY(put(salvaging, KEYSPACE_CATALOG, format_key(),
            format_encode(arena, &salvaging->owners.format)));
    return store_batch_commit(&salvaging->batch, salvaging->arena);
}

struct error *salvaging_end(struct salvaging *salvaging, bool partial,
                            struct salvage_totals *ret_totals) {
    partial = partial || salvaging->totals.lost > 0;
    struct error *error = partial ? drop_history(salvaging) : NULL;
    if (error == NULL)
        error = put_all(salvaging, partial);
    if (error == NULL)
        error = store_sync(salvaging->to, &salvaging->scratch);
    *ret_totals = salvaging->totals;
    return error == NULL ? NULL : error_local(salvaging->arena, "%.*s", SLICE_ARGS(error->message));
}
