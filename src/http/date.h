/* date.h - the Date header's text, made once a second. */
#ifndef GRAMME_HTTP_DATE_H
#define GRAMME_HTTP_DATE_H

#include "base/slice.h"

enum { HTTP_DATE_BYTES = 29 };

/* Zero is an empty cache. One per thread. */
struct http_date {
    int64_t second;
    char text[HTTP_DATE_BYTES + 1];
};

/* "Sun, 06 Nov 1994 08:49:37 GMT"; valid until the next call. */
struct slice http_date_at(struct http_date *date, int64_t now_ms);

#endif
