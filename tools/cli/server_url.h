/* server_url.h - the URL of a server that listens at a host of its own. */
#ifndef GRAMME_CLI_SERVER_URL_H
#define GRAMME_CLI_SERVER_URL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SERVER_URL_CHARS = 300 };

/* Where a client on this machine finds a server that listens at `host`. */
const char *server_url_host(const char *host);
/* `host`: a name or an address, one of IPv6 with brackets or without. */
void server_url_print(char text[SERVER_URL_CHARS], bool secure, const char *host, uint16_t port);

#endif
