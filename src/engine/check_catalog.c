/* check_catalog.c - see check_catalog.h.
 *
 * Two looks. The first checks every record and learns the owners; the second, when all are known,
 * follows what records say of others. */
#include "engine/check_catalog.h"

#include "codec/catalog_keys.h"
#include "codec/sequence.h"
#include "codec/statistics.h"
#include "codec/stream.h"
#include "codec/token.h"
#include "engine/keyspace.h"

/* ---- the first look ---- */

/* Each server that writes stores its own last one. */
static struct error *learn_number(struct checking *checking, struct slice value) {
    uint64_t number;
    TRY(sequence_decode(&checking->scratch, value, &number));
    if (number > checking->last_number)
        checking->last_number = number;
    return NULL;
}

static struct error *learn(struct checking *checking, struct slice key, struct slice value) {
    struct arena *arena = &checking->scratch;
    TRY(catalog_record_check(arena, key, value));
    if (key.data[0] == 'L' || key.data[0] == 'N')
        TRY(learn_number(checking, value));
    return owners_learn(&checking->owners, arena, key, value);
}

/* ---- the second ---- */

static const struct record_owner *owner_at(const struct checking *checking, struct slice key) {
    return owners_find(&checking->owners, load_u32_be(key.data + 1));
}

/* Those of a range are what all servers that write have counted of it. */
static struct error *take_statistics(struct checking *checking, struct slice key,
                                     struct slice value) {
    const struct record_owner *owner = owner_at(checking, key);
    struct table_count count;
    if (owner == NULL || owner->table == NULL) {
        checking_left_over(checking);
        return NULL;
    }
    struct range_state *state = checking_state(checking, owner);
    TRY(statistics_decode(&checking->scratch, value, &count.items, &count.bytes));
    state->statistics.items += count.items;
    state->statistics.bytes += count.bytes;
    state->has_statistics |= key.data[0] == 'S';
    return NULL;
}

/* What another server than the leader wrote, where several do. Elsewhere nobody reads it. */
static struct error *check_part(const struct checking *checking, struct arena *arena) {
    return checking->store->groups > 1
               ? NULL
               : error_local(arena, "one server writes to this store, and it is another's");
}

static struct error *take_part_statistics(struct checking *checking, struct slice key,
                                          struct slice value) {
    TRY(check_part(checking, &checking->scratch));
    return take_statistics(checking, key, value);
}

static struct error *take_cursor(struct checking *checking, struct slice key, struct slice value) {
    const struct record_owner *owner = owner_at(checking, key);
    bool filling =
        owner != NULL && ((owner->range == RANGE_INDEX && owner->index->status == TABLE_CREATING) ||
                          (owner->range == RANGE_EXPIRY && owner->table->ttl_building));
    if (!filling)
        return error_local(&checking->scratch, "nothing with this id is being filled");
    checking_state(checking, owner)->cursor = arena_slice(&checking->owners.definitions, value);
    return NULL;
}

static struct error *take_copy(struct checking *checking, struct slice key, struct slice value) {
    struct arena *arena = &checking->owners.definitions;
    const struct record_owner *target = owner_at(checking, key);
    struct copy_state *copy = ARENA_NEW(arena, struct copy_state);
    TRY(copy_state_decode(arena, arena_slice(arena, value), copy));
    bool to_backup = copy->kind == COPY_TAKE_BACKUP;
    if (target == NULL || target->range != RANGE_TABLE || to_backup != (target->backup != NULL))
        return error_local(&checking->scratch, "what the copy is to fill is not there");
    if (owners_find(&checking->owners, copy->source) == NULL)
        return error_local(&checking->scratch, "what the copy reads is not there");
    checking_state(checking, target)->copy = copy;
    return NULL;
}

static struct error *follow_table(struct checking *checking, struct slice key, struct slice value) {
    const struct record_owner *owner = checking->owners.list, *end = owner + checking->owners.count;
    const struct table_definition *table = NULL;
    (void)value;
    for (; owner < end; owner++)
        if (owner->range == RANGE_TABLE && owner->table != NULL &&
            slice_equal(owner->table->name, slice_skip(key, 1)))
            table = owner->table;
    if (table == NULL || table->stream == STREAM_OFF)
        return NULL;
    const struct record_owner *stream = owners_find(&checking->owners, table->stream_id);
    if (stream == NULL || stream->range != RANGE_STREAM || stream->stream->ended != 0 ||
        !slice_equal(stream->stream->label, table->stream_label))
        return error_local(&checking->scratch, "the table's stream is not there");
    return NULL;
}

static struct error *follow_past_definition(struct checking *checking, struct slice key,
                                            struct slice value) {
    const struct record_owner *owner = owner_at(checking, key);
    (void)value;
    if (owner == NULL || owner->table == NULL)
        checking_left_over(checking);
    else if (load_u64_be(key.data + 5) > checking->last_number)
        return error_local(&checking->scratch, "it has a number that no change has had yet");
    return NULL;
}

/* A token whose end is not noted would be remembered for ever. */
static struct error *follow_token(struct checking *checking, struct slice key, struct slice value) {
    struct token_record token;
    struct slice found;
    TRY(token_decode(&checking->scratch, value, &token));
    struct store_key end =
        catalog_key(token_end_key(&checking->scratch, token.end_ms, catalog_key_hash(key)));
    TRY(checking_get(checking, 1, &end, &found));
    return slice_present(found) ? NULL
                                : error_local(&checking->scratch, "the end of its life is missing");
}

/* A record that was found unsound at the first look has told so. */
static struct error *follow(struct checking *checking, struct slice key, struct slice value) {
    if (catalog_record_check(&checking->scratch, key, value) != NULL)
        return NULL;
    switch (key.data[0]) {
    case 'S':
        return take_statistics(checking, key, value);
    case 'P':
        return take_part_statistics(checking, key, value);
    case 'N':
        return check_part(checking, &checking->scratch);
    case 'B':
        return take_cursor(checking, key, value);
    case 'C':
        return take_copy(checking, key, value);
    case 'T':
        return follow_table(checking, key, value);
    case 'H':
        return follow_past_definition(checking, key, value);
    case 'I':
        return follow_token(checking, key, value);
    default:
        return NULL;
    }
}

bool check_catalog(struct checking *checking) {
    struct owners *owners = &checking->owners;
    struct store_range all = {KEYSPACE_CATALOG, SLICE_NONE, SLICE_NONE};
    checking_scan_all(checking, KEYSPACE_CATALOG, learn);
    struct error *error = owners_settle(owners, &checking->scratch);
    if (error != NULL) { /* nobody knows whose the records are */
        checking_fault(checking, "catalog: %.*s", SLICE_ARGS(error->message));
        return false;
    }
    checking->states = ARENA_ARRAY(&owners->definitions, struct range_state, owners->count);
    checking_scan(checking, &all, follow);
    return true;
}
