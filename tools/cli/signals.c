/* signals.c - see signals.h. Threads: the first one.
 *
 * A terminal that goes sends SIGHUP as well. Nobody closes the window of a server to have it read
 * files again: it ends then, unless it was started with nohup. Who sent the signal does not tell
 * the two apart, since shells pass it on; that the terminal is gone does. */
#include "cli/signals.h"

#include <fcntl.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static bool has_terminal(void) {
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

void signals_block(struct signals *signals) {
    struct sigaction hangup;
    sigaction(SIGHUP, NULL, &hangup);
    signals->in_terminal = hangup.sa_handler != SIG_IGN && has_terminal();
    sigemptyset(&signals->set);
    sigaddset(&signals->set, SIGTERM);
    sigaddset(&signals->set, SIGINT);
    sigaddset(&signals->set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &signals->set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an I/O error, not the end */
}

enum signal_wish signals_wait(const struct signals *signals, unsigned timeout_ms) {
    struct timespec timeout = {timeout_ms / 1000, (long)(timeout_ms % 1000) * 1000000};
    int received = -1;
    if (timeout_ms == 0)
        sigwait(&signals->set, &received);
    else
        received = sigtimedwait(&signals->set, NULL, &timeout);
    if (received < 0)
        return SIGNAL_NONE;
    if (received != SIGHUP || (signals->in_terminal && !has_terminal()))
        return SIGNAL_STOP;
    return SIGNAL_RELOAD;
}
