/* keyring.c - see keyring.h. */
#include "crypto/keyring.h"

#include "base/check.h"
#include "base/random.h"
#include "crypto/digest.h"
#include "crypto/secret.h"

enum { PURPOSE_MAX = 64 };

struct keyring {
    uint8_t key[CIPHER_KEY_BYTES];
};

struct keyring *keyring_new(const uint8_t key[CIPHER_KEY_BYTES]) {
    struct keyring *keyring = secret_new(sizeof(*keyring));
    memcpy(keyring->key, key, CIPHER_KEY_BYTES);
    return keyring;
}

struct keyring *keyring_new_random(void) {
    struct keyring *keyring = secret_new(sizeof(*keyring));
    random_fill(&system_random, keyring->key, CIPHER_KEY_BYTES);
    return keyring;
}

void keyring_free(struct keyring *keyring) {
    secret_free(keyring, sizeof(*keyring));
}

struct slice keyring_key(const struct keyring *keyring) {
    return slice_of(keyring->key, CIPHER_KEY_BYTES);
}

/* One block of HMAC is as long as a key, so there is one round of the expansion. */
struct error *keyring_derive(struct arena *arena, const struct keyring *keyring,
                             const char *purpose, uint8_t ret_key[CIPHER_KEY_BYTES]) {
    uint8_t info[PURPOSE_MAX + 1];
    size_t len = strlen(purpose);
    struct digest *digest = NULL;
    CHECK(len <= PURPOSE_MAX);
    memcpy(info, purpose, len);
    info[len] = 1;
    TRY(digest_new(arena, &digest));
    digest_set_key(digest, keyring_key(keyring));
    digest_hmac(digest, slice_of(info, len + 1), ret_key);
    digest_free(digest);
    return NULL;
}

struct error *keyring_seal(struct arena *arena, const struct keyring *keyring, const char *purpose,
                           struct seal **ret_seal) {
    uint8_t key[CIPHER_KEY_BYTES];
    TRY(keyring_derive(arena, keyring, purpose, key));
    struct error *error = seal_new(arena, key, ret_seal);
    explicit_bzero(key, sizeof(key));
    return error;
}
