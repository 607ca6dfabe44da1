/* siphash.c - SipHash-2-4-128 as its paper describes it: two rounds per word, four to finish each
 * half. */
#include "base/siphash.h"

#include "base/bytes.h"

struct sip_state {
    uint64_t v0, v1, v2, v3;
};

static uint64_t rotate(uint64_t word, int bits) {
    return word << bits | word >> (64 - bits);
}

static inline void rounds(struct sip_state *s, int count) {
    for (int i = 0; i < count; i++) {
        s->v0 += s->v1;
        s->v1 = rotate(s->v1, 13) ^ s->v0;
        s->v0 = rotate(s->v0, 32);
        s->v2 += s->v3;
        s->v3 = rotate(s->v3, 16) ^ s->v2;
        s->v0 += s->v3;
        s->v3 = rotate(s->v3, 21) ^ s->v0;
        s->v2 += s->v1;
        s->v1 = rotate(s->v1, 17) ^ s->v2;
        s->v2 = rotate(s->v2, 32);
    }
}

static inline void absorb(struct sip_state *s, uint64_t word) {
    s->v3 ^= word;
    rounds(s, 2);
    s->v0 ^= word;
}

/* The last `count` bytes, fewer than eight. */
static inline uint64_t last_bytes(struct slice input, size_t count) {
    if (count == 0)
        return 0;
    if (input.len >= 8) /* some were taken already: they are shifted out */
        return load_u64(input.data + input.len - 8) >> (64 - 8 * count);
    uint64_t word = 0;
    for (size_t i = 0; i < count; i++)
        word |= (uint64_t)input.data[i] << (8 * i);
    return word;
}

void siphash128(const uint8_t key[SIPHASH_KEY_BYTES], struct slice input,
                uint8_t ret_hash[SIPHASH_BYTES]) {
    uint64_t k0 = load_u64(key), k1 = load_u64(key + 8);
    struct sip_state s = {
        .v0 = k0 ^ 0x736f6d6570736575U,
        .v1 = k1 ^ 0x646f72616e646f6dU ^ 0xee,
        .v2 = k0 ^ 0x6c7967656e657261U,
        .v3 = k1 ^ 0x7465646279746573U,
    };
    size_t whole = input.len & ~(size_t)7;
    for (size_t i = 0; i < whole; i += 8)
        absorb(&s, load_u64(input.data + i));
    absorb(&s, (uint64_t)input.len << 56 | last_bytes(input, input.len - whole));
    s.v2 ^= 0xee;
    rounds(&s, 4);
    store_u64(ret_hash, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
    s.v1 ^= 0xdd;
    rounds(&s, 4);
    store_u64(ret_hash + 8, s.v0 ^ s.v1 ^ s.v2 ^ s.v3);
}
