/* fetch_secure.h - fetch() over TLS (fetch.h). Private to this folder. */
#ifndef GRAMME_TOP_FETCH_SECURE_H
#define GRAMME_TOP_FETCH_SECURE_H

#include "base/error.h"

struct error *fetch_secure(struct arena *arena, const char *url, const char *path, bool is_own,
                           struct slice *ret_body);

#endif
