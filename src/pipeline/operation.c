/* operation.c - see operation.h. */
#include "pipeline/operation.h"

#include "json/reader.h"

/* What is asked for, of which of the two services that share the endpoint; absent: of neither. */
static inline struct slice asked_for(const struct http_request *request, bool *ret_of_streams) {
    const struct slice prefix = SLICE_LITERAL("DynamoDB_20120810.");
    const struct slice streams = SLICE_LITERAL("DynamoDBStreams_20120810.");
    struct slice target = request->known[HTTP_X_AMZ_TARGET];
    if (!slice_present(target))
        return SLICE_NONE;
    *ret_of_streams = slice_starts_with(target, streams);
    if (!*ret_of_streams && !slice_starts_with(target, prefix))
        return SLICE_NONE;
    return slice_skip(target, *ret_of_streams ? streams.len : prefix.len);
}

/* Each service knows its own operations only. */
const struct op *operation_find(const struct http_request *request, unsigned *ret_number) {
    bool of_streams = false;
    struct slice name = asked_for(request, &of_streams);
    const struct op *op = slice_present(name) ? op_find_numbered(name, ret_number) : NULL;
    return op != NULL && ((op->flags & OP_STREAMS) != 0) == of_streams ? op : NULL;
}

bool operation_reads_items(const struct exchange *exchange) {
    unsigned number;
    const struct op *op = operation_find(&exchange->request, &number);
    return op != NULL && (op->flags & (OP_READS | OP_WRITES | OP_STREAMS)) == OP_READS;
}

bool operation_is_shared(const struct exchange *exchange) {
    unsigned number;
    const struct op *op = operation_find(&exchange->request, &number);
    return op != NULL && (op->flags & OP_SHARED);
}

/* Such a request happens once, however often it comes. */
static bool has_token(struct exchange *exchange) {
    struct json_reader reader;
    json_reader_init(&reader, exchange->request.body, &exchange->arena);
    if (json_next(&reader) != JSON_OBJECT_BEGIN)
        return false;
    while (json_next_name(&reader)) {
        bool named = slice_is(reader.text, "ClientRequestToken");
        if (json_next(&reader) == JSON_STRING && named)
            return reader.text.len > 0;
        if (!json_skip(&reader))
            return false;
    }
    return false;
}

bool operation_may_repeat(struct exchange *exchange) {
    unsigned number;
    const struct op *op = operation_find(&exchange->request, &number);
    if (op == NULL || !(op->flags & OP_WRITES))
        return op != NULL;
    return (op->flags & OP_TOKEN) && has_token(exchange);
}

/* To a name that it does not know the service says nothing. One that it knows and that is missing
 * here has no answer to be exact about, and whoever asked should not look for their own mistake. */
struct error *operation_unknown(struct arena *arena, const struct http_request *request) {
    bool of_streams = false;
    struct slice name = asked_for(request, &of_streams);
    if (!slice_present(name) || of_streams || !op_is_missing(name))
        return error_without_text(arena, ERROR_UNKNOWN_OPERATION);
    return error_new(arena, ERROR_UNKNOWN_OPERATION, "gramme does not have the operation %.*s",
                     SLICE_ARGS(name));
}
