/* test_limits.c - clients that are slow, stuck, gone, too many or too greedy. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "echo_server.h"
#include "raw_client.h"

static struct echo_server server;

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static char *text_of(size_t len) {
    char *text = malloc(len + 1);
    CHECK(text != NULL);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i % 25);
    text[len] = '\0';
    return text;
}

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
        int64_t begin = now_ms();
        for (int n = 0; n < 10; n++)
            raw_expect_echo(&fast, "/", "fast");
        if (now_ms() - begin < 10)
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
    static const char request[] = "POST /big?8000000 HTTP/1.1\r\nHost: h\r\n\r\n";
    static char requests[1500 * (sizeof(request) - 1)];
    for (size_t i = 0; i < sizeof(requests); i++)
        requests[i] = request[i % (sizeof(request) - 1)];
    size_t sent = 0;
    while (sent < 100000000 && send(stuck.fd, requests, sizeof(requests), MSG_NOSIGNAL) > 0)
        sent += sizeof(requests);
    assert_true(sent < 100000000);
    while (endpoint_stats(server.endpoint).memory_bytes == 0)
        usleep(1000);
    assert_in_range(endpoint_stats(server.endpoint).memory_bytes, 8000000, 17000000);
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
    raw_post(&client, "/big?8000000", "");
    static char piece[400000];
    size_t got = 0;
    int64_t begin = now_ms();
    while (got < 8000000) {
        usleep(10000);
        ssize_t n = recv(client.fd, piece, sizeof(piece), 0);
        assert_true(n > 0);
        got += (size_t)n;
    }
    assert_true(now_ms() - begin > 700);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

static void a_reply_for_a_client_that_is_gone_is_dropped(void **state) {
    (void)state;
    echo_server_start(&server, echo_server_config());
    for (unsigned i = 0; i < 20; i++) {
        struct raw_client client;
        raw_connect(&client, server.port);
        raw_post(&client, "/held", "body");
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
    raw_expect_echo(&client, "/late", "alive");
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

/* ---- time-outs ---- */

static void expect_timeout(struct endpoint_config config, const char *sent, bool with_reply) {
    echo_server_start(&server, config);
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_expect_echo(&client, "/", "{}");
    int64_t begin = now_ms();
    raw_send_text(&client, sent);
    if (with_reply)
        raw_expect_status(&client, 408);
    raw_expect_end(&client);
    assert_in_range(now_ms() - begin, 90, 10000);
    raw_close(&client);
    echo_server_stop(&server, 1000);
}

static void silence_is_ended_in_time(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.idle_timeout_ms = 100;
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
    raw_connect(&client, server.port);
    int64_t begin = now_ms();
    raw_send_text(&client, "POST / HTTP/1.1\r\n");
    while (!raw_has_ended(&client, 10) && client.len == 0)
        raw_send_text(&client, "a");
    raw_expect_status(&client, 408);
    assert_in_range(now_ms() - begin, 140, 10000);
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
            raw_post(&clients[i], (i + round) % 5 == 0 ? "/late" : "/", "{\"a\":1}");
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

enum { LARGE_BYTES = 600000 };

/* One client with a large body; the argument says whether it asks for leave first. */
static void *send_large_body(void *arg) {
    bool asks = arg != NULL;
    struct raw_client client;
    raw_connect(&client, server.port);
    char head[256];
    snprintf(head, sizeof(head),
             "POST /held HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n%s"
             "Content-Length: %d\r\n\r\n",
             asks ? "Expect: 100-continue\r\n" : "", LARGE_BYTES);
    raw_send_text(&client, head);
    struct raw_reply reply;
    if (asks) {
        CHECK(raw_receive_head(&client, &reply));
        CHECK(reply.status == 100);
        raw_reply_free(&reply);
    }
    char *body = text_of(LARGE_BYTES);
    raw_send_text(&client, body);
    CHECK(raw_receive(&client, &reply));
    CHECK(reply.status == 200 && strcmp(reply.body, body) == 0);
    raw_reply_free(&reply);
    raw_close(&client);
    free(body);
    return NULL;
}

/* Eight bodies, room for two: all get through, never more than two at a time. */
static void large_bodies_wait_for_memory(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.memory_bytes_max = 1400000;
    echo_server_start(&server, config);
    enum { COUNT = 8 };
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++)
        CHECK(pthread_create(&threads[i], NULL, send_large_body, i % 2 == 0 ? NULL : &server) == 0);
    echo_server_wait_connections(&server, COUNT);
    for (int done = 0; done < COUNT; done += 2) {
        echo_server_wait_held(&server, 2);
        usleep(30000);
        assert_int_equal(echo_server_held(&server), 2);
        assert_in_range(endpoint_stats(server.endpoint).memory_bytes, 2 * LARGE_BYTES, 1400000);
        /* Small requests pass by those that wait. */
        struct raw_client small;
        raw_connect(&small, server.port);
        raw_expect_echo(&small, "/", "{}");
        raw_close(&small);
        echo_server_let_go(&server);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

/* Who holds memory by not reading makes way for those who wait for it. */
static void a_stuck_reader_makes_way(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.memory_bytes_max = 1400000;
    echo_server_start(&server, config);
    struct raw_client stuck, next;
    raw_connect_with_window(&stuck, server.port, 4096);
    raw_post(&stuck, "/big?8000000", "");
    while (endpoint_stats(server.endpoint).memory_bytes == 0)
        usleep(1000);
    char *body = text_of(LARGE_BYTES);
    raw_connect(&next, server.port);
    int64_t begin = now_ms();
    raw_expect_echo(&next, "/", body);
    assert_in_range(now_ms() - begin, 500, 10000);
    echo_server_wait_connections(&server, 1);
    raw_close(&stuck);
    raw_close(&next);
    free(body);
    echo_server_stop(&server, 1000);
}

/* The same for who asks for memory and then sends next to nothing. */
static void a_dripping_sender_makes_way(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.memory_bytes_max = 700000;
    echo_server_start(&server, config);
    struct raw_client dripping, next;
    raw_connect(&dripping, server.port);
    raw_send_text(&dripping, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 600000\r\n\r\n");
    while (endpoint_stats(server.endpoint).memory_bytes == 0)
        usleep(1000);
    raw_connect(&next, server.port);
    char *body = text_of(LARGE_BYTES);
    raw_expect_echo(&next, "/", body);
    raw_expect_status(&dripping, 408);
    raw_close(&dripping);
    raw_close(&next);
    free(body);
    echo_server_stop(&server, 1000);
}

/* ---- slow uploads ---- */

enum { SLOW_PIECE_BYTES = 2048, SLOW_PIECE_MS = 50 };

/* A client that sends 40 KB of a body a second, until it is cut off or told to stop. */
struct slow_upload {
    struct raw_client client;
    pthread_t thread;
    atomic_bool stopped;
    bool cut_off;
};

static void *send_slowly(void *arg) {
    struct slow_upload *slow = arg;
    char *piece = text_of(SLOW_PIECE_BYTES);
    while (!slow->cut_off && !atomic_load(&slow->stopped)) {
        raw_send(&slow->client, piece, SLOW_PIECE_BYTES);
        slow->cut_off = raw_has_ended(&slow->client, SLOW_PIECE_MS) || slow->client.len > 0;
    }
    free(piece);
    return NULL;
}

static void slow_upload_start(struct slow_upload *slow, size_t body_bytes) {
    char head[128];
    snprintf(head, sizeof(head), "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: %zu\r\n\r\n",
             body_bytes);
    slow->cut_off = false;
    atomic_init(&slow->stopped, false);
    raw_connect(&slow->client, server.port);
    raw_send_text(&slow->client, head);
    CHECK(pthread_create(&slow->thread, NULL, send_slowly, slow) == 0);
}

/* Returns whether it was cut off, which is done with 408. */
static bool slow_upload_stop(struct slow_upload *slow) {
    atomic_store(&slow->stopped, true);
    pthread_join(slow->thread, NULL);
    if (slow->cut_off)
        raw_expect_status(&slow->client, 408);
    raw_close(&slow->client);
    return slow->cut_off;
}

/* Two slow uploads hold the budget; then this body is posted, and must be echoed this soon. */
static void expect_echo_beside_slow_uploads(size_t slow_bytes, size_t body_bytes, int64_t ms_max) {
    struct slow_upload slow[2];
    for (int i = 0; i < 2; i++)
        slow_upload_start(&slow[i], slow_bytes);
    while (endpoint_stats(server.endpoint).memory_bytes < 2 * slow_bytes)
        usleep(1000);
    struct raw_client next;
    char *body = text_of(body_bytes);
    raw_connect(&next, server.port);
    int64_t begin = now_ms();
    raw_expect_echo(&next, "/", body);
    assert_in_range(now_ms() - begin, 0, ms_max);
    raw_close(&next);
    free(body);
    usleep(4 * SLOW_PIECE_MS * 1000); /* for the slow to notice */
    bool first = slow_upload_stop(&slow[0]), second = slow_upload_stop(&slow[1]);
    assert_true(first || second);
}

/* Quick enough for 32 KB a second, but not for what they have reserved. */
static void slow_uploads_make_way_for_small_bodies(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.memory_bytes_max = 2000000;
    echo_server_start(&server, config);
    expect_echo_beside_slow_uploads(980000, 100000, 4000);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void slow_uploads_make_way_for_large_bodies(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.memory_bytes_max = 10000000;
    echo_server_start(&server, config);
    expect_echo_beside_slow_uploads(3700000, 3700000, 4000);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void *send_three_megabytes(void *arg) {
    char *body = text_of(3000000);
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_expect_echo(&client, arg != NULL ? "/held" : "/", body);
    raw_close(&client);
    free(body);
    return NULL;
}

/* Large bodies that are being handled cannot be cut off: small ones do not even wait for them. */
static void large_bodies_leave_room_for_small_ones(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.memory_bytes_max = 6100000;
    echo_server_start(&server, config);
    enum { COUNT = 6 };
    pthread_t threads[COUNT];
    for (int i = 0; i < COUNT; i++)
        CHECK(pthread_create(&threads[i], NULL, send_three_megabytes, &server) == 0);
    echo_server_wait_connections(&server, COUNT);
    char *body = text_of(LARGE_BYTES);
    for (int done = 0; done < COUNT; done++) {
        echo_server_wait_held(&server, 1);
        struct raw_client small;
        raw_connect(&small, server.port);
        raw_expect_echo(&small, "/", body);
        raw_close(&small);
        assert_int_equal(echo_server_held(&server), 1);
        echo_server_let_go(&server);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    free(body);
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void waiting_for_memory_can_be_given_up(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.memory_bytes_max = 100000;
    config.limits.request_timeout_ms = 600;
    echo_server_start(&server, config);
    struct raw_client holder, waiting[3];
    char *body = text_of(90000);
    raw_connect(&holder, server.port);
    raw_post(&holder, "/held", body);
    echo_server_wait_held(&server, 1);
    for (int i = 0; i < 3; i++) {
        raw_connect(&waiting[i], server.port);
        raw_post(&waiting[i], "/", body);
    }
    echo_server_wait_connections(&server, 4);
    usleep(900000); /* longer than a request may take: waiting does not count */
    raw_abort(&waiting[1]);
    echo_server_let_go(&server);
    raw_expect_status(&waiting[0], 200);
    raw_expect_status(&waiting[2], 200);
    raw_expect_status(&holder, 200);
    raw_close(&holder);
    raw_close(&waiting[0]);
    raw_close(&waiting[2]);
    free(body);
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
        cmocka_unit_test(large_bodies_wait_for_memory),
        cmocka_unit_test(a_stuck_reader_makes_way),
        cmocka_unit_test(a_dripping_sender_makes_way),
        cmocka_unit_test(slow_uploads_make_way_for_small_bodies),
        cmocka_unit_test(slow_uploads_make_way_for_large_bodies),
        cmocka_unit_test(large_bodies_leave_room_for_small_ones),
        cmocka_unit_test(waiting_for_memory_can_be_given_up),
    };
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
