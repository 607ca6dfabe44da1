/* digest.h - SHA-256 and HMAC-SHA-256 by OpenSSL, which is loaded with the first of these and not
 * before.
 *
 * A digest holds a key, for HMAC, in the form in which it is used.
 * Threads: a struct digest belongs to one; making one may happen on any. */
#ifndef GRAMME_CRYPTO_DIGEST_H
#define GRAMME_CRYPTO_DIGEST_H

#include "base/error.h"

enum { SHA256_BYTES = 32, SHA256_HEX = 2 * SHA256_BYTES };

struct digest;

struct error *digest_new(struct arena *arena, struct digest **ret_digest);
void digest_free(struct digest *digest);

void digest_sha256(struct digest *digest, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]);
/* The key stays until the next call. */
void digest_set_key(struct digest *digest, struct slice key);
void digest_hmac(struct digest *digest, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]);

#endif
