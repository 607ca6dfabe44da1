/* control_socket.h - the address of a control socket, and lines on it. Shared by both ends. */
#ifndef GRAMME_ADMIN_CONTROL_SOCKET_H
#define GRAMME_ADMIN_CONTROL_SOCKET_H

#include <sys/un.h>

#include "base/error.h"

#define CONTROL_NAME "control"

enum { CONTROL_LINE_MAX = 2048 };

/* A Unix socket's address has room for 107 bytes, a path may be longer: so it goes through an open
 * directory. The address is good as long as `ret_directory` is open. */
struct error *control_address(struct arena *arena, const char *directory,
                              struct sockaddr_un *ret_address, int *ret_directory);

/* Milliseconds of a clock that never jumps. */
int64_t control_now_ms(void);

/* Reads up to and with a newline, by the deadline (of control_now_ms; negative: any time). The
 * line is without it, NUL-terminated; false when none came. `line` has CONTROL_LINE_MAX bytes. */
bool control_read_line(int fd, int64_t deadline_ms, char *line);

#endif
