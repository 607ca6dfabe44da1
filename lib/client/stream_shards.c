/* stream_shards.c - see stream_shards.h. */
#include "client/stream_shards.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "json/member.h"

enum { SHARDS_MAX = 16384, POSITION_SIZE_MAX = 4 * 1024 * 1024 };

void shards_release(struct shards *shards) {
    for (size_t i = 0; i < shards->count; i++)
        free(shards->shards[i].iterator);
    free(shards->shards);
    *shards = (struct shards){0};
}

/* ---- one by one ---- */

static bool find(const struct shards *shards, const char *id, size_t *ret_at) {
    size_t low = 0, high = shards->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(shards->shards[middle].id, id);
        if (order == 0) {
            *ret_at = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *ret_at = low;
    return false;
}

struct shard *shards_take(struct shards *shards, const char *id) {
    size_t at;
    if (find(shards, id, &at))
        return &shards->shards[at];
    if (id[0] == '\0' || strlen(id) > SHARD_ID_MAX || shards->count == SHARDS_MAX)
        return NULL;
    if (shards->count == shards->capacity) {
        shards->capacity = shards->capacity == 0 ? 16 : 2 * shards->capacity;
        shards->shards = realloc(shards->shards, shards->capacity * sizeof(*shards->shards));
        CHECK(shards->shards != NULL);
    }
    struct shard *shard = &shards->shards[at];
    memmove(shard + 1, shard, (shards->count - at) * sizeof(*shard));
    shards->count++;
    *shard = (struct shard){.place = SHARD_OLDEST};
    snprintf(shard->id, sizeof(shard->id), "%s", id);
    return shard;
}

bool shards_is_ready(const struct shards *shards, const struct shard *shard) {
    size_t parent;
    if (shard->place == SHARD_END)
        return false;
    return !find(shards, shard->parent, &parent) || shards->shards[parent].place == SHARD_END;
}

void shards_remove(struct shards *shards, size_t at) {
    free(shards->shards[at].iterator);
    shards->count--;
    memmove(shards->shards + at, shards->shards + at + 1,
            (shards->count - at) * sizeof(*shards->shards));
}

void shard_set_iterator(struct shard *shard, const char *iterator) {
    free(shard->iterator);
    shard->iterator = NULL;
    if (iterator != NULL)
        CHECK((shard->iterator = strdup(iterator)) != NULL);
}

/* ---- as a text ---- */

static const char *place_text(const struct shard *shard) {
    switch (shard->place) {
    case SHARD_OLDEST:
        break;
    case SHARD_LATEST:
        return "latest";
    case SHARD_AFTER:
        return shard->sequence;
    case SHARD_END:
        return "end";
    }
    return NULL; /* that is what an absent one means */
}

char *shards_write(const struct shards *shards, const char *stream) {
    struct buffer buffer;
    struct json_writer writer;
    buffer_init(&buffer, POSITION_SIZE_MAX);
    json_writer_init(&writer, &buffer);
    json_object_begin(&writer);
    member_word(&writer, "stream", stream);
    member_object(&writer, "shards");
    for (size_t i = 0; i < shards->count; i++) {
        const char *place = place_text(&shards->shards[i]);
        if (place == NULL)
            continue;
        json_name(&writer, slice_text(shards->shards[i].id));
        json_string(&writer, slice_text(place));
    }
    json_object_end(&writer);
    json_object_end(&writer);
    buffer_append_byte(&buffer, 0);
    CHECK(!buffer.overflow);
    return (char *)buffer.data;
}

bool shard_is_sequence(const char *text) {
    size_t len = strspn(text, "0123456789");
    return len > 0 && len <= SEQUENCE_MAX && text[len] == '\0';
}

static bool read_shard(struct shards *shards, const char *id, const char *place) {
    struct shard *shard = shards_take(shards, id);
    if (shard == NULL)
        return false;
    shard->place = strcmp(place, "end") == 0      ? SHARD_END
                   : strcmp(place, "latest") == 0 ? SHARD_LATEST
                                                  : SHARD_AFTER;
    if (shard->place == SHARD_AFTER && !shard_is_sequence(place))
        return false;
    if (shard->place == SHARD_AFTER)
        memcpy(shard->sequence, place, strlen(place) + 1);
    return true;
}

bool shards_read(struct shards *shards, const char *text, char **ret_stream) {
    size_t size = strnlen(text, POSITION_SIZE_MAX);
    struct ddb_item *item = ddb_item_new();
    ddb_item_set_document(item, "position", text, size);
    const struct ddb_item *position = ddb_item_map(item, "position");
    const struct ddb_item *places = ddb_item_map(position, "shards");
    const char *stream = ddb_item_string(position, "stream", "");
    bool ok = ddb_item_error(item) == NULL && places != NULL && stream[0] != '\0';
    for (size_t i = 0; ok && i < ddb_item_count(places); i++)
        ok = read_shard(shards, ddb_item_name_at(places, i),
                        ddb_value_string(ddb_item_value_at(places, i), ""));
    if (ok)
        CHECK((*ret_stream = strdup(stream)) != NULL);
    ddb_item_free(item);
    return ok;
}
