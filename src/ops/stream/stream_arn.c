/* stream_arn.c - see the header. */
#include "ops/stream/stream_arn.h"

#include "ops/table/table_input.h"

static struct slice infix = {(const uint8_t *)"/stream/", 8};

static struct error *invalid(struct arena *arena) {
    return error_validation(arena, "Invalid StreamArn");
}

struct error *stream_arn_parse(struct op_call *call, struct slice text,
                               struct stream_arn *ret_arn) {
    const uint8_t *cut = memmem(text.data, text.len, infix.data, infix.len);
    if (cut == NULL || !slice_starts_with(text, SLICE_LITERAL("arn:")))
        return invalid(call->arena);
    struct slice table = slice_first(text, (size_t)(cut - text.data));
    struct stream_arn arn = {.text = text, .label = slice_skip(text, table.len + infix.len)};
    struct error *error = table_name_resolve(call, table, &arn.table_name);
    if (error != NULL && error->code == ERROR_ACCESS_DENIED)
        return arn_denied(call, text);
    if (error != NULL || arn.label.len == 0)
        return invalid(call->arena);
    *ret_arn = arn;
    return NULL;
}

struct slice stream_arn_print(const struct op_call *call, const struct stream_definition *stream) {
    struct slice table = table_arn_print(call, stream->table_name);
    return arena_printf(call->arena, "%.*s/stream/%.*s", SLICE_ARGS(table),
                        SLICE_ARGS(stream->label));
}

struct error *stream_not_found(struct arena *arena, struct slice arn) {
    return error_new(arena, ERROR_RESOURCE_NOT_FOUND,
                     "Requested resource not found: Stream: %.*s not found", SLICE_ARGS(arn));
}

struct error *stream_arn_find(struct reader *reader, const struct stream_arn *arn,
                              struct stream_definition *ret_stream) {
    struct stream_definition stream;
    TRY(stream_get(reader, arn->table_name, arn->label, &stream));
    if (stream.id == 0)
        return stream_not_found(reader->arena, arn->text);
    *ret_stream = stream;
    return NULL;
}
