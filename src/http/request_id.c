/* request_id.c - a counter, scrambled so that ids look as unlike as the service's do. */
#include "http/request_id.h"

#include "base/block.h"

enum { PART_BYTES = 13, TAIL_BYTES = HTTP_REQUEST_ID_BYTES - 2 * PART_BYTES };

static const char tail[TAIL_BYTES + 1] = "VV4KQNSO5AEMVJF66Q9ASUAAJG";

/* Eight digits of five bits each, the lowest first: the bits are spread over the bytes, by halves,
 * and become characters, '0' to '9' and then 'A' to 'V'. */
static inline uint64_t digits_of(uint64_t bits) {
    bits = (bits & 0xfffff) | (bits >> 20 & 0xfffff) << 32;
    bits = (bits & UINT64_C(0x3ff000003ff)) | (bits << 6 & UINT64_C(0x3ff000003ff0000));
    bits = (bits & UINT64_C(0x1f001f001f001f)) | (bits << 3 & UINT64_C(0x1f001f001f001f00));
    uint64_t letters = (bits + EVERY_BYTE(0x80 - 10)) >> 7 & EVERY_BYTE(1);
    return bits + EVERY_BYTE('0') + letters * ('A' - '0' - 10);
}

static void part_write(char *out, uint64_t bits) {
    uint8_t *to = (uint8_t *)out;
    uint64_t last = digits_of(bits >> 40);
    store_u64(to, digits_of(bits));
    store_u32(to + 8, (uint32_t)last);
    to[PART_BYTES - 1] = (uint8_t)(last >> 32);
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
