/* stream.c - reading, writing and closing one socket through libuv.
 *
 * A write first goes straight to the socket; only what it does not take is queued, and its bytes
 * stay the owner's. A long one goes in pieces, one for each turn of the loop: a socket of this
 * machine takes a megabyte at once, and copying it would keep the others waiting. A queued write
 * that does not move for the write time-out closes the stream. */
#include "net/stream.h"

#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "base/ticks.h"
#include "net/loop_state.h"

enum {
    /* A reader that takes less than this within a time-out does not count as reading. */
    WRITE_PROGRESS_BYTES = 1024,
    WRITE_PIECE_BYTES = 64 * 1024,
};

void net_stream_init(struct net_stream *stream, const struct net_stream_events *events) {
    *stream = (struct net_stream){.events = events, .fd = -1};
}

static void on_closed(uv_handle_t *handle) {
    struct net_stream *stream = handle->data;
    struct net_loop *loop = stream->loop;
    net_loop_remove(loop, stream);
    if (stream->tls != NULL)
        net_stream_tls_free(stream);
    net_loop_hold(loop); /* the owner may free the stream now */
    stream->events->closed(stream);
    net_loop_unhold(loop);
}

void net_stream_close(struct net_stream *stream) {
    if (stream->closing)
        return;
    stream->closing = true;
    if (stream->tls != NULL)
        net_stream_tls_end(stream);
    uv_close((uv_handle_t *)&stream->tcp, on_closed);
}

/* ---- connecting ---- */

static void on_connected(uv_connect_t *connect, int status) {
    struct net_stream *stream = connect->data;
    if (stream->closing)
        return;
    if (status < 0) {
        net_stream_close(stream);
    } else if (stream->tls != NULL) {
        net_stream_tls_begin(stream);
    } else {
        stream->opening = false;
        stream->events->opened(stream);
        net_stream_resume(stream);
    }
}

void net_stream_connect(struct net_stream *stream, struct net_loop *loop,
                        const struct net_target *target) {
    stream->loop = loop;
    stream->outgoing = true;
    stream->connect.data = stream;
    CHECK(uv_tcp_init(&loop->uv, &stream->tcp) == 0);
    stream->tcp.data = stream;
    net_loop_add(loop, stream);
    if (target->tls != NULL)
        net_stream_tls_open(stream, target->tls);
    stream->opening = true;
    net_stream_set_deadline(stream, net_loop_now_ms(loop) + target->timeout_ms);
    if (uv_tcp_connect(&stream->connect, &stream->tcp, target->address, on_connected) != 0)
        net_stream_close(stream);
    else
        uv_tcp_nodelay(&stream->tcp, 1);
}

/* ---- reading ---- */

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf) {
    (void)suggested;
    struct net_stream *stream = handle->data;
    struct net_space space = stream->lingering
                                 ? (struct net_space){stream->loop->sink, NET_SINK_BYTES}
                                 : stream->events->space(stream);
    *ret_buf = uv_buf_init((char *)space.data, (unsigned)space.len);
}

void net_stream_ended(struct net_stream *stream) {
    stream->ended = true;
    stream->reading = false;
    if (stream->lingering || stream->opening)
        net_stream_close(stream);
    else
        stream->events->ended(stream);
}

void net_stream_read(uv_stream_t *tcp, ssize_t len, const uv_buf_t *buf) {
    (void)buf;
    struct net_stream *stream = tcp->data;
    if (stream->closing || len == 0)
        return;
    if (len == UV_ENOBUFS) /* there was no space */
        net_stream_pause(stream);
    else if (len == UV_EOF)
        net_stream_ended(stream);
    else if (len < 0)
        net_stream_close(stream);
    else if (!stream->lingering) {
        stream->events->arrived(stream, (size_t)len);
        net_stream_want_turn(stream);
    }
}

void net_stream_want_turn(struct net_stream *stream) {
    if (stream->wants_turn)
        return;
    stream->wants_turn = true;
    stream->turn_next = NULL;
    if (stream->loop->turns == NULL)
        stream->loop->round_ticks = ticks_now();
    *stream->loop->turns_end = stream;
    stream->loop->turns_end = &stream->turn_next;
}

void net_stream_pause(struct net_stream *stream) {
    if (stream->reading)
        uv_read_stop((uv_stream_t *)&stream->tcp);
    stream->reading = false;
}

void net_stream_resume(struct net_stream *stream) {
    if (stream->reading || stream->ended || stream->closing)
        return;
    bool encrypted = stream->tls != NULL;
    if (encrypted && !net_stream_tls_resume(stream))
        return;
    if (uv_read_start((uv_stream_t *)&stream->tcp, encrypted ? net_stream_tls_alloc : on_alloc,
                      encrypted ? net_stream_tls_read : net_stream_read) == 0)
        stream->reading = true;
    else
        net_stream_close(stream);
}

void net_stream_unsent_skip(struct net_stream *stream, size_t len) {
    unsigned gone = 0;
    while (gone < stream->unsent_count && len >= stream->unsent[gone].len)
        len -= stream->unsent[gone++].len;
    stream->unsent_count -= gone;
    memmove(stream->unsent, stream->unsent + gone, stream->unsent_count * sizeof(uv_buf_t));
    if (stream->unsent_count > 0) {
        stream->unsent[0].base += len;
        stream->unsent[0].len -= len;
    }
}

unsigned net_stream_next_piece(const struct net_stream *stream, uv_buf_t *ret_bufs,
                               size_t *ret_len) {
    unsigned count = 0;
    *ret_len = 0;
    while (count < stream->unsent_count && *ret_len < WRITE_PIECE_BYTES) {
        ret_bufs[count] = stream->unsent[count];
        if (ret_bufs[count].len > WRITE_PIECE_BYTES - *ret_len)
            ret_bufs[count].len = WRITE_PIECE_BYTES - *ret_len;
        *ret_len += ret_bufs[count++].len;
    }
    return count;
}

static void on_written(uv_write_t *write, int status);

static bool write_piece(struct net_stream *stream) {
    uv_buf_t bufs[NET_WRITE_PARTS_MAX];
    size_t len;
    unsigned count = net_stream_next_piece(stream, bufs, &len);
    net_stream_unsent_skip(stream, len);
    stream->write.data = stream;
    if (uv_write(&stream->write, (uv_stream_t *)&stream->tcp, bufs, count, on_written) == 0)
        return true;
    net_stream_close(stream);
    return false;
}

static void on_written(uv_write_t *write, int status) {
    struct net_stream *stream = write->data;
    if (stream->closing || status < 0) {
        stream->writing = false;
        net_stream_close(stream);
    } else if (stream->unsent_count > 0) {
        write_piece(stream);
    } else {
        stream->writing = false;
        stream->events->written(stream);
    }
}

static enum net_write_result write_plain(struct net_stream *stream) {
    uv_buf_t bufs[NET_WRITE_PARTS_MAX];
    size_t len;
    unsigned count = net_stream_next_piece(stream, bufs, &len);
    int done = uv_try_write((uv_stream_t *)&stream->tcp, bufs, count);
    if (done < 0 && done != UV_EAGAIN) {
        net_stream_close(stream);
        return NET_WRITE_FAILED;
    }
    net_stream_unsent_skip(stream, done < 0 ? 0 : (size_t)done);
    if (stream->unsent_count == 0)
        return NET_WRITE_DONE;
    return write_piece(stream) ? NET_WRITE_PENDING : NET_WRITE_FAILED;
}

enum net_write_result net_stream_write(struct net_stream *stream, const struct slice *parts,
                                       unsigned count) {
    CHECK(!stream->writing && !stream->closing && count <= NET_WRITE_PARTS_MAX);
    for (unsigned i = 0; i < count; i++)
        stream->unsent[i] =
            (uv_buf_t){.base = (char *)(uintptr_t)parts[i].data, .len = parts[i].len};
    stream->unsent_count = count;
    enum net_write_result result =
        stream->tls == NULL ? write_plain(stream) : net_stream_tls_write(stream);
    if (result == NET_WRITE_PENDING) {
        stream->writing = true;
        stream->write_mark_ms = net_loop_now_ms(stream->loop);
        stream->write_mark_bytes = SIZE_MAX; /* taken at the next tick */
    }
    return result;
}

void net_stream_close_gently(struct net_stream *stream, uint32_t linger_ms) {
    uv_os_fd_t fd;
    if (stream->closing || stream->lingering)
        return;
    if (stream->tls != NULL)
        net_stream_tls_end(stream);
    if (stream->ended || uv_fileno((uv_handle_t *)&stream->tcp, &fd) != 0 ||
        shutdown(fd, SHUT_WR) != 0) {
        net_stream_close(stream);
        return;
    }
    stream->lingering = true;
    net_stream_set_deadline(stream, net_loop_now_ms(stream->loop) + linger_ms);
    net_stream_resume(stream);
}

/* What the peer has not acknowledged: our queue and the socket's. The queue alone moves in jumps as
 * large as the socket's buffer, and a slow reader would look stuck. */
static size_t unacknowledged(struct net_stream *stream) {
    uv_os_fd_t fd;
    int in_socket = 0;
    if (uv_fileno((uv_handle_t *)&stream->tcp, &fd) != 0 || ioctl(fd, SIOCOUTQ, &in_socket) != 0)
        in_socket = 0;
    size_t pending = uv_stream_get_write_queue_size((uv_stream_t *)&stream->tcp);
    for (unsigned i = 0; i < stream->unsent_count; i++)
        pending += stream->unsent[i].len;
    return pending + (size_t)in_socket;
}

static void check_write(struct net_stream *stream, uint64_t now_ms, uint32_t write_timeout_ms) {
    size_t pending = unacknowledged(stream);
    if (pending + WRITE_PROGRESS_BYTES < stream->write_mark_bytes) {
        stream->write_mark_bytes = pending;
        stream->write_mark_ms = now_ms;
    } else if (now_ms - stream->write_mark_ms >= write_timeout_ms) {
        net_stream_close(stream);
    }
}

void net_stream_tick(struct net_stream *stream, uint64_t now_ms, uint32_t write_timeout_ms) {
    if (stream->closing)
        return;
    if (stream->writing)
        check_write(stream, now_ms, write_timeout_ms);
    if (stream->closing)
        return;
    if (stream->deadline_ms != 0 && now_ms >= stream->deadline_ms) {
        stream->deadline_ms = 0;
        if (stream->lingering || stream->opening)
            net_stream_close(stream);
        else
            stream->events->expired(stream);
    } else if (!stream->lingering && !stream->opening) {
        stream->events->ticked(stream);
    }
}

void net_stream_drain(struct net_stream *stream) {
    if (stream->opening)
        net_stream_close(stream);
    else if (!stream->closing && !stream->lingering)
        stream->events->drain(stream);
}

/* ---- who is there ---- */

bool net_stream_peer(const struct net_stream *stream, char ret_text[NET_ADDRESS_CHARS]) {
    struct sockaddr_storage address;
    int len = sizeof(address);
    if (uv_tcp_getpeername(&stream->tcp, (struct sockaddr *)&address, &len) != 0)
        return false;
    if (address.ss_family == AF_INET)
        return uv_ip4_name((const struct sockaddr_in *)&address, ret_text, NET_ADDRESS_CHARS) == 0;
    const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&address;
    const uint8_t *bytes = six->sin6_addr.s6_addr;
    return (IN6_IS_ADDR_V4MAPPED(&six->sin6_addr)
                ? uv_inet_ntop(AF_INET, bytes + 12, ret_text, NET_ADDRESS_CHARS)
                : uv_ip6_name(six, ret_text, NET_ADDRESS_CHARS)) == 0;
}
