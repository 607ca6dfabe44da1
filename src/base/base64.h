/* base64.h - the standard alphabet with padding (RFC 4648, section 4).
 *
 * Decoding is strict: no white space, no missing padding, no bits left over, so that bytes have one
 * text and a text that was changed on its way is noticed. */
#ifndef GRAMME_BASE_BASE64_H
#define GRAMME_BASE_BASE64_H

#include "base/slice.h"

enum base64_status {
    BASE64_OK,
    BASE64_LENGTH,    /* not a multiple of four */
    BASE64_CHARACTER, /* outside the alphabet, padding in the middle, or bits left over */
};

static inline size_t base64_encoded_len(size_t bytes) {
    return (bytes + 2) / 3 * 4;
}

/* Room enough for any text of that length. */
static inline size_t base64_decoded_max(size_t text_len) {
    return text_len / 4 * 3;
}

/* Writes base64_encoded_len() characters, no NUL. */
void base64_encode(struct slice bytes, uint8_t *ret_text);
/* `ret_bytes` has base64_decoded_max() bytes; what is in there after a failure is undefined. */
enum base64_status base64_decode(struct slice text, uint8_t *ret_bytes, size_t *ret_len);

#endif
