/* connection_input.c - where a connection's bytes go, and the budget for large ones.
 *
 * A request is read into one contiguous buffer. As soon as its length is known the whole of it is
 * reserved at once; with chunks, whose length is not, the largest allowed. Who waits for a
 * reservation has reserved nothing else, so connections that wait never block each other. A
 * request that does not fit waits in its thread's queue, unread: TCP stops its client.
 *
 * Threads: the connection's own. */
#include "base/check.h"
#include "endpoint/connection_state.h"

enum {
    INPUT_BYTES_FIRST = 4096,
    READ_BYTES_MIN = 1024, /* below, it is better to make room than to read */
};

void connection_release_input(struct connection *c) {
    buffer_release(&c->input);
    c->start = 0;
    if (c->memory[MEMORY_INPUT].drawn != 0)
        connection_settle(c, MEMORY_INPUT);
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

/* Of a request in chunks all that it may become is reserved, and taken bit by bit. */
static size_t size_reserved(const struct connection *c, size_t wanted) {
    bool chunked = c->reader.head_complete && c->reader.chunked;
    return chunked && wanted > CONNECTION_INPUT_BYTES ? c->input.size_max : wanted;
}

/* What comes bit by bit has the buffer doubled. */
static size_t size_grown(const struct connection *c, size_t wanted) {
    bool known = c->reader.head_complete && !c->reader.chunked;
    size_t size = known ? 0 : c->input.capacity * 2;
    if (size > c->input.size_max)
        size = c->input.size_max;
    if (size < INPUT_BYTES_FIRST)
        size = INPUT_BYTES_FIRST;
    return size < wanted ? wanted : size;
}

bool connection_make_room(struct connection *c) {
    size_t wanted = size_wanted(c);
    if (c->input.capacity - c->start >= wanted)
        return true;
    move_to_front(c);
    if (c->input.capacity >= wanted)
        return true;
    size_t size = size_grown(c, wanted);
    if (size > CONNECTION_INPUT_BYTES &&
        !connection_reserve(c, MEMORY_INPUT, size_reserved(c, size), connection_make_room))
        return false;
    if (!buffer_grow_to(&c->input, size))
        connection_refuse(c, 503);
    return true;
}

struct net_space connection_space(struct connection *c) {
    if (c->last && !c->handling)
        return (struct net_space){NULL, 0};
    /* While the request is in use, or the client does not read, only what is there is filled; so
     * also before what has come was looked at, since that tells how much room is needed. */
    bool may_move = !c->handling && !c->stream.writing && !c->stream.wants_turn;
    if (may_move && (c->waiting || !connection_make_room(c) || c->last))
        return (struct net_space){NULL, 0};
    return (struct net_space){c->input.data + c->input.len, c->input.capacity - c->input.len};
}

/* Of a large buffer only what came behind the request stays. */
static void shrink(struct connection *c, size_t rest) {
    struct buffer small;
    buffer_init(&small, c->input.size_max);
    small.allowance = c->input.allowance;
    if (rest > 0)
        buffer_append(&small, c->input.data + c->start, rest);
    if (small.overflow) {
        buffer_release(&small);
        return;
    }
    connection_release_input(c);
    c->input = small;
}

void connection_consume(struct connection *c) {
    c->start += c->reader.parsed;
    size_t rest = c->input.len - c->start;
    if (rest == 0)
        c->start = c->input.len = 0;
    if (c->memory[MEMORY_INPUT].drawn == 0)
        return;
    if (c->input.capacity > CONNECTION_BUFFER_BYTES || connection_is_tight(c, MEMORY_INPUT)) {
        if (rest <= CONNECTION_INPUT_BYTES / 2)
            shrink(c, rest);
    } else {
        connection_settle(c, MEMORY_INPUT);
    }
}
