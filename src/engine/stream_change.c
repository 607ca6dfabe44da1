/* stream_change.c - streams that begin and end with their tables. */
#include "engine/stream_change.h"

#include "base/leniency.h"
#include "base/timestamp.h"
#include "engine/keyspace.h"
#include "engine/sequence.h"
#include "engine/state.h"
#include "engine/stream_shard.h"

static void put_stream(struct engine *engine, struct arena *arena, struct store_txn *txn,
                       const struct stream_definition *stream) {
    struct store_key key =
        catalog_key(stream_definition_key(arena, stream->table_name, stream->label));
    store_put(txn, &key, stream_definition_encode(arena, stream));
    stream_keeper_expect(&engine->streams);
}

struct error *stream_read_ending(struct arena *arena, struct store_txn *txn,
                                 const struct table_definition *before,
                                 const struct table_definition *after,
                                 struct stream_definition **ret_ending) {
    *ret_ending = NULL;
    if (before == NULL || before->stream == STREAM_OFF ||
        (after != NULL && after->stream != STREAM_OFF))
        return NULL;
    struct slice stored;
    struct store_key key =
        catalog_key(stream_definition_key(arena, before->name, before->stream_label));
    TRY(store_get(txn, &key, &stored));
    if (!slice_present(stored))
        return error_local(arena, "the stream of a table is missing");
    *ret_ending = ARENA_NEW(arena, struct stream_definition);
    return stream_definition_decode(arena, stored, *ret_ending);
}

/* Its records have smaller numbers, and everything that follows has larger ones. */
void stream_end(struct engine *engine, struct arena *arena, struct store_txn *txn,
                struct stream_definition *ending, uint64_t *last_number) {
    uint64_t number =
        sequence_next(&engine->sequence, engine->store, clock_now_ms(engine->options.clock));
    ending->ended = (int64_t)number;
    put_stream(engine, arena, txn, ending);
    sequence_put(txn, number);
    *last_number = number;
}

static struct slice label_of(struct arena *arena, int64_t ms) {
    char text[TIMESTAMP_CHARS + 1];
    timestamp_print(ms, text);
    return slice_of(arena_copy(arena, text, TIMESTAMP_CHARS), TIMESTAMP_CHARS);
}

/* Each is of one group of keys, so that a write needs no other. */
static int64_t shards_of(const struct engine *engine, int64_t shards) {
    int64_t groups = engine->store->groups;
    return (shards + groups - 1) / groups * groups;
}

/* The stream begins with a ms in which nothing has a number yet. So its label is its own, also when
 * the clock stands still or goes back, and no record is older than its first shard. */
void stream_make(struct engine *engine, struct arena *arena, struct store_txn *txn,
                 struct table_definition *definition, uint64_t *last_number) {
    int64_t now_ms = clock_now_ms(engine->options.clock);
    int64_t used_ms = sequence_ms(engine->sequence.last);
    bool one_shard = engine->options.leniencies & LENIENT_ONE_SHARD;
    struct stream_definition stream = {
        .table_name = definition->name,
        .id = format_take_id(&engine->format),
        .view = definition->stream,
        .keys = definition->keys,
        .shards = shards_of(engine, one_shard ? 1 : capacity_partitions(definition, NULL)),
        .created_ms = now_ms > used_ms ? now_ms : used_ms + 1,
    };
    stream.label = label_of(arena, stream.created_ms);
    definition->stream_id = stream.id;
    definition->stream_label = stream.label;
    definition->stream_shards = stream.shards;
    definition->stream_created_ms = stream.created_ms;
    definition->stream_policy = (struct attached_policy){.revision_ms = 0};
    format_put(&engine->format, txn);
    put_stream(engine, arena, txn, &stream);
    *last_number = sequence_at(stream.created_ms);
    sequence_put(txn, *last_number);
}
