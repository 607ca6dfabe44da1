/* file_cipher.c - see file_cipher.h. Memory: a file's key is malloc'ed and its owner's. */
#include "store/rocksdb/file_cipher.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/random.h"
#include "crypto/keyring.h"

#define MAGIC "gramme file\n"
#define PURPOSE "gramme files"

enum {
    FORMAT = 1,
    FORMAT_AT = sizeof(MAGIC) - 1,
    KEY_AT = FORMAT_AT + 4,
    SEALED_BYTES = CIPHER_KEY_BYTES + SEAL_BYTES,
};

struct file_cipher {
    struct seal *seal;
};

struct error *file_cipher_new(struct arena *arena, const struct keyring *keyring,
                              struct file_cipher **ret_cipher) {
    struct seal *seal = NULL;
    TRY(keyring_seal(arena, keyring, PURPOSE, &seal));
    struct file_cipher *cipher = malloc(sizeof(*cipher));
    CHECK(cipher != NULL);
    cipher->seal = seal;
    *ret_cipher = cipher;
    return NULL;
}

void file_cipher_free(struct file_cipher *cipher) {
    if (cipher == NULL)
        return;
    seal_free(cipher->seal);
    free(cipher);
}

/* OpenSSL is loaded, so there is nothing to fail. */
static struct ctr *key_of(uint8_t key[static CIPHER_KEY_BYTES]) {
    struct ctr *ctr = NULL;
    struct arena arena;
    arena_init(&arena);
    CHECK(ctr_new(&arena, key, &ctr) == NULL);
    explicit_bzero(key, CIPHER_KEY_BYTES);
    return ctr;
}

static struct ctr *create(struct file_cipher *cipher, uint8_t *ret_header) {
    uint8_t key[CIPHER_KEY_BYTES];
    random_fill(&system_random, key, sizeof(key));
    memset(ret_header, 0, FILE_HEADER_BYTES);
    memcpy(ret_header, MAGIC, FORMAT_AT);
    store_u32(ret_header + FORMAT_AT, FORMAT);
    seal_close(cipher->seal, slice_of(ret_header, KEY_AT), slice_of(key, sizeof(key)),
               ret_header + KEY_AT);
    return key_of(key);
}

static bool is_zero(const uint8_t *bytes, size_t len) {
    uint8_t any = 0;
    for (size_t i = 0; i < len; i++)
        any |= bytes[i];
    return any == 0;
}

static enum file_state open_header(struct file_cipher *cipher, const uint8_t *header, size_t len,
                                   struct ctr **ret_key) {
    uint8_t key[CIPHER_KEY_BYTES];
    size_t begun = len < FORMAT_AT ? len : FORMAT_AT;
    bool ours = memcmp(header, MAGIC, begun) == 0, zero = is_zero(header, len);
    if (zero || (ours && len < FILE_HEADER_BYTES))
        return FILE_EMPTY;
    if (!ours || load_u32(header + FORMAT_AT) != FORMAT ||
        !seal_open(cipher->seal, slice_of(header, KEY_AT), slice_of(header + KEY_AT, SEALED_BYTES),
                   key))
        return FILE_FOREIGN;
    *ret_key = key_of(key);
    return FILE_KEYED;
}

const struct file_cipher_calls file_cipher_calls = {
    .create = create,
    .open = open_header,
    .apply = ctr_apply,
    .release = ctr_free,
};
