/* test_connection.c - what a client sees on the wire, through real sockets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/check.h"
#include "echo_server.h"
#include "raw_client.h"

static struct echo_server server;

static int start(void **state) {
    (void)state;
    echo_server_start(&server, echo_server_config());
    return 0;
}

static int end(void **state) {
    (void)state;
    echo_server_stop(&server, 1000);
    return 0;
}

/* Sends and returns the reply; for replies that leave the connection open. */
static struct raw_reply ask(struct raw_client *client, const char *text) {
    struct raw_reply reply;
    raw_send_text(client, text);
    CHECK(raw_receive(client, &reply));
    return reply;
}

static void a_reply_has_the_services_headers(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_post(&client, "/", "{}");
    struct raw_reply reply;
    assert_true(raw_receive(&client, &reply));
    assert_int_equal(strlen(raw_header(&reply, "x-amzn-RequestId")), 52);
    assert_int_equal(strlen(raw_header(&reply, "Date")), 29);
    assert_string_equal(strstr(raw_header(&reply, "Date"), " GMT"), " GMT");
    char *id = strstr(reply.head, "x-amzn-RequestId: ") + strlen("x-amzn-RequestId: ");
    assert_memory_equal(id + 26, "VV4KQNSO5AEMVJF66Q9ASUAAJG", 26);
    memset(id, 'I', 52);
    char *date = strstr(reply.head, "Date: ") + strlen("Date: ");
    memset(date, 'D', 29);
    assert_string_equal(reply.head,
                        "HTTP/1.1 200 OK\r\nServer: Server\r\n"
                        "Date: DDDDDDDDDDDDDDDDDDDDDDDDDDDDD\r\n"
                        "Content-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n"
                        "Connection: keep-alive\r\nx-amzn-RequestId: "
                        "IIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIIII\r\n"
                        "x-amz-crc32: 2745614147\r\n\r\n");
    assert_string_equal(reply.body, "{}");
    raw_reply_free(&reply);
    raw_close(&client);
}

static void a_connection_serves_many_requests(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    char body[64];
    for (int i = 0; i < 200; i++) {
        snprintf(body, sizeof(body), "{\"request\":%d}", i);
        raw_expect_echo(&client, i % 3 == 0 ? "/?late" : "/", body);
    }
    raw_close(&client);
}

static void pipelined_replies_keep_their_order(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    char *all = calloc(1, 100 * 200), *at = all;
    for (int i = 0; i < 100; i++)
        at += sprintf(at,
                      "POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                      "Content-Length: 4\r\n\r\n%04d",
                      i % 7 == 3 ? "/?late" : "/", i);
    raw_send_text(&client, all);
    for (int i = 0; i < 100; i++) {
        struct raw_reply reply;
        char expected[16];
        snprintf(expected, sizeof(expected), "%04d", i);
        assert_true(raw_receive(&client, &reply));
        assert_string_equal(reply.body, expected);
        raw_reply_free(&reply);
    }
    free(all);
    raw_close(&client);
}

static void content_types_are_echoed(void **state) {
    (void)state;
    static const struct {
        const char *sent, *got;
    } cases[] = {{"application/json", "application/json"},
                 {"Application/JSON; charset=utf-8", "application/json"},
                 {"application/x-amz-json-1.0 ;x", "application/x-amz-json-1.0"}};
    struct raw_client client;
    raw_connect(&client, server.port);
    for (size_t i = 0; i < 3; i++) {
        char text[256];
        snprintf(text, sizeof(text),
                 "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: %s\r\nContent-Length: 2\r\n\r\n{}",
                 cases[i].sent);
        struct raw_reply reply = ask(&client, text);
        assert_int_equal(reply.status, 200);
        assert_string_equal(raw_header(&reply, "Content-Type"), cases[i].got);
        raw_reply_free(&reply);
    }
    struct raw_reply reply =
        ask(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: text/plain\r\n\r\n");
    assert_int_equal(reply.status, 200);
    assert_string_equal(raw_header(&reply, "Content-Type"), "application/x-amz-json-1.0");
    raw_reply_free(&reply);
    raw_close(&client);
}

static void expect_not_found(struct raw_client *client, const char *text) {
    struct raw_reply reply = ask(client, text);
    assert_int_equal(reply.status, 404);
    assert_string_equal(reply.body, "<UnknownOperationException/>\n");
    assert_string_equal(raw_header(&reply, "x-amz-crc32"), "3552371480");
    assert_string_equal(raw_header(&reply, "Content-Type"), "");
    assert_int_equal(strlen(raw_header(&reply, "x-amzn-RequestId")), 52);
    raw_reply_free(&reply);
}

static void what_is_no_api_request_is_not_found(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    expect_not_found(&client, "PUT / HTTP/1.1\r\nHost: h\r\n\r\n");
    expect_not_found(&client, "DELETE / HTTP/1.1\r\nHost: h\r\n\r\n");
    expect_not_found(&client, "OPTIONS / HTTP/1.1\r\nHost: h\r\n\r\n");
    expect_not_found(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\n{}");
    expect_not_found(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: text/json\r\n"
                              "Content-Length: 2\r\n\r\n{}");
    expect_not_found(&client, "POST /echo HTTP/1.1\r\nHost: h\r\n\r\n");
    raw_expect_echo(&client, "/", "still here");
    raw_close(&client);
}

static void health(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    struct raw_reply reply = ask(&client, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, "healthy: h ");
    assert_string_equal(raw_header(&reply, "Content-Length"), "11");
    assert_string_equal(raw_header(&reply, "x-amz-crc32"), "1137790277");
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Origin"), "");
    raw_reply_free(&reply);
    reply = ask(&client, "GET / HTTP/1.1\r\nHost: localhost:8000\r\n\r\n");
    assert_string_equal(reply.body, "healthy: localhost:8000 ");
    raw_reply_free(&reply);
    raw_send_text(&client, "HEAD / HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(raw_receive_head(&client, &reply));
    assert_int_equal(reply.status, 200);
    assert_string_equal(raw_header(&reply, "Content-Length"), "11");
    assert_string_equal(raw_header(&reply, "x-amz-crc32"), "1137790277");
    raw_reply_free(&reply);
    raw_expect_echo(&client, "/", "still here");
    reply = ask(&client, "GET / HTTP/1.0\r\n\r\n");
    assert_string_equal(reply.body, "healthy:  ");
    raw_reply_free(&reply);
    raw_close(&client);
}

static void other_paths_have_their_own_handler(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    struct raw_reply reply = ask(&client, "GET /console HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_int_equal(reply.status, 200);
    assert_string_equal(reply.body, "other");
    assert_string_equal(raw_header(&reply, "Content-Type"), "text/plain");
    assert_string_equal(raw_header(&reply, "X-Most"), "2");
    raw_reply_free(&reply);
    raw_send_text(&client, "HEAD /console HTTP/1.1\r\nHost: h\r\n\r\n");
    assert_true(raw_receive_head(&client, &reply));
    assert_string_equal(raw_header(&reply, "Content-Length"), "5");
    raw_reply_free(&reply);
    raw_expect_echo(&client, "/", "{}");
    raw_close(&client);
}

static void cross_origin_requests(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    struct raw_reply reply = ask(&client, "OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: x\r\n"
                                          "Access-Control-Request-Headers: a, b\r\n"
                                          "Access-Control-Request-Method: POST\r\n\r\n");
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body_len, 0);
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Origin"), "*");
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Headers"), "a, b");
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Methods"), "POST");
    assert_string_equal(raw_header(&reply, "Access-Control-Max-Age"), "172800");
    assert_string_equal(raw_header(&reply, "x-amz-crc32"), "0");
    raw_reply_free(&reply);
    reply = ask(&client, "OPTIONS / HTTP/1.1\r\nHost: h\r\nOrigin: x\r\n\r\n");
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Headers"), "");
    assert_string_equal(raw_header(&reply, "Access-Control-Max-Age"), "172800");
    raw_reply_free(&reply);
    reply = ask(&client, "POST / HTTP/1.1\r\nHost: h\r\nOrigin: x\r\n\r\n");
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Origin"), "*");
    assert_string_equal(raw_header(&reply, "Access-Control-Max-Age"), "");
    raw_reply_free(&reply);
    raw_close(&client);
}

static void chunked_bodies(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    for (int i = 0; i < 3; i++) {
        struct raw_reply reply =
            ask(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                         "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n");
        assert_string_equal(reply.body, "abcde");
        raw_reply_free(&reply);
    }
    raw_send_text(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                           "Transfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 200; i++)
        raw_send_text(
            &client, "3e8\r\n"
#define TEN "0123456789"
#define HUNDRED TEN TEN TEN TEN TEN TEN TEN TEN TEN TEN
            HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED HUNDRED "\r\n");
    struct raw_reply reply = ask(&client, "0\r\n\r\n");
    assert_int_equal(reply.body_len, 200000);
    for (size_t i = 0; i < reply.body_len; i++)
        assert_int_equal(reply.body[i], '0' + i % 10);
    raw_reply_free(&reply);
    echo_server_wait_no_memory(&server);
    raw_close(&client);
}

#define EXPECT_HEAD(length)                                            \
    "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n" \
    "Expect: 100-continue\r\nContent-Length: " length "\r\n\r\n"

static void leave_to_continue(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    for (int i = 0; i < 2; i++) {
        raw_send_text(&client, EXPECT_HEAD("4"));
        struct raw_reply reply;
        assert_true(raw_receive_head(&client, &reply));
        assert_string_equal(reply.head, "HTTP/1.1 100 Continue\r\n\r\n");
        raw_reply_free(&reply);
        raw_send_text(&client, "ab");
        usleep(20000);
        reply = ask(&client, "cd");
        assert_string_equal(reply.body, "abcd");
        raw_reply_free(&reply);
    }
    /* A client that does not wait gets no leave. */
    struct raw_reply reply = ask(&client, EXPECT_HEAD("4") "abcd");
    assert_int_equal(reply.status, 200);
    raw_reply_free(&reply);
    reply = ask(&client, EXPECT_HEAD("16777217"));
    assert_int_equal(reply.status, 413);
    raw_reply_free(&reply);
    raw_expect_end(&client);
    raw_close(&client);
}

static void a_half_closed_client_gets_its_replies(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_post(&client, "/?late", "1");
    raw_post(&client, "/", "2");
    raw_post(&client, "/?late", "3");
    assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
    for (int i = 1; i <= 3; i++) {
        struct raw_reply reply;
        assert_true(raw_receive(&client, &reply));
        assert_int_equal(reply.body[0], '0' + i);
        raw_reply_free(&reply);
    }
    raw_expect_end(&client);
    raw_close(&client);
}

static void who_asks_to_close_is_closed(void **state) {
    (void)state;
    static const char *const requests[] = {
        "POST / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n", "POST / HTTP/1.0\r\n\r\n",
        "POST /?late HTTP/1.0\r\n\r\n", "POST /?close HTTP/1.1\r\nHost: h\r\n\r\n",
        "POST / HTTP/1.0\r\n\r\nPOST / HTTP/1.0\r\n\r\n"};
    for (size_t i = 0; i < sizeof(requests) / sizeof(*requests); i++) {
        struct raw_client client;
        raw_connect(&client, server.port);
        struct raw_reply reply = ask(&client, requests[i]);
        assert_int_equal(reply.status, 200);
        assert_string_equal(raw_header(&reply, "Connection"), "close");
        raw_reply_free(&reply);
        raw_expect_end(&client);
        raw_close(&client);
    }
    struct raw_client client;
    raw_connect(&client, server.port);
    for (int i = 0; i < 2; i++) {
        struct raw_reply reply = ask(&client, "POST / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        assert_string_equal(raw_header(&reply, "Connection"), "keep-alive");
        raw_reply_free(&reply);
    }
    raw_close(&client);
}

static void expect_refusal(const char *text, int status) {
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_expect_echo(&client, "/", "{}");
    struct raw_reply reply = ask(&client, text);
    assert_int_equal(reply.status, status);
    assert_int_equal(reply.body_len, 0);
    assert_string_equal(raw_header(&reply, "Connection"), "close");
    assert_int_equal(strlen(raw_header(&reply, "x-amzn-RequestId")), status == 413 ? 0 : 52);
    assert_int_equal(reply.chunked, status == 413);
    raw_reply_free(&reply);
    raw_expect_end(&client);
    raw_close(&client);
}

static void broken_requests_end_the_connection(void **state) {
    (void)state;
    expect_refusal("nonsense\r\n\r\n", 400);
    expect_refusal("POST / HTTP/1.1\r\n\r\n", 400);
    expect_refusal("POST / HTTP/3.0\r\nHost: h\r\n\r\n", 505);
    expect_refusal("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 16777217\r\n\r\n", 413);
    char *long_head = malloc(70000);
    memset(long_head, 'x', 69999);
    memcpy(long_head, "POST / HTTP/1.1\r\nHost: ", 23);
    long_head[69999] = '\0';
    expect_refusal(long_head, 400);
    free(long_head);
}

/* The client pushes all it has before it looks for a reply, as most do. */
static void too_large_a_body_is_refused_politely(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    size_t len = 20 * 1024 * 1024;
    char *body = malloc(len);
    memset(body, 'x', len);
    raw_send_text(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 20971520\r\n\r\n");
    assert_true(raw_send(&client, body, len));
    free(body);
    raw_expect_status(&client, 413);
    raw_expect_end(&client);
    raw_close(&client);
}

static void the_largest_body_passes(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    size_t len = 16 * 1024 * 1024;
    char *body = malloc(len + 1);
    for (size_t i = 0; i < len; i++)
        body[i] = (char)('a' + i % 23);
    body[len] = '\0';
    raw_expect_echo(&client, "/", body);
    raw_expect_echo(&client, "/?late", body);
    free(body);
    raw_expect_echo(&client, "/", "small again");
    echo_server_wait_no_memory(&server);
    raw_close(&client);
}

static void large_replies_among_pipelined_ones(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect_with_window(&client, server.port, 4096);
    static const size_t sizes[] = {5, 5000000, 17000, 0, 16384, 16385, 200000};
    for (size_t i = 0; i < 7; i++) {
        char path[32];
        snprintf(path, sizeof(path), "/?big=%zu", sizes[i]);
        raw_post(&client, path, "");
    }
    for (size_t i = 0; i < 7; i++) {
        struct raw_reply reply;
        assert_true(raw_receive(&client, &reply));
        assert_int_equal(reply.body_len, sizes[i]);
        for (size_t c = 0; c < reply.body_len; c++)
            assert_int_equal(reply.body[c], 'a' + c % 26);
        char crc[16];
        snprintf(crc, sizeof(crc), "%lu", crc32_z(0, (Bytef *)reply.body, reply.body_len));
        assert_string_equal(raw_header(&reply, "x-amz-crc32"), crc);
        raw_reply_free(&reply);
    }
    raw_close(&client);
}

static void a_reply_over_the_limit_becomes_an_error(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_post(&client, "/?big=134217729", "");
    raw_expect_status(&client, 500);
    raw_expect_echo(&client, "/", "{}");
    raw_close(&client);
}

static void replies_are_compressed_on_request(void **state) {
    (void)state;
    struct raw_client client;
    raw_connect(&client, server.port);
    static const struct {
        int size;
        bool compressed;
    } cases[] = {{4095, false}, {4096, true}, {300000, true}, {2097153, false}};
    for (size_t i = 0; i < 4; i++) {
        char text[128];
        snprintf(text, sizeof(text),
                 "POST /?big=%d HTTP/1.1\r\nHost: h\r\nAccept-Encoding: gzip\r\n\r\n",
                 cases[i].size);
        struct raw_reply reply = ask(&client, text);
        assert_string_equal(raw_header(&reply, "Content-Encoding"),
                            cases[i].compressed ? "gzip" : "");
        char crc[16];
        snprintf(crc, sizeof(crc), "%lu", crc32_z(0, (Bytef *)reply.body, reply.body_len));
        assert_string_equal(raw_header(&reply, "x-amz-crc32"), crc);
        if (cases[i].compressed) {
            uint8_t *plain = malloc((size_t)cases[i].size);
            z_stream stream = {.next_in = (Bytef *)reply.body,
                               .avail_in = (uInt)reply.body_len,
                               .next_out = plain,
                               .avail_out = (uInt)cases[i].size};
            assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
            assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
            assert_int_equal(stream.avail_out, 0);
            assert_int_equal(plain[27], 'b');
            inflateEnd(&stream);
            free(plain);
        } else {
            assert_int_equal(reply.body_len, cases[i].size);
        }
        raw_reply_free(&reply);
    }
    raw_close(&client);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reply_has_the_services_headers),
        cmocka_unit_test(a_connection_serves_many_requests),
        cmocka_unit_test(pipelined_replies_keep_their_order),
        cmocka_unit_test(content_types_are_echoed),
        cmocka_unit_test(what_is_no_api_request_is_not_found),
        cmocka_unit_test(health),
        cmocka_unit_test(other_paths_have_their_own_handler),
        cmocka_unit_test(cross_origin_requests),
        cmocka_unit_test(chunked_bodies),
        cmocka_unit_test(leave_to_continue),
        cmocka_unit_test(a_half_closed_client_gets_its_replies),
        cmocka_unit_test(who_asks_to_close_is_closed),
        cmocka_unit_test(broken_requests_end_the_connection),
        cmocka_unit_test(too_large_a_body_is_refused_politely),
        cmocka_unit_test(the_largest_body_passes),
        cmocka_unit_test(large_replies_among_pipelined_ones),
        cmocka_unit_test(a_reply_over_the_limit_becomes_an_error),
        cmocka_unit_test(replies_are_compressed_on_request),
    };
    return cmocka_run_group_tests_name("connection", tests, start, end);
}
