/* test_stream.c - events of a stream and their order: reading, writing, deadlines, closing and
 * connecting. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/check.h"
#include "net_scene.h"

static struct raw_client client;
static struct heard *heard;

static void start_with(const struct net_server_options *options,
                       void (*on)(struct heard *heard, char event), size_t room) {
    scene_start(options);
    scene.on = on;
    scene.room = room;
    heard = scene_connect(&client);
}

static void start(void (*on)(struct heard *heard, char event)) {
    struct net_server_options options = scene_options(1);
    start_with(&options, on, ROOM_MAX);
}

static int teardown(void **state) {
    (void)state;
    raw_close(&client);
    scene_stop(0);
    return 0;
}

/* ---- reading ---- */

static void close_ended(struct heard *one, char event) {
    if (event == 'e')
        net_stream_close(&one->stream);
}

static void input_is_followed_by_a_turn(void **state) {
    (void)state;
    start(close_ended);
    raw_send_text(&client, "hello");
    scene_await(heard, 'T', 1);
    assert_memory_equal(heard->input, "hello", 5);
    assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
    scene_await(heard, 'c', 1);
    assert_string_equal(heard->log, "oatTec");
}

static void take_input(void *user) {
    (void)user;
    heard->len = 0;
    net_stream_resume(&heard->stream);
}

static void full_buffer_pauses_reading(void **state) {
    (void)state;
    struct net_server_options options = scene_options(1);
    start_with(&options, NULL, 4);
    raw_send_text(&client, "0123456789");
    scene_await(heard, 'T', 1);
    assert_memory_equal(heard->input, "0123", 4);
    scene_run(0, take_input, NULL);
    scene_await(heard, 'T', 2);
    assert_memory_equal(heard->input, "4567", 4);
    assert_int_equal(heard->len, 4);
    scene_run(0, take_input, NULL);
    scene_await(heard, 'T', 3);
    assert_memory_equal(heard->input, "89", 2);
    assert_int_equal(heard->len, 2);
}

static void want_two_turns(void *user) {
    (void)user;
    net_stream_want_turn(&heard->stream);
    net_stream_want_turn(&heard->stream);
}

static void turn_requested_twice_comes_once(void **state) {
    (void)state;
    start(NULL);
    scene_run(0, want_two_turns, NULL);
    scene_await(heard, 'T', 1);
    scene_run(0, want_two_turns, NULL);
    scene_await(heard, 'T', 2);
    assert_string_equal(heard->log, "otTtT");
}

/* ---- deadlines ---- */

static void expire_at_once(void *user) {
    (void)user;
    net_stream_set_deadline(&heard->stream, net_loop_now_ms(heard->stream.loop));
}

static void deadline_expires_once(void **state) {
    (void)state;
    start(NULL);
    scene_await_ticks(heard, 2);
    assert_string_equal(heard->log, "o");
    scene_run(0, expire_at_once, NULL);
    scene_await(heard, 'x', 1);
    scene_await_ticks(heard, 3);
    assert_string_equal(heard->log, "ox");
}

/* ---- writing ---- */

enum { LONG = 8 * 1024 * 1024 };

static uint8_t *long_text;

static void write_long(void *user) {
    const size_t *first = user;
    struct slice parts[] = {slice_of(long_text, *first),
                            slice_of(long_text + *first, LONG - *first)};
    heard->result = net_stream_write(&heard->stream, parts, 2);
}

static void write_word(void *user) {
    struct slice parts[] = {slice_text(user), SLICE_LITERAL(""), SLICE_LITERAL("!")};
    heard->result = net_stream_write(&heard->stream, parts, 3);
}

static void make_long_text(void) {
    long_text = malloc(LONG);
    assert_non_null(long_text);
    for (size_t i = 0; i < LONG; i++)
        long_text[i] = (uint8_t)(i * 2654435761u >> 13);
}

static void expect_text(const void *text, size_t len) {
    const uint8_t *wanted = text;
    uint8_t bytes[65536];
    while (len > 0) {
        ssize_t got = raw_read(&client, bytes, len < sizeof(bytes) ? len : sizeof(bytes));
        assert_true(got > 0);
        assert_memory_equal(bytes, wanted, (size_t)got);
        wanted += got;
        len -= (size_t)got;
    }
}

static void short_write_completes_at_once(void **state) {
    (void)state;
    start(NULL);
    scene_run(0, write_word, (void *)(uintptr_t) "hello");
    assert_int_equal(heard->result, NET_WRITE_DONE);
    expect_text("hello!", 6);
    assert_string_equal(heard->log, "o");
}

static void long_write_reports_completion(void **state) {
    (void)state;
    size_t first = 12345;
    make_long_text();
    start(NULL);
    scene_run(0, write_long, &first);
    assert_int_equal(heard->result, NET_WRITE_PENDING);
    expect_text(long_text, LONG);
    scene_await(heard, 'w', 1);
    assert_string_equal(heard->log, "ow");
    scene_run(0, write_word, (void *)(uintptr_t) "more");
    expect_text("more!", 5);
    free(long_text);
}

static void stuck_write_times_out(void **state) {
    (void)state;
    size_t first = LONG;
    struct net_server_options options = scene_options(1);
    options.write_timeout_ms = 20;
    make_long_text();
    start_with(&options, NULL, ROOM_MAX);
    scene_run(0, write_long, &first);
    scene_await(heard, 'c', 1);
    assert_string_equal(heard->log, "oc");
    free(long_text);
}

/* ---- closing ---- */

static void close_now(void *user) {
    (void)user;
    net_stream_close(&heard->stream);
    net_stream_close(&heard->stream);
}

static void reset_closes_the_stream(void **state) {
    (void)state;
    start(NULL);
    raw_abort(&client);
    scene_await(heard, 'c', 1);
    assert_string_equal(heard->log, "oc");
    raw_connect(&client, scene.port);
}

static void second_close_is_ignored(void **state) {
    (void)state;
    start(NULL);
    scene_run(0, close_now, NULL);
    scene_await(heard, 'c', 1);
    raw_expect_end(&client);
    assert_string_equal(heard->log, "oc");
}

static void close_at_arrival(struct heard *one, char event) {
    if (event == 'a')
        net_stream_close(&one->stream);
}

static void requested_turn_comes_before_closed(void **state) {
    (void)state;
    start(close_at_arrival);
    raw_send_text(&client, "hello");
    scene_await(heard, 'c', 1);
    assert_string_equal(heard->log, "oatTc");
}

static void reply_and_leave(struct heard *one, char event) {
    struct slice parts[] = {SLICE_LITERAL("bye")};
    if (event != 'T')
        return;
    CHECK(net_stream_write(&one->stream, parts, 1) == NET_WRITE_DONE);
    net_stream_close_gently(&one->stream, 3600 * 1000);
}

/* Closing with unread input would reset the connection and lose the reply. */
static void gentle_close_delivers_the_reply(void **state) {
    (void)state;
    struct net_server_options options = scene_options(1);
    start_with(&options, reply_and_leave, 4);
    raw_send_text(&client, "much more than there is room for");
    scene_await(heard, 'T', 1);
    raw_send_text(&client, "and still more");
    expect_text("bye", 3);
    raw_expect_end(&client);
    assert_int_equal(shutdown(client.fd, SHUT_WR), 0);
    scene_await(heard, 'c', 1);
    assert_string_equal(heard->log, "oatTc");
}

static void leave_soon(void *user) {
    (void)user;
    net_stream_close_gently(&heard->stream, 1);
}

static void gentle_close_has_a_deadline(void **state) {
    (void)state;
    start(NULL);
    scene_run(0, leave_soon, NULL);
    scene_await(heard, 'c', 1);
    assert_string_equal(heard->log, "oc");
    raw_expect_end(&client);
}

/* ---- connecting ---- */

static struct heard outgoing;
static char log_at_return[HEARD_MAX];

static void connect_to(void *user) {
    struct net_target target = {.address = user, .timeout_ms = 10 * 1000};
    outgoing = (struct heard){.room = ROOM_MAX};
    net_stream_init(&outgoing.stream, &scene_events);
    net_stream_connect(&outgoing.stream, net_server_loop(scene.server, 0), &target);
    memcpy(log_at_return, outgoing.log, HEARD_MAX);
}

static void close_outgoing(void *user) {
    (void)user;
    net_stream_close(&outgoing.stream);
}

/* Opens a listener of the test's own. */
static int listen_at(struct sockaddr_in *ret_address) {
    socklen_t len = sizeof(*ret_address);
    *ret_address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)ret_address, len), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)ret_address, &len), 0);
    return fd;
}

/* Outgoing streams do not count as connections. */
static void outgoing_stream_connects(void **state) {
    (void)state;
    struct sockaddr_in address;
    char peer[NET_ADDRESS_CHARS];
    int listener = listen_at(&address);
    start(NULL);
    scene_run(0, connect_to, &address);
    scene_await(&outgoing, 'o', 1);
    assert_string_equal(log_at_return, "");
    assert_true(net_stream_peer(&outgoing.stream, peer));
    assert_string_equal(peer, "127.0.0.1");
    assert_null(net_stream_client(&outgoing.stream));
    assert_int_equal(net_server_stats(scene.server).connections, 1);
    scene_run(0, close_outgoing, NULL);
    scene_await(&outgoing, 'c', 1);
    assert_string_equal(outgoing.log, "oc");
    close(listener);
}

static void refused_connection_closes_the_stream(void **state) {
    (void)state;
    struct sockaddr_in address;
    close(listen_at(&address));
    start(NULL);
    scene_run(0, connect_to, &address);
    scene_await(&outgoing, 'c', 1);
    assert_string_equal(log_at_return, "");
    assert_string_equal(outgoing.log, "c");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(input_is_followed_by_a_turn, teardown),
        cmocka_unit_test_teardown(full_buffer_pauses_reading, teardown),
        cmocka_unit_test_teardown(turn_requested_twice_comes_once, teardown),
        cmocka_unit_test_teardown(deadline_expires_once, teardown),
        cmocka_unit_test_teardown(short_write_completes_at_once, teardown),
        cmocka_unit_test_teardown(long_write_reports_completion, teardown),
        cmocka_unit_test_teardown(stuck_write_times_out, teardown),
        cmocka_unit_test_teardown(reset_closes_the_stream, teardown),
        cmocka_unit_test_teardown(second_close_is_ignored, teardown),
        cmocka_unit_test_teardown(requested_turn_comes_before_closed, teardown),
        cmocka_unit_test_teardown(gentle_close_delivers_the_reply, teardown),
        cmocka_unit_test_teardown(gentle_close_has_a_deadline, teardown),
        cmocka_unit_test_teardown(outgoing_stream_connects, teardown),
        cmocka_unit_test_teardown(refused_connection_closes_the_stream, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
