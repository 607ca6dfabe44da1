/* stream.c - see stream.h. */
#include "bench/stream.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

static enum io_result failed(struct stream *stream, int why) {
    snprintf(stream->fault, sizeof(stream->fault), "%s",
             why == 0 ? "the server closed the connection" : strerror(why));
    return IO_FAILED;
}

static enum io_result tls_checked(struct stream *stream, enum io_result result) {
    if (result == IO_FAILED)
        tls_failure(stream->tls, stream->fault, sizeof(stream->fault));
    return result;
}

enum io_result stream_open(struct stream *stream, const struct endpoint *endpoint,
                           struct tls_context *context) {
    static const int on = 1;
    *stream = (struct stream){
        .fd = socket(endpoint->address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    if (stream->fd < 0)
        return failed(stream, errno);
    setsockopt(stream->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (context != NULL)
        stream->tls = tls_new_client(context, endpoint->host, stream->fd);
    if (connect(stream->fd, (const struct sockaddr *)&endpoint->address, endpoint->address_len) !=
            0 &&
        errno != EINPROGRESS)
        return failed(stream, errno);
    return IO_WRITE;
}

enum io_result stream_finish_open(struct stream *stream) {
    int why = 0;
    socklen_t size = sizeof(why);
    if (!stream->connected) {
        getsockopt(stream->fd, SOL_SOCKET, SO_ERROR, &why, &size);
        if (why != 0)
            return failed(stream, why);
        stream->connected = true;
    }
    return stream->tls == NULL ? IO_DONE : tls_checked(stream, tls_handshake(stream->tls));
}

enum io_result stream_send(struct stream *stream, const void *data, size_t len, size_t *ret_len) {
    if (stream->tls != NULL)
        return tls_checked(stream, tls_send(stream->tls, data, len, ret_len));
    ssize_t sent = send(stream->fd, data, len, MSG_NOSIGNAL);
    *ret_len = sent > 0 ? (size_t)sent : 0;
    if (sent > 0)
        return IO_DONE;
    return errno == EAGAIN || errno == EINTR ? IO_WRITE : failed(stream, errno);
}

enum io_result stream_receive(struct stream *stream, void *data, size_t size, size_t *ret_len) {
    if (stream->tls != NULL)
        return tls_checked(stream, tls_receive(stream->tls, data, size, ret_len));
    ssize_t got = recv(stream->fd, data, size, 0);
    *ret_len = got > 0 ? (size_t)got : 0;
    if (got > 0)
        return IO_DONE;
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return IO_READ;
    return failed(stream, got == 0 ? 0 : errno);
}

void stream_close(struct stream *stream) {
    tls_free(stream->tls);
    stream->tls = NULL;
    if (stream->fd >= 0)
        close(stream->fd);
    stream->fd = -1;
}
