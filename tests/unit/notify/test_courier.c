/* test_courier.c - parcels to a server that answers, stalls, refuses or is not there, and to
 * commands. The server is in this process: a thread for each connection, which does what the path
 * says and keeps what it was sent. */
#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "notify/courier.h"

enum { REQUEST_MAX = 8192, REQUESTS_MAX = 256, WAIT_MS = 20000 };

static struct {
    int socket;
    int port;
    pthread_mutex_t lock;
    char requests[REQUESTS_MAX][REQUEST_MAX];
    int count;
} server = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the server ---- */

/* The head, and the body that it announces. */
static void read_request(int fd, char *text) {
    size_t len = 0, wanted = REQUEST_MAX - 1;
    while (len < wanted) {
        ssize_t got = read(fd, text + len, REQUEST_MAX - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
        text[len] = '\0';
        char *end = strstr(text, "\r\n\r\n"), *length = strcasestr(text, "content-length: ");
        if (end != NULL)
            wanted =
                (size_t)(end - text) + 4 + (length == NULL ? 0 : strtoul(length + 16, NULL, 10));
    }
    text[len] = '\0';
}

static int keep(const char *text) {
    pthread_mutex_lock(&server.lock);
    int number = server.count++;
    if (number < REQUESTS_MAX)
        snprintf(server.requests[number], REQUEST_MAX, "%s", text);
    pthread_mutex_unlock(&server.lock);
    return number;
}

static void answer(int fd, const char *status) {
    char text[300];
    int len = snprintf(text, sizeof(text),
                       "HTTP/1.1 %s\r\nLocation: http://127.0.0.1:%d/ok\r\n"
                       "Content-Length: 0\r\nConnection: close\r\n\r\n",
                       status, server.port);
    assert_int_equal(write(fd, text, (size_t)len), len);
}

static void *serve(void *argument) {
    int fd = (int)(intptr_t)argument;
    char text[REQUEST_MAX] = "";
    read_request(fd, text);
    int number = keep(text);
    if (strncmp(text, "POST /slow", 10) == 0)
        sleep(30);
    else if (strncmp(text, "POST /moved", 11) == 0)
        answer(fd, "301 Moved Permanently");
    else if (strncmp(text, "POST /missing", 13) == 0)
        answer(fd, "404 Not Found");
    else if (strncmp(text, "POST /busy", 10) == 0)
        answer(fd, "503 Service Unavailable");
    else if (strncmp(text, "POST /second", 12) == 0)
        answer(fd, number == 0 ? "500 Internal Server Error" : "200 OK");
    else if (strncmp(text, "POST /cut", 9) != 0)
        answer(fd, "200 OK");
    close(fd);
    return NULL;
}

static void *accept_all(void *argument) {
    (void)argument;
    for (;;) {
        pthread_t thread;
        int fd = accept(server.socket, NULL, NULL);
        if (fd < 0)
            return NULL;
        pthread_create(&thread, NULL, serve, (void *)(intptr_t)fd);
        pthread_detach(thread);
    }
}

static int start_server(void **state) {
    (void)state;
    pthread_t thread;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    server.socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(server.socket, (struct sockaddr *)&address, size) != 0 ||
        listen(server.socket, 128) != 0 ||
        getsockname(server.socket, (struct sockaddr *)&address, &size) != 0)
        return -1;
    server.port = ntohs(address.sin_port);
    return pthread_create(&thread, NULL, accept_all, NULL);
}

/* ---- a courier and what it told ---- */

static struct {
    _Atomic int delivered, failed;
    _Atomic useconds_t pause_us; /* whoever is told takes so long */
    pthread_mutex_t lock;
    char text[OUTCOME_TEXT_MAX]; /* the last one that failed */
    char order[1000];            /* the ids, as they were done */
} told = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void tell(void *user, const struct parcel *parcel, const struct outcome *outcome) {
    (void)user;
    pthread_mutex_lock(&told.lock);
    size_t len = strlen(told.order);
    snprintf(told.order + len, sizeof(told.order) - len, "%.*s ", SLICE_ARGS(parcel->id));
    if (outcome->kind != OUTCOME_DELIVERED)
        snprintf(told.text, sizeof(told.text), "%s", outcome->text);
    pthread_mutex_unlock(&told.lock);
    atomic_fetch_add(outcome->kind == OUTCOME_DELIVERED ? &told.delivered : &told.failed, 1);
    usleep(told.pause_us);
}

static struct courier *start_patient(const char *const *hosts, uint32_t attempt_ms) {
    struct arena arena;
    struct courier *courier = NULL;
    struct courier_options options = {.attempts = 3,
                                      .connect_ms = 500,
                                      .attempt_ms = attempt_ms,
                                      .pause_ms = 10,
                                      .grace_ms = 300,
                                      .hosts = hosts,
                                      .done = tell};
    pthread_mutex_lock(&server.lock);
    server.count = 0;
    pthread_mutex_unlock(&server.lock);
    told.delivered = told.failed = 0;
    told.text[0] = told.order[0] = '\0';
    arena_init(&arena);
    assert_null(courier_start(&arena, &options, &courier));
    arena_release(&arena);
    return courier;
}

static struct courier *start(const char *const *hosts) {
    return start_patient(hosts, 700);
}

static bool post(struct courier *courier, const char *id, const char *path) {
    char url[200];
    snprintf(url, sizeof(url), "http://127.0.0.1:%d%s", server.port, path);
    struct parcel parcel = {
        .id = slice_text(id),
        .to = slice_text(url),
        .headers = {SLICE_LITERAL("Content-Type: application/json"), SLICE_LITERAL("X-One: 1")},
        .body = SLICE_LITERAL("{\"a\":1}")};
    return courier_send(courier, &parcel);
}

static bool run(struct courier *courier, const char *command) {
    struct parcel parcel = {.id = SLICE_LITERAL("c"),
                            .by = PARCEL_BY_COMMAND,
                            .to = slice_text(command),
                            .body = SLICE_LITERAL("the message")};
    return courier_send(courier, &parcel);
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for(const _Atomic int *count, int wanted) {
    int64_t end_ms = now_ms() + WAIT_MS;
    while (atomic_load(count) < wanted && now_ms() < end_ms)
        usleep(2000);
    assert_int_equal(atomic_load(count), wanted);
}

static int requests(void) {
    pthread_mutex_lock(&server.lock);
    int count = server.count;
    pthread_mutex_unlock(&server.lock);
    return count;
}

/* ---- tests ---- */

static void test_a_post_arrives_whole(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    assert_true(post(courier, "1", "/ok?x=1"));
    wait_for(&told.delivered, 1);
    assert_int_equal(requests(), 1);
    const char *text = server.requests[0];
    assert_memory_equal(text, "POST /ok?x=1 HTTP/1.1\r\n", 23);
    assert_non_null(strstr(text, "\r\nContent-Type: application/json\r\n"));
    assert_non_null(strstr(text, "\r\nX-One: 1\r\n"));
    assert_non_null(strstr(text, "\r\n\r\n{\"a\":1}"));
    courier_stop(courier);
}

static void test_what_fails_is_tried_again_a_few_times(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    assert_true(post(courier, "1", "/second"));
    wait_for(&told.delivered, 1);
    assert_int_equal(requests(), 2);
    assert_true(post(courier, "2", "/busy"));
    wait_for(&told.failed, 1);
    assert_int_equal(requests(), 2 + 3);
    assert_string_equal(told.text, "the answer was 503");
    assert_true(post(courier, "3", "/cut"));
    wait_for(&told.failed, 2);
    assert_int_equal(requests(), 5 + 3);
    courier_stop(courier);
}

static void test_what_is_refused_is_not(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    assert_true(post(courier, "1", "/missing"));
    wait_for(&told.failed, 1);
    assert_string_equal(told.text, "the answer was 404");
    assert_true(post(courier, "2", "/moved"));
    wait_for(&told.failed, 2);
    assert_string_equal(told.text, "the answer was 301, and redirects are not followed");
    assert_int_equal(requests(), 2);
    struct parcel parcel = {.id = SLICE_LITERAL("3"), .to = SLICE_LITERAL("file:///etc/passwd")};
    parcel.body = SLICE_LITERAL("");
    assert_true(courier_send(courier, &parcel));
    wait_for(&told.failed, 3);
    courier_stop(courier);
}

static void test_nobody_listens(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    struct parcel parcel = {.id = SLICE_LITERAL("1"),
                            .to = SLICE_LITERAL("http://127.0.0.1:1/"),
                            .body = SLICE_LITERAL("")};
    assert_true(courier_send(courier, &parcel));
    wait_for(&told.failed, 1);
    assert_non_null(strstr(told.text, "connect"));
    courier_stop(courier);
}

static void test_hosts_that_are_not_listed(void **state) {
    (void)state;
    static const char *const hosts[] = {"example.com", NULL}, *const ours[] = {"127.0.0.1", NULL};
    struct courier *courier = start(hosts);
    assert_true(post(courier, "1", "/ok"));
    wait_for(&told.failed, 1);
    assert_string_equal(told.text, "this host is none of those allowed");
    assert_int_equal(requests(), 0);
    courier_stop(courier);
    courier = start(ours);
    assert_true(post(courier, "1", "/ok"));
    wait_for(&told.delivered, 1);
    courier_stop(courier);
}

static void test_a_slow_place_holds_up_nobody(void **state) {
    (void)state;
    struct courier *courier = start_patient(NULL, 2 * WAIT_MS);
    for (int i = 0; i < 10; i++)
        assert_true(post(courier, "slow", "/slow"));
    for (int i = 0; i < 10; i++)
        assert_true(post(courier, "ok", "/ok"));
    wait_for(&told.delivered, 10);
    assert_int_equal(told.failed, 0); /* the first slow one is not over yet */
    courier_stop(courier);
    assert_int_equal(told.failed, 0); /* nothing is told of what was given up */
}

static void test_order_is_kept_to_one_place(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    assert_true(post(courier, "1", "/second"));
    assert_true(post(courier, "2", "/second"));
    assert_true(post(courier, "3", "/second"));
    wait_for(&told.delivered, 3);
    assert_string_equal(told.order, "1 2 3 ");
    courier_stop(courier);
}

static void test_only_so_many_to_one_place(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    for (int i = 0; i < COURIER_LANE_MAX; i++)
        assert_true(post(courier, "slow", "/slow"));
    assert_false(post(courier, "slow", "/slow"));
    assert_true(post(courier, "ok", "/ok"));
    wait_for(&told.delivered, 1);
    courier_stop(courier);
}

static void test_commands(void **state) {
    (void)state;
    char path[] = "/tmp/test_courier.XXXXXX", command[100], text[100] = "";
    int fd = mkstemp(path);
    snprintf(command, sizeof(command), "tee %s", path);
    struct courier *courier = start(NULL);
    assert_true(run(courier, command));
    wait_for(&told.delivered, 1);
    assert_int_equal(read(fd, text, sizeof(text)), 11);
    assert_string_equal(text, "the message");
    assert_true(run(courier, "false"));
    wait_for(&told.failed, 1);
    assert_string_equal(told.text, "the command ended with status 1");
    assert_true(run(courier, "/nonexistent/program"));
    wait_for(&told.failed, 2);
    assert_string_equal(told.text, "the command did not start: No such file or directory");
    /* Words are words: no shell makes a second command, or a file, of them. */
    snprintf(command, sizeof(command), "true ; rm %s", path);
    assert_true(run(courier, command));
    wait_for(&told.delivered, 2);
    assert_int_equal(access(path, F_OK), 0);
    courier_stop(courier);
    close(fd);
    unlink(path);
}

static void test_a_command_that_does_not_end(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    assert_true(run(courier, "sleep 100"));
    assert_true(run(courier, "sleep 101"));
    assert_true(post(courier, "ok", "/ok"));
    wait_for(&told.delivered, 1);
    wait_for(&told.failed, 2);
    assert_string_equal(told.text, "the command took too long");
    assert_true(run(courier, "sleep 100"));
    courier_stop(courier); /* which ends it */
    assert_int_equal(told.failed, 2);
}

/* The pause of "false" is over when the end of "true" was told. Both have ended before the courier
 * looks at them, in that order: the last one sent is looked at first, and the words that start
 * nothing keep it busy meanwhile. */
static void test_what_becomes_due_meanwhile_is_not_forgotten(void **state) {
    (void)state;
    struct courier *courier = start(NULL);
    told.pause_us = 100000;
    assert_true(run(courier, "/nonexistent/one"));
    wait_for(&told.failed, 1);
    assert_true(run(courier, "/nonexistent/two"));
    assert_true(run(courier, "true"));
    assert_true(run(courier, "false"));
    wait_for(&told.failed, 3);
    assert_int_equal(told.delivered, 1);
    told.pause_us = 0;
    courier_stop(courier);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_post_arrives_whole),
        cmocka_unit_test(test_what_fails_is_tried_again_a_few_times),
        cmocka_unit_test(test_what_is_refused_is_not),
        cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_hosts_that_are_not_listed),
        cmocka_unit_test(test_a_slow_place_holds_up_nobody),
        cmocka_unit_test(test_order_is_kept_to_one_place),
        cmocka_unit_test(test_only_so_many_to_one_place),
        cmocka_unit_test(test_commands),
        cmocka_unit_test(test_a_command_that_does_not_end),
        cmocka_unit_test(test_what_becomes_due_meanwhile_is_not_forgotten),
    };
    return cmocka_run_group_tests(tests, start_server, NULL);
}
