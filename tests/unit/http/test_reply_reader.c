/* test_reply_reader.c - heads of replies, as our servers write them and as nobody should. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "http/reply.h"
#include "http/reply_reader.h"

static void what_is_written_is_read(void **state) {
    (void)state;
    struct buffer out;
    struct http_reply_seen seen;
    buffer_init(&out, 4096);
    http_reply_head_write(&out, &(struct http_reply_head){.status = 400,
                                                          .date = SLICE_LITERAL("D"),
                                                          .content_type = SLICE_LITERAL("a/b"),
                                                          .request_id = SLICE_LITERAL("ID"),
                                                          .more = SLICE_LITERAL("More: 1\r\n"),
                                                          .content_length = 123,
                                                          .has_crc32 = true,
                                                          .keep_alive = true,
                                                          .coding = HTTP_CODING_GZIP});
    for (size_t len = 0; len < out.len; len++)
        assert_int_equal(http_reply_head_read(slice_of(out.data, len), &seen), HTTP_READ_MORE);
    size_t head_len = out.len;
    buffer_append_text(&out, "body\r\n\r\n");
    assert_int_equal(http_reply_head_read(buffer_slice(&out), &seen), HTTP_READ_COMPLETE);
    assert_int_equal(seen.status, 400);
    assert_int_equal(seen.head_len, head_len);
    assert_int_equal(seen.content_length, 123);
    assert_true(seen.keep_alive);
    assert_true(slice_is(seen.content_type, "a/b"));
    assert_int_equal(seen.coding, HTTP_CODING_GZIP);
    struct http_header header;
    unsigned count = 0;
    for (struct slice rest = seen.headers; http_reply_next_header(&rest, &header); count++)
        if (slice_is(header.name, "More"))
            assert_true(slice_is(header.value, "1"));
    assert_int_equal(count, 9);
    buffer_release(&out);
}

static void what_nobody_writes_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "HTTP/1.0 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 099 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 9999999999999999999\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n",
        "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "\r\n\r\n",
    };
    struct http_reply_seen seen;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(http_reply_head_read(slice_text(wrong[i]), &seen), HTTP_READ_ERROR);
    static char endless[HTTP_REPLY_HEAD_BYTES_MAX];
    memset(endless, 'x', sizeof(endless));
    assert_int_equal(http_reply_head_read(slice_of(endless, sizeof(endless)), &seen),
                     HTTP_READ_ERROR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(what_nobody_writes_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
