/* fetch_limits.h - how much a page may be, and how long nothing may come of it (fetch.h). */
#ifndef GRAMME_TOP_FETCH_LIMITS_H
#define GRAMME_TOP_FETCH_LIMITS_H

enum { FETCH_BYTES_MAX = 64 << 20, FETCH_SECONDS = 10 };

#endif
