/* test_signing.c - signatures that botocore makes of the same requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bench/request.h"

enum { SECOND = 1440938160 }; /* 20150830T123600Z */

struct signing {
    struct arena arena;
    struct key_space keys;
    struct credentials credentials;
    struct request *request;
    struct signer signer;
    struct filler filler;
};

static void begin(struct signing *signing, const char *token) {
    arena_init(&signing->arena);
    key_space_init(&signing->keys, KEYS_SEQUENTIAL, 1000);
    signing->credentials = (struct credentials){
        "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token, "eu-central-1", NULL};
    struct request_settings settings = {
        .host = "example.com:8000", .credentials = &signing->credentials, .group = 1};
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
    request_sign(signing->request, &signing->signer, second);
}

static void assert_in_head(const struct signing *signing, const char *text) {
    assert_non_null(
        memmem(signing->request->bytes, signing->request->head_len, text, strlen(text)));
}

static void signatures_are_those_of_botocore(void **state) {
    (void)state;
    struct signing signing;
    begin(&signing, NULL);
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
    begin(&signing, "tok/en==");
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
    begin(&signing, NULL);
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
        cmocka_unit_test(signatures_are_those_of_botocore),
        cmocka_unit_test(a_session_token_is_signed_too),
        cmocka_unit_test(signatures_follow_body_and_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
