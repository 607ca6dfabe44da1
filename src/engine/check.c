/* check.c - see check.h. */
#include "engine/check.h"

#include "codec/backup.h"
#include "codec/stream.h"
#include "engine/check_catalog.h"
#include "engine/check_changes.h"
#include "engine/check_derived.h"
#include "engine/check_items.h"
#include "engine/check_place.h"

/* ---- counts ---- */

static void compare_counts(struct checking *checking, const struct record_owner *owner,
                           const char *what, struct table_count told) {
    struct table_count found = checking_state(checking, owner)->found;
    if (found.items == told.items && found.bytes == told.bytes)
        return;
    struct slice name = check_owner_name(&checking->scratch, owner);
    checking_fault(checking, "%.*s: %s %lld of %lld bytes, and there are %lld of %lld bytes",
                   SLICE_ARGS(name), what, (long long)told.items, (long long)told.bytes,
                   (long long)found.items, (long long)found.bytes);
}

static void check_backup_counts(struct checking *checking, const struct record_owner *owner) {
    const struct backup *backup = owner->backup;
    const struct copy_state *copy = checking_state(checking, owner)->copy;
    if (copy != NULL)
        compare_counts(checking, owner, "its copy has counted",
                       (struct table_count){copy->item_count, copy->size_bytes});
    else if (backup->status == BACKUP_AVAILABLE)
        compare_counts(checking, owner, "it says it has",
                       (struct table_count){backup->item_count, backup->size_bytes});
}

static void check_counts_of(struct checking *checking, const struct record_owner *owner) {
    const struct range_state *state = checking_state(checking, owner);
    uint8_t keyspace = owner->range == RANGE_TABLE ? KEYSPACE_ITEMS : KEYSPACE_INDEXES;
    if (owner->range == RANGE_STREAM || checking->cut_short[keyspace])
        return;
    if (owner->backup != NULL)
        check_backup_counts(checking, owner);
    else if (state->has_statistics)
        compare_counts(checking, owner, "its statistics say", state->statistics);
    else if (!checking->cut_short[KEYSPACE_CATALOG])
        checking_fault(checking, "%.*s: its statistics are missing",
                       SLICE_ARGS(check_owner_name(&checking->scratch, owner)));
    arena_reset(&checking->scratch);
}

/* ---- the summary ---- */

static struct check_range range_of(struct arena *arena, const struct checking *checking,
                                   const struct record_owner *owner) {
    const struct range_state *state = checking_state(checking, owner);
    struct slice name = owner->table != NULL    ? owner->table->name
                        : owner->stream != NULL ? owner->stream->table_name
                                                : owner->backup->name;
    static const char *const kinds[] = {[RANGE_UNKNOWN] = "",
                                        [RANGE_TABLE] = "table",
                                        [RANGE_INDEX] = "index",
                                        [RANGE_EXPIRY] = "expiries",
                                        [RANGE_STREAM] = "stream"};
    return (struct check_range){
        .id = owner->id,
        .kind = owner->backup != NULL ? "backup" : kinds[owner->range],
        .name = arena_slice(arena, name),
        .part = owner->index != NULL ? arena_slice(arena, owner->index->name) : SLICE_NONE,
        .found = state->found,
        .history = state->history,
    };
}

static void summarize(struct arena *arena, const struct checking *checking) {
    struct check_summary *summary = checking->summary;
    summary->range_count = checking->owners.count;
    summary->ranges = ARENA_ARRAY(arena, struct check_range, summary->range_count);
    for (size_t i = 0; i < summary->range_count; i++)
        summary->ranges[i] = range_of(arena, checking, &checking->owners.list[i]);
}

void engine_check(struct arena *arena, struct store *store, struct check_observer *observer,
                  struct check_summary *ret_summary) {
    struct checking checking;
    checking_init(&checking, store, observer, ret_summary);
    if (check_catalog(&checking)) {
        check_items(&checking);
        check_derived(&checking);
        check_changes(&checking);
        for (size_t i = 0; i < checking.owners.count; i++)
            check_counts_of(&checking, &checking.owners.list[i]);
        summarize(arena, &checking);
    }
    checking_release(&checking);
}
