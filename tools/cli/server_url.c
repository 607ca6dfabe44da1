/* server_url.c - see server_url.h. */
#include "cli/server_url.h"

#include <stdio.h>
#include <string.h>

const char *server_url_host(const char *host) {
    if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "localhost") == 0)
        return "127.0.0.1";
    return strcmp(host, "::") == 0 ? "::1" : host;
}

void server_url_print(char text[SERVER_URL_CHARS], bool secure, const char *host, uint16_t port) {
    bool bare_v6 = strchr(host, ':') != NULL && host[0] != '[';
    snprintf(text, SERVER_URL_CHARS, bare_v6 ? "%s://[%s]:%u" : "%s://%s:%u",
             secure ? "https" : "http", host, port);
}
