/* fetch.h - GET of a page over plain HTTP. */
#ifndef GRAMME_TOP_FETCH_H
#define GRAMME_TOP_FETCH_H

#include "base/error.h"

/* `url`: http://HOST[:PORT][/PATH]; `path` where it has none. The body is in the arena; at most
 * FETCH_BYTES_MAX, and within FETCH_SECONDS without a byte. */
enum { FETCH_BYTES_MAX = 64 << 20, FETCH_SECONDS = 10 };
struct error *fetch(struct arena *arena, const char *url, const char *path, struct slice *ret_body);

#endif
