/* crypto.c - see crypto.h. A call of OpenSSL that fails here is short of memory or a bug. */
#include "bench/crypto.h"

#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/library.h"

struct crypto_library {
#define CRYPTO(name) __typeof__(name) *name;
#include "bench/crypto.def"
#undef CRYPTO
};

struct crypto {
    struct crypto_library ssl;
    EVP_MD *sha256;
    EVP_MD_CTX *digest;
    EVP_MAC *hmac;
    EVP_MAC_CTX *mac;
};

static struct error *load(struct arena *arena, struct crypto_library *ssl) {
    const struct library_symbol symbols[] = {
#define CRYPTO(name) {#name, &ssl->name},
#include "bench/crypto.def"
#undef CRYPTO
    };
    return library_load(arena, GRAMME_CRYPTO_LIBRARY, symbols,
                        sizeof(symbols) / sizeof(symbols[0]));
}

struct error *crypto_new(struct arena *arena, struct crypto **ret_crypto) {
    struct crypto_library ssl;
    TRY(load(arena, &ssl));
    struct crypto *crypto = calloc(1, sizeof(*crypto));
    CHECK(crypto != NULL);
    crypto->ssl = ssl;
    crypto->sha256 = ssl.EVP_MD_fetch(NULL, "SHA256", NULL);
    crypto->digest = ssl.EVP_MD_CTX_new();
    crypto->hmac = ssl.EVP_MAC_fetch(NULL, "HMAC", NULL);
    if (crypto->sha256 == NULL || crypto->digest == NULL || crypto->hmac == NULL) {
        crypto_free(crypto);
        return error_new(arena, ERROR_INTERNAL_SERVER_ERROR, "OpenSSL here has no HMAC of SHA-256");
    }
    crypto->mac = ssl.EVP_MAC_CTX_new(crypto->hmac);
    CHECK(crypto->mac != NULL);
    *ret_crypto = crypto;
    return NULL;
}

void crypto_free(struct crypto *crypto) {
    if (crypto == NULL)
        return;
    crypto->ssl.EVP_MAC_CTX_free(crypto->mac);
    crypto->ssl.EVP_MAC_free(crypto->hmac);
    crypto->ssl.EVP_MD_CTX_free(crypto->digest);
    crypto->ssl.EVP_MD_free(crypto->sha256);
    free(crypto);
}

void crypto_sha256(struct crypto *crypto, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]) {
    unsigned size = SHA256_BYTES;
    CHECK(crypto->ssl.EVP_DigestInit_ex2(crypto->digest, crypto->sha256, NULL) == 1 &&
          crypto->ssl.EVP_DigestUpdate(crypto->digest, bytes.data, bytes.len) == 1 &&
          crypto->ssl.EVP_DigestFinal_ex(crypto->digest, ret_hash, &size) == 1);
}

void crypto_set_key(struct crypto *crypto, struct slice key) {
    char name[] = "SHA256";
    OSSL_PARAM parameters[] = {crypto->ssl.OSSL_PARAM_construct_utf8_string("digest", name, 0),
                               crypto->ssl.OSSL_PARAM_construct_end()};
    CHECK(crypto->ssl.EVP_MAC_init(crypto->mac, key.data, key.len, parameters) == 1);
}

void crypto_hmac(struct crypto *crypto, struct slice bytes, uint8_t ret_hash[SHA256_BYTES]) {
    size_t size = 0;
    /* Without a key it starts again with the last one. */
    CHECK(crypto->ssl.EVP_MAC_init(crypto->mac, NULL, 0, NULL) == 1 &&
          crypto->ssl.EVP_MAC_update(crypto->mac, bytes.data, bytes.len) == 1 &&
          crypto->ssl.EVP_MAC_final(crypto->mac, ret_hash, &size, SHA256_BYTES) == 1);
}

void hex_write(char *ret_text, const uint8_t *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < count; i++) {
        *ret_text++ = digits[bytes[i] >> 4];
        *ret_text++ = digits[bytes[i] & 0x0f];
    }
}
