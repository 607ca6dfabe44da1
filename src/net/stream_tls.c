/* stream_tls.c - a stream whose bytes are encrypted between the socket and its owner.
 *
 * Input is read into the loop's own memory, 16 KB at a time, and decrypted from there to where the
 * owner wants it. When the owner has no room left, what is not decrypted yet is kept and reading
 * pauses: it goes on with that. Output is encrypted into the loop's memory and goes to the socket
 * at once; only what the socket does not take is copied to the stream. So a stream at rest has
 * nothing but its session, one that is at work that session's records too, and one that is stuck 16
 * KB of input and a piece of output besides.
 *
 * The owner hears of a stream after its handshake. One that fails, or does not end in time, is
 * nobody's business but the log's.
 *
 * Invariant: while input is kept, nothing is read. Output leaves in the order in which the session
 * made it: while libuv has some (`queued`), more waits in the backlog. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "base/check.h"
#include "base/log.h"
#include "crypto/tls_session.h"
#include "net/loop_state.h"
#include "net/stream.h"

enum {
    BACKLOG_BYTES_MAX = 256 * 1024,
    /* For the other side to read why there will be no connection. */
    REFUSED_LINGER_MS = 1000,
    FAILURE_CHARS = 200,
};

struct net_tls {
    struct tls_session *session;
    struct buffer kept;    /* input that waits for room */
    struct buffer sending; /* output that libuv has */
    struct buffer backlog; /* and what goes behind it */
    bool queued;
    bool fresh; /* nothing has come yet, of who was accepted */
    bool over;  /* nothing may be sent any more */
    char client[TLS_NAME_CHARS];
};

/* ---- output ---- */

static bool send_backlog(struct net_stream *stream);
static bool write_piece(struct net_stream *stream, bool at_once);

static void on_written(uv_write_t *write, int status) {
    struct net_stream *stream = write->data;
    struct net_tls *tls = stream->tls;
    tls->queued = false;
    if (stream->closing || status < 0) {
        stream->writing = false;
        net_stream_close(stream);
    } else if (tls->backlog.len > 0) {
        send_backlog(stream);
    } else if (stream->unsent_count > 0) {
        write_piece(stream, false);
    } else {
        buffer_release(&tls->sending);
        if (!stream->writing)
            return;
        stream->writing = false;
        stream->events->written(stream);
    }
}

/* Gives it to libuv. */
static bool send_backlog(struct net_stream *stream) {
    struct net_tls *tls = stream->tls;
    struct buffer sending = tls->backlog;
    tls->backlog = tls->sending;
    tls->sending = sending;
    buffer_release(&tls->backlog);
    uv_buf_t buf = uv_buf_init((char *)sending.data, (unsigned)sending.len);
    stream->write.data = stream;
    if (uv_write(&stream->write, (uv_stream_t *)&stream->tcp, &buf, 1, on_written) != 0) {
        net_stream_close(stream);
        return false;
    }
    tls->queued = true;
    return true;
}

/* Sends what the session left in the loop's buffer. Not at once: by libuv, so that others have
 * their turn. False: the stream has been closed. */
static bool flush(struct net_stream *stream, bool at_once) {
    struct net_tls *tls = stream->tls;
    struct buffer *output = &stream->loop->encrypted;
    struct slice rest = buffer_slice(output);
    bool whole = !output->overflow;
    if (at_once && !tls->queued && rest.len > 0) {
        uv_buf_t buf = uv_buf_init((char *)output->data, (unsigned)output->len);
        int done = uv_try_write((uv_stream_t *)&stream->tcp, &buf, 1);
        whole = whole && (done >= 0 || done == UV_EAGAIN);
        rest = slice_skip(rest, done > 0 ? (size_t)done : 0);
    }
    buffer_append_slice(&tls->backlog, rest);
    buffer_reset(output);
    if (!whole || tls->backlog.overflow) {
        net_stream_close(stream);
        return false;
    }
    return tls->queued || tls->backlog.len == 0 || send_backlog(stream);
}

/* Encrypts the next piece of what the owner has to send. */
static bool write_piece(struct net_stream *stream, bool at_once) {
    uv_buf_t bufs[NET_WRITE_PARTS_MAX];
    size_t len;
    unsigned count = net_stream_next_piece(stream, bufs, &len);
    bool sound = !stream->tls->over;
    for (unsigned i = 0; i < count && sound; i++)
        sound = tls_session_send(stream->tls->session, slice_of(bufs[i].base, bufs[i].len),
                                 &stream->loop->encrypted);
    net_stream_unsent_skip(stream, len);
    if (sound)
        return flush(stream, at_once);
    buffer_reset(&stream->loop->encrypted);
    net_stream_close(stream);
    return false;
}

enum net_write_result net_stream_tls_write(struct net_stream *stream) {
    if (!write_piece(stream, true))
        return NET_WRITE_FAILED;
    if (stream->tls->queued)
        return NET_WRITE_PENDING;
    if (stream->unsent_count == 0)
        return NET_WRITE_DONE;
    return write_piece(stream, false) ? NET_WRITE_PENDING : NET_WRITE_FAILED;
}

void net_stream_tls_end(struct net_stream *stream) {
    struct net_tls *tls = stream->tls;
    struct buffer *output = &stream->loop->encrypted;
    if (tls->over || tls->queued || stream->opening)
        return;
    tls->over = true;
    buffer_reset(output);
    tls_session_end(tls->session, output);
    uv_buf_t buf = uv_buf_init((char *)output->data, (unsigned)output->len);
    if (output->len > 0)
        uv_try_write((uv_stream_t *)&stream->tcp, &buf, 1); /* who is gone does not hear it */
    buffer_reset(output);
}

/* ---- the handshake ---- */

/* One line a second at most: whoever reaches the port can cause it. */
static void log_failure(const struct net_stream *stream, const char *what, const char *why) {
    char peer[NET_ADDRESS_CHARS] = "somebody";
    net_stream_peer(stream, peer);
    log_repeated_error("%s with %s failed: %s", what, peer, why);
}

/* What the session has to say about it goes out before. */
static void fail(struct net_stream *stream, const char *what) {
    char why[FAILURE_CHARS];
    tls_session_failure(stream->tls->session, why, sizeof(why));
    log_failure(stream, what, why);
    stream->tls->over = true;
    if (!flush(stream, true))
        return;
    if (stream->opening)
        net_stream_close_gently(stream, REFUSED_LINGER_MS);
    else
        net_stream_close(stream);
}

/* The client had the last word, and may hold its first request back until it knows that we heard:
 * the kernel would let it wait for 40 ms. */
static void acknowledge(const struct net_stream *stream) {
    static const int on = 1;
    uv_os_fd_t fd;
    if (uv_fileno((const uv_handle_t *)&stream->tcp, &fd) == 0)
        setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
}

/* True: it is over, and well. */
static bool shake_hands(struct net_stream *stream) {
    struct net_tls *tls = stream->tls;
    switch (tls_session_handshake(tls->session, &stream->loop->encrypted)) {
    case TLS_DONE:
        stream->opening = false;
        if (stream->loop->encrypted.len == 0)
            acknowledge(stream);
        if (!tls_session_client(tls->session, tls->client))
            tls->client[0] = '\0';
        stream->events->opened(stream);
        net_stream_rest(stream);
        return flush(stream, true);
    case TLS_MORE:
        flush(stream, true);
        return false;
    case TLS_ENDED:
    case TLS_FAILED:
        fail(stream, "a TLS handshake");
        return false;
    }
    return false;
}

/* A record of TLS that begins a connection starts with 22. */
static bool is_plain_text(const struct net_stream *stream, const uint8_t *input) {
    return stream->tls->fresh && input[0] >= 'A' && input[0] <= 'Z';
}

static void answer_plainly(struct net_stream *stream) {
    struct slice answer = stream->loop->options.plain_answer;
    uv_buf_t buf = uv_buf_init((char *)(uintptr_t)answer.data, (unsigned)answer.len);
    stream->tls->over = true;
    uv_try_write((uv_stream_t *)&stream->tcp, &buf, 1);
    log_failure(stream, "a TLS handshake", "it is plain HTTP");
    net_stream_close_gently(stream, REFUSED_LINGER_MS);
}

/* ---- input ---- */

static bool has_input(const struct net_tls *tls) {
    return tls_session_unused(tls->session).len > 0 || tls_session_has_text(tls->session);
}

/* The loop's memory is the next one's in a moment. */
static void keep_rest(struct net_stream *stream) {
    struct net_tls *tls = stream->tls;
    struct slice rest = tls_session_unused(tls->session);
    if (rest.len == 0) {
        buffer_release(&tls->kept);
    } else if (tls->kept.len == 0) {
        buffer_append_slice(&tls->kept, rest);
        tls_session_feed(tls->session, buffer_slice(&tls->kept));
    }
    if (has_input(tls))
        net_stream_pause(stream);
}

/* As far as the owner has room. */
static enum tls_outcome deliver(struct net_stream *stream) {
    struct net_tls *tls = stream->tls;
    enum tls_outcome outcome = TLS_DONE;
    while (outcome == TLS_DONE && has_input(tls)) {
        struct net_space space = stream->events->space(stream);
        size_t len = 0;
        if (space.len == 0)
            break;
        outcome = tls_session_receive(tls->session, &stream->loop->encrypted, space.data, space.len,
                                      &len);
        if (len > 0) {
            stream->events->arrived(stream, len);
            net_stream_want_turn(stream);
        }
    }
    return outcome;
}

/* False: there is nothing to read for now. */
static bool advance(struct net_stream *stream) {
    if (stream->opening && !shake_hands(stream))
        return !stream->closing && !stream->lingering;
    enum tls_outcome outcome = deliver(stream);
    if (outcome == TLS_FAILED) {
        fail(stream, "a TLS connection");
        return false;
    }
    if (!flush(stream, true))
        return false;
    if (outcome == TLS_ENDED) {
        net_stream_pause(stream);
        net_stream_ended(stream);
        return false;
    }
    keep_rest(stream);
    return !has_input(stream->tls);
}

bool net_stream_tls_resume(struct net_stream *stream) {
    return stream->lingering || !has_input(stream->tls) || advance(stream);
}

void net_stream_tls_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf) {
    (void)suggested;
    struct net_stream *stream = handle->data;
    bool wanted = stream->lingering || stream->opening || stream->events->space(stream).len > 0;
    *ret_buf = uv_buf_init((char *)stream->loop->sink, wanted ? NET_SINK_BYTES : 0);
}

void net_stream_tls_read(uv_stream_t *tcp, ssize_t len, const uv_buf_t *buf) {
    struct net_stream *stream = tcp->data;
    const uint8_t *input = (const uint8_t *)buf->base;
    if (len <= 0 || stream->closing || stream->lingering) {
        net_stream_read(tcp, len, buf);
    } else if (is_plain_text(stream, input)) {
        answer_plainly(stream);
    } else {
        stream->tls->fresh = false;
        tls_session_feed(stream->tls->session, slice_of(input, (size_t)len));
        advance(stream);
    }
}

/* ---- life ---- */

void net_stream_tls_open(struct net_stream *stream, struct tls_server *server) {
    struct net_tls *tls = calloc(1, sizeof(*tls));
    CHECK(tls != NULL);
    tls->session = stream->outgoing ? tls_session_new_connecting(server) : tls_session_new(server);
    tls->fresh = !stream->outgoing;
    buffer_init(&tls->kept, NET_SINK_BYTES);
    buffer_init(&tls->sending, BACKLOG_BYTES_MAX);
    buffer_init(&tls->backlog, BACKLOG_BYTES_MAX);
    stream->tls = tls;
    stream->opening = true;
}

void net_stream_tls_begin(struct net_stream *stream) {
    shake_hands(stream);
    net_stream_resume(stream);
}

void net_stream_tls_free(struct net_stream *stream) {
    struct net_tls *tls = stream->tls;
    tls_session_free(tls->session);
    buffer_release(&tls->kept);
    buffer_release(&tls->sending);
    buffer_release(&tls->backlog);
    free(tls);
    stream->tls = NULL;
}

void net_stream_rest(struct net_stream *stream) {
    if (stream->tls != NULL)
        tls_session_rest(stream->tls->session);
}

const char *net_stream_client(const struct net_stream *stream) {
    return stream->tls == NULL || stream->tls->client[0] == '\0' ? NULL : stream->tls->client;
}
