/* digest.c - see digest.h. A call of OpenSSL that fails here is short of memory or a bug. */
#include "crypto/digest.h"

#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/library.h"

struct digest_library {
#define DIGEST(name) __typeof__(name) *name;
#include "crypto/digest.def"
#undef DIGEST
};

struct digest {
    struct digest_library ssl;
    EVP_MD *sha256;
    EVP_MD_CTX *hash;
    EVP_MAC *hmac;
    EVP_MAC_CTX *mac;
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
    digest->sha256 = ssl.EVP_MD_fetch(NULL, "SHA256", NULL);
    digest->hash = ssl.EVP_MD_CTX_new();
    digest->hmac = ssl.EVP_MAC_fetch(NULL, "HMAC", NULL);
    if (digest->sha256 == NULL || digest->hash == NULL || digest->hmac == NULL) {
        digest_free(digest);
        return error_local(arena, "OpenSSL here has no HMAC of SHA-256");
    }
    digest->mac = ssl.EVP_MAC_CTX_new(digest->hmac);
    CHECK(digest->mac != NULL);
    *ret_digest = digest;
    return NULL;
}

void digest_free(struct digest *digest) {
    if (digest == NULL)
        return;
    digest->ssl.EVP_MAC_CTX_free(digest->mac);
    digest->ssl.EVP_MAC_free(digest->hmac);
    digest->ssl.EVP_MD_CTX_free(digest->hash);
    digest->ssl.EVP_MD_free(digest->sha256);
    free(digest);
}

void digest_sha256(struct digest *digest, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]) {
    unsigned size = SHA256_BYTES;
    CHECK(digest->ssl.EVP_DigestInit_ex2(digest->hash, digest->sha256, NULL) == 1 &&
          digest->ssl.EVP_DigestUpdate(digest->hash, bytes.data, bytes.len) == 1 &&
          digest->ssl.EVP_DigestFinal_ex(digest->hash, ret_hash, &size) == 1);
}

void digest_set_key(struct digest *digest, struct slice key) {
    char name[] = "SHA256";
    OSSL_PARAM parameters[] = {digest->ssl.OSSL_PARAM_construct_utf8_string("digest", name, 0),
                               digest->ssl.OSSL_PARAM_construct_end()};
    CHECK(digest->ssl.EVP_MAC_init(digest->mac, key.data, key.len, parameters) == 1);
}

void digest_hmac(struct digest *digest, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]) {
    size_t size = 0;
    /* Without a key it starts again with the last one. */
    CHECK(digest->ssl.EVP_MAC_init(digest->mac, NULL, 0, NULL) == 1 &&
          digest->ssl.EVP_MAC_update(digest->mac, bytes.data, bytes.len) == 1 &&
          digest->ssl.EVP_MAC_final(digest->mac, ret_hash, &size, SHA256_BYTES) == 1);
}
