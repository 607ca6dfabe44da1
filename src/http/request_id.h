/* request_id.h - the names of requests: 52 characters of base32hex, as the service's.
 *
 * 13 characters say which generator, 13 which of its requests, 26 are the same in every id of the
 * service. Ids of one generator never repeat; two generators differ by their random seed. */
#ifndef GRAMME_HTTP_REQUEST_ID_H
#define GRAMME_HTTP_REQUEST_ID_H

#include <stdint.h>

enum { HTTP_REQUEST_ID_BYTES = 52 };

/* One per thread. */
struct http_request_ids {
    char generator[13];
    uint64_t next;
};

void http_request_ids_init(struct http_request_ids *ids, uint64_t seed_generator,
                           uint64_t seed_first);
/* No NUL at the end. */
void http_request_ids_next(struct http_request_ids *ids, char ret_id[HTTP_REQUEST_ID_BYTES]);

#endif
