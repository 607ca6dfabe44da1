/* test_tls.c - an endpoint that speaks TLS: long bodies, clients that are slow, stuck, gone, or
 * speak something else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "crypto/tls.h"
#include "crypto/tls_server.h"
#include "echo_server.h"
#include "raw_client.h"
#include "support/certificate_fixture.h"

enum { TIMEOUT_MS = 300, LONG = 4 * 1000 * 1000 };

static struct certificate_fixture files;
static struct tls_server *tls;
static struct tls_context *trust;
static struct echo_server server;

static int set_up(void **state) {
    (void)state;
    certificate_fixture_init(&files);
    struct tls_server_files names = {files.certificate, files.key, NULL};
    assert_null(tls_server_new(&files.arena, &names, &tls));
    assert_null(tls_context_new_client(&files.arena, files.ca, &trust));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    tls_context_free(trust);
    tls_server_free(tls);
    certificate_fixture_release(&files);
    return 0;
}

static struct endpoint_config config_of(unsigned threads) {
    struct endpoint_config config = echo_server_config();
    config.threads = threads;
    config.tls = tls;
    return config;
}

static void connect_securely(struct raw_client *client) {
    raw_connect(client, server.port);
    assert_true(raw_secure(client, trust));
}

static void requests_are_answered(void **state) {
    (void)state;
    echo_server_start(&server, config_of(2));
    struct raw_client clients[8];
    for (size_t i = 0; i < 8; i++)
        connect_securely(&clients[i]);
    for (size_t round = 0; round < 20; round++)
        for (size_t i = 0; i < 8; i++)
            raw_expect_echo(&clients[i], round % 2 == 0 ? "/" : "/?late", "hello");
    for (size_t i = 0; i < 8; i++)
        raw_close(&clients[i]);
    echo_server_stop(&server, 1000);
}

/* The whole pipeline in one write: more text than the connection has room for is waiting in the
 * session while requests are answered. */
static void a_pipeline(void **state) {
    (void)state;
    static const char request[] = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 900\r\n"
                                  "Content-Type: application/json\r\n\r\n";
    enum { COUNT = 300, SIZE = sizeof(request) - 1 + 900 };
    char *all = malloc(COUNT * SIZE);
    memset(all, 'x', COUNT * SIZE);
    for (size_t i = 0; i < COUNT; i++)
        memcpy(all + i * SIZE, request, sizeof(request) - 1);
    echo_server_start(&server, config_of(1));
    struct raw_client client;
    connect_securely(&client);
    assert_true(raw_send(&client, all, COUNT * SIZE));
    for (size_t i = 0; i < COUNT; i++) {
        struct raw_reply reply;
        assert_true(raw_receive(&client, &reply));
        assert_int_equal(reply.status, 200);
        assert_int_equal(reply.body_len, 900);
        raw_reply_free(&reply);
    }
    raw_close(&client);
    echo_server_stop(&server, 1000);
    free(all);
}

static void long_bodies(void **state) {
    (void)state;
    char *body = malloc(LONG + 1);
    for (size_t i = 0; i < LONG; i++)
        body[i] = (char)('a' + i * 7 % 26);
    body[LONG] = '\0';
    echo_server_start(&server, config_of(1));
    struct raw_client client;
    connect_securely(&client);
    for (int i = 0; i < 3; i++)
        raw_expect_echo(&client, "/", body);
    raw_close(&client);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
    free(body);
}

static void a_slow_reader_is_served(void **state) {
    (void)state;
    echo_server_start(&server, config_of(1));
    struct raw_client client, other;
    raw_connect_with_window(&client, server.port, 4096);
    assert_true(raw_secure(&client, trust));
    connect_securely(&other);
    raw_send_text(&client, "POST /?big=4000000 HTTP/1.1\r\nHost: h\r\n\r\n");
    usleep(50000);
    for (int i = 0; i < 20; i++)
        raw_expect_echo(&other, "/", "quick");
    struct raw_reply reply;
    assert_true(raw_receive(&client, &reply));
    assert_int_equal(reply.body_len, LONG);
    raw_reply_free(&reply);
    raw_expect_echo(&client, "/", "again");
    raw_close(&client);
    raw_close(&other);
    echo_server_stop(&server, 1000);
}

static void who_does_not_read_is_cut_off(void **state) {
    (void)state;
    struct endpoint_config config = config_of(1);
    config.limits.write_timeout_ms = 500;
    echo_server_start(&server, config);
    struct raw_client client;
    raw_connect_with_window(&client, server.port, 4096);
    assert_true(raw_secure(&client, trust));
    raw_send_text(&client, "POST /?big=20000000 HTTP/1.1\r\nHost: h\r\n\r\n");
    echo_server_wait_connections(&server, 1);
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

static void plain_http_is_told_what_to_use(void **state) {
    (void)state;
    echo_server_start(&server, config_of(1));
    struct raw_client client;
    struct raw_reply reply;
    raw_connect(&client, server.port);
    raw_post(&client, "/", "hello");
    assert_true(raw_receive(&client, &reply));
    assert_int_equal(reply.status, 400);
    assert_string_equal(reply.body, "This port speaks TLS: use https://\n");
    raw_reply_free(&reply);
    raw_expect_end(&client);
    raw_close(&client);
    assert_int_equal(endpoint_stats(server.endpoint).requests, 0);
    echo_server_stop(&server, 1000);
}

/* Nothing, the begin of a handshake, and one that comes byte by byte: none holds its place. */
static void handshakes_end_in_time(void **state) {
    (void)state;
    static const char hello[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03";
    struct endpoint_config config = config_of(1);
    config.limits.header_timeout_ms = TIMEOUT_MS;
    config.limits.tick_ms = 20;
    echo_server_start(&server, config);
    struct raw_client clients[3];
    int64_t begin = raw_now_ms();
    for (size_t i = 0; i < 3; i++)
        raw_connect(&clients[i], server.port);
    raw_send(&clients[1], hello, sizeof(hello) - 1);
    for (size_t i = 0; !raw_has_ended(&clients[2], 40); i++)
        raw_send(&clients[2], hello + (i < sizeof(hello) - 1 ? i : 0), 1);
    assert_true(raw_now_ms() - begin >= TIMEOUT_MS / 2);
    raw_expect_end(&clients[0]);
    raw_expect_end(&clients[1]);
    for (size_t i = 0; i < 3; i++)
        raw_close(&clients[i]);
    echo_server_stop(&server, 1000);
}

static void garbage_is_refused(void **state) {
    (void)state;
    static const char *const inputs[] = {"\x16\x03\x01\xff\xff garbage", "\x80garbage", "garbage",
                                         "\x16\x03\x01\x01\x05\x01\xff\xff\xff\xff"};
    echo_server_start(&server, config_of(1));
    for (size_t i = 0; i < 400; i++) {
        struct raw_client client;
        raw_connect(&client, server.port);
        const char *input = inputs[i % 4];
        raw_send(&client, input, strlen(input));
        if (i % 8 < 4)
            raw_abort(&client);
        else
            raw_close(&client);
    }
    echo_server_wait_connections(&server, 0);
    struct raw_client client;
    connect_securely(&client);
    raw_expect_echo(&client, "/", "well");
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

/* Connections at rest hear that they end, and handshakes under way end at once. */
static void stopping(void **state) {
    (void)state;
    echo_server_start(&server, config_of(2));
    struct raw_client open, half;
    connect_securely(&open);
    raw_expect_echo(&open, "/", "hello");
    raw_connect(&half, server.port);
    raw_send(&half, "\x16\x03\x01", 3);
    echo_server_wait_connections(&server, 2);
    echo_server_stop(&server, 10 * 60 * 1000); /* longer than this test may take */
    char byte, text[100];
    assert_int_equal(raw_read(&open, &byte, 1), 0);
    tls_failure(open.tls, text, sizeof(text));
    assert_string_equal(text, "the server closed the connection"); /* and not: unexpected eof */
    raw_close(&open);
    raw_close(&half);
}

/* A reply that comes after its client has gone. */
static void a_client_that_goes_while_it_is_answered(void **state) {
    (void)state;
    echo_server_start(&server, config_of(1));
    for (int i = 0; i < 20; i++) {
        struct raw_client client;
        connect_securely(&client);
        raw_post(&client, "/?late", "hello");
        if (i % 2 == 0)
            raw_abort(&client);
        else
            raw_close(&client);
    }
    echo_server_wait_connections(&server, 0);
    echo_server_stop(&server, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_are_answered),
        cmocka_unit_test(a_pipeline),
        cmocka_unit_test(long_bodies),
        cmocka_unit_test(a_slow_reader_is_served),
        cmocka_unit_test(who_does_not_read_is_cut_off),
        cmocka_unit_test(plain_http_is_told_what_to_use),
        cmocka_unit_test(handshakes_end_in_time),
        cmocka_unit_test(garbage_is_refused),
        cmocka_unit_test(stopping),
        cmocka_unit_test(a_client_that_goes_while_it_is_answered),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
