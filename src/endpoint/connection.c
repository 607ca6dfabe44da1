/* connection.c - the life of one connection: read a request, have it handled, send the reply.
 *
 * All events lead to a turn, which takes steps until nothing more can be done: parse the next
 * request, or write the reply that has become ready. What was written is sent after everybody's
 * turn. Between two requests nothing is remembered but the buffers. Rules:
 *   - one request at a time is with the handler, so replies leave in the order of the requests;
 *   - while a write is pending no further request is begun: a client that does not read its replies
 *     soon fills its input buffer, and then is not read from either;
 *   - while the handler has the exchange the input buffer neither moves nor grows;
 *   - replies that are ready together leave in one write.
 *
 * Threads: a connection belongs to its loop's thread; only connection_accept() runs on another. */
#include "endpoint/endpoint.h"

#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "endpoint/connection_state.h"
#include "http/reply.h"

enum {
    FLUSH_BYTES = 32 * 1024, /* of replies gathered before they are sent all the same */
    LINGER_MS = 2000,        /* for a client that is still sending when we close */
    REST_MS = 2000,          /* after which an idle connection gives its buffers back */
    /* While others wait for memory, who holds some must be this quick, */
    STALL_UNDER_PRESSURE_MS = 1000,
    READ_STALL_UNDER_PRESSURE_MS = 5000, /* at reading replies, */
    RATE_UNDER_PRESSURE = 32 * 1024,     /* and so many bytes a second, whatever was reserved. */
    /* In which a body must be on its way to be complete, by who waits. Large uploads that share a
     * modest link are each slow in good faith: among themselves they have more time. */
    SECONDS_WHILE_SMALL_WAIT = 10,
    SECONDS_WHILE_LARGE_WAIT = 60,
    OUTPUT_BYTES_MAX = 1024 * 1024,
};

static uint64_t now_ms(const struct connection *c) {
    return net_loop_now_ms(c->stream.loop);
}

static const struct endpoint_limits *limits_of(const struct connection *c) {
    return &c->endpoint->config.limits;
}

static void expect_next_request(struct connection *c) {
    const struct endpoint_limits *limits = limits_of(c);
    http_reader_init(&c->reader,
                     (struct http_reader_limits){.header_bytes_max = limits->header_bytes_max,
                                                 .body_bytes_max = limits->body_bytes_max},
                     &c->exchange.request);
    c->began_ms = 0;
    c->continued = false;
    c->relayed_read = false;
    c->idle_since_ms = now_ms(c);
}

static void release_memory(struct connection *c) {
    connection_release_input(c);
    buffer_release(&c->output);
    buffer_release(&c->body);
    buffer_release(&c->exchange.reply);
    arena_release(&c->exchange.arena);
    if (c->memory[MEMORY_WORK].drawn != 0)
        connection_settle(c, MEMORY_WORK);
}

static void connection_free(struct connection *c) {
    connection_forget_pending(c);
    release_memory(c);
    free(c->relayed);
    free(c);
}

/* A request is complete and can be read. */
static void begin_exchange(struct connection *c) {
    struct endpoint_thread *thread = c->thread;
    atomic_store_explicit(&thread->requests,
                          atomic_load_explicit(&thread->requests, memory_order_relaxed) + 1,
                          memory_order_relaxed);
    if (c->relayed != NULL)
        memcpy(c->request_id, c->relayed->id, sizeof(c->request_id));
    else
        http_request_ids_next(&thread->ids, c->request_id);
    c->exchange.user = NULL;
    c->exchange.began = net_loop_round_ticks(thread->loop);
    c->exchange.crc32_known = false;
    c->handling = true;
    c->replied = false;
}

/* But for a reply that is still on its way. */
static void forget_work(struct connection *c) {
    if (c->body.capacity > CONNECTION_BUFFER_BYTES || connection_is_tight(c, MEMORY_WORK))
        buffer_release(&c->body);
    connection_settle(c, MEMORY_WORK);
}

/* The reply is ready: on its way with it, and the exchange is free for the next request. */
static void end_exchange(struct connection *c) {
    connection_write_reply(c);
    c->handling = false;
    connection_consume(c);
    arena_reset(&c->exchange.arena);
    if (c->memory[MEMORY_WORK].drawn != 0)
        forget_work(c);
    expect_next_request(c);
}

void connection_refuse(struct connection *c, int status) {
    c->last = true;
    c->gentle = true;
    connection_write_error(c, status);
    connection_release_input(c);
    connection_run(c);
}

/* The client may be waiting for leave to send the body. */
static void wait_for_more(struct connection *c) {
    if (!c->reader.head_complete || !connection_make_room(c) || c->last)
        return;
    if (c->reader.expects_continue && !c->continued && c->reader.body_len == 0) {
        c->continued = true;
        buffer_append_text(&c->output, HTTP_REPLY_CONTINUE);
    }
}

/* Returns whether another step may follow. */
static bool handle(struct connection *c) {
    if (!connection_may_begin(c))
        return false;
    begin_exchange(c);
    front_handle(c->thread, &c->exchange);
    return true;
}

/* Likewise. */
static bool handle_packed(struct connection *c) {
    switch (connection_unpack(c)) {
    case BODY_READY:
        return handle(c);
    case BODY_BROKEN:
        begin_exchange(c);
        front_refuse_body(&c->exchange);
        return true;
    case BODY_UNAFFORDABLE:
        begin_exchange(c);
        front_refuse_memory(&c->exchange);
        return true;
    case BODY_TOO_LARGE:
        connection_refuse(c, 413);
        return false;
    case BODY_WAITS:
        return false;
    }
    return false;
}

/* Likewise. */
static bool read_request(struct connection *c) {
    if (c->input.len == c->start)
        return false;
    if (c->began_ms == 0)
        c->began_ms = now_ms(c);
    if (c->relayed != NULL && !c->relayed_read && !connection_read_relayed(c))
        return false;
    size_t len = c->input.len - c->start;
    if (len == 0)
        return false;
    enum http_read_result result = http_reader_read(&c->reader, c->input.data + c->start, &len);
    c->input.len = c->start + len;
    switch (result) {
    case HTTP_READ_MORE:
        wait_for_more(c);
        return false;
    case HTTP_READ_COMPLETE:
        if (http_request_has_coding(&c->exchange.request))
            return handle_packed(c);
        return handle(c);
    case HTTP_READ_ERROR:
        connection_refuse(c, c->reader.error_status);
        return false;
    }
    return false;
}

/* What there was no memory for before. */
static bool handle_again(struct connection *c) {
    if (!c->parked || c->waiting)
        return false;
    c->parked = false;
    front_handle(c->thread, &c->exchange);
    return true;
}

static bool step(struct connection *c) {
    if (c->closed || c->stream.closing || c->stream.lingering || c->stream.writing)
        return false;
    if (c->handling) {
        if (!c->replied)
            return handle_again(c);
        end_exchange(c);
        return true;
    }
    if (c->last || c->waiting)
        return false;
    if (c->output.len >= FLUSH_BYTES) {
        connection_flush(c);
        return true;
    }
    return read_request(c);
}

static uint64_t read_deadline(const struct connection *c) {
    const struct endpoint_limits *limits = limits_of(c);
    if (c->waiting)
        return 0;
    if (c->began_ms == 0)
        return c->idle_since_ms + limits->idle_timeout_ms;
    return c->began_ms +
           (c->reader.head_complete ? limits->request_timeout_ms : limits->header_timeout_ms);
}

/* Nothing more can be done now: send what is ready, then wait for the right thing, or close. */
static void settle(struct connection *c) {
    connection_flush(c);
    net_stream_set_deadline(&c->stream, 0);
    if (c->stream.closing || c->stream.writing || c->handling)
        return;
    bool rests = c->input.len == c->start;
    if (c->last && (c->gentle || !rests))
        net_stream_close_gently(&c->stream, LINGER_MS);
    else if (c->last || (c->stream.ended && !c->waiting) || (c->draining && rests))
        net_stream_close(&c->stream);
    else {
        net_stream_set_deadline(&c->stream, read_deadline(c));
        if (!c->waiting)
            net_stream_resume(&c->stream);
    }
}

void connection_run(struct connection *c) {
    if (c->running)
        return;
    if (c->closed) { /* the reply comes too late */
        struct net_loop *loop = c->stream.loop;
        connection_free(c);
        net_loop_unhold(loop);
        return;
    }
    net_stream_want_turn(&c->stream);
}

static struct connection *connection_of_exchange(struct exchange *exchange) {
    return container_of(exchange, struct connection, exchange);
}

static void give_back(struct exchange *exchange) {
    void (*ended)(struct exchange * exchange) = exchange->ended;
    exchange->ended = NULL;
    if (__builtin_expect(ended != NULL, 0))
        ended(exchange);
}

static void answer(struct connection *c, const struct exchange_reply_options *options) {
    CHECK(c->handling && !c->replied);
    give_back(&c->exchange);
    c->answer = *options;
    c->replied = true;
    connection_run(c);
}

void exchange_reply_with(struct exchange *exchange, const struct exchange_reply_options *options) {
    struct exchange_reply_options copy = *options;
    if (slice_present(options->content_type))
        copy.content_type = arena_slice(&exchange->arena, options->content_type);
    if (slice_present(options->headers))
        copy.headers = arena_slice(&exchange->arena, options->headers);
    answer(connection_of_exchange(exchange), &copy);
}

void exchange_reply(struct exchange *exchange, int status) {
    struct exchange_reply_options options = {.status = status};
    options.content_type = exchange_json_type(exchange);
    answer(connection_of_exchange(exchange), &options);
}

/* ---- replies for which there is no memory ---- */

bool exchange_lacks_memory(const struct exchange *exchange) {
    const struct allowance *allowance = exchange->reply.allowance;
    return exchange->reply.overflow && allowance->missing != 0;
}

static bool make_reply_room(struct connection *c) {
    return connection_reserve(c, MEMORY_WORK, c->reply_room, make_reply_room);
}

void exchange_try_again(struct exchange *exchange) {
    struct connection *c = connection_of_exchange(exchange);
    give_back(exchange);
    c->reply_room = c->memory[MEMORY_WORK].own + c->memory[MEMORY_WORK].missing * 2;
    buffer_release(&exchange->reply);
    arena_reset(&exchange->arena);
    exchange->user = NULL;
    exchange->crc32_known = false;
    c->parked = true;
    if (c->closed || make_reply_room(c))
        connection_run(c);
}

/* It has waited for so long that its client is better off with an answer. */
static void give_up_waiting(struct connection *c) {
    connection_stop_waiting(c);
    c->body_room = 0;
    if (!c->parked)
        begin_exchange(c);
    c->parked = false;
    front_refuse_memory(&c->exchange);
}

static struct connection *connection_of(struct net_stream *stream) {
    return container_of(stream, struct connection, stream);
}

static void on_opened(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    c->thread = net_loop_context(stream->loop);
    c->exchange.loop = stream->loop;
    c->exchange.secure = stream->tls != NULL;
    c->exchange.thread_context = c->thread->context;
    expect_next_request(c);
    net_stream_set_deadline(stream, read_deadline(c));
}

static struct net_space on_space(struct net_stream *stream) {
    return connection_space(connection_of(stream));
}

static void on_arrived(struct net_stream *stream, size_t len) {
    connection_of(stream)->input.len += len;
}

static void on_turn(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    c->running = true;
    while (step(c))
        ;
    c->running = false;
}

static void on_turned(struct net_stream *stream) {
    if (!stream->lingering)
        settle(connection_of(stream));
}

static void on_ended(struct net_stream *stream) {
    connection_run(connection_of(stream));
}

static void on_written(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    buffer_reset(&c->output);
    connection_forget_pending(c);
    connection_discharge_reply(c);
    connection_run(c);
}

static void on_expired(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    if (c->began_ms == 0) {
        net_stream_close(stream);
        return;
    }
    connection_refuse(c, 408);
}

/* ---- others need the memory that slow clients hold ---- */

static bool is_under_pressure(const struct connection *c, enum memory_kind kind) {
    const struct budget *budget = &c->endpoint->budgets[kind];
    return budget_is_waited_for(budget, BUDGET_SMALL) ||
           budget_is_waited_for(budget, BUDGET_LARGE) || budget_used(budget) > budget->limit;
}

static bool reads_too_slowly(const struct connection *c, uint64_t now) {
    return c->stream.writing && c->memory[MEMORY_WORK].drawn > 0 &&
           now - c->stream.write_mark_ms >= READ_STALL_UNDER_PRESSURE_MS &&
           is_under_pressure(c, MEMORY_WORK);
}

/* Bytes a second: who reserved much must be quicker than who reserved little. */
static uint64_t rate_demanded(const struct connection *c) {
    const struct budget *budget = &c->endpoint->budgets[MEMORY_INPUT];
    uint64_t rate = 0, drawn = c->memory[MEMORY_INPUT].drawn;
    if (budget_is_waited_for(budget, BUDGET_SMALL))
        rate = drawn / SECONDS_WHILE_SMALL_WAIT;
    else if (budget_is_waited_for(budget, BUDGET_LARGE))
        rate = drawn / SECONDS_WHILE_LARGE_WAIT;
    return rate > RATE_UNDER_PRESSURE ? rate : RATE_UNDER_PRESSURE;
}

static bool sends_too_slowly(const struct connection *c, uint64_t now) {
    uint64_t elapsed = now - c->began_ms;
    return c->memory[MEMORY_INPUT].drawn > 0 && !c->handling && !c->waiting && !c->stream.writing &&
           c->began_ms != 0 && elapsed >= STALL_UNDER_PRESSURE_MS &&
           (c->input.len - c->start) * 1000 / elapsed < rate_demanded(c) &&
           is_under_pressure(c, MEMORY_INPUT);
}

static bool waits_too_long(const struct connection *c, uint64_t now) {
    return c->waiting && c->waiting_for == MEMORY_WORK &&
           now - c->waiting_since_ms >= limits_of(c)->memory_timeout_ms;
}

static void on_ticked(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    uint64_t now = now_ms(c);
    bool rests = !c->handling && !stream->writing && c->input.len == c->start;
    if (reads_too_slowly(c, now)) {
        net_stream_close(stream);
    } else if (sends_too_slowly(c, now)) {
        connection_refuse(c, 408);
    } else if (waits_too_long(c, now)) {
        give_up_waiting(c);
    } else if (rests && c->input.data != NULL && now - c->idle_since_ms >= REST_MS) {
        release_memory(c);
        net_stream_rest(stream);
    }
}

static void on_drain(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    c->draining = true;
    if (c->relayed != NULL && !c->handling && c->input.len == c->start)
        connection_refuse(c, 421); /* to a request that may be on its way, and is not read */
    else
        connection_run(c);
}

static void on_closed(struct net_stream *stream) {
    struct connection *c = connection_of(stream);
    connection_stop_waiting(c);
    c->closed = true;
    if (c->handling && !c->replied && !c->parked)
        net_loop_hold(stream->loop); /* until the handler replies */
    else
        connection_free(c);
}

static const struct net_stream_events events = {
    .opened = on_opened,
    .space = on_space,
    .arrived = on_arrived,
    .ended = on_ended,
    .written = on_written,
    .expired = on_expired,
    .ticked = on_ticked,
    .drain = on_drain,
    .turn = on_turn,
    .turned = on_turned,
    .closed = on_closed,
};

struct net_stream *connection_accept(void *user, struct net_loop *loop) {
    (void)loop;
    struct endpoint *endpoint = user;
    const struct endpoint_limits *limits = &endpoint->config.limits;
    struct connection *c = calloc(1, sizeof(*c));
    if (c == NULL)
        return NULL;
    net_stream_init(&c->stream, &events);
    c->endpoint = endpoint;
    if (endpoint->config.relayed) {
        c->relayed = calloc(1, sizeof(*c->relayed));
        CHECK(c->relayed != NULL);
    }
    c->exchange.request_id = slice_of(c->request_id, sizeof(c->request_id));
    arena_init(&c->exchange.arena);
    buffer_init(&c->exchange.reply, limits->reply_bytes_max);
    buffer_init(&c->output, OUTPUT_BYTES_MAX);
    buffer_init(&c->body, limits->body_bytes_max);
    buffer_init(&c->input, (size_t)limits->header_bytes_max + limits->body_bytes_max +
                               CONNECTION_BUFFER_BYTES);
    allowance_init(&c->memory[MEMORY_INPUT], &endpoint->budgets[MEMORY_INPUT],
                   CONNECTION_INPUT_BYTES);
    allowance_init(&c->memory[MEMORY_WORK], &endpoint->budgets[MEMORY_WORK], CONNECTION_WORK_BYTES);
    c->input.allowance = &c->memory[MEMORY_INPUT];
    c->body.allowance = c->exchange.reply.allowance = c->exchange.arena.allowance =
        &c->memory[MEMORY_WORK];
    return &c->stream;
}
