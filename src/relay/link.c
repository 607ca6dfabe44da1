/* link.c - see link.h.
 *
 * Replies are read in the callbacks of the socket and never in a turn of the loop, so that the
 * connection whose exchange is answered may want a turn of its own (net/stream.h). */
#include "relay/link.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"

enum {
    CONNECT_MS = 5000,
    /* Longer than anything takes: a leader that is cut off is noticed by the store. */
    REPLY_MS = 60 * 1000,
    /* Less than the leader leaves an idle connection open. */
    REST_MS = 30 * 1000,
    MISDIRECTED = 421,
    TIMED_OUT = 408,
};

static struct link *link_of(struct net_stream *stream) {
    return container_of(stream, struct link, stream);
}

static uint64_t now_ms(const struct link *link) {
    return net_loop_now_ms(link->stream.loop);
}

/* How long something may take for this call. */
static uint32_t patience(const struct relay_call *call, uint32_t otherwise) {
    return call->request.told != NULL && call->request.told_ms < otherwise ? call->request.told_ms
                                                                           : otherwise;
}

/* ---- sending ---- */

static void send_now(struct link *link) {
    struct exchange_wire wire = exchange_as_it_came(link->call->exchange);
    struct slice parts[] = {wire.head, wire.body, wire.end};
    link->sent = true;
    link->call->sent++;
    net_stream_set_deadline(&link->stream, now_ms(link) + patience(link->call, REPLY_MS));
    net_stream_write(&link->stream, parts, 3); /* a failure closes the stream */
}

void link_send(struct link *link, struct relay_call *call) {
    CHECK(link->ready && link->call == NULL);
    link->call = call;
    send_now(link);
}

static void on_opened(struct net_stream *stream) {
    struct link *link = link_of(stream);
    link->ready = true;
    net_stream_set_deadline(stream, 0);
    send_now(link);
}

/* ---- the reply ---- */

static struct relay_call *take_call(struct link *link) {
    struct relay_call *call = link->call;
    link->call = NULL;
    link->sent = link->in_body = false;
    link->rests_since_ms = now_ms(link);
    net_stream_set_deadline(&link->stream, 0);
    return call;
}

/* What this server writes into its own head. */
static bool is_own(struct slice name) {
    static const char *const names[] = {
        "server",         "date", "content-type",     "connection",  "content-encoding",
        "content-length", "vary", "x-amzn-requestid", "x-amz-crc32",
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (slice_equal_ignoring_case(name, slice_text(names[i])))
            return true;
    const struct slice cors = SLICE_LITERAL("access-control-");
    return name.len > cors.len && slice_equal_ignoring_case(slice_first(name, cors.len), cors);
}

static void keep_answer(struct link *link, const struct http_reply_seen *seen) {
    struct arena *arena = &link->call->exchange->arena;
    struct slice rest = seen->headers, more = SLICE_LITERAL("");
    struct http_header header;
    while (http_reply_next_header(&rest, &header))
        if (!is_own(header.name))
            more = arena_printf(arena, "%.*s%.*s: %.*s\r\n", SLICE_ARGS(more),
                                SLICE_ARGS(header.name), SLICE_ARGS(header.value));
    link->answer = (struct exchange_reply_options){.status = seen->status,
                                                   .content_type = SLICE_NONE,
                                                   .headers = more,
                                                   .coding = seen->coding};
    if (slice_present(seen->content_type))
        link->answer.content_type = arena_slice(arena, seen->content_type);
    link->keeps = seen->keep_alive;
}

static void end_reply(struct link *link) {
    buffer_reset(&link->head);
    link->events->answered(link, take_call(link));
}

static void take_body(struct link *link, struct slice bytes) {
    struct buffer *reply = &link->call->exchange->reply;
    if (bytes.len > link->body_left) { /* nobody sends more than one reply */
        net_stream_close(&link->stream);
        return;
    }
    buffer_append_slice(reply, bytes);
    link->body_left -= bytes.len;
    if (link->body_left == 0)
        end_reply(link);
}

static void begin_body(struct link *link, const struct http_reply_seen *seen) {
    struct exchange *exchange = link->call->exchange;
    struct slice rest = slice_skip(buffer_slice(&link->head), seen->head_len);
    keep_answer(link, seen);
    link->in_body = true;
    link->body_left = exchange->request.verb == HTTP_VERB_HEAD ? 0 : (size_t)seen->content_length;
    if (!buffer_reserve(&exchange->reply, link->body_left)) {
        net_stream_close(&link->stream);
        link->events->starved(link, take_call(link));
        return;
    }
    take_body(link, rest);
}

/* A first reply that only says that another one follows is passed over. */
static bool skip_interim(struct link *link, const struct http_reply_seen *seen) {
    if (seen->status >= 200)
        return false;
    link->head.len -= seen->head_len;
    memmove(link->head.data, link->head.data + seen->head_len, link->head.len);
    return true;
}

static void take_head(struct link *link) {
    struct http_reply_seen seen;
    enum http_read_result result;
    do
        result = http_reply_head_read(buffer_slice(&link->head), &seen);
    while (result == HTTP_READ_COMPLETE && skip_interim(link, &seen));
    if (result == HTTP_READ_MORE)
        return;
    if (result == HTTP_READ_ERROR) {
        net_stream_close(&link->stream);
    } else if (seen.status == MISDIRECTED || seen.status == TIMED_OUT) {
        net_stream_close(&link->stream);
        link->events->refused(link, take_call(link));
    } else {
        begin_body(link, &seen);
    }
}

static struct net_space on_space(struct net_stream *stream) {
    struct link *link = link_of(stream);
    if (link->call != NULL && link->in_body) {
        struct buffer *reply = &link->call->exchange->reply;
        return (struct net_space){reply->data + reply->len, link->body_left};
    }
    if (!buffer_grow_to(&link->head, HTTP_REPLY_HEAD_BYTES_MAX))
        return (struct net_space){NULL, 0};
    return (struct net_space){link->head.data + link->head.len,
                              link->head.capacity - link->head.len};
}

static void on_arrived(struct net_stream *stream, size_t len) {
    struct link *link = link_of(stream);
    if (stream->closing)
        return;
    if (link->call == NULL || !link->sent) { /* it ends, mostly: it is not to be used any more */
        net_stream_close(stream);
    } else if (link->in_body) {
        link->call->exchange->reply.len += len;
        link->body_left -= len;
        if (link->body_left == 0)
            end_reply(link);
    } else {
        link->head.len += len;
        take_head(link);
    }
}

/* ---- life ---- */

static void on_ended(struct net_stream *stream) {
    net_stream_close(stream);
}

static void on_expired(struct net_stream *stream) {
    net_stream_close(stream);
}

static void on_ticked(struct net_stream *stream) {
    const struct link *link = link_of(stream);
    if (link->call == NULL && now_ms(link) - link->rests_since_ms >= REST_MS)
        net_stream_close(stream);
}

static void on_drain(struct net_stream *stream) {
    if (link_of(stream)->call == NULL)
        net_stream_close(stream);
}

static void on_nothing(struct net_stream *stream) {
    (void)stream;
}

static void on_closed(struct net_stream *stream) {
    struct link *link = link_of(stream);
    link->events->closed(link, link->call);
    buffer_release(&link->head);
    free(link);
}

static const struct net_stream_events stream_events = {
    .opened = on_opened,
    .space = on_space,
    .arrived = on_arrived,
    .ended = on_ended,
    .written = on_nothing,
    .expired = on_expired,
    .ticked = on_ticked,
    .drain = on_drain,
    .turn = on_nothing,
    .turned = on_nothing,
    .closed = on_closed,
};

struct link *link_new(const struct link_events *events, void *owner, struct relay_call *call,
                      const struct link_target *target) {
    struct link *link = calloc(1, sizeof(*link));
    CHECK(link != NULL);
    link->events = events;
    link->owner = owner;
    link->call = call;
    link->number = target->leader->number;
    buffer_init(&link->head, HTTP_REPLY_HEAD_BYTES_MAX);
    net_stream_init(&link->stream, &stream_events);
    struct net_target address = {(const struct sockaddr *)&target->leader->address, target->tls,
                                 patience(call, CONNECT_MS)};
    net_stream_connect(&link->stream, call->exchange->loop, &address);
    return link;
}
