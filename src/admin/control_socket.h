/* control_socket.h - the client's end of a control socket (control.h), and what both ends need. */
#ifndef GRAMME_ADMIN_CONTROL_SOCKET_H
#define GRAMME_ADMIN_CONTROL_SOCKET_H

#include <sys/un.h>

#include "base/error.h"

#define CONTROL_NAME "control"

enum { CONTROL_LINE_MAX = 2048, CONTROL_BYTES_MAX = 4 << 20 };

/* A Unix socket's address has room for 107 bytes, a path may be longer: so it goes through an open
 * directory. The address is good as long as `ret_directory` is open. */
struct error *control_address(struct arena *arena, const char *directory,
                              struct sockaddr_un *ret_address, int *ret_directory);

/* Milliseconds of a clock that never jumps. */
int64_t control_now_ms(void);

/* Reads up to and with a newline, by the deadline (of control_now_ms; negative: any time). The
 * line is without it, NUL-terminated; false when none came. `line` has CONTROL_LINE_MAX bytes. */
bool control_read_line(int fd, int64_t deadline_ms, char *line);

/* So many bytes, by the deadline. */
bool control_read_bytes(int fd, int64_t deadline_ms, void *bytes, size_t len);

/* ---- for commands ---- */

#define CONTROL_BACKUP "backup"

/* A connection to the server that runs on the directory, -1 when there is none. */
struct error *control_connect(struct arena *arena, const char *directory, int *ret_fd);
/* Sends a request and reads the first line of the answer: an error unless it is "ok". */
struct error *control_request(struct arena *arena, int fd, const char *request);

/* Asks a service: sends bytes, gets some. */
struct error *control_ask(struct arena *arena, int fd, const char *service, struct slice input,
                          struct slice *ret_output);

#endif
