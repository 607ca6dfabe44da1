/* cipher.h - AES-256 by OpenSSL, which is loaded with the first cipher and not before.
 *
 * Two shapes. A `seal` is AES-256-GCM: small things that must stay secret and whole, keys and
 * frames, each with a context that has to be the same when it is opened. A `ctr` is AES-256-CTR:
 * a file of any length, by offset, so that any part of it is read alone; it keeps secrets and
 * notices no change. One such key is for one file, and no byte of it is written twice with
 * different content: two texts under the same key stream give each other away.
 *
 * Algorithms are looked up once and contexts used again: setting up a key costs more than
 * encrypting a page. Memory: keys lie in OpenSSL's memory and are wiped when they are freed; a
 * process that holds some writes no core file (secret.h). Threads: any. */
#ifndef GRAMME_CRYPTO_CIPHER_H
#define GRAMME_CRYPTO_CIPHER_H

#include "base/error.h"

enum {
    CIPHER_KEY_BYTES = 32,
    SEAL_NONCE_BYTES = 12,
    SEAL_TAG_BYTES = 16,
    SEAL_BYTES = SEAL_NONCE_BYTES + SEAL_TAG_BYTES, /* what sealing adds */
};

struct seal;

/* The key is copied. */
struct error *seal_new(struct arena *arena, const uint8_t key[CIPHER_KEY_BYTES],
                       struct seal **ret_seal);
/* seal_free(NULL) is fine. */
void seal_free(struct seal *seal);

/* Nonce, what `plain` became, tag: plain.len + SEAL_BYTES. The nonce is random: some billions of
 * times per key at most. */
void seal_close(struct seal *seal, struct slice context, struct slice plain, uint8_t *ret_sealed);
/* sealed.len - SEAL_BYTES of them. False, and nothing of use in there, unless key and context are
 * those it was sealed with and no bit has changed. */
bool seal_open(struct seal *seal, struct slice context, struct slice sealed, uint8_t *ret_plain);

/* The same with a nonce that is the number of a frame, which is used once per key, and not stored:
 * what `plain` became, tag. */
void seal_close_frame(struct seal *seal, uint64_t number, struct slice context, struct slice plain,
                      uint8_t *ret_frame);
bool seal_open_frame(struct seal *seal, uint64_t number, struct slice context, struct slice frame,
                     uint8_t *ret_plain);

struct ctr;

struct error *ctr_new(struct arena *arena, const uint8_t key[CIPHER_KEY_BYTES],
                      struct ctr **ret_ctr);
/* ctr_free(NULL) is fine. */
void ctr_free(struct ctr *ctr);
/* Encrypts, or decrypts, the bytes that stand at the offset. `from` and `to` are the same or apart.
 */
void ctr_apply(struct ctr *ctr, uint64_t offset, const void *from, void *to, size_t len);

#endif
