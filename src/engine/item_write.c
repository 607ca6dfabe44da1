/* item_write.c - the one path by which an item changes.
 *
 * Steps: take the old item from the slot, evaluate the condition, build the new item, check it,
 * apply. Invariants: everything is decided before the slot changes; a write that fails leaves the
 * slot as it was; a write that changes nothing leaves it too, so that it costs no store write.
 * Memory: results live in the job's arena. Threads: commit thread. */
#include "engine/item_write.h"

#include "engine/collection.h"
#include "engine/expiry.h"
#include "engine/keyspaces.h"
#include "engine/stream.h"
#include "engine/write_throttle.h"
#include "model/index_key.h"
#include "model/key.h"
#include "model/limits.h"

static struct value copy_value(struct arena *arena, struct value value) {
    return value_from_slice(arena_slice(arena, value_slice(value)));
}

static struct error *condition_failed(struct arena *arena, const struct item_write *write,
                                      struct value old) {
    struct error *error =
        error_new(arena, ERROR_CONDITIONAL_CHECK_FAILED, "The conditional request failed");
    if (write->old_on_failure && value_present(old))
        error->item = arena_slice(arena, value_slice(old));
    return error;
}

/* Two partition keys with one hash: the chance is that of guessing a 128-bit secret, but a wrong
 * answer is not one. */
static struct error *check_same_partition(struct arena *arena, const struct item_write *write,
                                          struct value old) {
    if (write->expired)
        return NULL; /* its key is that of an item */
    struct slice name = write->table->definition.keys.hash[0].name;
    struct value mine = value_map_find(write->kind == WRITE_PUT ? write->item : write->key, name);
    if (value_present(old) && !value_equal(value_map_find(old, name), mine))
        return error_local(arena, "Two partition keys share one hash");
    return NULL;
}

static struct error *build_updated(struct item_write *write, struct arena *arena,
                                   const struct table_definition *table, struct value old,
                                   struct slice *ret_stored) {
    struct value item = value_present(old) ? old : write->key;
    if (write->update != NULL && value_present(old))
        TRY(expr_update(arena, write->update, old, &item));
    else if (write->update != NULL)
        TRY(expr_update_new_item(arena, write->update, write->key, &item));
    if (!value_present(old) && write->update != NULL && expr_update_only_takes(write->update))
        return NULL; /* there was nothing to take from, and nothing is made */
    TRY(index_check_update(arena, table, old, item));
    TRY(item_check_depth(arena, item));
    size_t size = item_size(item);
    if (size > LIMIT_ITEM_BYTES || index_local_bytes(table, item, size) > LIMIT_ITEM_BYTES)
        return error_validation(arena, "Item size to update has exceeded the maximum allowed size");
    *ret_stored = item_encode(arena, item, size);
    return NULL;
}

static bool expires_at(const struct table_definition *table, struct value item, uint64_t when) {
    uint64_t seconds;
    return value_present(item) && expiry_of(table, item, &seconds) && seconds == when;
}

/* The stored bytes that the write would leave; absent for a delete. */
static struct error *decide(struct item_write *write, struct arena *arena, const struct slot *slot,
                            struct value old, struct slice *ret_stored) {
    TRY(check_same_partition(arena, write, old));
    if (write->condition != NULL && !expr_holds(write->condition, old))
        return condition_failed(arena, write, old);
    *ret_stored = SLICE_NONE;
    switch (write->kind) {
    case WRITE_PUT:
        *ret_stored = write->stored;
        break;
    case WRITE_UPDATE:
        return build_updated(write, arena, &slot->table->definition, old, ret_stored);
    case WRITE_DELETE:
        if (write->expired && !expires_at(&slot->table->definition, old, write->expires_at))
            *ret_stored = slot->current;
        break;
    case WRITE_CHECK:
        *ret_stored = slot->current;
        break;
    }
    return NULL;
}

/* What the change from slot->current to `stored` does to the table's indexes. */
static void note_indexes(struct group *group, struct item_write *write, struct arena *arena,
                         struct slot *slot, struct slice stored) {
    const struct table_definition *table = &slot->table->definition;
    if (table->index_count == 0)
        return;
    const struct index_difference *differences = group_differences(group, slot, stored);
    write->index_writes = ARENA_ARRAY(arena, struct index_write, table->index_count);
    for (size_t i = 0; i < table->index_count; i++) {
        const struct index_difference *difference = &differences[i];
        if (difference->identical)
            continue;
        const struct index_entry *entry =
            slice_present(difference->after.key) ? &difference->after : &difference->before;
        write->index_writes[write->index_write_count++] = (struct index_write){
            .name = arena_slice(arena, table->indexes[i].name),
            .id = table->indexes[i].id,
            .global = table->indexes[i].global,
            .partition = key_hash_bits(entry->key),
            .limits = slot->table->limits == NULL ? NULL : slot->table->index_limits[i],
            .change = {.old_size = index_entry_size(&difference->before),
                       .new_size = index_entry_size(&difference->after),
                       .key_changed = difference->key_changed},
        };
    }
}

static struct slot *item_slot(struct group *group, const struct item_write *write) {
    return group_slot(group, write->table, (struct store_key){KEYSPACE_ITEMS, write->store_key});
}

static struct slot *collection_slot(struct group *group, const struct item_write *write) {
    const struct table *table = write->table->stats->current;
    if (table == NULL || !table->has_local_index)
        return NULL;
    return group_slot(group, write->table, collection_key(write->store_key));
}

size_t item_write_slots(struct group *group, const struct item_write *write,
                        struct slot *ret_slots[WRITE_SLOTS_MAX]) {
    if (write->refused != NULL)
        return 0;
    ret_slots[0] = item_slot(group, write);
    ret_slots[1] = collection_slot(group, write);
    return ret_slots[1] == NULL ? 1 : 2;
}

/* The write is decided; what is left can only be refused by what the indexes have left and by the
 * limit of its collection. */
static struct error *apply(struct group *group, const struct write_job *job,
                           struct item_write *write, struct slot *slot, struct slice stored) {
    bool changes = !stored_item_equal(stored, slot->current);
    if (changes)
        note_indexes(group, write, job->arena, slot, stored);
    if (write->index_write_count > 0 && write_is_throttled(group, write))
        TRY(write_throttle_check_indexes(group, job, write, slot->table));
    struct slot *collection = collection_slot(group, write);
    if (collection != NULL)
        TRY(collection_change(job->arena, collection, slot->current, stored,
                              group->owners.options->collection_bytes_max,
                              &write->collection_bytes));
    if (!changes)
        return NULL;
    if (slot->table->definition.stream != STREAM_OFF)
        stream_note_change(group, slot, stored, write->expired);
    slot->current = stored;
    return NULL;
}

/* The item that is there, and the one that is to be put there as it was when its request was
 * decoded: neither of them goes to indexes, streams and clients when it was changed on the way. */
static struct error *check_items(struct arena *arena, const struct item_write *write,
                                 const struct slot *slot, struct stored_item *ret_old) {
    TRY(item_decode(arena, slot->current, ret_old));
    if (value_present(ret_old->item) && !key_is_good(&slot->table->definition.keys, ret_old->item))
        return error_local(arena, "it lacks its key");
    if (write->kind == WRITE_PUT && stored_item_check(arena, write->stored) != NULL)
        return error_local(arena, "the item that was to be put there has changed meanwhile");
    return NULL;
}

static struct error *run(struct group *group, const struct write_job *job,
                         struct item_write *write) {
    struct arena *arena = job->arena;
    /* Its items may be there for a while. */
    if (atomic_load_explicit(&write->table->stats->dropped, memory_order_relaxed))
        return error_new(arena, ERROR_RESOURCE_NOT_FOUND, "Requested resource not found");
    struct slot *slot = item_slot(group, write);
    struct stored_item old;
    struct slice stored;
    struct error *damaged = check_items(arena, write, slot, &old);
    if (damaged != NULL)
        return damage_found(group->owners.damage, arena, write->table->definition.name, slot->key,
                            damaged);
    write->old_size = old.size;
    if (write_is_throttled(group, write))
        TRY(write_throttle_check(group, job, write));
    TRY(decide(write, arena, slot, old.item, &stored));
    TRY(apply(group, job, write, slot, stored));
    write->new_size = stored_item_size(stored);
    if (write->keep_old && value_present(old.item))
        write->old_item = copy_value(arena, old.item);
    if (write->keep_new)
        write->new_item = stored_item_value(stored);
    return NULL;
}

void item_write_run(struct group *group, const struct write_job *job, struct item_write *write) {
    write->old_item = write->new_item = VALUE_ABSENT;
    write->index_write_count = 0;
    if (write->kind != WRITE_PUT)
        write->new_size = 0; /* a put's is known */
    write->error = write->refused != NULL ? write->refused : run(group, job, write);
}
