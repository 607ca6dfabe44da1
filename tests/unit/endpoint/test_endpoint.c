/* test_endpoint.c - where an endpoint listens, and how it stops. */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "echo_server.h"
#include "raw_client.h"
#include "support/skip.h"

static struct echo_server server;

static void nothing(struct exchange *exchange) {
    exchange_reply(exchange, 200);
}

static void expect_start_error(const char *host, uint16_t port, const char *expected) {
    struct arena arena;
    arena_init(&arena);
    struct endpoint_config config = echo_server_config();
    config.host = slice_text(host);
    config.port = port;
    config.handle = nothing;
    struct endpoint *endpoint = NULL;
    struct error *error = endpoint_start(&arena, &config, &endpoint);
    assert_non_null(error);
    assert_null(endpoint);
    char got[256];
    snprintf(got, sizeof(got), "%.*s", SLICE_ARGS(error->message));
    assert_string_equal(got, expected);
    arena_release(&arena);
}

static void addresses_that_cannot_be_had(void **state) {
    (void)state;
    echo_server_start(&server, echo_server_config());
    char expected[128];
    snprintf(expected, sizeof(expected),
             "cannot listen on 127.0.0.1 port %u: Address already in use", server.port);
    expect_start_error("127.0.0.1", server.port, expected);
    expect_start_error("192.0.2.1", 8000,
                       "cannot listen on 192.0.2.1 port 8000: Cannot assign requested address");
    expect_start_error("", 0, "cannot listen: '' is not a host");
    /* No name has a blank: the resolver refuses it without a question to the network. */
    expect_start_error("no host", 0, "cannot listen on no host: Name or service not known");
    echo_server_stop(&server, 1000);
}

/* Connects to a loopback address of the family; -1 when nobody listens there. */
static int connect_to(int family, uint16_t port) {
    struct sockaddr_in6 v6 = {
        .sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    struct sockaddr_in v4 = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(family, SOCK_STREAM, 0);
    int outcome = family == AF_INET6 ? connect(fd, (struct sockaddr *)&v6, sizeof(v6))
                                     : connect(fd, (struct sockaddr *)&v4, sizeof(v4));
    if (outcome == 0)
        return fd;
    close(fd);
    return -1;
}

static bool has_ipv6(void) {
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT};
    int fd = socket(AF_INET6, SOCK_STREAM, 0);
    bool has = fd >= 0 && bind(fd, (struct sockaddr *)&v6, sizeof(v6)) == 0;
    if (fd >= 0)
        close(fd);
    return has;
}

static void need_ipv6(void) {
    if (!has_ipv6())
        skip_without("IPv6");
}

static void expect_listens(const char *host, bool on_v4, bool on_v6) {
    struct endpoint_config config = echo_server_config();
    config.host = slice_text(host);
    echo_server_start(&server, config);
    assert_true(server.port != 0);
    int families[] = {AF_INET, AF_INET6};
    bool expected[] = {on_v4, on_v6};
    for (int i = 0; i < 2; i++) {
        int fd = connect_to(families[i], server.port);
        assert_int_equal(fd >= 0, expected[i]);
        if (fd >= 0) {
            struct raw_client client = {.fd = fd};
            raw_expect_echo(&client, "/", "{}");
            raw_close(&client);
        }
    }
    echo_server_stop(&server, 1000);
}

static void addresses_of_ipv4_and_localhost(void **state) {
    (void)state;
    expect_listens("127.0.0.1", true, false);
    expect_listens("0.0.0.0", true, false);
    expect_listens("localhost", true, has_ipv6());
}

static void addresses_of_ipv6(void **state) {
    (void)state;
    need_ipv6();
    expect_listens("::1", false, true);
    expect_listens("[::1]", false, true);
    expect_listens("::", true, true);
}

/* A port of ::1 that is taken is not given, and is an error where it is wanted. */
static void localhost_is_one_port(void **state) {
    (void)state;
    need_ipv6();
    struct endpoint_config config = echo_server_config();
    config.host = SLICE_LITERAL("::1");
    echo_server_start(&server, config);
    char expected[128];
    snprintf(expected, sizeof(expected),
             "cannot listen on localhost port %u: Address already in use", server.port);
    expect_start_error("localhost", server.port, expected);
    echo_server_stop(&server, 1000);
    config.host = SLICE_LITERAL("localhost");
    echo_server_start(&server, config);
    snprintf(expected, sizeof(expected), "127.0.0.1:%u", server.port);
    assert_string_equal(endpoint_address(server.endpoint, 0), expected);
    snprintf(expected, sizeof(expected), "[::1]:%u", server.port);
    assert_string_equal(endpoint_address(server.endpoint, 1), expected);
    assert_null(endpoint_address(server.endpoint, 2));
    echo_server_stop(&server, 1000);
}

static void connections_spread_over_the_threads(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 4;
    echo_server_start(&server, config);
    struct raw_client clients[16];
    for (int i = 0; i < 16; i++) {
        raw_connect(&clients[i], server.port);
        raw_expect_echo(&clients[i], "/?late", "{}");
    }
    for (int i = 0; i < 16; i++)
        raw_close(&clients[i]);
    echo_server_stop(&server, 1000);
    assert_int_equal(server.threads_started, 4);
}

static void *stop_in_two_seconds(void *arg) {
    (void)arg;
    echo_server_stop(&server, 2000);
    return NULL;
}

static void who_rests_is_closed_and_who_has_begun_finishes(void **state) {
    (void)state;
    echo_server_start(&server, echo_server_config());
    struct raw_client idle, busy, sending;
    raw_connect(&idle, server.port);
    raw_connect(&busy, server.port);
    raw_connect(&sending, server.port);
    raw_expect_echo(&idle, "/", "{}");
    raw_post(&busy, "/?held", "1");
    raw_send_text(&sending, "POST / HTTP/1.1\r\nHost: h\r\nContent-Le");
    echo_server_wait_held(&server, 1);
    usleep(20000);
    pthread_t stopper;
    CHECK(pthread_create(&stopper, NULL, stop_in_two_seconds, NULL) == 0);
    raw_expect_end(&idle);
    assert_int_equal(connect_to(AF_INET, server.port), -1);
    raw_send_text(&sending, "ngth: 0\r\n\r\n");
    struct raw_reply reply;
    assert_true(raw_receive(&sending, &reply));
    assert_int_equal(reply.status, 200);
    assert_string_equal(raw_header(&reply, "Connection"), "close");
    raw_reply_free(&reply);
    raw_expect_end(&sending);
    echo_server_let_go(&server);
    raw_expect_status(&busy, 200);
    raw_expect_end(&busy);
    pthread_join(stopper, NULL);
    raw_close(&idle);
    raw_close(&busy);
    raw_close(&sending);
}

static void *let_go_after_300_ms(void *arg) {
    (void)arg;
    usleep(300000);
    echo_server_let_go(&server);
    return NULL;
}

/* After the grace the sockets close; the exchange that is still out is waited for. */
static void a_stop_waits_for_the_handler_beyond_its_grace(void **state) {
    (void)state;
    echo_server_start(&server, echo_server_config());
    struct raw_client busy, partial;
    raw_connect(&busy, server.port);
    raw_connect(&partial, server.port);
    raw_post(&busy, "/?held", "1");
    raw_send_text(&partial, "POST ");
    echo_server_wait_held(&server, 1);
    pthread_t helper;
    int64_t begin = raw_now_ms();
    CHECK(pthread_create(&helper, NULL, let_go_after_300_ms, NULL) == 0);
    echo_server_stop(&server, 100);
    assert_true(raw_now_ms() - begin >= 250);
    pthread_join(helper, NULL);
    raw_expect_end(&busy);
    raw_expect_end(&partial);
    raw_close(&busy);
    raw_close(&partial);
}

/* ---- stopping under load ---- */

struct load {
    pthread_t thread;
    uint64_t replies;
};

static void *load_main(void *arg) {
    struct load *load = arg;
    struct raw_client client;
    raw_connect(&client, server.port);
    for (;;) {
        raw_post(&client, load->replies % 2 == 0 ? "/?late" : "/", "{\"load\":true}");
        struct raw_reply reply;
        if (!raw_receive(&client, &reply))
            break;
        CHECK(reply.status == 200 && strcmp(reply.body, "{\"load\":true}") == 0);
        load->replies++;
        raw_reply_free(&reply);
    }
    CHECK(client.len == 0); /* no reply was cut */
    raw_close(&client);
    return NULL;
}

static void a_stop_under_load_cuts_no_reply(void **state) {
    (void)state;
    for (int round = 0; round < 5; round++) {
        echo_server_start(&server, echo_server_config());
        struct load loads[8] = {{0}};
        for (int i = 0; i < 8; i++)
            CHECK(pthread_create(&loads[i].thread, NULL, load_main, &loads[i]) == 0);
        echo_server_wait_connections(&server, 8);
        usleep(50000);
        echo_server_stop(&server, 10 * 60 * 1000); /* longer than this test may take */
        for (int i = 0; i < 8; i++) {
            pthread_join(loads[i].thread, NULL);
            assert_true(loads[i].replies > 0);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_that_cannot_be_had),
        cmocka_unit_test(addresses_of_ipv4_and_localhost),
        cmocka_unit_test(addresses_of_ipv6),
        cmocka_unit_test(localhost_is_one_port),
        cmocka_unit_test(connections_spread_over_the_threads),
        cmocka_unit_test(who_rests_is_closed_and_who_has_begun_finishes),
        cmocka_unit_test(a_stop_waits_for_the_handler_beyond_its_grace),
        cmocka_unit_test(a_stop_under_load_cuts_no_reply),
    };
    return cmocka_run_group_tests_name("endpoint", tests, NULL, NULL);
}
