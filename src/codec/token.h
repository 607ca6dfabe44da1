/* token.h - what is remembered of a request token: the transaction that used it.
 *
 *   OFFSET  SIZE  MEANING (integers little-endian)
 *   0       1     version: 1
 *   1       8     end of its life, ms since 1970
 *   9       16    fingerprint of the request that used the token
 *   25      4     per action: the larger of the item's sizes before and after, for what a replay is
 *                 said to have consumed */
#ifndef GRAMME_CODEC_TOKEN_H
#define GRAMME_CODEC_TOKEN_H

#include "base/error.h"

enum { TOKEN_FINGERPRINT_BYTES = 16 };

struct token_record {
    uint64_t end_ms;          /* 0: there is none */
    struct slice fingerprint; /* TOKEN_FINGERPRINT_BYTES */
    const uint32_t *sizes;
    size_t size_count;
};

struct slice token_encode(struct arena *arena, const struct token_record *record);
/* The fingerprint points into `bytes`, the sizes are in the arena. Fails on damage and on a newer
 * version. */
struct error *token_decode(struct arena *arena, struct slice bytes,
                           struct token_record *ret_record);

#endif
