/* test_digest.c - hashes of the standards. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "crypto/digest.h"

static void assert_hash(const uint8_t hash[SHA256_BYTES], const char *expected) {
    char hex[SHA256_HEX + 1] = {0};
    hex_print(hash, SHA256_BYTES, hex);
    assert_string_equal(hex, expected);
}

static void hashes_of_the_standards(void **state) {
    (void)state;
    struct arena arena;
    struct digest *digest;
    uint8_t hash[SHA256_BYTES];
    arena_init(&arena);
    assert_null(digest_new(&arena, &digest));
    for (int i = 0; i < 2; i++) { /* the contexts are used again */
        digest_sha256(digest, SLICE_LITERAL("abc"), hash);
        assert_hash(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        digest_sha256(digest, SLICE_LITERAL(""), hash);
        assert_hash(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        /* RFC 4231, test case 2 */
        digest_set_key(digest, SLICE_LITERAL("Jefe"));
        for (int k = 0; k < 2; k++) {
            digest_hmac(digest, SLICE_LITERAL("what do ya want for nothing?"), hash);
            assert_hash(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        }
    }
    digest_free(digest);
    digest_free(NULL);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hashes_of_the_standards)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
