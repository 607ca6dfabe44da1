/* test_memory_limits.c - bodies that together are larger than the memory there is for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
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

static char *text_of(size_t len) {
    char *text = malloc(len + 1);
    CHECK(text != NULL);
    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + i % 25);
    text[len] = '\0';
    return text;
}

/* With what a connection has of its own off. */
enum { LARGE_BYTES = 600000, LARGE_DRAWN = LARGE_BYTES - 20 * 1024 };

/* One client with a large body; the argument says whether it asks for leave first. */
static void *send_large_body(void *arg) {
    bool asks = arg != NULL;
    struct raw_client client;
    raw_connect(&client, server.port);
    char head[256];
    snprintf(head, sizeof(head),
             "POST /?held HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n%s"
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
        assert_in_range(endpoint_stats(server.endpoint).memory_bytes, 2 * LARGE_DRAWN, 1400000);
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

/* Who asks for memory and then sends next to nothing makes way for those who wait for it. */
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

/* Two slow uploads hold the budget; then this body is posted, for which one of them is cut off. */
static void expect_echo_beside_slow_uploads(size_t slow_bytes, size_t body_bytes) {
    struct slow_upload slow[2];
    for (int i = 0; i < 2; i++)
        slow_upload_start(&slow[i], slow_bytes);
    while (endpoint_stats(server.endpoint).memory_bytes < 2 * (slow_bytes - 20 * 1024))
        usleep(1000);
    struct raw_client next;
    char *body = text_of(body_bytes);
    raw_connect(&next, server.port);
    raw_expect_echo(&next, "/", body);
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
    config.limits.memory_bytes_max = 1950000;
    echo_server_start(&server, config);
    expect_echo_beside_slow_uploads(980000, 100000);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void slow_uploads_make_way_for_large_bodies(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.memory_bytes_max = 10000000;
    echo_server_start(&server, config);
    expect_echo_beside_slow_uploads(3700000, 3700000);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void *send_three_megabytes(void *arg) {
    char *body = text_of(3000000);
    struct raw_client client;
    raw_connect(&client, server.port);
    raw_expect_echo(&client, arg != NULL ? "/?held" : "/", body);
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
    raw_post(&holder, "/?held", body);
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

/* ---- who has reserved something already ---- */

/* The head of a request with a large body has been sent, and so much of the body: the rest follows
 * when the memory for all of it is drawn from the budget. */
static void expect_large_reserved(struct raw_client *client, size_t sent) {
    while (endpoint_stats(server.endpoint).memory_bytes < LARGE_DRAWN)
        usleep(1000);
    assert_in_range(endpoint_stats(server.endpoint).memory_bytes, LARGE_DRAWN, 2 * LARGE_BYTES);
    char *body = text_of(LARGE_BYTES - sent);
    raw_send_text(client, body);
    free(body);
    raw_expect_status(client, 200);
    raw_close(client);
    echo_server_wait_no_memory(&server);
}

/* A head so long that it draws on the budget itself. */
static void a_long_head_does_not_pay_for_the_body(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.header_bytes_max = 64 * 1024;
    echo_server_start(&server, config);
    struct raw_client client;
    raw_connect(&client, server.port);
    char *filler = text_of(65000);
    raw_send_text(&client, "POST / HTTP/1.1\r\nHost: h\r\nX-Filler: ");
    raw_send_text(&client, filler);
    free(filler);
    while (endpoint_stats(server.endpoint).memory_bytes == 0) { /* the next read asks for room */
        raw_send_text(&client, "a");
        usleep(50000);
    }
    raw_send_text(&client, "\r\nContent-Type: application/json\r\nContent-Length: 600000\r\n\r\n");
    expect_large_reserved(&client, 0);
    echo_server_stop(&server, 1000);
}

/* Each larger than the buffer that the one before left, which doubles it. Behind the last one comes
 * more than a small buffer holds, so that what was reserved for it is not given back. */
static void a_request_does_not_pay_for_the_next_one(void **state) {
    (void)state;
    enum { LAST_BYTES = 131000, NEXT_BYTES = 80000 };
    echo_server_start(&server, echo_server_config());
    struct raw_client client;
    raw_connect(&client, server.port);
    char *body = text_of(LAST_BYTES);
    raw_expect_echo(&client, "/", body + LAST_BYTES - 63900);
    raw_expect_echo(&client, "/", body + LAST_BYTES - 65300);
    raw_post(&client, "/?held", body);
    raw_send_text(&client, "POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                           "Content-Length: 600000\r\n\r\n");
    raw_send_text(&client, body + LAST_BYTES - NEXT_BYTES);
    echo_server_wait_held(&server, 1);
    usleep(100000); /* for the rest to be read */
    echo_server_let_go(&server);
    raw_expect_status(&client, 200);
    expect_large_reserved(&client, NEXT_BYTES);
    free(body);
    echo_server_stop(&server, 1000);
}

/* The time is up while one holds the budget and others wait for it: what the first one gives back
 * is of no use to anybody any more. */
static void stopping_ends_the_wait_for_memory(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.memory_bytes_max = 700000;
    echo_server_start(&server, config);
    struct raw_client clients[3];
    for (int i = 0; i < 3; i++) {
        raw_connect(&clients[i], server.port);
        raw_send_text(&clients[i], "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 600000\r\n\r\n");
        while (endpoint_stats(server.endpoint).memory_bytes == 0)
            usleep(1000);
    }
    echo_server_wait_connections(&server, 3);
    usleep(100000); /* for the last two to wait */
    echo_server_stop(&server, 100);
    for (int i = 0; i < 3; i++) {
        raw_expect_end(&clients[i]);
        raw_close(&clients[i]);
    }
}

/* ---- packed bodies ---- */

struct packed_body {
    char *text;
    uint8_t *bytes;
    size_t bytes_len;
};

/* Packed to a thousandth, or as long as it was. */
static void packed_body_init(struct packed_body *body, size_t len, bool tight) {
    body->text = text_of(len);
    if (tight)
        memset(body->text, 'a', len);
    uLongf size = compressBound((uLong)len);
    body->bytes = malloc(size);
    CHECK(body->bytes != NULL);
    CHECK(compress2(body->bytes, &size, (Bytef *)body->text, (uLong)len, tight ? 9 : 0) == Z_OK);
    body->bytes_len = size;
}

static void packed_body_release(struct packed_body *body) {
    free(body->text);
    free(body->bytes);
}

static void post_packed(struct raw_client *client, const char *path, struct packed_body *body) {
    char head[256];
    snprintf(head, sizeof(head),
             "POST %s HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
             "Content-Encoding: deflate\r\nContent-Length: %zu\r\n\r\n",
             path, body->bytes_len);
    raw_send_text(client, head);
    CHECK(raw_send(client, (const char *)body->bytes, body->bytes_len));
}

static void expect_unpacked(struct raw_client *client, struct packed_body *body) {
    struct raw_reply reply;
    CHECK(raw_receive(client, &reply));
    CHECK(reply.status == 200 && strcmp(reply.body, body->text) == 0);
    raw_reply_free(&reply);
}

/* One client with a packed body, which ends its side of the connection behind it. */
static void *send_packed_body(void *arg) {
    struct raw_client client;
    raw_connect(&client, server.port);
    post_packed(&client, "/?held", arg);
    CHECK(shutdown(client.fd, SHUT_WR) == 0);
    expect_unpacked(&client, arg);
    raw_close(&client);
    return NULL;
}

/* Room for the body and what is made of it. Large ones may have three quarters. */
enum { WORK_OF_LARGE = 9 * LARGE_BYTES - 32 * 1024, WORK_FOR_TWO = 16000000 };

/* Eight small requests that become large, room for two. */
static void packed_bodies_wait_for_memory(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.body_bytes_max = LARGE_BYTES;
    config.limits.work_bytes_max = WORK_FOR_TWO;
    echo_server_start(&server, config);
    enum { COUNT = 8 };
    pthread_t threads[COUNT];
    struct packed_body body;
    packed_body_init(&body, LARGE_BYTES, true);
    for (int i = 0; i < COUNT; i++)
        CHECK(pthread_create(&threads[i], NULL, send_packed_body, &body) == 0);
    echo_server_wait_connections(&server, COUNT);
    for (int done = 0; done < COUNT; done += 2) {
        echo_server_wait_held(&server, 2);
        usleep(30000);
        assert_int_equal(echo_server_held(&server), 2);
        assert_in_range(endpoint_stats(server.endpoint).work_bytes, 2 * WORK_OF_LARGE,
                        WORK_FOR_TWO);
        echo_server_let_go(&server);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    packed_body_release(&body);
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

/* Large as they are sent, and unpacked as large: they wait with what was sent, and each gets its
 * turn. */
static void large_packed_bodies_wait_for_memory(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.limits.body_bytes_max = LARGE_BYTES + 1000;
    config.limits.work_bytes_max = WORK_FOR_TWO / 2;
    echo_server_start(&server, config);
    enum { COUNT = 4 };
    pthread_t threads[COUNT];
    struct packed_body body;
    packed_body_init(&body, LARGE_BYTES, false);
    assert_true(body.bytes_len > LARGE_BYTES);
    for (int i = 0; i < COUNT; i++)
        CHECK(pthread_create(&threads[i], NULL, send_packed_body, &body) == 0);
    for (int done = 0; done < COUNT; done++) {
        echo_server_wait_held(&server, 1);
        usleep(30000);
        assert_int_equal(echo_server_held(&server), 1);
        assert_in_range(endpoint_stats(server.endpoint).work_bytes, WORK_OF_LARGE,
                        WORK_FOR_TWO / 2);
        echo_server_let_go(&server);
    }
    for (int i = 0; i < COUNT; i++)
        pthread_join(threads[i], NULL);
    packed_body_release(&body);
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

static void a_packed_body_that_waits_can_be_given_up(void **state) {
    (void)state;
    struct endpoint_config config = echo_server_config();
    config.threads = 1;
    config.limits.work_bytes_max = 700000;
    echo_server_start(&server, config);
    struct raw_client clients[3];
    struct packed_body body;
    packed_body_init(&body, LARGE_BYTES, true);
    for (int i = 0; i < 3; i++) {
        raw_connect(&clients[i], server.port);
        post_packed(&clients[i], i == 0 ? "/?held" : "/", &body);
        if (i == 0)
            echo_server_wait_held(&server, 1);
    }
    usleep(50000); /* for the last two to wait */
    raw_abort(&clients[1]);
    echo_server_let_go(&server);
    expect_unpacked(&clients[0], &body);
    expect_unpacked(&clients[2], &body);
    raw_close(&clients[0]);
    raw_close(&clients[2]);
    packed_body_release(&body);
    echo_server_wait_connections(&server, 0);
    echo_server_wait_no_memory(&server);
    echo_server_stop(&server, 1000);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_bodies_wait_for_memory),
        cmocka_unit_test(a_dripping_sender_makes_way),
        cmocka_unit_test(slow_uploads_make_way_for_small_bodies),
        cmocka_unit_test(slow_uploads_make_way_for_large_bodies),
        cmocka_unit_test(large_bodies_leave_room_for_small_ones),
        cmocka_unit_test(waiting_for_memory_can_be_given_up),
        cmocka_unit_test(a_long_head_does_not_pay_for_the_body),
        cmocka_unit_test(a_request_does_not_pay_for_the_next_one),
        cmocka_unit_test(stopping_ends_the_wait_for_memory),
        cmocka_unit_test(packed_bodies_wait_for_memory),
        cmocka_unit_test(large_packed_bodies_wait_for_memory),
        cmocka_unit_test(a_packed_body_that_waits_can_be_given_up),
    };
    return cmocka_run_group_tests_name("memory limits", tests, NULL, NULL);
}
