/* connection_reply.c - an answer to bytes on the wire.
 *
 * Small bodies are copied behind their head, so that pipelined replies leave together. A large one
 * is sent from the exchange's own buffer; until it has gone the connection begins nothing else. */
#include "base/check.h"
#include "endpoint/connection_state.h"
#include "http/reply.h"

enum {
    COPY_BYTES_MAX = 16 * 1024,
    TLS_PENDING_BYTES = 80 * 1024, /* a piece of output, and one of input */
};

static const char overflow_text[] =
    "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
    "\"message\":\"The response is larger than the server allows\"}";

/* The system's clock is asked when the loop's time has moved on. Another may have been set in the
 * meantime, and whoever did that looks for it in the next reply. */
static struct slice date_now(struct connection *c) {
    struct endpoint_thread *thread = c->thread;
    const struct clock *clock = c->endpoint->config.clock;
    uint64_t loop_ms = net_loop_now_ms(thread->loop);
    if (clock != &system_clock || loop_ms != thread->date_loop_ms || thread->date_ms == 0) {
        thread->date_loop_ms = loop_ms;
        thread->date_ms = clock_now_ms(clock);
    }
    return http_date_at(&thread->date, thread->date_ms);
}

/* The packed body takes the place of the plain one; the two buffers swap roles. */
static enum http_coding pack(struct connection *c) {
    struct buffer *body = &c->exchange.reply, *packed = &c->thread->packed;
    if (c->answer.coding != HTTP_CODING_NONE)
        return c->answer.coding;
    if (body->len < HTTP_PACK_BYTES_MIN || body->len > HTTP_PACK_BYTES_MAX)
        return HTTP_CODING_NONE;
    enum http_coding coding = http_request_accepted_coding(&c->exchange.request);
    if (coding == HTTP_CODING_NONE)
        return HTTP_CODING_NONE;
    buffer_reset(packed);
    if (!http_coder_pack(c->thread->coder, coding, buffer_slice(body), packed))
        return HTTP_CODING_NONE;
    buffer_swap(body, packed);
    return coding;
}

/* A socket that does not take what it gets keeps a piece of it encrypted, too. */
static void owe_for_tls(struct connection *c) {
    if (c->stream.tls == NULL || c->tls_owed)
        return;
    c->tls_owed = true;
    allowance_owe(&c->memory[MEMORY_WORK], TLS_PENDING_BYTES);
}

void connection_forget_pending(struct connection *c) {
    if (c->tls_owed)
        allowance_give(&c->memory[MEMORY_WORK], TLS_PENDING_BYTES);
    c->tls_owed = false;
}

void connection_discharge_reply(struct connection *c) {
    struct buffer *reply = &c->exchange.reply;
    buffer_reset(reply);
    if (c->memory[MEMORY_WORK].drawn == 0)
        return;
    if (reply->capacity > CONNECTION_BUFFER_BYTES || connection_is_tight(c, MEMORY_WORK))
        buffer_release(reply);
    connection_settle(c, MEMORY_WORK);
}

static void send_large(struct connection *c) {
    struct slice parts[] = {buffer_slice(&c->output), buffer_slice(&c->exchange.reply)};
    switch (net_stream_write(&c->stream, parts, 2)) {
    case NET_WRITE_DONE:
        buffer_reset(&c->output);
        connection_discharge_reply(c);
        break;
    case NET_WRITE_PENDING:
        owe_for_tls(c);
        break;
    case NET_WRITE_FAILED:
        break;
    }
}

void connection_write_reply(struct connection *c) {
    struct exchange *exchange = &c->exchange;
    const struct http_request *request = &exchange->request;
    if (c->answer.drop) {
        connection_discharge_reply(c);
        c->last = true;
        return;
    }
    if (exchange->reply.overflow) {
        buffer_release(&exchange->reply);
        buffer_append_text(&exchange->reply, overflow_text);
        exchange->crc32_known = false;
        c->answer.status = 500;
    }
    enum http_coding coding = pack(c);
    bool known = exchange->crc32_known && coding == HTTP_CODING_NONE;
    struct slice body = buffer_slice(&exchange->reply);
    c->last = (!request->keep_alive && c->relayed == NULL) || c->draining || c->answer.close;
    http_reply_head_write(&c->output, &(struct http_reply_head){
                                          .status = c->answer.status,
                                          .date = date_now(c),
                                          .content_type = c->answer.content_type,
                                          .request_id = exchange->request_id,
                                          .more = c->answer.headers,
                                          .content_length = body.len,
                                          .has_crc32 = true,
                                          .crc32 = known ? exchange->crc32 : http_crc32(body),
                                          .keep_alive = !c->last,
                                          .coding = coding,
                                          .allow_origin = guard_allowed_origin(
                                              &c->endpoint->guard, request->known[HTTP_ORIGIN])});
    if (request->verb == HTTP_VERB_HEAD || body.len <= COPY_BYTES_MAX) {
        if (request->verb != HTTP_VERB_HEAD)
            buffer_append_slice(&c->output, body);
        connection_discharge_reply(c);
    } else {
        send_large(c);
    }
    CHECK(!c->output.overflow);
}

/* For what is no proper request. Too large a body gets the service's reply to it: no id, no length.
 */
void connection_write_error(struct connection *c, int status) {
    struct http_reply_head head = {.status = status, .date = date_now(c)};
    if (status == 413) {
        head.chunked = true;
    } else {
        http_request_ids_next(&c->thread->ids, c->request_id);
        head.request_id = c->exchange.request_id;
    }
    http_reply_head_write(&c->output, &head);
    if (head.chunked)
        buffer_append_text(&c->output, HTTP_REPLY_NO_CHUNKS);
    CHECK(!c->output.overflow);
}

void connection_flush(struct connection *c) {
    if (c->output.len == 0 || c->stream.writing || c->stream.closing)
        return;
    struct slice part = buffer_slice(&c->output);
    enum net_write_result result = net_stream_write(&c->stream, &part, 1);
    if (result == NET_WRITE_DONE)
        buffer_reset(&c->output);
    else if (result == NET_WRITE_PENDING)
        owe_for_tls(c);
}
