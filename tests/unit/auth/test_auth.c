/* test_auth.c - every refusal of an ill-formed signature, with its exact text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "auth/auth.h"
#include "base/check.h"
#include "base/date.h"
#include "http/reader.h"

/* Holds a parsed request and what the check said. */
struct checked {
    struct arena arena;
    struct http_request request;
    uint8_t *data;
    struct auth_identity identity;
    struct error *error;
};

static void check_request(struct checked *checked, const char *target, const char *headers) {
    char bytes[4096];
    int len =
        snprintf(bytes, sizeof(bytes), "POST %s HTTP/1.1\r\nHost: h\r\n%s\r\n", target, headers);
    CHECK(len > 0 && (size_t)len < sizeof(bytes));
    memset(checked, 0, sizeof(*checked));
    arena_init(&checked->arena);
    checked->data = malloc((size_t)len);
    CHECK(checked->data != NULL);
    memcpy(checked->data, bytes, (size_t)len);
    struct http_reader reader;
    size_t size = (size_t)len;
    http_reader_init(&reader, (struct http_reader_limits){4096, 0}, &checked->request);
    assert_int_equal(http_reader_read(&reader, checked->data, &size), HTTP_READ_COMPLETE);
    checked->error = auth_read(&checked->arena, &checked->request, &checked->identity);
    if (checked->error == NULL)
        checked->error =
            auth_check_scope(&checked->arena, &checked->identity, SLICE_LITERAL("dynamodb"));
}

static void checked_release(struct checked *checked) {
    arena_release(&checked->arena);
    free(checked->data);
}

static void expect_error(const char *target, const char *headers, enum error_code code,
                         const char *message) {
    struct checked checked;
    check_request(&checked, target, headers);
    assert_non_null(checked.error);
    char got[4096];
    snprintf(got, sizeof(got), "%.*s", SLICE_ARGS(checked.error->message));
    assert_string_equal(got, message);
    assert_int_equal(checked.error->code, code);
    checked_release(&checked);
}

#define DATE "X-Amz-Date: 20130609T095204Z\r\n"
#define SCOPE "20130609/us-east-1/dynamodb/aws4_request"
#define SIGNATURE "SignedHeaders=host;x-amz-date, Signature=abcdef"
#define HEADER(algorithm, credential) \
    "Authorization: " algorithm " Credential=" credential ", " SIGNATURE "\r\n"

static void a_signed_request_has_an_identity(void **state) {
    (void)state;
    struct checked checked;
    check_request(&checked, "/",
                  HEADER("AWS4-HMAC-SHA256", "AKID/" SCOPE) DATE "X-Amz-Security-Token: tok\r\n");
    assert_null(checked.error);
    assert_true(slice_is(checked.identity.access_key_id, "AKID"));
    assert_true(slice_is(checked.identity.date, "20130609"));
    assert_true(slice_is(checked.identity.region, "us-east-1"));
    assert_true(slice_is(checked.identity.service, "dynamodb"));
    assert_true(slice_is(checked.identity.signed_headers, "host;x-amz-date"));
    assert_true(slice_is(checked.identity.signature, "abcdef"));
    assert_true(slice_is(checked.identity.timestamp, "20130609T095204Z"));
    assert_true(slice_is(checked.identity.session_token, "tok"));
    assert_false(checked.identity.in_query);
    checked_release(&checked);
}

static void expect_accepted(const char *target, const char *headers) {
    struct checked checked;
    check_request(&checked, target, headers);
    if (checked.error != NULL)
        fail_msg("refused: %.*s", SLICE_ARGS(checked.error->message));
    checked_release(&checked);
}

static void other_forms_that_are_accepted(void **state) {
    (void)state;
    /* No blank after the commas, any order, slashes at the end, any region. */
    expect_accepted("/", "Authorization: AWS4-HMAC-SHA256 Signature=0,SignedHeaders=a;HOST,"
                         "Credential=k/20130609/mars-1/dynamodb/aws4_request//\r\n" DATE);
    /* The Date header, in both forms; X-Amz-Date wins. */
    expect_accepted("/", HEADER("AWS4-HMAC-SHA256", "k/" SCOPE) "Date: 20130609T095204Z\r\n");
    expect_accepted(
        "/", HEADER("AWS4-HMAC-SHA256", "k/" SCOPE) "Date: Sun, 09 Jun 2013 09:52:04 GMT\r\n");
    expect_accepted("/", HEADER("AWS4-HMAC-SHA256", "k/" SCOPE) DATE "Date: nonsense\r\n");
    expect_accepted(
        "/?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=k%2F20130609%2Fr%2F"
        "dynamodb%2faws4_request&X-Amz-Date=20130609T095204Z&X-Amz-SignedHeaders=a%3Bhost"
        "&X-Amz-Signature=0",
        "");
}

static void both_header_and_query(void **state) {
    (void)state;
    expect_error("/?X-Amz-Algorithm", "Authorization: x\r\n", ERROR_INVALID_SIGNATURE,
                 "Found both 'X-Amz-Algorithm' as a query-string param and 'Authorization' as HTTP "
                 "header.");
}

static void no_token(void **state) {
    (void)state;
    static const char text[] = "Request is missing Authentication Token";
    expect_error("/", "", ERROR_MISSING_AUTHENTICATION_TOKEN, text);
    expect_error("/", "Authorization:\r\n", ERROR_MISSING_AUTHENTICATION_TOKEN, text);
    expect_error("/", "Authorization: Basic abc\r\n", ERROR_MISSING_AUTHENTICATION_TOKEN, text);
    expect_error("/", "Authorization: AWS4\r\n", ERROR_MISSING_AUTHENTICATION_TOKEN, text);
}

static void a_part_without_equals(void **state) {
    (void)state;
    expect_error("/", "Authorization: AWS4-HMAC-SHA256 Credential=a, Signature ,x\r\n",
                 ERROR_INCOMPLETE_SIGNATURE,
                 "'Signature' not a valid key=value pair (missing equal-sign) in Authorization "
                 "header: 'AWS4-HMAC-SHA256 Credential=a, Signature ,x'.");
    expect_error("/", "Authorization: AWS4- \xe9\r\n", ERROR_INCOMPLETE_SIGNATURE,
                 "'\xc3\xa9' not a valid key=value pair (missing equal-sign) in Authorization "
                 "header: 'AWS4- \xc3\xa9'.");
}

static void missing_parts_of_the_header(void **state) {
    (void)state;
    expect_error("/", "Authorization: AWS4-\r\n", ERROR_INCOMPLETE_SIGNATURE,
                 "Authorization header requires 'Credential' parameter. "
                 "Authorization header requires 'Signature' parameter. "
                 "Authorization header requires 'SignedHeaders' parameter. "
                 "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' "
                 "header. Authorization=AWS4-");
    expect_error("/", "Authorization: AWS4-HMAC-SHA256 Credential=, Signature=b\r\n" DATE,
                 ERROR_INCOMPLETE_SIGNATURE,
                 "Authorization header requires 'Credential' parameter. "
                 "Authorization header requires 'SignedHeaders' parameter. "
                 "Authorization=AWS4-HMAC-SHA256 Credential=, Signature=b");
    expect_error("/", HEADER("AWS4-X", "k"), ERROR_INCOMPLETE_SIGNATURE,
                 "Authorization header requires existence of either a 'X-Amz-Date' or a 'Date' "
                 "header. Authorization=AWS4-X Credential=k, " SIGNATURE);
}

static void missing_parts_of_the_query(void **state) {
    (void)state;
    expect_error("/?X-Amz-Algorithm=", "", ERROR_INCOMPLETE_SIGNATURE,
                 "AWS query-string parameters must include 'X-Amz-Algorithm'. "
                 "AWS query-string parameters must include 'X-Amz-Credential'. "
                 "AWS query-string parameters must include 'X-Amz-Signature'. "
                 "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
                 "AWS query-string parameters must include 'X-Amz-Date'. "
                 "Re-examine the query-string parameters.");
    expect_error("/?X-Amz-Algorithm=a&X-Amz-Signature=b&X-Amz-Date=c", "",
                 ERROR_INCOMPLETE_SIGNATURE,
                 "AWS query-string parameters must include 'X-Amz-Credential'. "
                 "AWS query-string parameters must include 'X-Amz-SignedHeaders'. "
                 "Re-examine the query-string parameters.");
}

static void bad_dates(void **state) {
    (void)state;
    static const char *const dates[] = {"now",
                                        "20130609",
                                        "20131309T095204Z",
                                        "20130631T095204Z",
                                        "20130229T095204Z",
                                        "20130609T245204Z",
                                        "20130609T0952O4Z",
                                        "2013060:T095204Z", /* the bytes around the digits */
                                        "2013/609T095204Z",
                                        "20130609T09520:Z",
                                        "20130609T/95204Z",
                                        "20130609t095204Z",
                                        "20130609T095204z",
                                        "20130609T096004Z",
                                        "20130609T095261Z",
                                        "20130600T095204Z",
                                        "20130009T095204Z",
                                        "20130609T095204",
                                        "Sun, 09 Jux 2013 09:52:04 GMT"};
    for (size_t i = 0; i < sizeof(dates) / sizeof(*dates); i++) {
        char headers[512], message[512];
        snprintf(headers, sizeof(headers), HEADER("AWS4-X", "k") "X-Amz-Date: %s\r\n", dates[i]);
        snprintf(message, sizeof(message),
                 "Date must be in ISO-8601 'basic format'. Got '%s'. See "
                 "http://en.wikipedia.org/wiki/ISO_8601",
                 dates[i]);
        expect_error("/", headers, ERROR_INCOMPLETE_SIGNATURE, message);
    }
    expect_accepted(
        "/", HEADER("AWS4-HMAC-SHA256",
                    "k/20120229/r/dynamodb/aws4_request") "X-Amz-Date: 20120229T235960Z\r\n");
}

static void host_must_be_signed(void **state) {
    (void)state;
    expect_error(
        "/", "Authorization: AWS4-X Credential=k, SignedHeaders=hosts;x-host, Signature=0\r\n" DATE,
        ERROR_INVALID_SIGNATURE, "'Host' must be a 'SignedHeader' in the AWS Authorization.");
    expect_accepted("/", "Authorization: AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/" SCOPE
                         ",SignedHeaders=a-name-of-many-bytes;HosT,Signature=0\r\n" DATE);
}

static void other_algorithms(void **state) {
    (void)state;
    expect_error(
        "/", HEADER("AWS4-HMAC-SHA512", "k") DATE, ERROR_INCOMPLETE_SIGNATURE,
        "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA512' (only AWS4-HMAC-SHA256 for now). ");
}

static void credentials_of_the_wrong_shape(void **state) {
    (void)state;
    static const char *const credentials[] = {"k",           "k/20130609/r/dynamodb",
                                              "a/b/c/d/e/f", "////",
                                              "a/b/c/d//",   "AKIAIOSFODNN7EXAMPLE/" SCOPE "/f"};
    for (size_t i = 0; i < sizeof(credentials) / sizeof(*credentials); i++) {
        char headers[512], message[512];
        snprintf(headers, sizeof(headers), HEADER("AWS4-HMAC-SHA256", "%s") DATE, credentials[i]);
        snprintf(message, sizeof(message),
                 "Credential must have exactly 5 slash-delimited elements, e.g. "
                 "keyid/date/region/service/term, got '%s'",
                 credentials[i]);
        expect_error("/", headers, ERROR_INCOMPLETE_SIGNATURE, message);
    }
}

static void scopes_that_do_not_fit(void **state) {
    (void)state;
    expect_error("/", HEADER("AWS4-HMAC-SHA256", "k/20130609/r/s3/aws4_request") DATE,
                 ERROR_INVALID_SIGNATURE,
                 "Credential should be scoped to correct service: 'dynamodb'. ");
    expect_error("/", HEADER("AWS4-HMAC-SHA256", "k/20130608/r/s3/aws3") DATE,
                 ERROR_INVALID_SIGNATURE,
                 "Credential should be scoped to correct service: 'dynamodb'. "
                 "Credential should be scoped with a valid terminator: 'aws4_request', not 'aws3'. "
                 "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date "
                 "from HTTP: '20130608' != '20130609', from '20130609T095204Z'.");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_signed_request_has_an_identity),
        cmocka_unit_test(other_forms_that_are_accepted),
        cmocka_unit_test(both_header_and_query),
        cmocka_unit_test(no_token),
        cmocka_unit_test(a_part_without_equals),
        cmocka_unit_test(missing_parts_of_the_header),
        cmocka_unit_test(missing_parts_of_the_query),
        cmocka_unit_test(bad_dates),
        cmocka_unit_test(host_must_be_signed),
        cmocka_unit_test(other_algorithms),
        cmocka_unit_test(credentials_of_the_wrong_shape),
        cmocka_unit_test(scopes_that_do_not_fit),
    };
    return cmocka_run_group_tests_name("auth", tests, NULL, NULL);
}
