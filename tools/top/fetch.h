/* fetch.h - GET of a page over HTTP, or over TLS where there is libcurl. */
#ifndef GRAMME_TOP_FETCH_H
#define GRAMME_TOP_FETCH_H

#include "base/error.h"
#include "top/fetch_limits.h"

/* `url`: http://HOST[:PORT][/PATH] or https://; `path` where it has none. The body is in the arena;
 * at most FETCH_BYTES_MAX, and within FETCH_SECONDS without a byte. A certificate is verified by
 * AWS_CA_BUNDLE or the system's authorities, but not that of a loopback address, whose name it need
 * not have, nor of a server that `is_own`, whatever its address: no secret is sent. */
struct error *fetch(struct arena *arena, const char *url, const char *path, bool is_own,
                    struct slice *ret_body);

#endif
