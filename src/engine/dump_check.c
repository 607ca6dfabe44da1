/* dump_check.c - see dump_check.h. */
#include "engine/dump_check.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "codec/backup.h"
#include "codec/catalog.h"
#include "codec/stream.h"
#include "engine/keyspaces.h"

enum { FIRST_ROOM = 64 };

/* ---- owners ---- */

static void add_owner(struct dump_checker *checker, struct record_owner owner) {
    if (checker->owner_count == checker->owner_room) {
        checker->owner_room = checker->owner_room == 0 ? FIRST_ROOM : 2 * checker->owner_room;
        checker->owners = realloc(checker->owners, checker->owner_room * sizeof(*checker->owners));
        CHECK(checker->owners != NULL);
    }
    checker->owners[checker->owner_count++] = owner;
}

static void add_range(struct dump_checker *checker, uint32_t id, enum record_range range,
                      const struct table_definition *table) {
    add_owner(checker, (struct record_owner){.id = id, .range = range, .keys = &table->keys});
}

static struct error *learn_table(struct dump_checker *checker, struct slice value) {
    struct arena *arena = &checker->definitions;
    struct table_definition *table = ARENA_NEW(arena, struct table_definition);
    TRY(table_definition_decode(arena, arena_slice(arena, value), table));
    add_range(checker, table->id, RANGE_TABLE, table);
    for (size_t i = 0; i < table->index_count; i++)
        add_owner(checker, (struct record_owner){.id = table->indexes[i].id,
                                                 .range = RANGE_INDEX,
                                                 .keys = &table->keys,
                                                 .table = table,
                                                 .index = &table->indexes[i]});
    if (table->ttl_id != 0)
        add_range(checker, table->ttl_id, RANGE_EXPIRY, table);
    return NULL;
}

static struct error *learn_stream(struct dump_checker *checker, struct slice value) {
    struct arena *arena = &checker->definitions;
    struct stream_definition *stream = ARENA_NEW(arena, struct stream_definition);
    TRY(stream_definition_decode(arena, arena_slice(arena, value), stream));
    add_owner(checker, (struct record_owner){
                           .id = stream->id, .range = RANGE_STREAM, .keys = &stream->keys});
    return NULL;
}

static struct error *learn_backup(struct dump_checker *checker, struct slice value) {
    struct arena *arena = &checker->definitions;
    struct table_definition *table = ARENA_NEW(arena, struct table_definition);
    struct backup backup;
    TRY(backup_decode(arena, arena_slice(arena, value), &backup));
    TRY(table_definition_decode(arena, backup.definition, table));
    add_range(checker, backup.id, RANGE_TABLE, table);
    return NULL;
}

static int compare_owners(const void *a, const void *b) {
    const struct record_owner *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* After the last record of the catalog. Each id is one owner's: two would read each other's
 * records. */
static struct error *learn_end(struct dump_checker *checker, struct arena *arena) {
    checker->sorted = true;
    if (!checker->has_format)
        return error_local(arena, "there are records, and no format record before them");
    if (checker->owner_count > 0)
        qsort(checker->owners, checker->owner_count, sizeof(*checker->owners), compare_owners);
    for (size_t i = 0; i < checker->owner_count; i++) {
        const struct record_owner *owner = &checker->owners[i];
        if (i > 0 && owner->id == owner[-1].id)
            return error_local(arena, "the id %u is given to two", owner->id);
        if (owner->id >= checker->format.next_id)
            return error_local(arena, "the id %u was never given to anything", owner->id);
    }
    return NULL;
}

static struct record_owner owner_of(const struct dump_checker *checker, struct slice key) {
    struct record_owner wanted = {.id = load_u32_be(key.data)}, *found = NULL;
    if (checker->owner_count > 0)
        found =
            bsearch(&wanted, checker->owners, checker->owner_count, sizeof(wanted), compare_owners);
    return found == NULL ? wanted : *found;
}

/* ---- records ---- */

static struct error *check_catalog(struct dump_checker *checker, struct slice key,
                                   struct slice value) {
    struct arena *arena = &checker->scratch;
    if (checker->sorted)
        return error_local(arena, "the catalog comes after what it tells of");
    TRY(catalog_record_check(arena, key, value));
    switch (key.data[0]) {
    case 'F':
        checker->has_format = true;
        return format_decode(arena, value, &checker->format);
    case 'T':
        return learn_table(checker, value);
    case 'D':
        return learn_stream(checker, value);
    case 'K':
        return learn_backup(checker, value);
    default:
        return NULL;
    }
}

static struct error *check_other(struct dump_checker *checker, const struct store_key *key,
                                 struct slice value) {
    struct arena *arena = &checker->scratch;
    const struct key_codec *codec = &checker->format.keys;
    if (!checker->sorted)
        TRY(learn_end(checker, arena));
    if (key->key.len < KEY_ID_BYTES)
        return error_local(arena, "its key is too short");
    struct record_owner owner = owner_of(checker, key->key);
    switch ((enum engine_keyspace)key->keyspace) {
    case KEYSPACE_ITEMS:
        return item_record_check(arena, codec, &owner, key->key, value);
    case KEYSPACE_INDEXES:
        return index_record_check(arena, codec, &owner, key->key, value);
    case KEYSPACE_CHANGES:
        return change_record_check(arena, codec, &owner, key->key, value);
    case KEYSPACE_CATALOG:
    case KEYSPACE_COUNT:
        break;
    }
    return NULL;
}

static struct error *check(struct dump_check *base, struct arena *arena,
                           const struct store_key *key, struct slice value) {
    struct dump_checker *checker = container_of(base, struct dump_checker, base);
    struct error *error = key->keyspace == KEYSPACE_CATALOG
                              ? check_catalog(checker, key->key, value)
                              : check_other(checker, key, value);
    if (error != NULL)
        error = error_local(arena, "%.*s", SLICE_ARGS(error->message));
    arena_reset(&checker->scratch);
    return error;
}

void dump_checker_init(struct dump_checker *checker) {
    *checker = (struct dump_checker){.base = {check}};
    arena_init(&checker->definitions);
    arena_init(&checker->scratch);
}

void dump_checker_release(struct dump_checker *checker) {
    free(checker->owners);
    arena_release(&checker->scratch);
    arena_release(&checker->definitions);
}
