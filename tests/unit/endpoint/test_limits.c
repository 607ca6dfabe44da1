/* test_limits.c - clients that are slow, stuck, gone or too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "echo_server.h"
#include "raw_client.h"

static struct echo_server server;

/* ---- slow, stuck and gone ---- */

static void a_slow_client_does_not_hold_up_a_fast_one(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    echo_server_start(&server, config);
    struct raw_client slow, fast;
    raw_connect(&slow, server.port);
    raw_connect(&fast, server.port);
    static const char request[] = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n"
                                  "Content-Type: application/json\r\n\r\n{}";
    for (size_t i = 0; i < sizeof(request) - 1; i++) {
        raw_send(&slow, request + i, 1);
        int64_t begin = raw_now_ms();
        for (int n = 0; n < 10; n++)
            raw_expect_echo(&fast, "/", "fast");
        if (raw_now_ms() - begin < 10)
            usleep(2000);
    }
    raw_expect_status(&slow, 200);
    raw_close(&slow);
    raw_close(&fast);
    echo_server_stop(&server, 1000);
}

/* A client that asks and never reads: it is cut off, and until then the server holds no more for it
 * than one reply and one buffer of requests. */
static void a_client_that_does_not_read_is_cut_off(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.write_timeout_ms = 2500;
    echo_server_start(&server, config);
    struct raw_client stuck, fast;
    raw_connect_with_window(&stuck, server.port, 4096);
    raw_connect(&fast, server.port);
    struct timeval wait = {.tv_usec = 50000};
    setsockopt(stuck.fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof(wait));
    static const char request[] = "POST /?big=8000000 HTTP/1.1\r\nHost: h\r\n\r\n";
    static char requests[1500 * (sizeof(request) - 1)];
    for (size_t i = 0; i < sizeof(requests); i++)
        requests[i] = request[i % (sizeof(request) - 1)];
    size_t sent = 0;
    while (sent < 100000000 && send(stuck.fd, requests, sizeof(requests), MSG_NOSIGNAL) > 0)
        sent += sizeof(requests);
    assert_true(sent < 100000000);
    while (endpoint_stats(server.endpoint).work_bytes == 0)
        usleep(1000);
    assert_in_range(endpoint_stats(server.endpoint).work_bytes, 7900000, 17000000);
    assert_int_equal(endpoint_stats(server.endpoint).requests, 1);
    for (int i = 0; i < 100; i++)
        raw_expect_echo(&fast, "/", "fast");
    echo_server_wait_connections(&server, 1);
    echo_server_wait_no_memory(&server);
    raw_close(&stuck);
    raw_close(&fast);
    echo_server_stop(&server, 1000);
}

/* Slow, but reading: not cut off although the whole takes longer than the time-out. */
static void a_client_that_reads_slowly_is_served(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.write_timeout_ms = 500;
    echo_server_start(&server, config);
    struct raw_client client;
    raw_connect_with_window(&client, server.port, 32768);
    raw_post(&client, "/?big=8000000", "");
    static char piece[400000];
    size_t got = 0;
    int64_t begin = raw_now_ms();
    while (got < 8000000) {
        usleep(10000);
        ssize_t n = raw_read(&client, piece, sizeof(piece));
        assert_true(n > 0);
        got += (size_t)n;
    }
    assert_true(raw_now_ms() - begin > 700);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

static void a_reply_for_a_client_that_is_gone_is_dropped(void **state) {
    (void)state;
    echo_server_start(&server, echo_server_config());
    for (unsigned i = 0; i < 20; i++) {
        struct raw_client client;
        raw_connect(&client, server.port);
        raw_post(&client, "/?held", "body");
        raw_post(&client, "/", "next");
        echo_server_wait_held(&server, 1);
        if (i % 2 == 0)
            raw_abort(&client);
        else
            raw_close(&client);
        /* Whether the server has seen the client go or not, depending on whether it was reading
         * just then: the reply comes. */
        echo_server_let_go(&server);
        echo_server_wait_connections(&server, 0);
    }
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_expect_echo(&client, "/?late", "alive");
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

/* ---- time-outs ---- */

static void expect_timeout(struct endpoint_config config, const char *sent, bool with_reply) {
    echo_server_start(&server, config);
    struct raw_client client;
    int64_t begin = raw_now_ms();
    raw_connect(&client, server.port);
    raw_expect_echo(&client, "/", "{}");
    raw_send_text(&client, sent);
    if (with_reply)
        raw_expect_status(&client, 408);
    raw_expect_end(&client);
    assert_true(raw_now_ms() - begin >= 90);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

static void silence_is_ended_in_time(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.idle_timeout_ms = 1000; /* the client has as long for its first request */
    expect_timeout(config, "", false);
    config = echo_server_config();
    config.limits.header_timeout_ms = 100;
    expect_timeout(config, "POST / HTTP/1.1\r\nHost:", true);
    config = echo_server_config();
    config.limits.request_timeout_ms = 100;
    expect_timeout(config, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\n12345", true);
}

/* A byte now and then does not put off the end. */
static void dripping_does_not_help(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.header_timeout_ms = 150;
    echo_server_start(&server, config);
    struct raw_client client;
    int64_t begin = raw_now_ms();
    raw_connect(&client, server.port);
    raw_send_text(&client, "POST / HTTP/1.1\r\n");
    while (!raw_has_ended(&client, 10) && client.len == 0)
        raw_send_text(&client, "a");
    raw_expect_status(&client, 408);
    assert_true(raw_now_ms() - begin >= 140);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

/* ---- too many, too much ---- */

static void connections_over_the_limit_are_refused(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.connections_max = 10;
    echo_server_start(&server, config);
    struct raw_client clients[10], extra;
    for (int i = 0; i < 10; i++) {
        raw_connect(&clients[i], server.port);
        raw_expect_echo(&clients[i], "/", "{}");
    }
    raw_connect(&extra, server.port);
    assert_true(raw_has_ended(&extra, 5000));
    raw_close(&extra);
    assert_int_equal(endpoint_stats(server.endpoint).connections_refused, 1);
    raw_close(&clients[0]);
    echo_server_wait_connections(&server, 9);
    raw_connect(&clients[0], server.port);
    for (int i = 0; i < 10; i++) {
        raw_expect_echo(&clients[i], "/", "{}");
        raw_close(&clients[i]);
    }
    echo_server_stop(&server, 1000);
}

static void a_thousand_connections(void **state) {
    (void)state;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max < 8192 ? limit.rlim_max : 8192;
    setrlimit(RLIMIT_NOFILE, &limit);
    echo_server_start(&server, echo_server_config());
    enum { COUNT = 1000 };
    struct raw_client *clients = calloc(COUNT, sizeof(*clients));
    for (int i = 0; i < COUNT; i++)
        raw_connect(&clients[i], server.port);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            raw_post(&clients[i], (i + round) % 5 == 0 ? "/?late" : "/", "{\"a\":1}");
        for (int i = 0; i < COUNT; i++)
            raw_expect_status(&clients[i], 200);
    }
    struct endpoint_stats stats = endpoint_stats(server.endpoint);
    assert_int_equal(stats.connections, COUNT);
    assert_int_equal(stats.requests, 3 * COUNT);
    for (int i = 0; i < COUNT; i++)
        raw_close(&clients[i]);
    echo_server_wait_connections(&server, 0);
    free(clients);
    echo_server_stop(&server, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slow_client_does_not_hold_up_a_fast_one),
        cmocka_unit_test(a_client_that_does_not_read_is_cut_off),
        cmocka_unit_test(a_client_that_reads_slowly_is_served),
        cmocka_unit_test(a_reply_for_a_client_that_is_gone_is_dropped),
        cmocka_unit_test(silence_is_ended_in_time),
        cmocka_unit_test(dripping_does_not_help),
        cmocka_unit_test(connections_over_the_limit_are_refused),
        cmocka_unit_test(a_thousand_connections),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
