/* control_socket.c - addresses and lines. */
#include "admin/control_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "admin/files.h"
#include "base/buffer.h"
#include "base/check.h"

struct error *control_address(struct arena *arena, const char *directory,
                              struct sockaddr_un *ret_address, int *ret_directory) {
    int fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return files_failed(arena, "open", directory);
    *ret_address = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(ret_address->sun_path, sizeof(ret_address->sun_path), "/proc/self/fd/%d/" CONTROL_NAME,
             fd);
    *ret_directory = fd;
    return NULL;
}

int64_t control_now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static bool wait_readable(int fd, int64_t deadline_ms) {
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    for (;;) {
        int64_t left_ms = deadline_ms < 0 ? -1 : deadline_ms - control_now_ms();
        if (deadline_ms >= 0 && left_ms <= 0)
            return false;
        int ready = poll(&wanted, 1, (int)left_ms);
        if (ready > 0)
            return true;
        if (ready < 0 && errno != EINTR)
            return false;
    }
}

/* One byte at a time: what follows the line is for someone else. */
bool control_read_line(int fd, int64_t deadline_ms, char *line) {
    for (size_t len = 0; len < CONTROL_LINE_MAX; len++) {
        if (!wait_readable(fd, deadline_ms) || read(fd, line + len, 1) != 1)
            return false;
        if (line[len] == '\n') {
            line[len] = '\0';
            return true;
        }
    }
    return false;
}

bool control_read_bytes(int fd, int64_t deadline_ms, void *bytes, size_t len) {
    uint8_t *at = bytes;
    while (len > 0) {
        ssize_t got = wait_readable(fd, deadline_ms) ? read(fd, at, len) : 0;
        if (got <= 0)
            return false;
        at += got;
        len -= (size_t)got;
    }
    return true;
}

struct error *control_connect(struct arena *arena, const char *directory, int *ret_fd) {
    struct sockaddr_un address;
    int place = -1;
    TRY(control_address(arena, directory, &address, &place));
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct error *error = NULL;
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        /* Refused: the socket of a server that was killed. */
        if (errno != ENOENT && errno != ECONNREFUSED)
            error = files_failed(arena, "reach the server that runs on", directory);
        if (fd >= 0)
            close(fd);
        fd = -1;
    }
    close(place);
    if (error == NULL)
        *ret_fd = fd;
    return error;
}

/* The first line of the answer. */
static struct error *read_answer(struct arena *arena, int fd) {
    char answer[CONTROL_LINE_MAX];
    if (!control_read_line(fd, -1, answer))
        return error_local(arena, "the server went away before it answered");
    if (strcmp(answer, "ok") == 0)
        return NULL;
    const char *text = strncmp(answer, "error ", 6) == 0 ? answer + 6 : answer;
    return error_local(arena, "the server says: %s", text);
}

/* The server may have answered and closed before it read the request: what it said counts. */
struct error *control_request(struct arena *arena, int fd, const char *request) {
    files_write_all(fd, arena_printf(arena, "%s\n", request));
    return read_answer(arena, fd);
}

/* All that comes until the server closes. */
static struct error *read_rest(struct arena *arena, int fd, struct slice *ret_bytes) {
    CLEANUP(buffer_release) struct buffer bytes;
    char part[4096];
    ssize_t got;
    buffer_init(&bytes, CONTROL_BYTES_MAX);
    while ((got = read(fd, part, sizeof(part))) > 0)
        buffer_append(&bytes, part, (size_t)got);
    if (got < 0 || bytes.overflow)
        return error_local(arena, "the server's answer could not be read");
    *ret_bytes = arena_slice(arena, buffer_slice(&bytes));
    return NULL;
}

struct error *control_ask(struct arena *arena, int fd, const char *service, struct slice input,
                          struct slice *ret_output) {
    struct slice line = arena_printf(arena, "%s %zu\n", service, input.len);
    files_write_all(fd, arena_printf(arena, "%.*s%.*s", SLICE_ARGS(line), SLICE_ARGS(input)));
    TRY(read_answer(arena, fd));
    return read_rest(arena, fd, ret_output);
}
