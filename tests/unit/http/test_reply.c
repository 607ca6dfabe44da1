/* test_reply.c - reply heads, dates and request ids. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <zlib.h>

#include "http/date.h"
#include "http/reply.h"
#include "http/request_id.h"

static void expect_head(const struct http_reply_head *head, const char *expected) {
    struct buffer out;
    buffer_init(&out, 4096);
    http_reply_head_write(&out, head);
    buffer_append_byte(&out, 0);
    assert_string_equal((const char *)out.data, expected);
    buffer_release(&out);
}

static void a_head_in_full(void **state) {
    (void)state;
    expect_head(
        &(struct http_reply_head){.status = 200,
                                  .date = SLICE_LITERAL("D"),
                                  .content_type = SLICE_LITERAL("application/json"),
                                  .request_id = SLICE_LITERAL("ID"),
                                  .more = SLICE_LITERAL("More: 1\r\n"),
                                  .content_length = 12345678901,
                                  .has_crc32 = true,
                                  .crc32 = 4294967295,
                                  .keep_alive = true,
                                  .coding = HTTP_CODING_GZIP,
                                  .allow_origin = SLICE_LITERAL("*")},
        "HTTP/1.1 200 OK\r\nServer: Server\r\nDate: D\r\nContent-Type: application/json\r\n"
        "Content-Encoding: gzip\r\nContent-Length: 12345678901\r\nConnection: keep-alive\r\n"
        "x-amzn-RequestId: ID\r\nx-amz-crc32: 4294967295\r\n"
        "Access-Control-Allow-Origin: *\r\nAccess-Control-Expose-Headers: "
        "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date\r\nMore: 1\r\n\r\n");
}

static void a_head_for_the_pages_of_one_origin(void **state) {
    (void)state;
    expect_head(&(struct http_reply_head){.status = 200,
                                          .allow_origin = SLICE_LITERAL("https://a.example")},
                "HTTP/1.1 200 OK\r\nServer: Server\r\nContent-Length: 0\r\nConnection: close\r\n"
                "Access-Control-Allow-Origin: https://a.example\r\nVary: Origin\r\n"
                "Access-Control-Expose-Headers: "
                "x-amzn-RequestId,x-amzn-ErrorType,x-amzn-ErrorMessage,Date\r\n\r\n");
}

static void a_head_with_the_least(void **state) {
    (void)state;
    expect_head(
        &(struct http_reply_head){.status = 413, .date = SLICE_LITERAL("D"), .chunked = true},
        "HTTP/1.1 413 Payload Too Large\r\nServer: Server\r\nDate: D\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    expect_head(&(struct http_reply_head){.status = 418},
                "HTTP/1.1 418 Status\r\nServer: Server\r\nContent-Length: 0\r\n"
                "Connection: close\r\n\r\n");
}

static void numbers_of_every_length(void **state) {
    (void)state;
    uint64_t number = 0;
    for (unsigned digits = 1; digits <= 20; digits++) {
        number = number * 10 + digits % 10; /* 1, 12, 123, ... */
        char expected[128];
        snprintf(expected, sizeof(expected),
                 "HTTP/1.1 200 OK\r\nServer: Server\r\nContent-Length: %" PRIu64
                 "\r\nConnection: close\r\n\r\n",
                 number);
        expect_head(&(struct http_reply_head){.status = 200, .content_length = number}, expected);
    }
    expect_head(&(struct http_reply_head){.status = 200, .content_length = 100},
                "HTTP/1.1 200 OK\r\nServer: Server\r\nContent-Length: 100\r\n"
                "Connection: close\r\n\r\n");
}

static void the_known_checksums(void **state) {
    (void)state;
    assert_int_equal(http_crc32(SLICE_LITERAL("")), 0);
    assert_int_equal(http_crc32(SLICE_LITERAL("123456789")), 0xcbf43926);
    assert_int_equal(http_crc32(SLICE_LITERAL("<UnknownOperationException/>\n")), 3552371480u);
    assert_int_equal(http_crc32(SLICE_LITERAL("healthy: dynamodb.us-east-1.amazonaws.com ")),
                     3128867991u);
}

/* Short bodies and long ones are computed in different ways, and so are the ends of long ones. */
static void checksums_of_every_length(void **state) {
    (void)state;
    uint8_t body[700];
    uint32_t random = 1;
    for (size_t i = 0; i < sizeof(body); i++) {
        random = random * 1664525 + 1013904223;
        body[i] = (uint8_t)(random >> 24);
    }
    for (size_t start = 0; start < 3; start++)
        for (size_t len = 0; start + len <= sizeof(body); len++)
            assert_int_equal(http_crc32(slice_of(body + start, len)),
                             crc32_z(0, body + start, len));
}

static void dates_change_with_the_second(void **state) {
    (void)state;
    struct http_date date = {0};
    assert_true(slice_is(http_date_at(&date, 0), "Thu, 01 Jan 1970 00:00:00 GMT"));
    assert_true(slice_is(http_date_at(&date, 784111777999), "Sun, 06 Nov 1994 08:49:37 GMT"));
    assert_true(slice_is(http_date_at(&date, 784111778000), "Sun, 06 Nov 1994 08:49:38 GMT"));
    assert_true(slice_is(http_date_at(&date, 4107542399000), "Sun, 28 Feb 2100 23:59:59 GMT"));
}

static void request_ids_have_the_services_form(void **state) {
    (void)state;
    struct http_request_ids ids, others;
    http_request_ids_init(&ids, 1, 7);
    http_request_ids_init(&others, 2, 7);
    char before[HTTP_REQUEST_ID_BYTES] = {0}, id[HTTP_REQUEST_ID_BYTES];
    for (int i = 0; i < 1000; i++) {
        http_request_ids_next(&ids, id);
        for (int c = 0; c < HTTP_REQUEST_ID_BYTES; c++)
            assert_true((id[c] >= '0' && id[c] <= '9') || (id[c] >= 'A' && id[c] <= 'V'));
        assert_memory_not_equal(id, before, 13);
        assert_memory_equal(id + 26, "VV4KQNSO5AEMVJF66Q9ASUAAJG", 26);
        memcpy(before, id, sizeof(id));
    }
    http_request_ids_next(&others, before);
    http_request_ids_init(&ids, 1, 7);
    http_request_ids_next(&ids, id);
    assert_memory_equal(id, before, 13);
    assert_memory_not_equal(id + 13, before + 13, 13);
    assert_memory_equal(id, "KONFHTD4GHB515F1M08K3MG4D5", 26);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_head_in_full),
        cmocka_unit_test(a_head_for_the_pages_of_one_origin),
        cmocka_unit_test(a_head_with_the_least),
        cmocka_unit_test(numbers_of_every_length),
        cmocka_unit_test(the_known_checksums),
        cmocka_unit_test(checksums_of_every_length),
        cmocka_unit_test(dates_change_with_the_second),
        cmocka_unit_test(request_ids_have_the_services_form),
    };
    return cmocka_run_group_tests_name("http_reply", tests, NULL, NULL);
}
