/* test_sigv4.c - the steps of Signature Version 4, on vectors that AWS published ("aws4_testsuite",
 * and the example of its manual) and on requests that botocore signed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "crypto/sigv4.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"

enum { HEADERS_MAX = 8 };

/* In the texts a line is a header. */
struct vector {
    const char *name;
    const char *method;
    const char *query;
    const char *headers;
    const char *body;
    const char *service;
    const char *date;
    const char *names; /* of the headers */
    const char *canonical_hash;
    const char *signature;
};

#define HOST "host:example.amazonaws.com\n"
#define DATE "x-amz-date:20150830T123600Z\n"
#define DYNAMODB(date, target) \
    "content-type:application/x-amz-json-1.0\nhost:localhost:8000\nx-amz-date:" date "\n" target

static const struct vector vectors[] = {
    {"get-vanilla", "GET", "", HOST DATE, "", "service", "20150830T123600Z", "host;x-amz-date",
     "bb579772317eb040ac9ed261061d46c1f17a8133879d6129b6e1c25292927e63",
     "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"},
    {"post-vanilla", "POST", "", HOST DATE, "", "service", "20150830T123600Z", "host;x-amz-date",
     "553f88c9e4d10fc9e109e2aeb65f030801b70c2f6468faca261d401ae622fc87",
     "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"},
    {"get-vanilla-query-order-key-case", "GET", "Param1=value1&Param2=value2", HOST DATE, "",
     "service", "20150830T123600Z", "host;x-amz-date",
     "816cd5b414d056048ba4f7c5386d6e0533120fb1fcfa93762cf0fc39e2cf19e0",
     "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"},
    {"get-header-key-duplicate", "GET", "",
     HOST "my-header1:value2\nmy-header1:value2\nmy-header1:value1\n" DATE, "", "service",
     "20150830T123600Z", "host;my-header1;x-amz-date",
     "dc7f04a3abfde8d472b0ab1a418b741b7c67174dad1551b4117b15527fbe966c",
     "c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"},
    {"get-header-value-trim", "GET", "",
     HOST "my-header1: value1\nmy-header2: \"a   b   c\"\n" DATE, "", "service", "20150830T123600Z",
     "host;my-header1;my-header2;x-amz-date",
     "a726db9b0df21c14f559d0a978e563112acb1b9e05476f0a6a1c7d68f28605c7",
     "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"},
    {"post-x-www-form-urlencoded", "POST", "",
     "content-type:application/x-www-form-urlencoded\n" HOST DATE, "Param1=value1", "service",
     "20150830T123600Z", "content-type;host;x-amz-date",
     "42a5e5bb34198acb3e84da4f085bb7927f2bc277ca766e6d19c73c2154021281",
     "ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"},
    {"the manual's", "GET", "Action=ListUsers&Version=2010-05-08",
     "content-type:application/x-www-form-urlencoded; charset=utf-8\n"
     "host:iam.amazonaws.com\n" DATE,
     "", "iam", "20150830T123600Z", "content-type;host;x-amz-date",
     "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59",
     "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7"},
    {"botocore's DescribeTable", "POST", "",
     DYNAMODB("20261115T120000Z", "x-amz-target:DynamoDB_20120810.DescribeTable\n"),
     "{\"TableName\":\"t\"}", "dynamodb", "20261115T120000Z",
     "content-type;host;x-amz-date;x-amz-target",
     "c3ccb7f8e566993ba81b15deb6e8f9a9fd32fc0ea57443898c88361f44873e6d",
     "2854ce3f8b3d673a5c78dc0c5d982f94e58fe9dcaef614fbf256a02ec78c2ece"},
    {"botocore's ListTables with a token", "POST", "",
     DYNAMODB("20261115T120000Z", "x-amz-security-token:SESSION/TOKEN=\n"
                                  "x-amz-target:DynamoDB_20120810.ListTables\nx-note:   a   b  \n"),
     "{}", "dynamodb", "20261115T120000Z",
     "content-type;host;x-amz-date;x-amz-security-token;x-amz-target;x-note",
     "4029c8963e4ed7b0ee761e2e6be7dac9e9e128c76e3b43370cfbcff2ab051e1c",
     "639695366e9439562fdb622076e7a4cdf336b2b58ad6f1b6d2cca507c328d074"},
};

struct fixture {
    struct arena arena;
    struct digest *digest;
    struct buffer text;
    struct sigv4_header headers[HEADERS_MAX];
    struct sigv4_request request;
};

static void begin(struct fixture *f, const struct vector *vector) {
    arena_init(&f->arena);
    assert_null(digest_new(&f->arena, &f->digest));
    buffer_init(&f->text, 4096);
    f->request = (struct sigv4_request){
        .method = slice_text(vector->method),
        .path = SLICE_LITERAL("/"),
        .query = slice_text(vector->query),
        .headers = f->headers,
        .date = slice_text(vector->date),
        .scope = {slice_of(vector->date, SIGV4_DAY_CHARS), SLICE_LITERAL("us-east-1"),
                  slice_text(vector->service)},
    };
    for (const char *at = vector->headers; *at != '\0'; at = strchr(at, '\n') + 1) {
        const char *colon = strchr(at, ':'), *end = strchr(at, '\n');
        assert_in_range(f->request.header_count, 0, HEADERS_MAX - 1);
        f->headers[f->request.header_count++] = (struct sigv4_header){
            slice_of(at, (size_t)(colon - at)), slice_of(colon + 1, (size_t)(end - colon - 1))};
    }
    digest_sha256(f->digest, slice_text(vector->body), f->request.body_hash);
}

static void end(struct fixture *f) {
    buffer_release(&f->text);
    digest_free(f->digest);
    arena_release(&f->arena);
}

static void assert_text(struct fixture *f, const char *expected) {
    struct slice text = arena_printf(&f->arena, "%.*s", SLICE_ARGS(buffer_slice(&f->text)));
    assert_string_equal((const char *)text.data, expected);
    buffer_reset(&f->text);
}

static void every_vector_comes_out(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        const struct vector *vector = &vectors[i];
        struct fixture f;
        uint8_t hash[SHA256_BYTES];
        char hex[SHA256_HEX + 1] = {0}, signature[SIGV4_SIGNATURE_CHARS + 1] = {0};
        print_message("%s\n", vector->name);
        begin(&f, vector);
        sigv4_write_names(&f.text, &f.request);
        assert_text(&f, vector->names);
        sigv4_write_canonical(&f.text, &f.request);
        digest_sha256(f.digest, buffer_slice(&f.text), hash);
        hex_print(hash, sizeof(hash), hex);
        assert_string_equal(hex, vector->canonical_hash);
        sigv4_derive_key(f.digest, SLICE_LITERAL(SECRET), &f.request.scope, hash);
        assert_true(sigv4_sign(f.digest, &f.request, &f.text, signature));
        assert_string_equal(signature, vector->signature);
        end(&f);
    }
}

/* The example of AWS's manual, step by step. */
static void every_step_of_the_manual(void **state) {
    (void)state;
    struct fixture f;
    uint8_t hash[SHA256_BYTES], key[SHA256_BYTES];
    char hex[SHA256_HEX + 1] = {0};
    begin(&f, &vectors[6]);
    sigv4_write_canonical(&f.text, &f.request);
    digest_sha256(f.digest, buffer_slice(&f.text), hash);
    assert_text(&f, "GET\n/\nAction=ListUsers&Version=2010-05-08\n"
                    "content-type:application/x-www-form-urlencoded; charset=utf-8\n"
                    "host:iam.amazonaws.com\nx-amz-date:20150830T123600Z\n\n"
                    "content-type;host;x-amz-date\n"
                    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    sigv4_write_text(&f.text, &f.request, hash);
    assert_text(&f, "AWS4-HMAC-SHA256\n20150830T123600Z\n20150830/us-east-1/iam/aws4_request\n"
                    "f536975d06c0309214f805bb90ccff089219ecd68b2577efef23edd43b7e1a59");
    sigv4_derive_key(f.digest, SLICE_LITERAL(SECRET), &f.request.scope, key);
    hex_print(key, sizeof(key), hex);
    assert_string_equal(hex, "c4afb1cc5771d871763a393e44b703571b55cc28424d1a5e86da6ed3c154a4b9");
    sigv4_write_authorization(&f.text, SLICE_LITERAL("AKIDEXAMPLE"), &f.request,
                              vectors[6].signature);
    assert_text(&f, "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, "
                    "SignedHeaders=content-type;host;x-amz-date, Signature="
                    "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7");
    end(&f);
}

static void a_date_is_in_utc(void **state) {
    (void)state;
    char date[SIGV4_DATE_CHARS + 1];
    sigv4_print_date(1440938160, date);
    assert_string_equal(date, "20150830T123600Z");
}

static void a_request_that_does_not_fit_is_not_signed(void **state) {
    (void)state;
    struct fixture f;
    char signature[SIGV4_SIGNATURE_CHARS];
    begin(&f, &vectors[0]);
    sigv4_write_canonical(&f.text, &f.request);
    size_t len = f.text.len;
    sigv4_derive_key(f.digest, SLICE_LITERAL(SECRET), &f.request.scope, f.request.body_hash);
    for (int fits = 0; fits < 2; fits++) { /* room is asked for generously */
        struct buffer scratch;
        buffer_init(&scratch, fits ? 2 * len : len - 1);
        assert_int_equal(sigv4_sign(f.digest, &f.request, &scratch, signature), fits);
        buffer_release(&scratch);
    }
    end(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_comes_out),
        cmocka_unit_test(every_step_of_the_manual),
        cmocka_unit_test(a_date_is_in_utc),
        cmocka_unit_test(a_request_that_does_not_fit_is_not_signed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
