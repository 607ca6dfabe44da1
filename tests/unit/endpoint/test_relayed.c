/* test_relayed.c - requests that another server hands on: the line before them, and an endpoint
 * that reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "echo_server.h"
#include "endpoint/relayed.h"
#include "raw_client.h"

#define ID "ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJKLMNOPQRSTUVWXYZ"

static void a_line_is_read_as_it_was_written(void **state) {
    (void)state;
    static const struct relayed all[] = {
        {.secure = true, .peer = "10.0.0.1", .client = "some body"},
        {.secure = false, .peer = "fe80::1", .client = ""},
        {.secure = true, .peer = "", .client = "\xc3\xa4 -"},
    };
    struct arena CLEANUP(arena_release) arena;
    arena_init(&arena);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        struct relayed relayed = all[i], read = {.secure = false};
        size_t len = 0;
        memcpy(relayed.id, ID, sizeof(relayed.id));
        struct slice line = relayed_write(&arena, &relayed);
        assert_true(line.len <= RELAYED_LINE_MAX);
        assert_int_equal(relayed_read(slice_of(line.data, line.len - 1), &read, &len),
                         RELAYED_MORE);
        assert_int_equal(relayed_read(line, &read, &len), RELAYED_READ);
        assert_int_equal(len, line.len);
        assert_memory_equal(read.id, relayed.id, sizeof(read.id));
        assert_int_equal(read.secure, relayed.secure);
        assert_string_equal(read.peer, relayed.peer);
        assert_string_equal(read.client, relayed.client);
    }
}

static void what_is_no_line_is_refused(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "POST / HTTP/1.1\r\n",
        "RELAYED x 1 - -\r\n",
        "RELAYED " ID " 2 - -\r\n",
        "RELAYED " ID " 1  -\r\n",
        "RELAYED " ID " 1 - 0\r\n",
        "RELAYED " ID " 1 - 00\r\n",
        "RELAYED " ID " 1 - AA\r\n",
        "RELAYED " ID " 1 - - x\r\n",
        "RELAYED " ID " 1 1234567890123456789012345678901234567890123456 -\r\n",
        "\r\n",
    };
    struct relayed read;
    size_t len;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_int_equal(relayed_read(slice_text(wrong[i]), &read, &len), RELAYED_WRONG);
    static char endless[RELAYED_LINE_MAX];
    memset(endless, 'x', sizeof(endless));
    assert_int_equal(relayed_read(slice_of(endless, sizeof(endless)), &read, &len), RELAYED_WRONG);
}

#define REQUEST                                                                \
    "POST / HTTP/1.1\r\nHost: elsewhere\r\nContent-Type: application/json\r\n" \
    "Connection: close\r\nContent-Length: 2\r\n\r\n{}"

/* Its id is that of the line, its Host is not looked at, and the connection stays: that of the
 * client is another. */
static void an_endpoint_reads_them(void **state) {
    (void)state;
    struct echo_server server;
    struct raw_client client;
    struct endpoint_config config = echo_server_config();
    config.relayed = true;
    echo_server_start(&server, config);
    raw_connect(&client, server.port);
    for (unsigned i = 0; i < 3; i++) {
        struct raw_reply reply;
        raw_send_text(&client, "RELAYED " ID " 1 10.0.0.1 -\r\n" REQUEST);
        assert_true(raw_receive(&client, &reply));
        assert_int_equal(reply.status, 200);
        assert_string_equal(raw_header(&reply, "x-amzn-RequestId"), ID);
        assert_string_equal(raw_header(&reply, "Connection"), "keep-alive");
        raw_reply_free(&reply);
    }
    raw_close(&client);
    raw_connect(&client, server.port);
    raw_send_text(&client, REQUEST);
    raw_expect_status(&client, 400);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

/* To who may be sending something that is not read any more. */
static void one_that_ends_says_so(void **state) {
    (void)state;
    struct echo_server server;
    struct raw_client client;
    struct endpoint_config config = echo_server_config();
    config.relayed = true;
    echo_server_start(&server, config);
    raw_connect(&client, server.port);
    echo_server_wait_connections(&server, 1);
    echo_server_stop(&server, 100);
    raw_expect_status(&client, 421);
    raw_close(&client);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_read_as_it_was_written),
        cmocka_unit_test(what_is_no_line_is_refused),
        cmocka_unit_test(an_endpoint_reads_them),
        cmocka_unit_test(one_that_ends_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
