/* fetch_secure.c - see fetch.h. One request by libcurl. */
#include "top/fetch_secure.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buffer.h"
#include "base/check.h"
#include "libcurl/libcurl.h"
#include "top/fetch_limits.h"

static size_t on_body(char *data, size_t size, size_t count, void *context) {
    struct buffer *body = context;
    buffer_append_slice(body, slice_of(data, size * count));
    return body->overflow ? 0 : size * count;
}

/* Of a URL, behind its scheme: as libcurl reads it, whoever is named before an @. */
static bool is_loopback(const char *rest) {
    char host[64];
    struct in_addr address;
    size_t whole = strcspn(rest, "/?#"), len = strcspn(rest, ":/?#");
    if (memchr(rest, '@', whole) != NULL || whole >= sizeof(host))
        return false;
    if (strncmp(rest, "[::1]", 5) == 0)
        return rest[5] == ':' || whole == 5;
    snprintf(host, sizeof(host), "%.*s", (int)len, rest);
    return strcmp(host, "localhost") == 0 ||
           (inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127);
}

static void set_options(CURL *curl, bool verify, struct buffer *body) {
    const char *authorities = getenv("AWS_CA_BUNDLE");
    libcurl.easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    libcurl.easy_setopt(curl, CURLOPT_PROXY, "");
    libcurl.easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)FETCH_SECONDS);
    libcurl.easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    libcurl.easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, (long)FETCH_SECONDS);
    libcurl.easy_setopt(curl, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    if (authorities != NULL && *authorities != '\0')
        libcurl.easy_setopt(curl, CURLOPT_CAINFO, authorities);
    if (!verify) {
        libcurl.easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
        libcurl.easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    libcurl.easy_setopt(curl, CURLOPT_WRITEFUNCTION, on_body);
    libcurl.easy_setopt(curl, CURLOPT_WRITEDATA, body);
}

static struct error *get(CURL *curl, struct arena *arena, const char *url, const char *path,
                         bool is_own, struct buffer *body) {
    const char *host = url + strlen("https://");
    const char *own_path = host + strcspn(host, "/");
    struct slice whole = *own_path != '\0' && own_path[1] != '\0'
                             ? arena_printf(arena, "%s", url)
                             : arena_printf(arena, "%.*s%s", (int)(own_path - url), url, path);
    long status = 0;
    set_options(curl, !is_own && !is_loopback(host), body);
    libcurl.easy_setopt(curl, CURLOPT_URL, (const char *)whole.data);
    CURLcode code = libcurl.easy_perform(curl);
    if (code == CURLE_COULDNT_CONNECT || code == CURLE_COULDNT_RESOLVE_HOST)
        return error_local(arena, "nobody answers at %s", url);
    if (code != CURLE_OK)
        return error_local(arena, "%s: %s", url, libcurl.easy_strerror(code));
    libcurl.easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    return status == 200 ? NULL : error_local(arena, "%s answers with status %ld", url, status);
}

struct error *fetch_secure(struct arena *arena, const char *url, const char *path, bool is_own,
                           struct slice *ret_body) {
    CLEANUP(buffer_release) struct buffer body;
    buffer_init(&body, FETCH_BYTES_MAX);
    CURL *curl = libcurl_load() ? libcurl.easy_init() : NULL;
    if (curl == NULL)
        return error_local(arena, "libcurl is not there, which https:// URLs take: name the data "
                                  "directory instead");
    struct error *error = get(curl, arena, url, path, is_own, &body);
    libcurl.easy_cleanup(curl);
    if (error == NULL)
        *ret_body = arena_slice(arena, buffer_slice(&body));
    return error;
}
