/* connection_body.c - bodies that were sent packed, made plain before anybody looks at them.
 *
 * How large a body becomes is not known before, and libdeflate wants room for all of it. So it is
 * tried with a guess, and then with eight times that, up to the largest body there may be; all
 * tries but the last cost a seventh of it at most. The room comes from the budget for work, and
 * together with it what the handler will need for such a body: who holds some of that budget must
 * not wait for more of it.
 *
 * Threads: the connection's own. */
#include "base/check.h"
#include "endpoint/connection_state.h"

enum {
    ROOM_MIN = 8 * 1024,
    ROOM_PER_BYTE = 4, /* JSON mostly becomes five to ten times as long */
    ROOM_GROWTH = 8,
};

/* Says that the body is as it is; the second one is what the service's own framework calls that. */
static bool is_plain(struct slice coding) {
    return slice_equal_ignoring_case(coding, SLICE_LITERAL("identity")) ||
           slice_equal_ignoring_case(coding, SLICE_LITERAL("amz-1.0"));
}

/* What is made of a body, for each of its bytes: its attribute values, and what sorting the worst
 * of them takes. */
enum { WORK_PER_BODY_BYTE = 8 };

static bool make_body_room(struct connection *c) {
    if (c->body.capacity >= c->body_room)
        return true;
    buffer_release(&c->body);
    size_t work = c->body_room * (1 + WORK_PER_BODY_BYTE);
    return connection_reserve(c, MEMORY_WORK, work, make_body_room) &&
           buffer_grow_to(&c->body, c->body_room);
}

static void want_room(struct connection *c, size_t room) {
    c->body_room = room < c->body.size_max ? room : c->body.size_max;
}

static enum connection_body unpack(struct connection *c, enum http_coding coding) {
    struct http_request *request = &c->exchange.request;
    if (c->body_room == 0) {
        size_t guess = request->body.len * ROOM_PER_BYTE;
        want_room(c, guess > ROOM_MIN ? guess : ROOM_MIN);
    }
    while (make_body_room(c)) {
        switch (http_coder_unpack(c->thread->coder, coding, request->body, &c->body)) {
        case HTTP_UNPACKED_WHOLE:
            request->packed = request->body;
            request->body = buffer_slice(&c->body);
            return BODY_READY;
        case HTTP_UNPACKED_BROKEN:
            return BODY_BROKEN;
        case HTTP_UNPACKED_NO_ROOM:
            if (c->body.capacity == c->body.size_max)
                return BODY_TOO_LARGE;
            want_room(c, c->body.capacity * ROOM_GROWTH);
        }
    }
    return c->waiting ? BODY_WAITS : BODY_UNAFFORDABLE;
}

enum connection_body connection_unpack(struct connection *c) {
    struct slice name = c->exchange.request.known[HTTP_CONTENT_ENCODING];
    if (is_plain(name))
        return BODY_READY;
    enum http_coding coding = http_coding_named(name);
    if (coding == HTTP_CODING_NONE)
        return BODY_BROKEN;
    enum connection_body result = unpack(c, coding);
    if (result != BODY_WAITS)
        c->body_room = 0;
    return result;
}

/* A small body is covered by what the connection has of its own. */
static bool make_work_room(struct connection *c) {
    return connection_reserve(c, MEMORY_WORK, c->exchange.request.body.len * WORK_PER_BODY_BYTE,
                              make_work_room);
}

bool connection_may_begin(struct connection *c) {
    return c->exchange.request.body.len <= CONNECTION_WORK_BYTES / WORK_PER_BODY_BYTE ||
           make_work_room(c);
}
