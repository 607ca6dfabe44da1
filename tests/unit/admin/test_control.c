/* test_control.c - the control socket with time limits that a test can wait for. What real clients
 * see is tested in tests/wire/test_backup_command.py. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/control.h"
#include "admin/control_socket.h"
#include "admin/dump_stream.h"
#include "base/container.h"
#include "store/memory/memory.h"

static const struct store_keyspace keyspaces[] = {{.name = "one"}};

enum { VALUES = 40, VALUE_BYTES = 100000, STALL_MS = 800, SLOW_STEP = 200000 };

struct fixture {
    struct arena arena;
    char directory[32];
    struct store *store;
    struct control *control;
};

static void fill(struct fixture *fixture) {
    struct store_txn *txn = NULL;
    enum store_outcome outcome;
    assert_null(store_begin(fixture->store, &fixture->arena, STORE_WRITE, &txn));
    for (int i = 0; i < VALUES; i++) {
        struct store_key key = {0, arena_printf(&fixture->arena, "key %d", i)};
        store_put(txn, &key, slice_of(arena_zalloc(&fixture->arena, VALUE_BYTES), VALUE_BYTES));
    }
    assert_null(store_commit(txn, STORE_RELAXED, &outcome));
    store_end(txn);
}

/* Says what it was told, unless that is "no". */
static struct error *echo(void *user, struct arena *arena, struct slice input,
                          struct buffer *output) {
    (void)user;
    if (slice_is(input, "no"))
        return error_local(arena, "it does not like that");
    buffer_append_slice(output, input);
    return NULL;
}

static void start(struct fixture *fixture) {
    static const struct control_service services[] = {{"echo", echo, NULL}};
    struct control_options options = {
        .services = services,
        .service_count = 1,
        .directory = fixture->directory,
        .store = fixture->store,
        .keyspaces = keyspaces,
        .keyspace_count = 1,
        .program = "test 1",
        .clock = &system_clock,
        .stall_ms = STALL_MS,
    };
    assert_null(control_start(&fixture->arena, &options, &fixture->control));
}

static int setup(void **state) {
    struct fixture *fixture = calloc(1, sizeof(*fixture));
    arena_init(&fixture->arena);
    snprintf(fixture->directory, sizeof(fixture->directory), "/tmp/test_control.XXXXXX");
    assert_non_null(mkdtemp(fixture->directory));
    assert_null(memory_store_open(&fixture->arena, keyspaces, 1, &fixture->store));
    fill(fixture);
    start(fixture);
    *state = fixture;
    return 0;
}

static int teardown(void **state) {
    struct fixture *fixture = *state;
    control_stop(fixture->control);
    assert_int_equal(rmdir(fixture->directory), 0); /* the socket is gone */
    store_close(fixture->store);
    arena_release(&fixture->arena);
    free(fixture);
    return 0;
}

static int connected(struct fixture *fixture) {
    int fd = -1;
    assert_null(control_connect(&fixture->arena, fixture->directory, &fd));
    assert_true(fd >= 0);
    return fd;
}

static const char *verdict_of(struct fixture *fixture, struct dump_source *source) {
    struct dump_read_options options = {
        .source = source, .keyspaces = keyspaces, .keyspace_count = 1};
    struct dump_summary summary;
    struct error *error = dump_read(&fixture->arena, &options, &summary);
    if (error == NULL)
        assert_int_equal(summary.record_count, VALUES);
    return error == NULL ? "" : (const char *)error->message.data;
}

/* Of what comes after "ok": the error's text, or "". */
static const char *verdict(struct fixture *fixture, int fd) {
    struct fd_source source = fd_source_of(fd, "the server");
    return verdict_of(fixture, &source.base);
}

static void a_backup_is_the_store(void **state) {
    struct fixture *fixture = *state;
    for (int i = 0; i < 2 * CONTROL_CLIENTS_MAX; i++) {
        int fd = connected(fixture);
        assert_null(control_request(&fixture->arena, fd, CONTROL_BACKUP));
        assert_string_equal(verdict(fixture, fd), "");
        close(fd);
    }
}

static const char *ask(struct fixture *fixture, const char *service, const char *input) {
    int fd = connected(fixture);
    struct slice output;
    struct error *error = control_ask(&fixture->arena, fd, service, slice_text(input), &output);
    close(fd);
    struct slice text = error == NULL ? output : error->message;
    return (const char *)arena_printf(&fixture->arena, "%.*s", SLICE_ARGS(text)).data;
}

static void a_service_is_asked(void **state) {
    struct fixture *fixture = *state;
    assert_string_equal(ask(fixture, "echo", "two\nlines"), "two\nlines");
    assert_string_equal(ask(fixture, "echo", ""), "");
    assert_string_equal(ask(fixture, "echo", "no"), "the server says: it does not like that");
    assert_string_equal(ask(fixture, "ech", "x"),
                        "the server says: this version of gramme knows no such request");
}

/* It gets what was on its way, and not the end. */
static void a_client_that_stops_reading_is_dropped(void **state) {
    struct fixture *fixture = *state;
    int fd = connected(fixture);
    assert_null(control_request(&fixture->arena, fd, CONTROL_BACKUP));
    usleep(3 * STALL_MS * 1000);
    assert_non_null(strstr(verdict(fixture, fd), "the backup is cut off: it ends after "));
    close(fd);
}

struct slow_source {
    struct dump_source base;
    struct fd_source inner;
    size_t until_pause;
    int pauses;
};

static struct error *slow_read(struct dump_source *base, struct arena *arena, void *bytes,
                               size_t size, size_t *ret_len) {
    struct slow_source *slow = container_of(base, struct slow_source, base);
    TRY(slow->inner.base.read(&slow->inner.base, arena, bytes, size, ret_len));
    if (*ret_len < slow->until_pause) {
        slow->until_pause -= *ret_len;
        return NULL;
    }
    slow->until_pause = SLOW_STEP;
    slow->pauses++;
    usleep(STALL_MS * 1000 / 10);
    return NULL;
}

/* In all it takes longer than the stall time, but no block does: a megabyte takes half of it. */
static void a_slow_client_is_not_dropped(void **state) {
    struct fixture *fixture = *state;
    int fd = connected(fixture);
    struct slow_source slow = {{slow_read}, fd_source_of(fd, "the server"), SLOW_STEP, 0};
    assert_null(control_request(&fixture->arena, fd, CONTROL_BACKUP));
    assert_string_equal(verdict_of(fixture, &slow.base), "");
    assert_true(slow.pauses > 10);
    close(fd);
}

static void unknown_requests_are_refused(void **state) {
    struct fixture *fixture = *state;
    int fd = connected(fixture);
    struct error *error = control_request(&fixture->arena, fd, "restart");
    assert_non_null(error);
    assert_string_equal((const char *)error->message.data,
                        "the server says: this version of gramme knows no such request");
    close(fd);
}

static void a_stop_ends_idle_clients(void **state) {
    struct fixture *fixture = *state;
    int idle = connected(fixture), stuck = connected(fixture);
    assert_null(control_request(&fixture->arena, stuck, CONTROL_BACKUP));
    int64_t begin_ms = control_now_ms();
    control_stop(fixture->control);
    assert_true(control_now_ms() - begin_ms < CONTROL_REQUEST_MS / 2);
    char byte;
    assert_int_equal(recv(idle, &byte, 1, 0), 0);
    assert_string_not_equal(verdict(fixture, stuck), "");
    close(idle);
    close(stuck);
    start(fixture);
}

static void a_leftover_socket_is_replaced(void **state) {
    struct fixture *fixture = *state;
    struct sockaddr_un address;
    int place = -1, fd = -1;
    control_stop(fixture->control);
    assert_null(control_connect(&fixture->arena, fixture->directory, &fd));
    assert_int_equal(fd, -1);
    /* One that is bound and closed is what a killed server leaves. */
    assert_null(control_address(&fixture->arena, fixture->directory, &address, &place));
    int dead = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(dead, (struct sockaddr *)&address, sizeof(address)), 0);
    close(dead);
    close(place);
    assert_null(control_connect(&fixture->arena, fixture->directory, &fd));
    assert_int_equal(fd, -1);
    start(fixture);
    a_backup_is_the_store(state);
}

static void what_is_in_the_way_is_told(void **state) {
    struct fixture *fixture = *state;
    struct control_options options = {.directory = fixture->directory, .clock = &system_clock};
    struct control *control = NULL;
    struct slice path = arena_printf(&fixture->arena, "%s/" CONTROL_NAME, fixture->directory);
    control_stop(fixture->control);
    assert_int_equal(mkdir((const char *)path.data, 0700), 0);
    struct error *error = control_start(&fixture->arena, &options, &control);
    assert_non_null(error);
    struct slice text =
        arena_printf(&fixture->arena, "cannot replace the control socket in %s: Is a directory",
                     fixture->directory);
    assert_string_equal((const char *)error->message.data, (const char *)text.data);
    assert_int_equal(rmdir((const char *)path.data), 0);
    start(fixture);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_backup_is_the_store),
        TEST(a_service_is_asked),
        TEST(a_client_that_stops_reading_is_dropped),
        TEST(a_slow_client_is_not_dropped),
        TEST(unknown_requests_are_refused),
        TEST(a_stop_ends_idle_clients),
        TEST(a_leftover_socket_is_replaced),
        TEST(what_is_in_the_way_is_told),
    };
    return cmocka_run_group_tests_name("control", tests, NULL, NULL);
}
