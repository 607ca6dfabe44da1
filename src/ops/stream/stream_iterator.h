/* stream_iterator.h - a shard iterator: a place in a shard as the text that clients carry around.
 *
 *   <ARN of the stream>|1|<base64 of the bytes below>
 *
 *   OFFSET  SIZE  MEANING
 *   0       1     version, 1
 *   1       1     shard
 *   2       1     bits: 0 starts with the oldest record that is kept when it is used, 1 there was
 *                 nothing left to read when it was given
 *   3       4     the stream's id, little-endian
 *   7       4     generation of the shard
 *   11      8     the first number to read
 *   19      8     when it was given, ms
 *   27      16    keyed hash of the ARN and of the bytes before, so that nobody can make one up
 *
 * One that had nothing left is good however old its number is: what has come since is new. An idle
 * shard may have no newer number to offer. */
#ifndef GRAMME_OPS_STREAM_STREAM_ITERATOR_H
#define GRAMME_OPS_STREAM_STREAM_ITERATOR_H

#include "ops/stream/stream_arn.h"

/* Of a place whose records are not kept any more. */
#define TRIMMED_TEXT "The data you are trying to access has been trimmed"

struct stream_iterator {
    struct stream_arn arn;
    uint32_t stream_id;
    struct stream_shard shard;
    bool from_horizon;
    bool caught_up;
    uint64_t position; /* not with from_horizon */
    int64_t issued_ms;
};

struct slice stream_iterator_print(const struct op_call *call,
                                   const struct stream_iterator *iterator);
/* Fails when the text is no iterator that this database gave. */
struct error *stream_iterator_parse(struct op_call *call, struct slice text,
                                    struct stream_iterator *ret_iterator);

#endif
