/* stream_read.h - reading streams, on the caller's thread, with a reader (read.h).
 *
 * What is read lives as long as the reader's arena (a record: until the next step). Streams whose
 * time is over are not found, whether they are deleted already or not.
 *
 * What was committed is told by engine_last_number(): every record with a number up to it is seen
 * by whatever is read after the call, and every write that is acknowledged later has a larger one,
 * as long as it was not acknowledged before. So whoever takes the number first and reads then can
 * tell what is complete. Where several servers write it may be older than the last number. */
#ifndef GRAMME_ENGINE_STREAM_READ_H
#define GRAMME_ENGINE_STREAM_READ_H

#include "codec/stream.h"
#include "engine/read.h"
#include "engine/stream_shard.h"

uint64_t engine_last_number(const struct engine *engine);
/* The time before which no record is shown. */
int64_t stream_horizon_ms(const struct engine *engine);

/* An id of 0: there is none. */
struct error *stream_get(struct reader *reader, struct slice table_name, struct slice label,
                         struct stream_definition *ret_stream);

/* ---- all streams, by their tables' names and their labels ---- */

struct stream_list_range {
    struct slice table_name; /* only of this table; absent: of all */
    /* Only what comes after this one, which need not be there; absent: all. */
    struct slice after_table_name;
    struct slice after_label;
};

struct stream_list {
    struct reader *reader;
    struct store_scan *scan; /* NULL: nothing to find */
};

struct error *stream_list_open(struct reader *reader, const struct stream_list_range *range,
                               struct stream_list *ret_list);
/* An id of 0: the end. */
struct error *stream_list_next(struct stream_list *list, struct stream_definition *ret_stream);
void stream_list_close(struct stream_list *list); /* also fine when it never opened, or twice */

/* ---- records ---- */

struct stream_cursor {
    struct reader *reader;
    struct slice table_name; /* borrowed from the stream */
    struct store_scan *scan; /* NULL: nothing to find */
};

/* Of one shard, those with first <= number <= last. */
struct error *stream_cursor_open(struct reader *reader, const struct stream_definition *stream,
                                 struct stream_shard shard, uint64_t first, uint64_t last,
                                 struct stream_cursor *ret_cursor);
/* A number of 0: the end. */
struct error *stream_cursor_next(struct stream_cursor *cursor, uint64_t *ret_number,
                                 struct stream_record *ret_record);
/* The last number of a shard; `last` is what engine_last_number() was before. */
struct error *stream_latest(struct reader *reader, const struct stream_definition *stream,
                            struct stream_shard shard, uint64_t last, uint64_t *ret_latest);
void stream_cursor_close(struct stream_cursor *cursor);

#endif
