/* crypto.h - SHA-256 and HMAC-SHA-256 by OpenSSL, which is loaded when someone signs and not
 * before.
 *
 * Algorithms are looked up once and contexts used again: that is most of what hashing a few hundred
 * bytes costs. Threads: a struct crypto belongs to one; loading may happen on any. */
#ifndef GRAMME_BENCH_CRYPTO_H
#define GRAMME_BENCH_CRYPTO_H

#include "base/error.h"

enum { SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES };

struct crypto;

struct error *crypto_new(struct arena *arena, struct crypto **ret_crypto);
void crypto_free(struct crypto *crypto);

void crypto_sha256(struct crypto *crypto, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]);
/* The key stays until the next call. */
void crypto_set_key(struct crypto *crypto, struct slice key);
void crypto_hmac(struct crypto *crypto, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]);

/* Lower-case, no NUL. */
void hex_write(char *ret_text, const uint8_t *bytes, size_t count);

#endif
