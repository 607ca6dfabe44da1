/* signals.c - see signals.h. Threads: the first one.
 *
 * A terminal that goes sends SIGHUP as well. Nobody closes the window of a server to have it read
 * files again: it ends then, unless it was started with nohup. Who sent the signal does not tell
 * the two apart, since shells pass it on; that the terminal is gone does.
 *
 * Standard input that is a pipe, which whoever started the server holds open and never writes to,
 * ends with that process however it ends: SIGKILL has no handler that could pass it on. */
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static bool has_terminal(void) {
    int fd = open("/dev/tty", O_RDONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return false;
    close(fd);
    return true;
}

/* The first number that is free: where standard input was closed, one that is at its end. */
static bool have_stdin(void) {
    return fcntl(STDIN_FILENO, F_GETFD) >= 0 || open("/dev/null", O_RDONLY) == STDIN_FILENO;
}

bool signals_block(struct signals *signals, bool with_stdin) {
    struct sigaction hangup;
    sigset_t set;
    sigaction(SIGHUP, NULL, &hangup);
    signals->in_terminal = hangup.sa_handler != SIG_IGN && has_terminal();
    signals->with_stdin = with_stdin;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* a file size limit is an I/O error, not the end */
    if (with_stdin && !have_stdin())
        return false;
    signals->fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
    return signals->fd >= 0;
}

static enum signal_wish take_signal(const struct signals *signals) {
    struct signalfd_siginfo received;
    if (read(signals->fd, &received, sizeof(received)) != sizeof(received))
        return SIGNAL_NONE;
    if (received.ssi_signo != SIGHUP || (signals->in_terminal && !has_terminal()))
        return SIGNAL_STOP;
    return SIGNAL_RELOAD;
}

/* What comes there means nothing, but that more may come. */
static bool stdin_has_ended(void) {
    char unused[4096];
    ssize_t count = read(STDIN_FILENO, unused, sizeof(unused));
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

enum signal_wish signals_wait(const struct signals *signals, unsigned timeout_ms) {
    struct pollfd sources[] = {{signals->fd, POLLIN, 0},
                               {signals->with_stdin ? STDIN_FILENO : -1, POLLIN, 0}};
    if (poll(sources, 2, timeout_ms == 0 ? -1 : (int)timeout_ms) <= 0)
        return SIGNAL_NONE;
    if (sources[0].revents != 0)
        return take_signal(signals);
    return stdin_has_ended() ? SIGNAL_STOP : SIGNAL_NONE;
}
