/* connection_relay.c - who really asks, when another server hands a request on; and handing one on.
 *
 * Threads: the connection's own. */
#include "base/container.h"
#include "endpoint/connection_state.h"

static struct connection *connection_of_exchange(struct exchange *exchange) {
    return container_of(exchange, struct connection, exchange);
}

/* ---- what was handed on ---- */

bool connection_read_relayed(struct connection *c) {
    size_t len = 0;
    struct slice bytes = slice_skip(buffer_slice(&c->input), c->start);
    switch (relayed_read(bytes, c->relayed, &len)) {
    case RELAYED_READ:
        c->start += len;
        c->relayed_read = true;
        c->exchange.secure = c->relayed->secure;
        return true;
    case RELAYED_MORE:
        return false;
    case RELAYED_WRONG:
        connection_refuse(c, 400);
        return false;
    }
    return false;
}

/* Of a relayed one they are known from the line before it. */
static struct slice relayed_text(struct exchange *exchange, const char *text) {
    return text[0] == '\0' ? SLICE_NONE : arena_slice(&exchange->arena, slice_text(text));
}

struct slice exchange_peer(struct exchange *exchange) {
    const struct connection *connection = connection_of_exchange(exchange);
    char text[NET_ADDRESS_CHARS];
    if (connection->relayed != NULL)
        return relayed_text(exchange, connection->relayed->peer);
    if (connection->closed || !net_stream_peer(&connection->stream, text))
        return SLICE_NONE;
    return arena_slice(&exchange->arena, slice_text(text));
}

struct slice exchange_client(struct exchange *exchange) {
    const struct connection *connection = connection_of_exchange(exchange);
    if (connection->relayed != NULL)
        return relayed_text(exchange, connection->relayed->client);
    const char *name = connection->closed ? NULL : net_stream_client(&connection->stream);
    return name == NULL ? SLICE_NONE : arena_slice(&exchange->arena, slice_text(name));
}

/* ---- handing on ---- */

static void put_text(char *to, size_t size, struct slice text) {
    if (text.len > 0 && text.len < size)
        memcpy(to, text.data, text.len); /* it is all zeros */
}

static struct slice join(struct arena *arena, const struct slice *parts, size_t count) {
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += parts[i].len;
    uint8_t *data = arena_alloc(arena, len), *at = data;
    for (size_t i = 0; i < count; at += parts[i++].len)
        if (parts[i].len > 0)
            memcpy(at, parts[i].data, parts[i].len);
    return slice_of(data, len);
}

struct exchange_wire exchange_as_it_came(struct exchange *exchange) {
    const struct connection *c = connection_of_exchange(exchange);
    const struct http_request *request = &exchange->request;
    struct relayed relayed = {.secure = exchange->secure};
    memcpy(relayed.id, c->request_id, sizeof(relayed.id));
    put_text(relayed.peer, sizeof(relayed.peer), exchange_peer(exchange));
    put_text(relayed.client, sizeof(relayed.client), exchange_client(exchange));
    struct exchange_wire wire = {.body = request->body, .end = SLICE_LITERAL("")};
    if (slice_present(request->packed))
        wire.body = request->packed;
    struct slice parts[3] = {relayed_write(&exchange->arena, &relayed),
                             slice_of(request->start, c->reader.head_len), SLICE_LITERAL("")};
    if (c->reader.chunked && wire.body.len > 0) {
        parts[2] = arena_printf(&exchange->arena, "%zx\r\n", wire.body.len);
        wire.end = SLICE_LITERAL("\r\n0\r\n\r\n");
    } else if (c->reader.chunked) {
        wire.end = SLICE_LITERAL("0\r\n\r\n");
    }
    wire.head = join(&exchange->arena, parts, 3);
    return wire;
}
