/* keyring.h - one secret key, and keys for each purpose derived from it.
 *
 * What is sealed for one purpose cannot be opened for another. Purposes are named once and for all
 * time: what was sealed under a name is opened under it.
 * Memory: the key is secret (secret.h). Threads: any. */
#ifndef GRAMME_CRYPTO_KEYRING_H
#define GRAMME_CRYPTO_KEYRING_H

#include "crypto/cipher.h"

struct keyring;

/* The key is copied. */
struct keyring *keyring_new(const uint8_t key[CIPHER_KEY_BYTES]);
/* With a random key. */
struct keyring *keyring_new_random(void);
/* keyring_free(NULL) is fine. */
void keyring_free(struct keyring *keyring);

/* For the key itself to be sealed by another; it stays the keyring's. */
struct slice keyring_key(const struct keyring *keyring);

/* HKDF-Expand of SHA-256 (RFC 5869), with the purpose as its info. */
struct error *keyring_derive(struct arena *arena, const struct keyring *keyring,
                             const char *purpose, uint8_t ret_key[CIPHER_KEY_BYTES]);
struct error *keyring_seal(struct arena *arena, const struct keyring *keyring, const char *purpose,
                           struct seal **ret_seal);

#endif
