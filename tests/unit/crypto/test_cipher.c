/* test_cipher.c - AES-256 against vectors of the standards, and what must not open. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "base/check.h"
#include "crypto/keyring.h"
#include "crypto/secret.h"

static void hex_read(const char *text, uint8_t *bytes) {
    for (; *text != '\0'; text += 2) {
        char digits[3] = {text[0], text[1], '\0'};
        *bytes++ = (uint8_t)strtoul(digits, NULL, 16);
    }
}

static void assert_hex(const uint8_t *bytes, size_t size, const char *expected) {
    char hex[300] = {0};
    hex_print(bytes, size, hex);
    assert_string_equal(hex, expected);
}

/* ---- seals ---- */

/* McGrew and Viega's test case 14, whose nonce is zero as that of the first frame is. */
static void a_frame_of_the_standard(void **state) {
    (void)state;
    struct arena arena;
    struct seal *seal;
    const uint8_t key[CIPHER_KEY_BYTES] = {0}, plain[16] = {0};
    uint8_t frame[16 + SEAL_TAG_BYTES], again[16];
    arena_init(&arena);
    assert_null(seal_new(&arena, key, &seal));
    for (int i = 0; i < 2; i++) { /* the context is used again, in both directions */
        seal_close_frame(seal, 0, slice_of("", 0), slice_of(plain, 16), frame);
        assert_hex(frame, sizeof(frame),
                   "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919");
        memset(again, 1, sizeof(again));
        assert_true(
            seal_open_frame(seal, 0, slice_of("", 0), slice_of(frame, sizeof(frame)), again));
        assert_memory_equal(again, plain, 16);
        assert_false(
            seal_open_frame(seal, 1, slice_of("", 0), slice_of(frame, sizeof(frame)), again));
    }
    seal_free(seal);
    seal_free(NULL);
    arena_release(&arena);
}

static bool opens(struct seal *seal, const char *context, struct slice sealed) {
    uint8_t plain[100];
    return seal_open(seal, slice_text(context), sealed, plain);
}

static void a_changed_seal_does_not_open(void **state) {
    (void)state;
    struct arena arena;
    struct seal *seal, *other;
    uint8_t key[CIPHER_KEY_BYTES] = {1}, sealed[6 + SEAL_BYTES], second[6 + SEAL_BYTES], plain[6];
    struct slice whole = slice_of(sealed, sizeof(sealed));
    arena_init(&arena);
    assert_null(seal_new(&arena, key, &seal));
    key[31] ^= 0x80;
    assert_null(seal_new(&arena, key, &other));
    seal_close(seal, SLICE_LITERAL("here"), SLICE_LITERAL("secret"), sealed);
    seal_close(seal, SLICE_LITERAL("here"), SLICE_LITERAL("secret"), second);
    assert_memory_not_equal(sealed, second, sizeof(sealed));
    assert_true(seal_open(seal, SLICE_LITERAL("here"), whole, plain));
    assert_memory_equal(plain, "secret", 6);
    assert_false(opens(other, "here", whole));
    assert_false(opens(seal, "there", whole));
    for (size_t len = 0; len < sizeof(sealed); len++)
        assert_false(opens(seal, "here", slice_of(sealed, len)));
    for (size_t bit = 0; bit < 8 * sizeof(sealed); bit++) {
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_false(opens(seal, "here", whole));
        sealed[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_true(opens(seal, "here", whole));
    seal_close(seal, SLICE_LITERAL(""), SLICE_LITERAL(""), sealed); /* nothing at all */
    assert_true(opens(seal, "", slice_of(sealed, SEAL_BYTES)));
    seal_free(seal);
    seal_free(other);
    arena_release(&arena);
}

/* ---- files ---- */

static struct ctr *standard_ctr(struct arena *arena) {
    uint8_t key[CIPHER_KEY_BYTES];
    struct ctr *ctr;
    hex_read("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4", key);
    assert_null(ctr_new(arena, key, &ctr));
    return ctr;
}

/* The blocks of NIST SP 800-38A begin with a counter that no file reaches, so these are by another
 * program (openssl enc): the counter is the number of the block. */
static void bytes_of_another_implementation(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct ctr *ctr = standard_ctr(&arena);
    uint8_t bytes[20] = {0};
    ctr_apply(ctr, 0, bytes, bytes, sizeof(bytes));
    assert_hex(bytes, sizeof(bytes), "e568f68194cf76d6174d4cc04310a85491151e5d");
    memset(bytes, 0, sizeof(bytes));
    ctr_apply(ctr, UINT64_C(0x123456789a), bytes, bytes, sizeof(bytes));
    assert_hex(bytes, sizeof(bytes), "7a1a71490e63822b493085d6b071943db8f3050c");
    ctr_free(ctr);
    ctr_free(NULL);
    arena_release(&arena);
}

enum { FILE_BYTES = 1000 };

static void any_part_is_the_same_as_the_whole(void **state) {
    (void)state;
    struct arena arena;
    static uint8_t plain[FILE_BYTES], whole[FILE_BYTES], part[FILE_BYTES];
    arena_init(&arena);
    struct ctr *ctr = standard_ctr(&arena);
    for (size_t i = 0; i < FILE_BYTES; i++)
        plain[i] = (uint8_t)(i * 7);
    ctr_apply(ctr, 0, plain, whole, FILE_BYTES);
    assert_memory_not_equal(plain, whole, FILE_BYTES);
    for (size_t from = 0; from < 70; from++)
        for (size_t len = 0; len < 70; len++) {
            ctr_apply(ctr, from, plain + from, part, len);
            assert_memory_equal(part, whole + from, len);
        }
    ctr_apply(ctr, 333, whole + 333, whole + 333, FILE_BYTES - 333);
    assert_memory_equal(whole + 333, plain + 333, FILE_BYTES - 333);
    ctr_free(ctr);
    arena_release(&arena);
}

static void *read_parts(void *argument) {
    struct ctr *ctr = argument;
    uint8_t expected[64] = {0}, bytes[64];
    ctr_apply(ctr, 0, expected, expected, sizeof(expected));
    for (size_t i = 0; i < 20000; i++) {
        size_t at = i % 64;
        memset(bytes, 0, sizeof(bytes));
        ctr_apply(ctr, at, bytes, bytes, sizeof(bytes) - at);
        CHECK(memcmp(bytes, expected + at, sizeof(bytes) - at) == 0);
    }
    return NULL;
}

/* More threads than contexts are kept. */
static void threads_share_one_file(void **state) {
    (void)state;
    struct arena arena;
    pthread_t threads[8];
    arena_init(&arena);
    struct ctr *ctr = standard_ctr(&arena);
    for (size_t i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, read_parts, ctr), 0);
    for (size_t i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
    ctr_free(ctr);
    arena_release(&arena);
}

/* ---- keys ---- */

/* RFC 5869, test case 1: its second stage, of which a key is the first 32 bytes. */
static void keys_are_derived_as_the_standard_says(void **state) {
    (void)state;
    struct arena arena;
    uint8_t key[CIPHER_KEY_BYTES], derived[CIPHER_KEY_BYTES];
    arena_init(&arena);
    hex_read("077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5", key);
    struct keyring *keyring = keyring_new(key);
    assert_null(
        keyring_derive(&arena, keyring, "\xf0\xf1\xf2\xf3\xf4\xf5\xf6\xf7\xf8\xf9", derived));
    assert_hex(derived, 32, "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
    keyring_free(keyring);
    keyring_free(NULL);
    arena_release(&arena);
}

static void purposes_are_apart(void **state) {
    (void)state;
    struct arena arena;
    struct seal *files, *secrets;
    uint8_t sealed[1 + SEAL_BYTES];
    arena_init(&arena);
    struct keyring *keyring = keyring_new_random(), *other = keyring_new_random();
    assert_memory_not_equal(keyring_key(keyring).data, keyring_key(other).data, CIPHER_KEY_BYTES);
    assert_null(keyring_seal(&arena, keyring, "files", &files));
    assert_null(keyring_seal(&arena, keyring, "secrets", &secrets));
    seal_close(files, SLICE_LITERAL(""), SLICE_LITERAL("x"), sealed);
    assert_true(opens(files, "", slice_of(sealed, sizeof(sealed))));
    assert_false(opens(secrets, "", slice_of(sealed, sizeof(sealed))));
    seal_free(files);
    seal_free(secrets);
    keyring_free(keyring);
    keyring_free(other);
    arena_release(&arena);
}

static void a_process_with_keys_writes_no_core_file(void **state) {
    (void)state;
    uint8_t *secret = secret_new(5000);
    assert_int_equal(secret[0] | secret[4999], 0);
    memset(secret, 1, 5000);
    secret_free(secret, 5000);
    secret_free(NULL, 5000);
    assert_int_equal(prctl(PR_GET_DUMPABLE), 1);
    secret_process();
    assert_int_equal(prctl(PR_GET_DUMPABLE), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_of_the_standard),
        cmocka_unit_test(a_changed_seal_does_not_open),
        cmocka_unit_test(bytes_of_another_implementation),
        cmocka_unit_test(any_part_is_the_same_as_the_whole),
        cmocka_unit_test(threads_share_one_file),
        cmocka_unit_test(keys_are_derived_as_the_standard_says),
        cmocka_unit_test(purposes_are_apart),
        cmocka_unit_test(a_process_with_keys_writes_no_core_file),
    };
    return cmocka_run_group_tests_name("cipher", tests, NULL, NULL);
}
