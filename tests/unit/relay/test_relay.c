/* test_relay.c - request forwarding to the leader: replies, waiting, retries, and writes that must
 * not be sent twice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <unistd.h>

#include "base/check.h"
#include "fake_leader.h"
#include "http/reply_reader.h"
#include "relay/relay.h"
#include "unit/endpoint/raw_client.h"

enum { TEXT = 4096, SENT_MAX = 4 };

/* A follower: it forwards every request. */
static struct {
    struct arena arena;
    struct endpoint *endpoint;
    struct relay *relay; /* of the only I/O thread */
    struct relay_tally tally;
    struct fake_leader leader;
    struct raw_client client;
    char text[TEXT]; /* the last request that the leader read */
} scene;

/* ---- the endpoint ---- */

static bool asks(const struct exchange *exchange, const char *what) {
    return slice_present(http_request_query(&exchange->request, slice_text(what)));
}

static void reply_here(struct exchange *exchange) {
    buffer_append_text(&exchange->reply, "here");
    exchange_reply(exchange, 200);
}

static void reply_told(struct exchange *exchange, int status) {
    CHECK(exchange->reply.len == 0);
    buffer_printf(&exchange->reply, "told %d", status);
    exchange_reply(exchange, 200);
}

static void handle(struct exchange *exchange) {
    bool told = asks(exchange, "told"), impatient = asks(exchange, "impatient");
    struct relay_request request = {
        .here = reply_here,
        .again = asks(exchange, "again"),
        .told = told ? reply_told : NULL,
        .told_ms = impatient ? 50 : 10 * 1000,
    };
    relay_hand_on(exchange->thread_context, exchange, &request);
}

static void *thread_start(void *user, unsigned index) {
    (void)user;
    (void)index;
    return scene.relay;
}

static void thread_stop(void *user, void *context) {
    (void)user;
    relay_free(context);
}

static bool ticked(void *user, void *context) {
    (void)user;
    return relay_tick(context);
}

static int set_up(void **state) {
    (void)state;
    static const struct slice hosts[] = {{(const uint8_t *)"h", 1}};
    memset(&scene, 0, sizeof(scene));
    arena_init(&scene.arena);
    scene.relay = relay_new(&(struct relay_options){.tally = &scene.tally});
    struct endpoint_config config = {.host = SLICE_LITERAL("127.0.0.1"),
                                     .threads = 1,
                                     .limits = endpoint_limits_default(),
                                     .allow_hosts = {hosts, 1},
                                     .random = &system_random,
                                     .handle = handle,
                                     .thread_start = thread_start,
                                     .thread_stop = thread_stop,
                                     .ticked = ticked};
    config.limits.tick_ms = 10;
    CHECK(endpoint_start(&scene.arena, &config, &scene.endpoint) == NULL);
    fake_leader_open(&scene.leader, 1);
    raw_connect(&scene.client, endpoint_port(scene.endpoint));
    return 0;
}

/* ---- changes of leadership ---- */

static void follow_now(void *user, void *context) {
    relay_follow(context, user);
}

static void follow(const struct relay_leader *leader) {
    endpoint_visit(scene.endpoint, follow_now, (void *)(uintptr_t)leader);
}

static void serve_now(void *user, void *context) {
    (void)user;
    relay_serve(context);
}

static void end_now(void *user, void *context) {
    (void)user;
    relay_end(context);
}

static int tear_down(void **state) {
    (void)state;
    raw_close(&scene.client);
    endpoint_visit(scene.endpoint, end_now, NULL);
    endpoint_stop(scene.endpoint, 1000);
    fake_leader_close(&scene.leader);
    assert_int_equal(atomic_load(&scene.tally.waiting), 0);
    arena_release(&scene.arena);
    return 0;
}

/* ---- waiting ---- */

static void expect_count(const _Atomic uint64_t *counter, uint64_t count) {
    for (int i = 0; i < 10000 && atomic_load(counter) != count; i++)
        usleep(1000);
    assert_int_equal(atomic_load(counter), count);
}

static int read_request(void) {
    int fd = fake_leader_accept(&scene.leader);
    fake_leader_read(fd, scene.text, sizeof(scene.text));
    return fd;
}

static void expect_reply(int status, const char *body) {
    struct raw_reply reply;
    assert_true(raw_receive(&scene.client, &reply));
    assert_int_equal(reply.status, status);
    assert_string_equal(reply.body, body);
    raw_reply_free(&reply);
}

static void expect_unavailable(void) {
    expect_reply(503, "{\"__type\":\"com.amazon.coral.service#ServiceUnavailableException\","
                      "\"message\":\"No server leads the store now\"}");
}

static void expect_doubt(void) {
    expect_reply(500, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
                      "\"message\":\"The server that leads was lost: the request may have "
                      "happened or not\"}");
    expect_count(&scene.tally.doubtful, 1);
}

/* ---- replies ---- */

static void request_is_forwarded_unchanged_and_reply_returned(void **state) {
    (void)state;
    struct raw_reply reply;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    int fd = read_request();
    const char *request = strchr(scene.text, '\n') + 1;
    assert_memory_equal(scene.text, "RELAYED ", 8);
    assert_non_null(strstr(scene.text, " 0 127.0.0.1 -\r\n"));
    assert_string_equal(request,
                        "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/x-amz-json-1.0"
                        "\r\nContent-Length: 2\r\n\r\n{}");
    fake_leader_send(fd, "HTTP/1.1 418 I'm a teapot\r\nServer: Other\r\nDate: then\r\n"
                         "X-More: 1\r\nVary: *\r\nAccess-Control-Allow-Origin: *\r\n"
                         "Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nte");
    fake_leader_send(fd, "apo");
    assert_true(raw_receive(&scene.client, &reply));
    assert_int_equal(reply.status, 418);
    assert_string_equal(reply.body, "teapo");
    assert_string_equal(raw_header(&reply, "X-More"), "1");
    assert_string_equal(raw_header(&reply, "Content-Type"), "text/plain");
    assert_string_not_equal(raw_header(&reply, "Server"), "Other");
    assert_string_not_equal(raw_header(&reply, "Date"), "then");
    assert_string_not_equal(raw_header(&reply, "Vary"), "*");
    assert_string_equal(raw_header(&reply, "Access-Control-Allow-Origin"), "");
    raw_reply_free(&reply);
    close(fd);
    expect_count(&scene.tally.sent, 1);
    expect_count(&scene.tally.answered, 1);
}

static void connection_is_reused(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    int fd = read_request();
    fake_leader_reply(fd, "one");
    expect_reply(200, "one");
    raw_post(&scene.client, "/", "{}");
    fake_leader_read(fd, scene.text, sizeof(scene.text));
    fake_leader_send(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 3\r\n\r\ntwo");
    expect_reply(200, "two");
    fake_leader_expect_end(fd);
    raw_post(&scene.client, "/", "{}");
    fd = read_request();
    fake_leader_reply(fd, "three");
    expect_reply(200, "three");
    close(fd);
}

/* A connection carries one request at a time. */
static void concurrent_requests_use_separate_connections(void **state) {
    (void)state;
    struct raw_client other;
    follow(&scene.leader.address);
    raw_connect(&other, endpoint_port(scene.endpoint));
    raw_post(&scene.client, "/", "{}");
    int first = read_request();
    raw_post(&other, "/", "{}");
    int second = read_request();
    fake_leader_reply(second, "second");
    raw_expect_status(&other, 200);
    fake_leader_reply(first, "first");
    expect_reply(200, "first");
    close(first);
    close(second);
    raw_close(&other);
}

static void interim_reply_is_skipped(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    int fd = read_request();
    fake_leader_send(fd, "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n");
    fake_leader_reply(fd, "done");
    expect_reply(200, "done");
    close(fd);
}

/* ---- no leader ---- */

static void request_waits_for_a_leader(void **state) {
    (void)state;
    raw_post(&scene.client, "/", "{}");
    expect_count(&scene.tally.waiting, 1);
    expect_count(&scene.tally.waited, 1);
    assert_true(fake_leader_is_idle(&scene.leader));
    follow(&scene.leader.address);
    int fd = read_request();
    expect_count(&scene.tally.waiting, 0);
    fake_leader_reply(fd, "late");
    expect_reply(200, "late");
    close(fd);
}

/* 421 means that the request was not executed, so a write may be retried. */
static void misdirected_request_is_retried(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    for (int i = 0; i < SENT_MAX + 1; i++) {
        int fd = read_request();
        fake_leader_send(fd, "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n");
        fake_leader_expect_end(fd);
    }
    int fd = read_request();
    fake_leader_reply(fd, "now");
    expect_reply(200, "now");
    close(fd);
    expect_count(&scene.tally.repeated, 0);
    expect_count(&scene.tally.waited, 1);
}

static void unreachable_leader_is_retried(void **state) {
    (void)state;
    struct fake_leader gone;
    fake_leader_open(&gone, 7);
    fake_leader_close(&gone);
    follow(&gone.address);
    raw_post(&scene.client, "/", "{}");
    expect_count(&scene.tally.waited, 1);
    follow(&scene.leader.address);
    int fd = read_request();
    fake_leader_reply(fd, "found");
    expect_reply(200, "found");
    close(fd);
}

static void new_leader_answers_waiting_requests_itself(void **state) {
    (void)state;
    raw_post(&scene.client, "/", "{}");
    expect_count(&scene.tally.waiting, 1);
    endpoint_visit(scene.endpoint, serve_now, NULL);
    expect_reply(200, "here");
    expect_count(&scene.tally.sent, 0);
}

static void stopping_server_refuses_waiting_requests(void **state) {
    (void)state;
    raw_post(&scene.client, "/", "{}");
    expect_count(&scene.tally.waiting, 1);
    endpoint_visit(scene.endpoint, end_now, NULL);
    expect_unavailable();
    raw_post(&scene.client, "/", "{}");
    expect_unavailable();
}

static void stopping_server_waits_for_forwarded_requests(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    int fd = read_request();
    endpoint_visit(scene.endpoint, end_now, NULL);
    fake_leader_reply(fd, "last");
    expect_reply(200, "last");
    fake_leader_expect_end(fd);
}

/* ---- lost leaders ---- */

static void write_is_never_sent_twice(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    close(read_request());
    expect_doubt();
    assert_true(fake_leader_is_idle(&scene.leader));
    expect_count(&scene.tally.sent, 1);
}

static void read_is_retried(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/?again", "{}");
    int fd = read_request();
    fake_leader_send(fd, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nhal");
    close(fd);
    fd = read_request();
    fake_leader_reply(fd, "whole");
    expect_reply(200, "whole");
    close(fd);
    expect_count(&scene.tally.repeated, 1);
    expect_count(&scene.tally.doubtful, 0);
}

/* A request that crashes the leader must not crash every leader. */
static void read_is_sent_4_times_at_most(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/?again", "{}");
    for (int i = 0; i < SENT_MAX; i++)
        close(read_request());
    expect_doubt();
    assert_true(fake_leader_is_idle(&scene.leader));
    expect_count(&scene.tally.repeated, SENT_MAX - 1);
}

static void malformed_reply_counts_as_lost(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "SSH-2.0-OpenSSH\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nmore than that",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    };
    follow(&scene.leader.address);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        raw_post(&scene.client, "/?again", "{}");
        int fd = read_request();
        fake_leader_send(fd, wrong[i]);
        fake_leader_expect_end(fd);
        fd = read_request();
        fake_leader_send(fd, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
        expect_reply(200, "");
        fake_leader_expect_end(fd);
    }
}

static void endless_reply_head_counts_as_lost(void **state) {
    (void)state;
    static char head[HTTP_REPLY_HEAD_BYTES_MAX + 2];
    memset(head, 'x', sizeof(head) - 1);
    memcpy(head, "HTTP/1.1 200 OK\r\nX: ", 20);
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    int fd = read_request();
    fake_leader_send(fd, head);
    expect_doubt();
    close(fd);
}

static void read_is_retried_at_the_new_leader(void **state) {
    (void)state;
    struct fake_leader other;
    fake_leader_open(&other, 2);
    follow(&scene.leader.address);
    raw_post(&scene.client, "/?again", "{}");
    int old = read_request();
    follow(&other.address);
    fake_leader_expect_end(old);
    int fd = fake_leader_accept(&other);
    fake_leader_read(fd, scene.text, sizeof(scene.text));
    fake_leader_reply(fd, "new");
    expect_reply(200, "new");
    close(fd);
    fake_leader_close(&other);
}

struct change {
    struct relay_leader leader;
    int before; /* the connection to the old leader */
};

static void follow_and_answer(void *user, void *context) {
    const struct change *change = user;
    relay_follow(context, &change->leader);
    fake_leader_reply(change->before, "old");
}

/* The old leader may have executed it, and its reply may be on its way. */
static void write_waits_for_the_old_leader(void **state) {
    (void)state;
    struct fake_leader other;
    fake_leader_open(&other, 2);
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    struct change change = {other.address, read_request()};
    endpoint_visit(scene.endpoint, follow_and_answer, &change);
    expect_reply(200, "old");
    fake_leader_expect_end(change.before);
    raw_post(&scene.client, "/", "{}");
    int fd = fake_leader_accept(&other);
    fake_leader_read(fd, scene.text, sizeof(scene.text));
    fake_leader_reply(fd, "new");
    expect_reply(200, "new");
    close(fd);
    fake_leader_close(&other);
}

static void unanswered_write_is_in_doubt_after_failover(void **state) {
    (void)state;
    struct relay_leader nobody = {.number = 2};
    follow(&scene.leader.address);
    raw_post(&scene.client, "/", "{}");
    int old = read_request();
    follow(&nobody);
    expect_doubt();
    fake_leader_expect_end(old);
}

/* ---- probes ---- */

static void probe_reports_the_status(void **state) {
    (void)state;
    follow(&scene.leader.address);
    raw_post(&scene.client, "/?told", "{}");
    int fd = read_request();
    fake_leader_send(fd, "HTTP/1.1 503 Not Now\r\nContent-Length: 4\r\n\r\nbody");
    expect_reply(200, "told 503");
    close(fd);
    expect_count(&scene.tally.sent, 0);
    expect_count(&scene.tally.answered, 0);
}

static void probe_reports_0_without_a_reply(void **state) {
    (void)state;
    raw_post(&scene.client, "/?told&impatient", "{}");
    expect_reply(200, "told 0");
    follow(&scene.leader.address);
    raw_post(&scene.client, "/?told&impatient", "{}");
    expect_reply(200, "told 0");
    close(fake_leader_accept(&scene.leader));
    raw_post(&scene.client, "/?told", "{}");
    int fd = read_request();
    fake_leader_send(fd, "HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n");
    expect_reply(200, "told 0");
    fake_leader_expect_end(fd);
    expect_count(&scene.tally.doubtful, 0);
    expect_count(&scene.tally.waited, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(request_is_forwarded_unchanged_and_reply_returned),
        TEST(connection_is_reused),
        TEST(concurrent_requests_use_separate_connections),
        TEST(interim_reply_is_skipped),
        TEST(request_waits_for_a_leader),
        TEST(misdirected_request_is_retried),
        TEST(unreachable_leader_is_retried),
        TEST(new_leader_answers_waiting_requests_itself),
        TEST(stopping_server_refuses_waiting_requests),
        TEST(stopping_server_waits_for_forwarded_requests),
        TEST(write_is_never_sent_twice),
        TEST(read_is_retried),
        TEST(read_is_sent_4_times_at_most),
        TEST(malformed_reply_counts_as_lost),
        TEST(endless_reply_head_counts_as_lost),
        TEST(read_is_retried_at_the_new_leader),
        TEST(write_waits_for_the_old_leader),
        TEST(unanswered_write_is_in_doubt_after_failover),
        TEST(probe_reports_the_status),
        TEST(probe_reports_0_without_a_reply),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
