/* owners.c - see owners.h. */
#include "engine/owners.h"

#include <stdlib.h>

#include "base/check.h"
#include "codec/backup.h"
#include "codec/catalog.h"
#include "codec/stream.h"
#include "engine/keyspaces.h"

enum { FIRST_ROOM = 64 };

void owners_init(struct owners *owners) {
    *owners = (struct owners){.list = NULL};
    arena_init(&owners->definitions);
}

void owners_release(struct owners *owners) {
    free(owners->list);
    arena_release(&owners->definitions);
}

/* ---- learning ---- */

static void add(struct owners *owners, struct record_owner owner) {
    if (owners->count == owners->room) {
        owners->room = owners->room == 0 ? FIRST_ROOM : 2 * owners->room;
        owners->list = realloc(owners->list, owners->room * sizeof(*owners->list));
        CHECK(owners->list != NULL);
    }
    owners->list[owners->count++] = owner;
}

static void add_range(struct owners *owners, uint32_t id, enum record_range range,
                      const struct table_definition *table, const struct table_index *index) {
    add(owners,
        (struct record_owner){
            .id = id, .range = range, .keys = &table->keys, .table = table, .index = index});
}

static struct error *learn_table(struct owners *owners, struct slice value) {
    struct arena *arena = &owners->definitions;
    struct table_definition *table = ARENA_NEW(arena, struct table_definition);
    TRY(table_definition_decode(arena, arena_slice(arena, value), table));
    add_range(owners, table->id, RANGE_TABLE, table, NULL);
    for (size_t i = 0; i < table->index_count; i++)
        add_range(owners, table->indexes[i].id, RANGE_INDEX, table, &table->indexes[i]);
    if (table->ttl_id != 0)
        add_range(owners, table->ttl_id, RANGE_EXPIRY, table, NULL);
    return NULL;
}

static struct error *learn_stream(struct owners *owners, struct slice value) {
    struct arena *arena = &owners->definitions;
    struct stream_definition *stream = ARENA_NEW(arena, struct stream_definition);
    TRY(stream_definition_decode(arena, arena_slice(arena, value), stream));
    add(owners,
        (struct record_owner){
            .id = stream->id, .range = RANGE_STREAM, .keys = &stream->keys, .stream = stream});
    return NULL;
}

static struct error *learn_backup(struct owners *owners, struct slice value) {
    struct arena *arena = &owners->definitions;
    struct table_definition *table = ARENA_NEW(arena, struct table_definition);
    struct backup *backup = ARENA_NEW(arena, struct backup);
    TRY(backup_decode(arena, arena_slice(arena, value), backup));
    TRY(table_definition_decode(arena, backup->definition, table));
    add(owners,
        (struct record_owner){
            .id = backup->id, .range = RANGE_TABLE, .keys = &table->keys, .backup = backup});
    return NULL;
}

struct error *owners_learn(struct owners *owners, struct arena *arena, struct slice key,
                           struct slice value) {
    switch (key.data[0]) {
    case 'F':
        TRY(format_decode(arena, value, &owners->format));
        owners->has_format = true;
        return NULL;
    case 'T':
        return learn_table(owners, value);
    case 'D':
        return learn_stream(owners, value);
    case 'K':
        return learn_backup(owners, value);
    default:
        return NULL;
    }
}

/* ---- all of them ---- */

static int compare(const void *a, const void *b) {
    const struct record_owner *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

struct error *owners_settle(struct owners *owners, struct arena *arena) {
    owners->settled = true;
    if (owners->count > 0)
        qsort(owners->list, owners->count, sizeof(*owners->list), compare);
    if (!owners->has_format)
        return error_local(arena, "there are records, and no format record before them");
    for (size_t i = 0; i < owners->count; i++) {
        const struct record_owner *owner = &owners->list[i];
        if (i > 0 && owner->id == owner[-1].id)
            return error_local(arena, "the id %u is given to two", owner->id);
        if (owner->id >= owners->format.next_id)
            return error_local(arena, "the id %u was never given to anything", owner->id);
    }
    return NULL;
}

const struct record_owner *owners_find(const struct owners *owners, uint32_t id) {
    const struct record_owner wanted = {.id = id};
    return owners->count == 0
               ? NULL
               : bsearch(&wanted, owners->list, owners->count, sizeof(wanted), compare);
}

struct error *owned_record_check(struct arena *arena, const struct owners *owners,
                                 const struct store_key *key, struct slice value) {
    const struct key_codec *codec = &owners->format.keys;
    if (key->key.len < KEY_ID_BYTES)
        return error_local(arena, "its key is too short");
    struct record_owner nobody = {.id = load_u32_be(key->key.data)};
    const struct record_owner *found = owners_find(owners, nobody.id);
    const struct record_owner *owner = found == NULL ? &nobody : found;
    switch ((enum engine_keyspace)key->keyspace) {
    case KEYSPACE_ITEMS:
        return item_record_check(arena, codec, owner, key->key, value);
    case KEYSPACE_INDEXES:
        return index_record_check(arena, codec, owner, key->key, value);
    case KEYSPACE_CHANGES:
        return change_record_check(arena, codec, owner, key->key, value);
    case KEYSPACE_CATALOG:
    case KEYSPACE_COUNT:
        break;
    }
    return NULL;
}
