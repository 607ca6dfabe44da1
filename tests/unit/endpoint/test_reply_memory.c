/* test_reply_memory.c - replies that together are larger than the memory there is for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/check.h"
#include "echo_server.h"
#include "raw_client.h"

static struct echo_server server;

/* So long that no socket of this machine takes it whole. */
#define BIG "/?big=9000000"
enum { BIG_BYTES = 9000000 };

static uint64_t work_bytes(void) {
    return endpoint_stats(server.endpoint).work_bytes;
}

static void start(uint64_t work_bytes_max, uint32_t memory_timeout_ms) {
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.work_bytes_max = work_bytes_max;
    config.limits.memory_timeout_ms = memory_timeout_ms;
    echo_server_start(&server, config);
}

static void end_server(void) {
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void ask_for_much(struct raw_client *client) {
    raw_connect_with_window(client, server.port, 4096);
    raw_post(client, BIG, "");
}

/* Twelve, room for three: all get theirs when they read, and small requests pass them by. */
static void replies_wait_for_memory(void **state) {
    (void)state;
    enum { COUNT = 12, LIMIT = 40000000 };
    struct raw_client clients[COUNT], small;
    start(LIMIT, 20000);
    for (int i = 0; i < COUNT; i++)
        ask_for_much(&clients[i]);
    raw_connect(&small, server.port);
    for (int i = 0; i < 100; i++) {
        raw_expect_echo(&small, "/", "{}");
        assert_in_range(work_bytes(), 0, LIMIT);
        usleep(2000);
    }
    assert_in_range(work_bytes(), BIG_BYTES, LIMIT);
    for (int i = 0; i < COUNT; i++) {
        struct raw_reply reply;
        CHECK(raw_receive(&clients[i], &reply));
        assert_int_equal(reply.status, 200);
        assert_int_equal(reply.body_len, BIG_BYTES);
        raw_reply_free(&reply);
        raw_close(&clients[i]);
        assert_in_range(work_bytes(), 0, LIMIT);
    }
    raw_close(&small);
    end_server();
}

/* Who holds memory by not reading makes way for those who wait for it. */
static void a_stuck_reader_makes_way(void **state) {
    (void)state;
    start(14000000, 20000);
    struct raw_client stuck, next;
    ask_for_much(&stuck);
    while (work_bytes() == 0)
        usleep(1000);
    raw_connect(&next, server.port);
    int64_t begin = raw_now_ms();
    raw_post(&next, BIG, "");
    raw_expect_status(&next, 200);
    assert_true(raw_now_ms() - begin >= 4000);
    echo_server_wait_connections(&server, 1);
    raw_close(&stuck);
    raw_close(&next);
    end_server();
}

/* Who waits for too long is told so, and may ask again on the same connection. */
static void waiting_ends_with_a_refusal(void **state) {
    (void)state;
    start(14000000, 300);
    struct raw_client stuck, next;
    ask_for_much(&stuck);
    while (work_bytes() == 0)
        usleep(1000);
    raw_connect(&next, server.port);
    int64_t begin = raw_now_ms();
    raw_post(&next, BIG, "");
    raw_expect_status(&next, 503);
    assert_true(raw_now_ms() - begin >= 200);
    raw_expect_echo(&next, "/", "{}");
    raw_close(&stuck);
    echo_server_wait_connections(&server, 1);
    raw_post(&next, BIG, "");
    raw_expect_status(&next, 200);
    raw_close(&next);
    end_server();
}

static void a_reply_that_waits_can_be_given_up(void **state) {
    (void)state;
    start(14000000, 20000);
    struct raw_client stuck, gone[3];
    ask_for_much(&stuck);
    while (work_bytes() == 0)
        usleep(1000);
    for (int i = 0; i < 3; i++)
        ask_for_much(&gone[i]);
    echo_server_wait_connections(&server, 4);
    usleep(50000); /* for them to wait */
    raw_abort(&gone[1]);
    echo_server_wait_connections(&server, 3);
    raw_expect_status(&stuck, 200);
    raw_expect_status(&gone[0], 200);
    raw_expect_status(&gone[2], 200);
    raw_close(&stuck);
    raw_close(&gone[0]);
    raw_close(&gone[2]);
    end_server();
}

/* The time is up while some wait. */
static void stopping_ends_the_wait(void **state) {
    (void)state;
    start(14000000, 20000);
    struct raw_client clients[3];
    for (int i = 0; i < 3; i++)
        ask_for_much(&clients[i]);
    echo_server_wait_connections(&server, 3);
    while (work_bytes() == 0)
        usleep(1000);
    echo_server_stop(&server, 100);
    for (int i = 0; i < 3; i++)
        raw_close(&clients[i]);
}

static atomic_uint told;

static void memory_freed(void *user) {
    (void)user;
    atomic_fetch_add(&told, 1);
}

/* When much was freed and nobody is there any more, the owner hears of it, once. */
static void what_was_freed_is_told(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.memory_freed = memory_freed;
    echo_server_start(&server, config);
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_post(&client, BIG, "");
    raw_expect_status(&client, 200);
    raw_close(&client);
    for (int i = 0; i < 500 && atomic_load(&told) == 0; i++)
        usleep(10000);
    usleep(500000);
    assert_int_equal(atomic_load(&told), 1);
    end_server();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_wait_for_memory),
        cmocka_unit_test(a_stuck_reader_makes_way),
        cmocka_unit_test(waiting_ends_with_a_refusal),
        cmocka_unit_test(a_reply_that_waits_can_be_given_up),
        cmocka_unit_test(stopping_ends_the_wait),
        cmocka_unit_test(what_was_freed_is_told),
    };
    return cmocka_run_group_tests_name("memory for replies", tests, NULL, NULL);
}
