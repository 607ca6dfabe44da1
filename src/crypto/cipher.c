/* cipher.c - see cipher.h. A call of OpenSSL that fails here, other than the check of a tag, is
 * short of memory or a bug. */
#include "crypto/cipher.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/library.h"
#include "base/random.h"

enum { BLOCK = 16, CTR_IDLE_MAX = 4, STEP_MAX = 1 << 30 };

/* Loaded once, and for good. */
static struct cipher_library {
#define CIPHER(name) __typeof__(name) *name;
#include "crypto/cipher.def"
#undef CIPHER
    EVP_CIPHER *gcm;
    EVP_CIPHER *ctr;
} ssl;

static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool loaded;

static struct error *load_now(struct arena *arena) {
    static const struct library_symbol symbols[] = {
#define CIPHER(name) {#name, &ssl.name},
#include "crypto/cipher.def"
#undef CIPHER
    };
    TRY(library_load(arena, GRAMME_CRYPTO_LIBRARY, symbols, sizeof(symbols) / sizeof(symbols[0])));
    ssl.gcm = ssl.EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    ssl.ctr = ssl.EVP_CIPHER_fetch(NULL, "AES-256-CTR", NULL);
    if (ssl.gcm != NULL && ssl.ctr != NULL)
        return NULL;
    ssl.EVP_CIPHER_free(ssl.gcm);
    ssl.EVP_CIPHER_free(ssl.ctr);
    return error_local(arena, "OpenSSL here has no AES-256");
}

static struct error *load(struct arena *arena) {
    struct error *error = NULL;
    pthread_mutex_lock(&load_lock);
    if (!loaded)
        error = load_now(arena);
    loaded = error == NULL;
    pthread_mutex_unlock(&load_lock);
    return error;
}

static EVP_CIPHER_CTX *context_new(const EVP_CIPHER *cipher, const uint8_t *key) {
    EVP_CIPHER_CTX *context = ssl.EVP_CIPHER_CTX_new();
    CHECK(context != NULL && ssl.EVP_EncryptInit_ex2(context, cipher, key, NULL, NULL) == 1);
    return context;
}

/* ---- seals ---- */

struct seal {
    pthread_mutex_t lock;
    EVP_CIPHER_CTX *context;
};

struct error *seal_new(struct arena *arena, const uint8_t key[CIPHER_KEY_BYTES],
                       struct seal **ret_seal) {
    TRY(load(arena));
    struct seal *seal = calloc(1, sizeof(*seal));
    CHECK(seal != NULL && pthread_mutex_init(&seal->lock, NULL) == 0);
    seal->context = context_new(ssl.gcm, key);
    *ret_seal = seal;
    return NULL;
}

void seal_free(struct seal *seal) {
    if (seal == NULL)
        return;
    ssl.EVP_CIPHER_CTX_free(seal->context);
    pthread_mutex_destroy(&seal->lock);
    free(seal);
}

static void close_with(struct seal *seal, const uint8_t *nonce, struct slice context,
                       struct slice plain, uint8_t *ret_bytes, uint8_t *ret_tag) {
    int len;
    CHECK(plain.len <= STEP_MAX && context.len <= STEP_MAX);
    pthread_mutex_lock(&seal->lock);
    EVP_CIPHER_CTX *ctx = seal->context;
    CHECK(ssl.EVP_EncryptInit_ex2(ctx, NULL, NULL, nonce, NULL) == 1 &&
          ssl.EVP_EncryptUpdate(ctx, NULL, &len, context.data, (int)context.len) == 1 &&
          ssl.EVP_EncryptUpdate(ctx, ret_bytes, &len, plain.data, (int)plain.len) == 1 &&
          ssl.EVP_EncryptFinal_ex(ctx, ret_bytes + plain.len, &len) == 1 &&
          ssl.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, SEAL_TAG_BYTES, ret_tag) == 1);
    pthread_mutex_unlock(&seal->lock);
}

/* The tag is behind the bytes. */
static bool open_with(struct seal *seal, const uint8_t *nonce, struct slice context,
                      struct slice bytes, uint8_t *ret_plain) {
    uint8_t tag[SEAL_TAG_BYTES];
    int len;
    if (bytes.len < SEAL_TAG_BYTES || bytes.len > STEP_MAX)
        return false;
    size_t plain_len = bytes.len - SEAL_TAG_BYTES;
    memcpy(tag, bytes.data + plain_len, SEAL_TAG_BYTES);
    pthread_mutex_lock(&seal->lock);
    EVP_CIPHER_CTX *ctx = seal->context;
    CHECK(ssl.EVP_DecryptInit_ex2(ctx, NULL, NULL, nonce, NULL) == 1 &&
          ssl.EVP_DecryptUpdate(ctx, NULL, &len, context.data, (int)context.len) == 1 &&
          ssl.EVP_DecryptUpdate(ctx, ret_plain, &len, bytes.data, (int)plain_len) == 1 &&
          ssl.EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, SEAL_TAG_BYTES, tag) == 1);
    bool whole = ssl.EVP_DecryptFinal_ex(ctx, ret_plain + plain_len, &len) == 1;
    pthread_mutex_unlock(&seal->lock);
    return whole;
}

void seal_close(struct seal *seal, struct slice context, struct slice plain, uint8_t *ret_sealed) {
    uint8_t *bytes = ret_sealed + SEAL_NONCE_BYTES;
    random_fill(&system_random, ret_sealed, SEAL_NONCE_BYTES);
    close_with(seal, ret_sealed, context, plain, bytes, bytes + plain.len);
}

bool seal_open(struct seal *seal, struct slice context, struct slice sealed, uint8_t *ret_plain) {
    return sealed.len >= SEAL_BYTES &&
           open_with(seal, sealed.data, context, slice_skip(sealed, SEAL_NONCE_BYTES), ret_plain);
}

static void frame_nonce(uint64_t number, uint8_t nonce[static SEAL_NONCE_BYTES]) {
    memset(nonce, 0, SEAL_NONCE_BYTES);
    store_u64_be(nonce + SEAL_NONCE_BYTES - sizeof(number), number);
}

void seal_close_frame(struct seal *seal, uint64_t number, struct slice context, struct slice plain,
                      uint8_t *ret_frame) {
    uint8_t nonce[SEAL_NONCE_BYTES];
    frame_nonce(number, nonce);
    close_with(seal, nonce, context, plain, ret_frame, ret_frame + plain.len);
}

bool seal_open_frame(struct seal *seal, uint64_t number, struct slice context, struct slice frame,
                     uint8_t *ret_plain) {
    uint8_t nonce[SEAL_NONCE_BYTES];
    frame_nonce(number, nonce);
    return open_with(seal, nonce, context, frame, ret_plain);
}

/* ---- files ---- */

/* Contexts that nobody uses at the moment; who finds none makes one. */
struct ctr {
    uint8_t key[CIPHER_KEY_BYTES];
    _Atomic(EVP_CIPHER_CTX *) idle[CTR_IDLE_MAX];
};

struct error *ctr_new(struct arena *arena, const uint8_t key[CIPHER_KEY_BYTES],
                      struct ctr **ret_ctr) {
    TRY(load(arena));
    struct ctr *ctr = calloc(1, sizeof(*ctr));
    CHECK(ctr != NULL);
    memcpy(ctr->key, key, CIPHER_KEY_BYTES);
    atomic_init(&ctr->idle[0], context_new(ssl.ctr, key));
    *ret_ctr = ctr;
    return NULL;
}

void ctr_free(struct ctr *ctr) {
    if (ctr == NULL)
        return;
    for (size_t i = 0; i < CTR_IDLE_MAX; i++)
        ssl.EVP_CIPHER_CTX_free(atomic_load(&ctr->idle[i]));
    explicit_bzero(ctr, sizeof(*ctr));
    free(ctr);
}

static EVP_CIPHER_CTX *take_context(struct ctr *ctr) {
    for (size_t i = 0; i < CTR_IDLE_MAX; i++) {
        if (atomic_load_explicit(&ctr->idle[i], memory_order_relaxed) == NULL)
            continue;
        EVP_CIPHER_CTX *context = atomic_exchange(&ctr->idle[i], NULL);
        if (context != NULL)
            return context;
    }
    return context_new(ssl.ctr, ctr->key);
}

static void give_back(struct ctr *ctr, EVP_CIPHER_CTX *context) {
    for (size_t i = 0; i < CTR_IDLE_MAX; i++) {
        EVP_CIPHER_CTX *nobody = NULL;
        if (atomic_compare_exchange_strong(&ctr->idle[i], &nobody, context))
            return;
    }
    ssl.EVP_CIPHER_CTX_free(context);
}

/* The counter is the number of the block in the file: the key is this file's alone. */
void ctr_apply(struct ctr *ctr, uint64_t offset, const void *from, void *to, size_t len) {
    uint8_t counter[BLOCK] = {0}, before[BLOCK] = {0};
    int done;
    EVP_CIPHER_CTX *context = take_context(ctr);
    store_u64_be(counter + BLOCK - sizeof(offset), offset / BLOCK);
    CHECK(ssl.EVP_EncryptInit_ex2(context, NULL, NULL, counter, NULL) == 1);
    /* What comes before the offset in its block is passed over. */
    if (offset % BLOCK != 0)
        CHECK(ssl.EVP_EncryptUpdate(context, before, &done, before, (int)(offset % BLOCK)) == 1);
    for (size_t at = 0; at < len; at += (size_t)done) {
        size_t step = len - at < STEP_MAX ? len - at : STEP_MAX;
        CHECK(ssl.EVP_EncryptUpdate(context, (uint8_t *)to + at, &done, (const uint8_t *)from + at,
                                    (int)step) == 1 &&
              done > 0);
    }
    explicit_bzero(before, sizeof(before));
    give_back(ctr, context);
}
