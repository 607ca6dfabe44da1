/* ask.c - see ask.h. */
#include "cli/ask.h"

#include <unistd.h>

#include "admin/control_socket.h"

struct error *ask_directory(struct arena *arena, const char *directory, const char *service,
                            struct slice *ret_text) {
    int fd = -1;
    TRY(control_connect(arena, directory, &fd));
    if (fd < 0)
        return error_local(arena, "no server runs on %s", directory);
    struct error *error = control_ask(arena, fd, service, SLICE_LITERAL(""), ret_text);
    close(fd);
    return error;
}

bool ask_is_there(struct arena *arena, const char *directory) {
    int fd = -1;
    bool there = control_connect(arena, directory, &fd) == NULL && fd >= 0;
    if (there)
        close(fd);
    return there;
}
