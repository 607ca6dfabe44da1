/* stream_shards.h - the shards of a stream, where the reader is in each, and that as a text.
 *
 * A shard is read when its parent has been read to its end or is not kept any more: so every item's
 * changes come in order. A shard that nothing is known of is read from its beginning.
 *
 * Invariants: `shards` is sorted by id, which is unique. */
#ifndef GRAMME_CLIENT_STREAM_SHARDS_H
#define GRAMME_CLIENT_STREAM_SHARDS_H

#include "client/client.h"

enum { SHARD_ID_MAX = 65, SEQUENCE_MAX = 40 };

enum shard_place {
    SHARD_OLDEST, /* at the first record that is kept */
    SHARD_LATEST, /* behind the last one, when the iterator was asked for */
    SHARD_AFTER,  /* behind `sequence` */
    SHARD_END,
};

struct shard {
    char id[SHARD_ID_MAX + 1];
    char parent[SHARD_ID_MAX + 1];   /* "": none */
    char sequence[SEQUENCE_MAX + 1]; /* of the latest record that was given */
    enum shard_place place;
    char *iterator; /* malloc()ed; NULL: to be asked for */
    bool closed;    /* nothing more is written to it */
    bool listed;    /* by the server, the last time */
};

struct shards {
    struct shard *shards;
    size_t count;
    size_t capacity;
};

void shards_release(struct shards *shards);

/* The one of that id; made if need be, at its beginning. NULL when the id is none, or there are
 * too many. */
struct shard *shards_take(struct shards *shards, const char *id);
bool shards_is_ready(const struct shards *shards, const struct shard *shard);
void shards_remove(struct shards *shards, size_t at);
bool shard_is_sequence(const char *text);
void shard_set_iterator(struct shard *shard, const char *iterator);

/* {"stream":"arn","shards":{"shardId-1":"1234","shardId-2":"end"}} */
char *shards_write(const struct shards *shards, const char *stream);
/* False when the text is none of the kind. `ret_stream` is to be freed. */
bool shards_read(struct shards *shards, const char *text, char **ret_stream);

#endif
