/* check_changes.c - see check_changes.h. */
#include "engine/check_changes.h"

#include "codec/history.h"
#include "codec/stream.h"
#include "engine/stream_shard.h"

static struct error *check_number(struct checking *checking, uint64_t number) {
    return number <= checking->last_number
               ? NULL
               : error_local(&checking->scratch, "it has a number that no change has had yet");
}

static struct value image_of(const struct stream_record *record) {
    if (value_present(record->new_image))
        return record->new_image;
    return value_present(record->old_image) ? record->old_image : record->keys;
}

struct error *check_stream_place(struct arena *arena, const struct key_codec *codec,
                                 const struct stream_definition *stream, struct slice key,
                                 struct slice value) {
    uint64_t number = stream_record_number(key);
    struct stream_record record;
    TRY(stream_record_decode(arena, value, &record));
    if (stream->ended != 0 && number >= (uint64_t)stream->ended)
        return error_local(arena, "it was written after the end of its stream");
    struct slice item_key = key_encode(arena, codec, stream->id, &stream->keys, image_of(&record));
    struct stream_shard shard = {generation_at(stream->created_ms, sequence_ms(number)),
                                 shard_of_key(stream->shards, item_key)};
    return slice_equal(stream_record_key(arena, stream->id, shard, number), key)
               ? NULL
               : error_local(arena, "it stands in another shard than that of its item and time");
}

static struct error *check_change(struct checking *checking, struct slice key, struct slice value) {
    const struct store_key at = {KEYSPACE_CHANGES, key};
    TRY(owned_record_check(&checking->scratch, &checking->owners, &at, value));
    const struct record_owner *owner = checking_owner(checking, key);
    if (owner == NULL || (owner->table == NULL && owner->stream == NULL)) {
        checking_left_over(checking);
        return NULL;
    }
    if (owner->stream != NULL) {
        checking_state(checking, owner)->found.items++;
        TRY(check_number(checking, stream_record_number(key)));
        return check_stream_place(&checking->scratch, &checking->owners.format.keys, owner->stream,
                                  key, value);
    }
    checking_state(checking, owner)->history++;
    return check_number(checking, history_key_sequence(key));
}

void check_changes(struct checking *checking) {
    checking_scan_all(checking, KEYSPACE_CHANGES, check_change);
}
