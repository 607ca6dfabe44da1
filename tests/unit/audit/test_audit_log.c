/* test_audit_log.c - order, rotation, what is dropped, files that cannot be written to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit_log.h"
#include "base/buffer.h"
#include "base/check.h"

enum { TEXT_MAX = 16 * 1024 * 1024 };

static struct arena arena;
static char folder[] = "/tmp/test_audit_log.XXXXXX";

/* ---- help ---- */

static const char *path_of(const char *name) {
    return (const char *)arena_printf(&arena, "%s/%s", folder, name).data;
}

static struct audit_log *open_log(const char *path, size_t queue_bytes_max) {
    struct audit_log *log = NULL;
    struct audit_log_options options = {.path = path, .queue_bytes_max = queue_bytes_max};
    struct error *error = audit_log_open(&arena, &options, &log);
    if (error != NULL)
        fail_msg("%.*s", SLICE_ARGS(error->message));
    return log;
}

static void append(struct audit_log *log, unsigned thread, unsigned number) {
    char line[64];
    int len = snprintf(line, sizeof(line), "%u %06u\n", thread, number);
    audit_log_append(log, slice_of(line, (size_t)len));
}

static void read_to_end(int fd, struct buffer *text) {
    ssize_t got;
    CHECK(buffer_reserve(text, 64 * 1024));
    while ((got = read(fd, text->data + text->len, 64 * 1024)) > 0) {
        text->len += (size_t)got;
        CHECK(buffer_reserve(text, 64 * 1024));
    }
}

static struct buffer content(const char *path) {
    struct buffer text;
    buffer_init(&text, TEXT_MAX);
    int fd = open(path, O_RDONLY);
    CHECK(fd >= 0);
    read_to_end(fd, &text);
    close(fd);
    return text;
}

static void expect_content(const char *path, const char *expected) {
    struct buffer text = content(path);
    buffer_append_byte(&text, 0);
    assert_string_equal((const char *)text.data, expected);
    buffer_release(&text);
}

static void wait_for_bytes(const char *path, off_t size) {
    struct stat status;
    for (int i = 0; i < 60000 && (stat(path, &status) != 0 || status.st_size < size); i++)
        usleep(1000);
    assert_int_equal(status.st_size, size);
}

/* What was written by threads 0 to 3, line by line; each in its order. */
struct tally {
    unsigned lines;
    unsigned long long dropped;
    unsigned next[4];
};

static void count_lines(const struct buffer *text, struct tally *tally) {
    const char *at = (const char *)text->data, *end = at + text->len;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(stop);
        unsigned thread, number;
        const char *dropped = strstr(at, "\"dropped\":");
        if (*at == '{') {
            assert_true(dropped != NULL && dropped < stop && memcmp(stop - 1, "}", 1) == 0);
            tally->dropped += strtoull(dropped + strlen("\"dropped\":"), NULL, 10);
        } else {
            assert_int_equal(stop - at, 8);
            assert_int_equal(sscanf(at, "%u %u", &thread, &number), 2);
            assert_true(thread < 4 && number >= tally->next[thread]);
            tally->next[thread] = number + 1;
            tally->lines++;
        }
        at = stop + 1;
    }
}

/* ---- tests ---- */

static void lines_in_their_order(void **state) {
    (void)state;
    const char *path = path_of("plain");
    struct audit_log *log = open_log(path, 0);
    append(log, 0, 1);
    wait_for_bytes(path, 9); /* while it is open */
    append(log, 0, 2);
    audit_log_close(log);
    expect_content(path, "0 000001\n0 000002\n");
    log = open_log(path, 0);
    append(log, 0, 3);
    audit_log_close(log);
    expect_content(path, "0 000001\n0 000002\n0 000003\n");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
}

static void nothing_to_write(void **state) {
    (void)state;
    audit_log_close(open_log(path_of("empty"), 0));
    expect_content(path_of("empty"), "");
    audit_log_close(NULL);
}

static void a_path_that_cannot_be_opened(void **state) {
    (void)state;
    struct audit_log *log = NULL;
    struct audit_log_options options = {.path = path_of("none/file")};
    struct error *error = audit_log_open(&arena, &options, &log);
    assert_non_null(error);
    assert_non_null(strstr((const char *)error->message.data,
                           "none/file cannot be opened: No such file or directory"));
}

static void rotation(void **state) {
    (void)state;
    const char *path = path_of("log"), *old = path_of("log.1");
    struct audit_log *log = open_log(path, 0);
    append(log, 0, 1);
    wait_for_bytes(path, 9);
    assert_int_equal(rename(path, old), 0);
    append(log, 0, 2);
    wait_for_bytes(old, 18);
    audit_log_reopen(log);
    wait_for_bytes(path, 0);
    append(log, 0, 3);
    audit_log_close(log);
    expect_content(old, "0 000001\n0 000002\n");
    expect_content(path, "0 000003\n");
}

/* The place is gone: what was open goes on. */
static void rotation_that_fails(void **state) {
    (void)state;
    assert_int_equal(mkdir(path_of("gone"), 0700), 0);
    const char *path = path_of("gone/log"), *old = path_of("kept");
    struct audit_log *log = open_log(path, 0);
    assert_int_equal(rename(path, old), 0);
    assert_int_equal(rmdir(path_of("gone")), 0);
    audit_log_reopen(log);
    append(log, 0, 1);
    audit_log_close(log);
    expect_content(old, "0 000001\n");
}

struct sender {
    pthread_t thread;
    struct audit_log *log;
    unsigned index, count;
};

static void *send_lines(void *argument) {
    struct sender *sender = argument;
    for (unsigned i = 0; i < sender->count; i++)
        append(sender->log, sender->index, i);
    return NULL;
}

static void start_senders(struct sender senders[4], struct audit_log *log, unsigned count) {
    for (unsigned i = 0; i < 4; i++) {
        senders[i] = (struct sender){.log = log, .index = i, .count = count};
        CHECK(pthread_create(&senders[i].thread, NULL, send_lines, &senders[i]) == 0);
    }
}

static void join_senders(struct sender senders[4]) {
    for (unsigned i = 0; i < 4; i++)
        CHECK(pthread_join(senders[i].thread, NULL) == 0);
}

/* Nothing is lost, and no line torn, however often the file is moved away. */
static void rotation_under_load(void **state) {
    (void)state;
    enum { COUNT = 20000, TURNS = 50 };
    const char *path = path_of("busy");
    struct audit_log *log = open_log(path, 0);
    struct sender senders[4];
    struct tally tally = {0};
    const char *names[TURNS + 1];
    start_senders(senders, log, COUNT);
    for (unsigned i = 0; i < TURNS; i++) {
        names[i] = path_of((const char *)arena_printf(&arena, "busy.%u", i).data);
        usleep(500);
        if (rename(path, names[i]) != 0)
            names[i] = NULL; /* the last one is not open again yet */
        audit_log_reopen(log);
    }
    join_senders(senders);
    audit_log_close(log);
    names[TURNS] = path;
    for (unsigned i = 0; i <= TURNS; i++) {
        if (names[i] == NULL || access(names[i], F_OK) != 0)
            continue;
        struct buffer text = content(names[i]);
        count_lines(&text, &tally);
        buffer_release(&text);
    }
    assert_int_equal(tally.lines + tally.dropped, 4 * COUNT);
    assert_int_equal(tally.dropped, 0);
}

static void *close_log(void *log) {
    audit_log_close(log);
    return NULL;
}

/* A pipe that nobody reads from fills up, then the queue; then all lines are there or counted. */
static void more_than_fits(void **state) {
    (void)state;
    enum { COUNT = 50000 };
    const char *path = path_of("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    struct audit_log *log = open_log(path, 10000);
    struct sender senders[4];
    start_senders(senders, log, COUNT);
    join_senders(senders); /* nobody waited */
    assert_int_equal(fcntl(reader, F_SETFL, 0), 0);
    pthread_t closing;
    struct buffer text;
    buffer_init(&text, TEXT_MAX);
    CHECK(pthread_create(&closing, NULL, close_log, log) == 0);
    read_to_end(reader, &text);
    pthread_join(closing, NULL);
    close(reader);
    struct tally tally = {0};
    count_lines(&text, &tally);
    assert_true(tally.dropped > 0);
    assert_true(tally.lines > 0);
    assert_int_equal(tally.lines + tally.dropped, 4 * COUNT);
    buffer_release(&text);
}

/* It ends all the same. */
static void files_that_take_nothing(void **state) {
    (void)state;
    struct audit_log *log = open_log("/dev/full", 0);
    append(log, 0, 1);
    usleep(10000);
    append(log, 0, 2);
    audit_log_close(log);
    const char *path = path_of("stuck");
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK);
    log = open_log(path, 0);
    for (unsigned i = 0; i < 20000; i++)
        append(log, 0, i);
    audit_log_close(log);
    close(reader);
}

/* From a file that cannot be written to into one that can: nothing is lost on the way. */
static void a_full_disk_and_then_another(void **state) {
    (void)state;
    const char *path = path_of("link"), *target = path_of("target");
    assert_int_equal(symlink("/dev/full", path), 0);
    struct audit_log *log = open_log(path, 0);
    append(log, 0, 1);
    usleep(10000);
    append(log, 0, 2);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink(target, path), 0);
    audit_log_reopen(log);
    wait_for_bytes(target, 18);
    audit_log_close(log);
    expect_content(target, "0 000001\n0 000002\n");
}

static int set_up(void **state) {
    (void)state;
    arena_init(&arena);
    signal(SIGPIPE, SIG_IGN);
    return mkdtemp(folder) == NULL;
}

static int tear_down(void **state) {
    (void)state;
    char *command = (char *)(uintptr_t)arena_printf(&arena, "rm -rf %s", folder).data;
    int status = system(command);
    arena_release(&arena);
    return status;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_in_their_order),
        cmocka_unit_test(nothing_to_write),
        cmocka_unit_test(a_path_that_cannot_be_opened),
        cmocka_unit_test(rotation),
        cmocka_unit_test(rotation_that_fails),
        cmocka_unit_test(rotation_under_load),
        cmocka_unit_test(more_than_fits),
        cmocka_unit_test(files_that_take_nothing),
        cmocka_unit_test(a_full_disk_and_then_another),
    };
    return cmocka_run_group_tests_name("audit log", tests, set_up, tear_down);
}
