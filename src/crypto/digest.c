/* digest.c - see digest.h.
 *
 * OpenSSL's oldest interface to SHA-256, whose state is a struct that can be copied: it has no
 * context to set up, and the two states that an HMAC begins with (RFC 2104) are kept, so that one
 * costs what its bytes cost. Of 140 bytes it takes two thirds of the time that EVP_MAC does, and
 * every verified request makes one. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "crypto/digest.h"

#include <openssl/sha.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/library.h"
#include "base/secret.h"

enum { BLOCK_BYTES = 64 };

struct digest_library {
#define DIGEST(name) __typeof__(name) *name;
#include "crypto/digest.def"
#undef DIGEST
};

struct digest {
    struct digest_library ssl;
    SHA256_CTX inner; /* after the key's first block, and its last one */
    SHA256_CTX outer;
};

static struct error *load(struct arena *arena, struct digest_library *ssl) {
    const struct library_symbol symbols[] = {
#define DIGEST(name) {#name, &ssl->name},
#include "crypto/digest.def"
#undef DIGEST
    };
    return library_load(arena, GRAMME_CRYPTO_LIBRARY, symbols,
                        sizeof(symbols) / sizeof(symbols[0]));
}

struct error *digest_new(struct arena *arena, struct digest **ret_digest) {
    struct digest_library ssl;
    TRY(load(arena, &ssl));
    struct digest *digest = calloc(1, sizeof(*digest));
    CHECK(digest != NULL);
    digest->ssl = ssl;
    digest_set_key(digest, SLICE_LITERAL(""));
    *ret_digest = digest;
    return NULL;
}

void digest_free(struct digest *digest) {
    if (digest == NULL)
        return;
    secret_wipe(digest, sizeof(*digest));
    free(digest);
}

static void finish(const struct digest *digest, SHA256_CTX *state, struct slice bytes,
                   uint8_t ret_hash[SHA256_BYTES]) {
    CHECK(digest->ssl.SHA256_Update(state, bytes.data, bytes.len) == 1 &&
          digest->ssl.SHA256_Final(ret_hash, state) == 1);
}

void digest_sha256(struct digest *digest, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]) {
    SHA256_CTX state;
    CHECK(digest->ssl.SHA256_Init(&state) == 1);
    finish(digest, &state, bytes, ret_hash);
}

static void begin(const struct digest *digest, const uint8_t key[BLOCK_BYTES], uint8_t pad,
                  SHA256_CTX *ret_state) {
    uint8_t block[BLOCK_BYTES];
    for (size_t i = 0; i < BLOCK_BYTES; i++)
        block[i] = key[i] ^ pad;
    CHECK(digest->ssl.SHA256_Init(ret_state) == 1 &&
          digest->ssl.SHA256_Update(ret_state, block, sizeof(block)) == 1);
    secret_wipe(block, sizeof(block));
}

void digest_set_key(struct digest *digest, struct slice key) {
    uint8_t block[BLOCK_BYTES] = {0};
    if (key.len > BLOCK_BYTES)
        digest_sha256(digest, key, block);
    else
        memcpy(block, key.data, key.len);
    begin(digest, block, 0x36, &digest->inner);
    begin(digest, block, 0x5c, &digest->outer);
    secret_wipe(block, sizeof(block));
}

void digest_hmac(struct digest *digest, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]) {
    SHA256_CTX state = digest->inner;
    finish(digest, &state, bytes, ret_hash);
    state = digest->outer;
    finish(digest, &state, slice_of(ret_hash, SHA256_BYTES), ret_hash);
}
