/* request_id.c - a counter, scrambled so that ids look as unlike as the service's do. */
#include "http/request_id.h"

#include <string.h>

enum { PART_BYTES = 13, TAIL_BYTES = HTTP_REQUEST_ID_BYTES - 2 * PART_BYTES };

static const char tail[TAIL_BYTES + 1] = "VV4KQNSO5AEMVJF66Q9ASUAAJG";

static void part_write(char *out, uint64_t bits) {
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
    for (int i = 0; i < PART_BYTES; i++) {
        out[i] = digits[bits & 31];
        bits >>= 5;
    }
}

/* One to one, so different counts give different ids (the finaliser of SplitMix64). */
static uint64_t scramble(uint64_t n) {
    n = (n ^ (n >> 30)) * 0xbf58476d1ce4e5b9u;
    n = (n ^ (n >> 27)) * 0x94d049bb133111ebu;
    return n ^ (n >> 31);
}

void http_request_ids_init(struct http_request_ids *ids, uint64_t seed_generator,
                           uint64_t seed_first) {
    part_write(ids->generator, scramble(seed_generator));
    ids->next = seed_first;
}

void http_request_ids_next(struct http_request_ids *ids, char ret_id[HTTP_REQUEST_ID_BYTES]) {
    part_write(ret_id, scramble(ids->next++));
    memcpy(ret_id + PART_BYTES, ids->generator, PART_BYTES);
    memcpy(ret_id + 2 * PART_BYTES, tail, TAIL_BYTES);
}
