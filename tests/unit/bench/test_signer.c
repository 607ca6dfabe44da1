/* test_signer.c - hashes of the standards, and signatures that botocore makes of the same requests.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/signer.h"

enum { SECOND = 1440938160 }; /* 20150830T123600Z */

static void assert_hash(const uint8_t hash[SHA256_BYTES], const char *expected) {
    char hex[SHA256_HEX + 1] = {0};
    hex_write(hex, hash, SHA256_BYTES);
    assert_string_equal(hex, expected);
}

static void hashes_of_the_standards(void **state) {
    (void)state;
    struct arena arena;
    struct crypto *crypto;
    uint8_t hash[SHA256_BYTES];
    arena_init(&arena);
    assert_null(crypto_new(&arena, &crypto));
    for (int i = 0; i < 2; i++) { /* the contexts are used again */
        crypto_sha256(crypto, SLICE_LITERAL("abc"), hash);
        assert_hash(hash, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        crypto_sha256(crypto, SLICE_LITERAL(""), hash);
        assert_hash(hash, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        /* RFC 4231, test case 2 */
        crypto_set_key(crypto, SLICE_LITERAL("Jefe"));
        for (int k = 0; k < 2; k++) {
            crypto_hmac(crypto, SLICE_LITERAL("what do ya want for nothing?"), hash);
            assert_hash(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
        }
    }
    crypto_free(crypto);
    crypto_free(NULL);
    arena_release(&arena);
}

struct signing {
    struct arena arena;
    struct key_space keys;
    struct credentials credentials;
    struct request *request;
    struct signer signer;
    struct filler filler;
};

static void begin(struct signing *signing, const char *token, bool is_signed) {
    arena_init(&signing->arena);
    key_space_init(&signing->keys, KEYS_SEQUENTIAL, 1000);
    signing->credentials = (struct credentials){
        "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token, "eu-central-1"};
    struct request_settings settings = {.host = "example.com:8000",
                                        .credentials = &signing->credentials,
                                        .is_signed = is_signed,
                                        .group = 1};
    struct request_text text = {"GetItem", "{\"TableName\":\"t\",\"Key\":{\"pk\":{\"S\":\"%k\"}}}"};
    assert_null(request_build(&signing->arena, &text, &settings, &signing->request));
    assert_null(signer_init(&signing->signer, &signing->arena, &signing->credentials));
    signing->filler =
        (struct filler){.keys = &signing->keys, .random = bench_random_seeded(1), .group = 1};
}

static void end(struct signing *signing) {
    signer_release(&signing->signer);
    arena_release(&signing->arena);
}

static void sign(struct signing *signing, uint64_t key, int64_t second) {
    struct key_state state = {.key = key};
    request_fill(signing->request, &signing->filler, &state);
    signer_sign(&signing->signer, signing->request, second);
}

static void assert_in_head(const struct signing *signing, const char *text) {
    assert_non_null(
        memmem(signing->request->bytes, signing->request->head_len, text, strlen(text)));
}

static void signatures_are_those_of_botocore(void **state) {
    (void)state;
    struct signing signing;
    begin(&signing, NULL, true);
    sign(&signing, 7, SECOND);
    assert_in_head(&signing, "\r\nX-Amz-Date: 20150830T123600Z\r\n");
    assert_in_head(
        &signing, "\r\nAuthorization: AWS4-HMAC-SHA256 "
                  "Credential=AKIDEXAMPLE/20150830/eu-central-1/dynamodb/aws4_request, "
                  "SignedHeaders=content-type;host;x-amz-date;x-amz-target, "
                  "Signature=ce5b28135c1ffc00c7c02a4e3db7ee21ad529428ab788eeb7b63d63811eec173\r\n");
    end(&signing);
}

static void a_session_token_is_signed_too(void **state) {
    (void)state;
    struct signing signing;
    begin(&signing, "tok/en==", true);
    sign(&signing, 7, SECOND);
    assert_in_head(&signing, "\r\nX-Amz-Security-Token: tok/en==\r\n");
    assert_in_head(
        &signing, "SignedHeaders=content-type;host;x-amz-date;x-amz-security-token;x-amz-target, "
                  "Signature=c2dab582c82477361044148b8dd909bd47857ef82e9521760c6efe3f0e2e8fd7\r\n");
    end(&signing);
}

/* Other keys, another second, another day: each changes the signature, and going back gives the
 * first one again. */
static void signatures_follow_body_and_time(void **state) {
    (void)state;
    struct signing signing;
    char first[SHA256_HEX], other[3][SHA256_HEX];
    begin(&signing, NULL, true);
    const char *signature = signing.request->bytes + signing.request->signature_at;
    sign(&signing, 7, SECOND);
    memcpy(first, signature, SHA256_HEX);
    sign(&signing, 8, SECOND);
    memcpy(other[0], signature, SHA256_HEX);
    sign(&signing, 7, SECOND + 1);
    memcpy(other[1], signature, SHA256_HEX);
    sign(&signing, 7, SECOND + 86400);
    assert_in_head(&signing, "Credential=AKIDEXAMPLE/20150831/eu-central-1/");
    memcpy(other[2], signature, SHA256_HEX);
    for (int i = 0; i < 3; i++)
        assert_memory_not_equal(first, other[i], SHA256_HEX);
    sign(&signing, 7, SECOND);
    assert_memory_equal(first, signature, SHA256_HEX);
    end(&signing);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_the_standards),
        cmocka_unit_test(signatures_are_those_of_botocore),
        cmocka_unit_test(a_session_token_is_signed_too),
        cmocka_unit_test(signatures_follow_body_and_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
