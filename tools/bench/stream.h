/* stream.h - one connection's bytes: a socket that never blocks, with or without TLS.
 * Threads: one. */
#ifndef GRAMME_BENCH_STREAM_H
#define GRAMME_BENCH_STREAM_H

#include "bench/endpoint.h"
#include "crypto/tls.h"

enum { STREAM_FAULT_MAX = 256 };

struct stream {
    int fd; /* -1: closed */
    struct tls *tls;
    bool connected;               /* TCP is */
    char fault[STREAM_FAULT_MAX]; /* after IO_FAILED: why */
};

/* Starts to connect; go on with stream_finish_open() as the result says. */
enum io_result stream_open(struct stream *stream, const struct endpoint *endpoint,
                           struct tls_context *context);
enum io_result stream_finish_open(struct stream *stream);
/* At least one byte when it is done. */
enum io_result stream_send(struct stream *stream, const void *data, size_t len, size_t *ret_len);
enum io_result stream_receive(struct stream *stream, void *data, size_t size, size_t *ret_len);
/* Also of one that is closed. */
void stream_close(struct stream *stream);

#endif
