/* bare_server.c - the least that can answer: libuv, the parser library, one constant reply.
 *
 * It is the limit to hold gramme's own I/O against, measured in the same run on the same machine:
 *     bare_server PORT [BODY_BYTES]
 * One thread, no time-outs, no limits, no request is looked at. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#ifdef GRAMME_LLHTTP
#include <llhttp.h>
typedef llhttp_t parser;
typedef llhttp_settings_t parser_settings;
#else
#include <http_parser.h>
typedef struct http_parser parser;
typedef struct http_parser_settings parser_settings;
#endif

#include "base/check.h"

enum { INPUT_BYTES = 16 * 1024, PORT_DEFAULT = 8001, BODY_DEFAULT = 200 };

struct client {
    uv_tcp_t tcp;
    parser parser;
    unsigned complete; /* requests of the last read */
    char input[INPUT_BYTES];
};

static char *reply;
static size_t reply_len;
static parser_settings settings;

static void make_reply(int body_bytes) {
    static const char head[] =
        "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        "Content-Type: application/x-amz-json-1.0\r\nContent-Length: %d\r\n"
        "Connection: keep-alive\r\n"
        "x-amzn-RequestId: 0000000000000000000000000000000000000000000000000000\r\n"
        "x-amz-crc32: 1234567890\r\n\r\n";
    size_t size = sizeof(head) + 16 + (size_t)body_bytes;
    reply = malloc(size);
    CHECK(reply != NULL);
    int len = snprintf(reply, size, head, body_bytes);
    memset(reply + len, 'x', (size_t)body_bytes);
    reply_len = (size_t)len + (size_t)body_bytes;
}

static int on_complete(parser *p) {
    struct client *client = p->data;
    client->complete++;
    return 0;
}

static void on_closed(uv_handle_t *handle) {
    free(handle->data);
}

static void on_written(uv_write_t *write, int status) {
    free(write->data);
    (void)status;
}

/* What the socket does not take at once is copied: it does not happen in a closed loop. */
static void send_rest(struct client *client, const char *bytes, size_t len) {
    uv_write_t *write = malloc(sizeof(*write) + len);
    CHECK(write != NULL);
    char *copy = (char *)(write + 1);
    memcpy(copy, bytes, len);
    write->data = write;
    uv_buf_t buf = uv_buf_init(copy, (unsigned)len);
    uv_write(write, (uv_stream_t *)&client->tcp, &buf, 1, on_written);
}

static void send_replies(struct client *client) {
    for (; client->complete > 0; client->complete--) {
        uv_buf_t buf = uv_buf_init(reply, (unsigned)reply_len);
        int sent = uv_try_write((uv_stream_t *)&client->tcp, &buf, 1);
        size_t done = sent < 0 ? 0 : (size_t)sent;
        if (done < reply_len)
            send_rest(client, reply + done, reply_len - done);
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf) {
    (void)suggested;
    struct client *client = handle->data;
    *ret_buf = uv_buf_init(client->input, INPUT_BYTES);
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buf) {
    struct client *client = stream->data;
    if (len == 0)
        return;
#ifdef GRAMME_LLHTTP
    bool parsed = len > 0 && llhttp_execute(&client->parser, buf->base, (size_t)len) == HPE_OK;
#else
    bool parsed = len > 0 && http_parser_execute(&client->parser, &settings, buf->base,
                                                 (size_t)len) == (size_t)len;
#endif
    if (parsed)
        send_replies(client);
    else if (!uv_is_closing((uv_handle_t *)stream))
        uv_close((uv_handle_t *)stream, on_closed);
}

static void on_connection(uv_stream_t *listener, int status) {
    CHECK(status == 0);
    struct client *client = calloc(1, sizeof(*client));
    CHECK(client != NULL && uv_tcp_init(listener->loop, &client->tcp) == 0);
    client->tcp.data = client;
    CHECK(uv_accept(listener, (uv_stream_t *)&client->tcp) == 0);
    uv_tcp_nodelay(&client->tcp, 1);
#ifdef GRAMME_LLHTTP
    llhttp_init(&client->parser, HTTP_REQUEST, &settings);
#else
    http_parser_init(&client->parser, HTTP_REQUEST);
#endif
    client->parser.data = client;
    CHECK(uv_read_start((uv_stream_t *)&client->tcp, on_alloc, on_read) == 0);
}

int main(int argc, char **argv) {
    int port = argc > 1 ? atoi(argv[1]) : PORT_DEFAULT;
    make_reply(argc > 2 ? atoi(argv[2]) : BODY_DEFAULT);
    settings.on_message_complete = on_complete;
    uv_tcp_t listener;
    struct sockaddr_in address;
    CHECK(uv_ip4_addr("127.0.0.1", port, &address) == 0);
    CHECK(uv_tcp_init(uv_default_loop(), &listener) == 0);
    CHECK(uv_tcp_bind(&listener, (const struct sockaddr *)&address, 0) == 0);
    CHECK(uv_listen((uv_stream_t *)&listener, 1024, on_connection) == 0);
    printf("listening on http://127.0.0.1:%d\n", port);
    fflush(stdout);
    return uv_run(uv_default_loop(), UV_RUN_DEFAULT);
}
