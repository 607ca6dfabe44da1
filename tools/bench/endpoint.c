/* endpoint.c - see endpoint.h. */
#include "bench/endpoint.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <unistd.h>

enum { CONNECT_TIMEOUT_MS = 5000 };

/* ---- the URL ---- */

static struct error *wrong(struct arena *arena, const char *url) {
    return error_local(arena, "'%s' is no endpoint: it is written http://host:port or https://host",
                       url);
}

static bool is_port(const char *text) {
    size_t digits = strspn(text, "0123456789");
    return digits > 0 && digits <= 5 && (text[digits] == '\0' || strcmp(text + digits, "/") == 0);
}

/* A name or address without brackets. */
static bool is_host(const char *text, size_t len) {
    if (len == 0 || len > 255)
        return false;
    for (size_t i = 0; i < len; i++)
        if (text[i] <= ' ' || text[i] > '~' || strchr("/?#@[]\\\"", text[i]) != NULL)
            return false;
    return true;
}

static const char *copy_text(struct arena *arena, const char *text, size_t len) {
    return (const char *)arena_printf(arena, "%.*s", (int)len, text).data;
}

struct error *endpoint_parse(struct arena *arena, const char *url, struct endpoint *ret_endpoint) {
    struct endpoint endpoint = {.url = url, .tls = strncmp(url, "https://", 8) == 0};
    if (!endpoint.tls && strncmp(url, "http://", 7) != 0)
        return wrong(arena, url);
    const char *host = url + (endpoint.tls ? 8 : 7), *rest;
    bool brackets = host[0] == '[';
    size_t len = brackets ? strcspn(++host, "]") : strcspn(host, ":/");
    rest = host + len + (brackets && host[len] == ']' ? 1 : 0);
    if (!is_host(host, len) || (brackets && host[len] != ']'))
        return wrong(arena, url);
    bool has_port = rest[0] == ':';
    if (has_port ? !is_port(rest + 1) : rest[0] != '\0' && strcmp(rest, "/") != 0)
        return wrong(arena, url);
    endpoint.host = copy_text(arena, host, len);
    endpoint.port = has_port       ? copy_text(arena, rest + 1, strcspn(rest + 1, "/"))
                    : endpoint.tls ? "443"
                                   : "80";
    endpoint.host_header =
        (const char *)arena_printf(arena, brackets ? "[%s]%s%s" : "%s%s%s", endpoint.host,
                                   has_port ? ":" : "", has_port ? endpoint.port : "")
            .data;
    *ret_endpoint = endpoint;
    return NULL;
}

bool endpoint_is_loopback(const struct endpoint *endpoint) {
    return strncmp(endpoint->host, "127.", 4) == 0 || strcmp(endpoint->host, "::1") == 0 ||
           strcmp(endpoint->host, "localhost") == 0;
}

/* ---- its address ---- */

/* Returns 0 or errno. */
static int try_address(const struct addrinfo *address) {
    int fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return errno;
    int failure = connect(fd, address->ai_addr, address->ai_addrlen) == 0 ? 0 : errno;
    if (failure == EINPROGRESS) {
        struct pollfd wait = {.fd = fd, .events = POLLOUT};
        socklen_t size = sizeof(failure);
        failure = ETIMEDOUT;
        if (poll(&wait, 1, CONNECT_TIMEOUT_MS) == 1)
            getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size);
    }
    close(fd);
    return failure;
}

struct error *endpoint_find(struct arena *arena, struct endpoint *endpoint) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *list;
    int status = getaddrinfo(endpoint->host, endpoint->port, &hints, &list);
    if (status != 0)
        return error_local(arena, "%s: %s", endpoint->url, gai_strerror(status));
    int failure = 0;
    for (const struct addrinfo *at = list; at != NULL; at = at->ai_next) {
        failure = try_address(at);
        if (failure != 0)
            continue;
        memcpy(&endpoint->address, at->ai_addr, at->ai_addrlen);
        endpoint->address_len = at->ai_addrlen;
        break;
    }
    freeaddrinfo(list);
    return failure == 0
               ? NULL
               : error_local(arena, "%s does not answer: %s", endpoint->url, strerror(failure));
}
