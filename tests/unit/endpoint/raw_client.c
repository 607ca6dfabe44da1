/* raw_client.c - see raw_client.h. Fails loudly: a test that cannot connect or parse aborts.
 *
 * Any call may be interrupted: where libuv uses io_uring (as in Debian 13), the kernel does that to
 * the thread that made its loops, which is the one of the tests. */
#include "raw_client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "crypto/tls.h"

enum { WAIT_SECONDS = 60 };

/* A connection that was interrupted goes on to be made. */
static bool connect_fully(int fd, const struct sockaddr_in *address) {
    if (connect(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
        return true;
    struct pollfd made = {.fd = fd, .events = POLLOUT};
    int error = 0;
    socklen_t size = sizeof(error);
    return errno == EINTR && TEMP_FAILURE_RETRY(poll(&made, 1, WAIT_SECONDS * 1000)) == 1 &&
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0;
}

void raw_connect_with_window(struct raw_client *client, uint16_t port, int bytes) {
    memset(client, 0, sizeof(*client));
    client->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(client->fd >= 0);
    struct timeval wait = {.tv_sec = WAIT_SECONDS};
    CHECK(setsockopt(client->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) == 0);
    CHECK(setsockopt(client->fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait)) == 0);
    if (bytes > 0)
        CHECK(setsockopt(client->fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes)) == 0);
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    CHECK(connect_fully(client->fd, &address));
}

void raw_connect(struct raw_client *client, uint16_t port) {
    raw_connect_with_window(client, port, 0);
}

/* And not for having waited too long. */
static bool is_interrupted(enum io_result result) {
    return (result == IO_READ || result == IO_WRITE) && errno == EINTR;
}

bool raw_secure(struct raw_client *client, struct tls_context *context) {
    enum io_result result;
    client->tls = tls_new_client(context, "127.0.0.1", client->fd);
    do {
        errno = 0;
        result = tls_handshake(client->tls);
    } while (is_interrupted(result));
    return result == IO_DONE;
}

void raw_close(struct raw_client *client) {
    tls_free(client->tls);
    close(client->fd);
    free(client->data);
    client->data = NULL;
}

void raw_abort(struct raw_client *client) {
    struct linger reset = {.l_onoff = 1, .l_linger = 0};
    CHECK(setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)) == 0);
    raw_close(client);
}

static bool send_encrypted(struct raw_client *client, const char *bytes, size_t len) {
    while (len > 0) {
        size_t sent;
        errno = 0;
        enum io_result result = tls_send(client->tls, bytes, len, &sent);
        if (is_interrupted(result))
            continue;
        if (result != IO_DONE)
            return false;
        bytes += sent;
        len -= sent;
    }
    return true;
}

bool raw_send(struct raw_client *client, const char *bytes, size_t len) {
    if (client->tls != NULL)
        return send_encrypted(client, bytes, len);
    while (len > 0) {
        ssize_t sent = TEMP_FAILURE_RETRY(send(client->fd, bytes, len, MSG_NOSIGNAL));
        if (sent < 0 && (errno == EPIPE || errno == ECONNRESET))
            return false;
        CHECK(sent > 0);
        bytes += sent;
        len -= (size_t)sent;
    }
    return true;
}

void raw_send_text(struct raw_client *client, const char *text) {
    raw_send(client, text, strlen(text));
}

void raw_post(struct raw_client *client, const char *path, const char *body) {
    size_t size = strlen(path) + strlen(body) + 256;
    char *text = malloc(size);
    CHECK(text != NULL);
    snprintf(text, size,
             "POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-amz-json-1.0\r\n"
             "Content-Length: %zu\r\n\r\n%s",
             path, strlen(body), body);
    raw_send_text(client, text);
    free(text);
}

static ssize_t read_encrypted(struct raw_client *client, void *bytes, size_t size) {
    size_t len;
    enum io_result result;
    do {
        errno = 0;
        result = tls_receive(client->tls, bytes, size, &len);
    } while (is_interrupted(result));
    return result == IO_DONE ? (ssize_t)len : 0;
}

ssize_t raw_read(struct raw_client *client, void *bytes, size_t size) {
    if (client->tls != NULL)
        return read_encrypted(client, bytes, size);
    return TEMP_FAILURE_RETRY(recv(client->fd, bytes, size, 0));
}

/* False at the end of the stream. */
static bool receive_more(struct raw_client *client) {
    if (client->capacity - client->len < 65536) {
        client->capacity = client->capacity * 2 + 65536;
        client->data = realloc(client->data, client->capacity + 1);
        CHECK(client->data != NULL);
    }
    ssize_t got = raw_read(client, client->data + client->len, client->capacity - client->len);
    if (got < 0 && errno == ECONNRESET)
        return false;
    CHECK(got >= 0); /* EAGAIN: nothing came in time */
    client->len += (size_t)got;
    client->data[client->len] = '\0';
    return got > 0;
}

static void take(struct raw_client *client, size_t len) {
    memmove(client->data, client->data + len, client->len - len + 1);
    client->len -= len;
}

static char *copy(const char *bytes, size_t len) {
    char *text = malloc(len + 1);
    CHECK(text != NULL);
    memcpy(text, bytes, len);
    text[len] = '\0';
    return text;
}

bool raw_receive_head(struct raw_client *client, struct raw_reply *ret_reply) {
    memset(ret_reply, 0, sizeof(*ret_reply));
    const char *end;
    while (client->len == 0 || (end = strstr(client->data, "\r\n\r\n")) == NULL)
        if (!receive_more(client))
            return false;
    size_t len = (size_t)(end - client->data) + 4;
    ret_reply->head = copy(client->data, len);
    take(client, len);
    CHECK(sscanf(ret_reply->head, "HTTP/1.1 %d ", &ret_reply->status) == 1);
    return true;
}

bool raw_receive(struct raw_client *client, struct raw_reply *ret_reply) {
    if (!raw_receive_head(client, ret_reply))
        return false;
    size_t len = 0;
    ret_reply->chunked = strcmp(raw_header(ret_reply, "Transfer-Encoding"), "chunked") == 0;
    if (ret_reply->chunked)
        len = 5; /* only ever "0\r\n\r\n" */
    else
        len = strtoul(raw_header(ret_reply, "Content-Length"), NULL, 10);
    while (client->len < len)
        if (!receive_more(client)) {
            raw_reply_free(ret_reply);
            return false;
        }
    CHECK(!ret_reply->chunked || memcmp(client->data, "0\r\n\r\n", 5) == 0);
    ret_reply->body_len = ret_reply->chunked ? 0 : len;
    ret_reply->body = copy(len == 0 ? "" : client->data, ret_reply->body_len);
    if (len > 0)
        take(client, len);
    return true;
}

void raw_reply_free(struct raw_reply *reply) {
    free(reply->head);
    free(reply->body);
    memset(reply, 0, sizeof(*reply));
}

const char *raw_header(struct raw_reply *reply, const char *name) {
    static _Thread_local char value[512];
    size_t len = strlen(name);
    for (const char *line = strchr(reply->head, '\n'); line != NULL; line = strchr(line + 1, '\n'))
        if (strncasecmp(line + 1, name, len) == 0 && line[1 + len] == ':') {
            const char *start = line + len + 3;
            snprintf(value, sizeof(value), "%.*s", (int)strcspn(start, "\r"), start);
            return value;
        }
    return "";
}

void raw_expect_echo(struct raw_client *client, const char *path, const char *body) {
    raw_post(client, path, body);
    struct raw_reply reply;
    CHECK(raw_receive(client, &reply));
    CHECK(reply.status == 200 && strcmp(reply.body, body) == 0);
    raw_reply_free(&reply);
}

void raw_expect_status(struct raw_client *client, int status) {
    struct raw_reply reply;
    CHECK(raw_receive(client, &reply));
    if (reply.status != status)
        fprintf(stderr, "expected %d, got %s%s\n", status, reply.head, reply.body);
    CHECK(reply.status == status);
    raw_reply_free(&reply);
}

void raw_expect_end(struct raw_client *client) {
    CHECK(client->len == 0);
    CHECK(!receive_more(client));
}

bool raw_has_ended(struct raw_client *client, int wait_ms) {
    struct pollfd poller = {.fd = client->fd, .events = POLLIN};
    return poll(&poller, 1, wait_ms) == 1 && !receive_more(client);
}

int64_t raw_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
