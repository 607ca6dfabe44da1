/* reply.h - just enough of an HTTP reply: where it ends, and how it went.
 *
 * The caller keeps the bytes of one reply together from its first byte on and calls reply_read()
 * whenever more have arrived; they may move in between. Nothing is copied; the parts of a chunked
 * body are moved together in place. Requests are never pipelined, so bytes after the reply's end
 * are a fault of the server. */
#ifndef GRAMME_BENCH_REPLY_H
#define GRAMME_BENCH_REPLY_H

#include "base/arena.h"

enum {
    REPLY_HEAD_MAX = 16 * 1024,
    REPLY_BODY_MAX = 32 * 1024 * 1024, /* BatchGetItem answers up to 16 MB of items */
};

enum reply_result { REPLY_MORE, REPLY_COMPLETE, REPLY_BROKEN };

struct reply {
    int status;
    size_t line_at;  /* of the head: the first line that has not been read */
    size_t head_len; /* with the blank line; 0 until it is there */
    size_t body_len; /* as announced; of a chunked body what has been joined */
    bool has_length;
    bool chunked;
    bool keep_alive;
    size_t chunk_at;   /* where the next chunk's size starts */
    const char *fault; /* when it is broken: why */
};

void reply_init(struct reply *reply);
/* *len comes back smaller when chunk sizes were taken out. */
enum reply_result reply_read(struct reply *reply, char *data, size_t *len);

/* What an error reply says; a type without its namespace. Absent when the body is not
 * DynamoDB's. Both live in the arena or in the body. */
struct reply_error {
    struct slice type;
    struct slice message;
};
struct reply_error reply_read_error(struct slice body, struct arena *arena);

/* Whether a batch left something undone: UnprocessedItems or UnprocessedKeys that are not empty. */
bool reply_has_unprocessed(struct slice body);

#endif
