/* fetch.c - one request, one connection. */
#include "top/fetch.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/check.h"
#include "top/fetch_secure.h"

struct place {
    char host[256];
    char port[8];
    const char *path;
};

static struct error *read_url(struct arena *arena, const char *url, const char *path,
                              struct place *ret_place) {
    const char *at = url;
    if (strncmp(at, "http://", 7) != 0)
        return error_local(arena, "%s is no http:// or https:// URL", url);
    at += 7;
    bool v6 = *at == '[';
    const char *end = v6 ? strchr(at, ']') : at + strcspn(at, ":/");
    size_t len = end == NULL ? 0 : (size_t)(end - at) - (v6 ? 1 : 0);
    if (len == 0 || len >= sizeof(ret_place->host))
        return error_local(arena, "%s names no host", url);
    memcpy(ret_place->host, at + (v6 ? 1 : 0), len);
    ret_place->host[len] = '\0';
    at = end + (v6 ? 1 : 0);
    size_t digits = *at == ':' ? strspn(at + 1, "0123456789") : 0;
    snprintf(ret_place->port, sizeof(ret_place->port), "%.*s", digits > 0 ? (int)digits : 2,
             digits > 0 ? at + 1 : "80");
    at += digits > 0 ? digits + 1 : 0;
    ret_place->path = *at == '/' && at[1] != '\0' ? at : path;
    return NULL;
}

static int open_socket(const struct place *place) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list, *at;
    struct timeval limit = {.tv_sec = FETCH_SECONDS};
    int fd = -1;
    if (getaddrinfo(place->host, place->port, &hints, &list) != 0)
        return -1;
    for (at = list; at != NULL; at = at->ai_next) {
        fd = socket(at->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
            continue;
        setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit));
        if (connect(fd, at->ai_addr, at->ai_addrlen) == 0)
            break;
        close(fd);
        fd = -1;
    }
    freeaddrinfo(list);
    return fd;
}

/* Everything that comes until the server closes. */
static bool exchange(int fd, const struct place *place, struct buffer *reply) {
    char request[2048];
    int len = snprintf(request, sizeof(request),
                       "GET %s HTTP/1.1\r\nHost: %s:%s\r\nConnection: close\r\n\r\n", place->path,
                       strchr(place->host, ':') == NULL ? place->host : "[::1]", place->port);
    if (len >= (int)sizeof(request) || send(fd, request, (size_t)len, MSG_NOSIGNAL) != len)
        return false;
    for (;;) {
        char piece[16384];
        ssize_t got = recv(fd, piece, sizeof(piece), 0);
        if (got <= 0)
            return got == 0 && !reply->overflow;
        buffer_append_slice(reply, slice_of(piece, (size_t)got));
    }
}

static struct error *take_body(struct arena *arena, const char *url, struct slice reply,
                               struct slice *ret_body) {
    const char *head = (const char *)reply.data;
    const char *body = reply.len == 0 ? NULL : memmem(head, reply.len, "\r\n\r\n", 4);
    if (body == NULL || reply.len < 12 || strncmp(head, "HTTP/1.", 7) != 0)
        return error_local(arena, "%s does not answer as a gramme server", url);
    if (strncmp(head + 9, "200", 3) != 0)
        return error_local(arena, "%s answers with status %.3s", url, head + 9);
    *ret_body = arena_slice(arena, slice_skip(reply, (size_t)(body + 4 - head)));
    return NULL;
}

static struct error *fetch_plain(struct arena *arena, const char *url, const char *path,
                                 struct slice *ret_body) {
    struct place place;
    CLEANUP(buffer_release) struct buffer reply;
    buffer_init(&reply, FETCH_BYTES_MAX);
    TRY(read_url(arena, url, path, &place));
    int fd = open_socket(&place);
    if (fd < 0)
        return error_local(arena, "nobody answers at %s", url);
    bool whole = exchange(fd, &place, &reply);
    close(fd);
    if (!whole)
        return error_local(arena, "%s stopped answering", url);
    return take_body(arena, url, buffer_slice(&reply), ret_body);
}

struct error *fetch(struct arena *arena, const char *url, const char *path, bool is_own,
                    struct slice *ret_body) {
    return strncmp(url, "https://", 8) == 0 ? fetch_secure(arena, url, path, is_own, ret_body)
                                            : fetch_plain(arena, url, path, ret_body);
}
