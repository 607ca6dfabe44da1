/* connection_input.c - where a connection's bytes go, and the budget for large ones.
 *
 * A request is read into one contiguous buffer. As soon as its length is known the whole of it is
 * reserved at once; with chunks, whose length is not, the largest allowed. Who waits for a
 * reservation holds no other one, so connections that wait never block each other. A request that
 * does not fit waits in its thread's queue, unread: TCP stops its client.
 *
 * Large bodies leave a quarter of the budget to small ones and have a queue of their own, so that
 * no number of large uploads, however slow, keeps a small request waiting.
 *
 * A packed body needs room twice: as it came, and unpacked. A small one is read without a
 * reservation, and may wait for what it becomes; with a larger one both are reserved at once.
 *
 * Threads: the connection's own; only the budget's counter is shared. */
#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "endpoint/connection_state.h"

enum {
    INPUT_BYTES_FIRST = 4096,
    READ_BYTES_MIN = 1024, /* below, it is better to make room than to read */
    SMALL_BODY_BYTES_MAX = 1024 * 1024,
};

static enum body_size body_size_of(uint64_t bytes) {
    return bytes <= SMALL_BODY_BYTES_MAX ? BODY_SMALL : BODY_LARGE;
}

/* One request is always let through, whatever its size. */
static bool budget_take(struct endpoint *endpoint, uint64_t bytes) {
    uint64_t limit = endpoint->config.limits.memory_bytes_max;
    if (body_size_of(bytes) == BODY_LARGE)
        limit -= limit / 4;
    uint64_t used = atomic_load_explicit(&endpoint->memory_used, memory_order_relaxed);
    do {
        if (used != 0 && used + bytes > limit)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&endpoint->memory_used, &used, used + bytes,
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void retry_now(struct net_task *task) {
    struct endpoint_thread *thread = container_of(task, struct endpoint_thread, retry_task);
    thread->retry_posted = false;
    connection_retry_waiting(thread);
    net_loop_unhold(thread->loop);
}

/* Other threads' connections look again at their next tick. The loop is held until the task has
 * run: who waits may be the last one and be closed before that. */
static void budget_give(struct endpoint_thread *thread, uint64_t *charge) {
    if (*charge == 0)
        return;
    atomic_fetch_sub_explicit(&thread->endpoint->memory_used, *charge, memory_order_relaxed);
    *charge = 0;
    bool waited_for =
        thread->waiting[BODY_SMALL].first != NULL || thread->waiting[BODY_LARGE].first != NULL;
    if (waited_for && !thread->retry_posted) {
        thread->retry_posted = true;
        thread->retry_task.run = retry_now;
        net_loop_hold(thread->loop);
        net_loop_post(thread->loop, &thread->retry_task);
    }
}

void connection_charge_reply(struct connection *c) {
    if (c->exchange.reply.capacity <= CONNECTION_BUFFER_BYTES)
        return;
    c->reply_charge = c->exchange.reply.capacity;
    atomic_fetch_add_explicit(&c->endpoint->memory_used, c->reply_charge, memory_order_relaxed);
}

void connection_discharge_reply(struct connection *c) {
    if (c->exchange.reply.capacity > CONNECTION_BUFFER_BYTES)
        buffer_release(&c->exchange.reply);
    buffer_reset(&c->exchange.reply);
    if (c->reply_charge != 0)
        budget_give(c->thread, &c->reply_charge);
}

void connection_release_input(struct connection *c) {
    buffer_release(&c->input);
    buffer_release(&c->body);
    c->start = 0;
    if (c->input_charge != 0)
        budget_give(c->thread, &c->input_charge);
}

static void move_to_front(struct connection *c) {
    if (c->start == 0)
        return;
    memmove(c->input.data, c->input.data + c->start, c->input.len - c->start);
    c->input.len -= c->start;
    c->start = 0;
}

/* How large the buffer must be for the request that is being read, as far as is known. */
static size_t size_wanted(const struct connection *c) {
    const struct http_reader *reader = &c->reader;
    size_t have = c->input.len - c->start;
    if (reader->head_complete && !reader->chunked) {
        size_t whole = reader->head_len + (size_t)reader->content_length;
        return have < whole ? whole : have + READ_BYTES_MIN;
    }
    return have + READ_BYTES_MIN;
}

/* With a packed body comes the largest that it may become: who holds its input must not wait. */
static uint64_t size_reserved(const struct connection *c, size_t wanted) {
    const struct http_reader *reader = &c->reader;
    if (!reader->head_complete)
        return wanted;
    uint64_t unpacked = http_request_has_coding(&c->exchange.request) ? c->body.size_max : 0;
    return unpacked + (reader->chunked ? c->input.size_max : wanted);
}

static void start_waiting(struct connection *c, enum body_size size) {
    struct connection_queue *queue = &c->thread->waiting[size];
    c->waiting = true;
    c->waiting_size = size;
    c->waiting_next = NULL;
    if (queue->last == NULL)
        queue->first = c;
    else
        queue->last->waiting_next = c;
    queue->last = c;
    atomic_fetch_add_explicit(&c->endpoint->waiting[size], 1, memory_order_relaxed);
}

void connection_stop_waiting(struct connection *c) {
    if (!c->waiting)
        return;
    struct connection_queue *queue = &c->thread->waiting[c->waiting_size];
    struct connection *before = NULL;
    for (struct connection *at = queue->first; at != c; at = at->waiting_next)
        before = at;
    if (before == NULL)
        queue->first = c->waiting_next;
    else
        before->waiting_next = c->waiting_next;
    if (queue->last == c)
        queue->last = before;
    c->waiting = false;
    atomic_fetch_sub_explicit(&c->endpoint->waiting[c->waiting_size], 1, memory_order_relaxed);
}

/* False: the connection is in the queue. Who comes new goes behind those already there. What was
 * reserved for a long head, or for the request before, is given back first: it may be less than is
 * needed now, and who waits must hold nothing. */
static bool reserve(struct connection *c, uint64_t bytes) {
    if (c->input_charge >= bytes)
        return true;
    budget_give(c->thread, &c->input_charge);
    enum body_size size = body_size_of(bytes);
    bool in_turn = c->waiting || c->thread->waiting[size].first == NULL;
    if (in_turn && budget_take(c->endpoint, bytes)) {
        c->input_charge = bytes;
        return true;
    }
    if (!c->waiting)
        start_waiting(c, size);
    return false;
}

bool connection_make_room(struct connection *c) {
    size_t wanted = size_wanted(c);
    if (c->input.capacity - c->start >= wanted)
        return true;
    move_to_front(c);
    if (c->input.capacity >= wanted)
        return true;
    if (wanted > CONNECTION_BUFFER_BYTES && !reserve(c, size_reserved(c, wanted)))
        return false;
    size_t size = wanted < INPUT_BYTES_FIRST ? INPUT_BYTES_FIRST : wanted;
    CHECK(buffer_reserve(&c->input, size - c->input.len));
    return true;
}

/* What the request itself holds of the budget stays reserved with it. */
bool connection_make_body_room(struct connection *c) {
    if (c->body.capacity >= c->body_room)
        return true;
    buffer_release(&c->body);
    uint64_t input = c->reader.parsed > CONNECTION_BUFFER_BYTES ? c->reader.parsed : 0;
    if (c->body_room > CONNECTION_BUFFER_BYTES && !reserve(c, input + c->body_room))
        return false;
    CHECK(buffer_reserve(&c->body, c->body_room));
    return true;
}

struct net_space connection_space(struct connection *c) {
    if (c->last && !c->handling)
        return (struct net_space){NULL, 0};
    /* While the request is in use, or the client does not read, only what is there is filled; so
     * also before what has come was looked at, since that tells how much room is needed. */
    bool may_move = !c->handling && !c->stream.writing && !c->stream.wants_turn;
    if (may_move && (c->waiting || !connection_make_room(c)))
        return (struct net_space){NULL, 0};
    return (struct net_space){c->input.data + c->input.len, c->input.capacity - c->input.len};
}

void connection_consume(struct connection *c) {
    c->start += c->reader.parsed;
    size_t rest = c->input.len - c->start;
    if (rest == 0)
        c->start = c->input.len = 0;
    if (c->input_charge == 0)
        return;
    buffer_release(&c->body);
    if (rest > CONNECTION_BUFFER_BYTES)
        return;
    struct buffer small;
    buffer_init(&small, c->input.size_max);
    if (rest > 0)
        buffer_append(&small, c->input.data + c->start, rest);
    connection_release_input(c);
    c->input = small;
}

static void retry_queue(struct endpoint_thread *thread, struct connection_queue *queue) {
    while (queue->first != NULL) {
        struct connection *c = queue->first;
        if (!(c->body_room > 0 ? connection_make_body_room(c) : connection_make_room(c)))
            return;
        connection_stop_waiting(c);
        c->began_ms = net_loop_now_ms(thread->loop); /* its client was not to blame */
        connection_run(c);
    }
}

void connection_retry_waiting(struct endpoint_thread *thread) {
    retry_queue(thread, &thread->waiting[BODY_SMALL]);
    retry_queue(thread, &thread->waiting[BODY_LARGE]);
}
