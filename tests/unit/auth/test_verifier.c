/* test_verifier.c - requests that botocore signed, as they are and with a byte changed; times
 * around the limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "auth/verifier.h"
#include "base/check.h"
#include "base/date.h"
#include "http/reader.h"

#define SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define NOON_S INT64_C(1794744000) /* 2026-11-15T12:00:00Z */

#define SIGNATURE_LINE(names, signature)                                \
    "Authorization: AWS4-HMAC-SHA256 "                                  \
    "Credential=AKIDEXAMPLE/20261115/us-east-1/dynamodb/aws4_request, " \
    "SignedHeaders=" names ", Signature=" signature "\r\n"

static const char describe_table[] =
    "POST / HTTP/1.1\r\nHost: localhost:8000\r\nX-Amz-Date: 20261115T120000Z\r\n"
    "Content-Type: application/x-amz-json-1.0\r\nContent-Length: 17\r\n"
    "X-Amz-Target: DynamoDB_20120810.DescribeTable\r\n" SIGNATURE_LINE(
        "content-type;host;x-amz-date;x-amz-target",
        "2854ce3f8b3d673a5c78dc0c5d982f94e58fe9dcaef614fbf256a02ec78c2ece") "\r\n"
                                                                            "{\"TableName\":\"t\"}";

static const char list_tables[] =
    "POST / HTTP/1.1\r\nHost: localhost:8000\r\nX-Amz-Date: 20261115T120000Z\r\n"
    "Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n"
    "X-Amz-Security-Token: SESSION/TOKEN=\r\nX-Note:   a   b  \r\n"
    "X-Amz-Target: DynamoDB_20120810.ListTables\r\n" SIGNATURE_LINE(
        "content-type;host;x-amz-date;x-amz-security-token;x-amz-target;x-note",
        "639695366e9439562fdb622076e7a4cdf336b2b58ad6f1b6d2cca507c328d074") "\r\n{}";

struct fixed_clock {
    struct clock clock;
    int64_t ms;
};

static int64_t fixed_now(const struct clock *clock) {
    return ((const struct fixed_clock *)(const void *)clock)->ms;
}

struct fixture {
    struct arena arena;
    struct fixed_clock clock;
    struct verifier *verifier;
    struct http_request request;
    struct auth_identity identity;
    uint8_t *data;
};

static void begin(struct fixture *f, const char *bytes) {
    arena_init(&f->arena);
    f->clock = (struct fixed_clock){{fixed_now}, NOON_S * 1000};
    struct verifier_options options = {&f->clock.clock, VERIFIER_SKEW_MINUTES};
    assert_null(verifier_new(&f->arena, &options, &f->verifier));
    size_t len = strlen(bytes);
    f->data = malloc(len);
    CHECK(f->data != NULL);
    memcpy(f->data, bytes, len);
    struct http_reader reader;
    http_reader_init(&reader, (struct http_reader_limits){4096, 4096}, &f->request);
    assert_int_equal(http_reader_read(&reader, f->data, &len), HTTP_READ_COMPLETE);
    assert_null(auth_read(&f->arena, &f->request, &f->identity));
}

static void end(struct fixture *f) {
    verifier_free(f->verifier);
    arena_release(&f->arena);
    free(f->data);
}

static struct error *check(struct fixture *f, const char *secret) {
    return verifier_check_signature(f->verifier, &f->arena, &f->request, &f->identity,
                                    slice_text(secret));
}

static void expect_text(const struct error *error, const char *text) {
    assert_non_null(error);
    char got[2048];
    snprintf(got, sizeof(got), "%.*s", SLICE_ARGS(error->message));
    assert_string_equal(got, text);
    assert_int_equal(error->code, ERROR_INVALID_SIGNATURE);
}

static void right_signatures(void **state) {
    (void)state;
    const char *const requests[] = {describe_table, list_tables};
    for (size_t i = 0; i < 2; i++) {
        struct fixture f;
        begin(&f, requests[i]);
        for (int again = 0; again < 3; again++) /* the key is kept */
            assert_null(check(&f, SECRET));
        assert_null(verifier_check_time(f.verifier, &f.arena, &f.request, &f.identity));
        end(&f);
    }
}

#define LONG_TEXT                                                                                \
    "The request signature we calculated does not match the signature you provided. Check your " \
    "AWS Secret Access Key and signing method. Consult the service documentation for details."

static void a_wrong_one_is_explained(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, describe_table);
    assert_null(check(&f, SECRET));
    expect_text(
        check(&f, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEZ"), LONG_TEXT
        "\n\nThe Canonical String for this request should have been\n'POST\n/\n\n"
        "content-type:application/x-amz-json-1.0\nhost:localhost:8000\nx-amz-date:20261115T120000Z"
        "\nx-amz-target:DynamoDB_20120810.DescribeTable\n\n"
        "content-type;host;x-amz-date;x-amz-target\n"
        "f28af92fc15f446717e10364e12f5128ef4611dfaeb8469b0ca93776dd9d3f5a'\n\n"
        "The String-to-Sign should have been\n'AWS4-HMAC-SHA256\n20261115T120000Z\n"
        "20261115/us-east-1/dynamodb/aws4_request\n"
        "c3ccb7f8e566993ba81b15deb6e8f9a9fd32fc0ea57443898c88361f44873e6d'\n");
    end(&f);
}

/* Every byte of the request that is signed, or is the signature. */
static void any_changed_byte_is_seen(void **state) {
    (void)state;
    const char *const parts[] = {
        "localhost:8000",
        "x-amz-json",
        "DynamoDB_20120810",
        "{\"TableName\":\"t\"}",
        "Signature=2854",
        "us-east",
        "0000Z",
    };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char changed[sizeof(describe_table)];
        memcpy(changed, describe_table, sizeof(changed));
        char *at = strstr(changed, parts[i]);
        assert_non_null(at);
        at[strlen(parts[i]) - 2] ^= 1;
        struct fixture f;
        begin(&f, changed);
        struct error *error = check(&f, SECRET);
        if (error == NULL)
            fail_msg("a change of '%s' was not noticed", parts[i]);
        assert_int_equal(error->code, ERROR_INVALID_SIGNATURE);
        end(&f);
    }
}

/* Names twice or out of order are nobody's, and would let a request grow. */
static void names_are_in_order(void **state) {
    (void)state;
    const char *const names[] = {"host;host", "x-amz-date;host", "host;;x-amz-date", ";host"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        struct fixture f;
        begin(&f, describe_table);
        f.identity.signed_headers = slice_text(names[i]);
        expect_text(check(&f, SECRET), LONG_TEXT);
        end(&f);
    }
}

static struct error *check_at(struct fixture *f, int64_t seconds) {
    f->clock.ms = (NOON_S + seconds) * 1000 + 999;
    return verifier_check_time(f->verifier, &f->arena, &f->request, &f->identity);
}

static void times(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, describe_table);
    assert_null(check_at(&f, 900));
    assert_null(check_at(&f, -900));
    expect_text(check_at(&f, 901), "Signature expired: 20261115T120000Z is now earlier than "
                                   "20261115T120001Z (20261115T121501Z - 15 min.)");
    expect_text(check_at(&f, -901), "Signature not yet current: 20261115T120000Z is still later "
                                    "than 20261115T115959Z (20261115T114459Z + 15 min.)");
    end(&f);
}

/* Signed by botocore's SigV4QueryAuth, good for an hour. */
static void a_request_may_say_how_long_it_is_good(void **state) {
    (void)state;
    struct fixture f;
    begin(&f, "POST /?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIDEXAMPLE%2F20261115%2F"
              "us-east-1%2Fdynamodb%2Faws4_request&X-Amz-Date=20261115T120000Z&X-Amz-Expires=3600"
              "&X-Amz-SignedHeaders=host&X-Amz-Signature="
              "012ca9f7f8e5e20fcfd6a08d1fa88ab6d4e57647ac510519f1e0b0b336f34e20 HTTP/1.1\r\n"
              "Host: localhost:8000\r\nContent-Length: 0\r\n\r\n");
    assert_null(check(&f, SECRET));
    assert_null(check_at(&f, 3600));
    expect_text(check_at(&f, 3601), "Signature expired: 20261115T120000Z is now earlier than "
                                    "20261115T120001Z (20261115T130001Z - 60 min.)");
    assert_non_null(check_at(&f, -901));
    end(&f);
}

static void dates_are_seconds(void **state) {
    (void)state;
    assert_int_equal(date_seconds(SLICE_LITERAL("19700101T000000Z")), 0);
    assert_int_equal(date_seconds(SLICE_LITERAL("20000229T235959Z")), 951868799);
    assert_int_equal(date_seconds(SLICE_LITERAL("20000301T000000Z")), 951868800);
    assert_int_equal(date_seconds(SLICE_LITERAL("21000301T000000Z")), 4107542400);
    assert_int_equal(date_seconds(SLICE_LITERAL("20261115T120000Z")), NOON_S);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_signatures),
        cmocka_unit_test(a_wrong_one_is_explained),
        cmocka_unit_test(any_changed_byte_is_seen),
        cmocka_unit_test(names_are_in_order),
        cmocka_unit_test(times),
        cmocka_unit_test(a_request_may_say_how_long_it_is_good),
        cmocka_unit_test(dates_are_seconds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
