/* stream_arn.h - from the ARN of a stream to the stream. */
#ifndef GRAMME_OPS_STREAM_STREAM_ARN_H
#define GRAMME_OPS_STREAM_STREAM_ARN_H

#include "engine/stream_read.h"
#include "ops/op.h"

/* arn:aws:dynamodb:<region>:<account>:table/<name>/stream/<label> */
struct stream_arn {
    struct slice text;
    struct slice table_name;
    struct slice label;
};

struct error *stream_arn_parse(struct op_call *call, struct slice text, struct stream_arn *ret_arn);
struct slice stream_arn_print(const struct op_call *call, const struct stream_definition *stream);

/* Fails when there is no such stream. */
struct error *stream_arn_find(struct reader *reader, const struct stream_arn *arn,
                              struct stream_definition *ret_stream);
struct error *stream_not_found(struct arena *arena, struct slice arn);

/* A member ShardId, or another that holds one. */
#define SHARD_ID_FIELD(member, request, place) \
    NAMED(member), AT(struct request, place), .type = FIELD_STRING, LENGTH(28, 65)
/* A member StreamArn; what is no ARN of a stream has a text of its own, whatever its length. */
#define STREAM_ARN_FIELD(request)                       \
    NAMED("StreamArn"), AT(struct request, stream_arn), \
        .type = FIELD_STRING, .flags = FIELD_REQUIRED, .resource = RESOURCE_ARN, AT_MOST(1024)

#endif
