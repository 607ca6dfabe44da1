/* fake_leader.c - see fake_leader.h. */
#include "fake_leader.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "base/check.h"

enum { WAIT_MS = 10 * 1000 };

void fake_leader_open(struct fake_leader *leader, uint64_t number) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);
    memset(leader, 0, sizeof(*leader));
    leader->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    CHECK(bind(leader->listener, (struct sockaddr *)&address, len) == 0);
    CHECK(listen(leader->listener, 16) == 0);
    CHECK(getsockname(leader->listener, (struct sockaddr *)&address, &len) == 0);
    memcpy(&leader->address.address, &address, sizeof(address));
    leader->address.known = true;
    leader->address.number = number;
}

void fake_leader_close(struct fake_leader *leader) {
    close(leader->listener);
}

static bool is_readable(int fd, int wait_ms) {
    struct pollfd poller = {.fd = fd, .events = POLLIN};
    return TEMP_FAILURE_RETRY(poll(&poller, 1, wait_ms)) == 1;
}

int fake_leader_accept(const struct fake_leader *leader) {
    CHECK(is_readable(leader->listener, WAIT_MS));
    int fd = (int)TEMP_FAILURE_RETRY(accept4(leader->listener, NULL, NULL, SOCK_CLOEXEC));
    CHECK(fd >= 0);
    return fd;
}

bool fake_leader_is_idle(const struct fake_leader *leader) {
    return !is_readable(leader->listener, 0);
}

void fake_leader_read(int fd, char *ret_text, size_t size) {
    size_t len = 0;
    do {
        CHECK(is_readable(fd, WAIT_MS));
        ssize_t got = TEMP_FAILURE_RETRY(recv(fd, ret_text + len, size - 1 - len, 0));
        CHECK(got > 0);
        len += (size_t)got;
        ret_text[len] = '\0';
    } while (strstr(ret_text, "\r\n\r\n{}") == NULL);
}

void fake_leader_send(int fd, const char *text) {
    size_t len = strlen(text);
    CHECK(TEMP_FAILURE_RETRY(send(fd, text, len, MSG_NOSIGNAL)) == (ssize_t)len);
}

void fake_leader_reply(int fd, const char *body) {
    char text[512];
    snprintf(text, sizeof(text),
             "HTTP/1.1 200 OK\r\nConnection: keep-alive\r\nContent-Length: %zu\r\n\r\n%s",
             strlen(body), body);
    fake_leader_send(fd, text);
}

void fake_leader_expect_end(int fd) {
    char byte;
    CHECK(is_readable(fd, WAIT_MS));
    ssize_t got = TEMP_FAILURE_RETRY(recv(fd, &byte, 1, 0));
    CHECK(got == 0 || (got < 0 && errno == ECONNRESET));
    close(fd);
}
