/* manager.c - see manager.h. One datagram to a socket, which takes no library of systemd's. */
#include "cli/manager.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

void manager_tell(const char *state) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t size = path == NULL ? 0 : strlen(path);
    if (size == 0 || size >= sizeof(address.sun_path))
        return;
    memcpy(address.sun_path, path, size);
    if (*path == '@') /* a name that is no file */
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address,
           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + size));
    close(fd);
}

unsigned manager_sockets(void) {
    const char *pid = getenv("LISTEN_PID"), *count = getenv("LISTEN_FDS");
    unsigned long passed = 0;
    if (pid != NULL && count != NULL && strtol(pid, NULL, 10) == (long)getpid())
        passed = strtoul(count, NULL, 10);
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
    unsetenv("LISTEN_FDNAMES");
    return passed > UINT16_MAX ? UINT16_MAX : (unsigned)passed;
}
