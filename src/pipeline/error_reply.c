/* error_reply.c - the JSON of an error: type, message, what it quotes. */
#include "pipeline/error_reply.h"

#include "base/log.h"
#include "json/member.h"
#include "model/limits.h"

/* A text may quote what the request has sent, which may be long. A character stays whole. */
static struct slice cut(struct arena *arena, struct slice text) {
    size_t len = LIMIT_ERROR_TEXT_BYTES;
    if (text.len <= len)
        return text;
    while (len > 0 && (text.data[len] & 0xc0) == 0x80)
        len--;
    uint8_t *copy = arena_alloc(arena, len + 3);
    memcpy(copy, text.data, len);
    memcpy(copy + len, "...", 3);
    return slice_of(copy, len + 3);
}

/* Beside an item the service spells the member with a capital. */
static void write_message(struct json_writer *json, const struct op_call *call,
                          const struct error *error) {
    struct slice text = cut(call->arena, error->message);
    bool envelope =
        call->layer == VALUE_LAYER_CURRENT && call->op != NULL && (call->op->flags & OP_ENVELOPE);
    if (envelope && error->request_level)
        text = arena_printf(call->arena, "1 validation error detected: %.*s", SLICE_ARGS(text));
    const char *member =
        slice_present(error->item) ? "Message" : error_kind(error->code)->text_member;
    json_name(json, slice_text(member));
    json_string(json, text);
}

/* "Item": what failed its condition, when the caller asked for it. */
static void write_item(struct json_writer *json, struct slice item) {
    if (!slice_present(item))
        return;
    JSON_NAME_LITERAL(json, "Item");
    item_write_json(json, value_from_slice(item));
}

static void write_reasons(struct json_writer *json, struct arena *arena,
                          const struct error *error) {
    member_array(json, "CancellationReasons");
    for (size_t i = 0; i < error->reason_count; i++) {
        const struct cancellation_reason *reason = &error->reasons[i];
        json_object_begin(json);
        member_text(json, "Code", slice_text(reason->code));
        write_item(json, reason->item);
        if (slice_present(reason->message))
            member_text(json, "Message", cut(arena, reason->message));
        json_object_end(json);
    }
    json_array_end(json);
}

/* Clients look for the capitals that the service's model has. */
static void write_throttling(struct json_writer *json, const struct op_call *call,
                             const struct error *error) {
    const struct op_context *context = call->context;
    member_array(json, error->code == ERROR_THROTTLING ? "throttlingReasons" : "ThrottlingReasons");
    for (size_t i = 0; i < error->throttled_by_count; i++) {
        const struct throttling_reason *by = &error->throttled_by[i];
        bool index = slice_present(by->index);
        json_object_begin(json);
        member_text(json, "reason",
                    arena_printf(call->arena, "%s%s", index ? "Index" : "Table",
                                 throttling_limit_text(by->limit)));
        member_text(json, "resource",
                    arena_printf(call->arena, "arn:aws:dynamodb:%.*s:%.*s:table/%.*s%s%.*s",
                                 SLICE_ARGS(context->region), SLICE_ARGS(context->account),
                                 SLICE_ARGS(by->table), index ? "/index/" : "",
                                 SLICE_ARGS(by->index)));
        json_object_end(json);
    }
    json_array_end(json);
}

static void write_error(struct exchange *exchange, const struct op_call *call,
                        const struct error *error) {
    const struct error_kind *kind = error_kind(error->code);
    struct json_writer json;
    buffer_reset(&exchange->reply);
    json_writer_init(&json, &exchange->reply);
    json_object_begin(&json);
    member_text(&json, "__type",
                arena_printf(&exchange->arena, "%s#%s", kind->name_space, kind->type));
    if (error->reason_count > 0)
        write_reasons(&json, &exchange->arena, error);
    write_item(&json, error->item);
    if (slice_present(error->message))
        write_message(&json, call, error);
    if (error->throttled_by_count > 0)
        write_throttling(&json, call, error);
    json_object_end(&json);
}

/* What the service's text does not tell goes beside it, for who marks it in an editor. */
static void send(struct exchange *exchange, const struct error *error) {
    struct exchange_reply_options options = {.status = error_kind(error->code)->http_status};
    if (!slice_present(error->position)) {
        exchange_reply(exchange, options.status);
        return;
    }
    options.content_type = exchange_json_type(exchange);
    options.headers =
        arena_printf(&exchange->arena, "x-gramme-position: %.*s\r\n", SLICE_ARGS(error->position));
    exchange_reply_with(exchange, &options);
}

struct error *error_reply_overflow(struct exchange *exchange) {
    return error_new(&exchange->arena, ERROR_INTERNAL_SERVER_ERROR,
                     exchange_lacks_memory(exchange)
                         ? "The server has no memory for the reply"
                         : "The reply is larger than this server allows");
}

void error_reply(struct exchange *exchange, const struct op_call *call, struct error *error) {
    if (error->code == ERROR_LOCAL || error->code == ERROR_INTERNAL_SERVER_ERROR)
        log_request_error(exchange->request_id, "%s: %.*s",
                          call->op == NULL ? "request" : call->op->name,
                          SLICE_ARGS(error->message));
    exchange->crc32_known = false;
    error = error_for_client(&exchange->arena, error);
    write_error(exchange, call, error);
    if (exchange->reply.overflow) { /* the items in it are too large together */
        error = error_reply_overflow(exchange);
        buffer_release(&exchange->reply);
        write_error(exchange, call, error);
    }
    send(exchange, error);
}
