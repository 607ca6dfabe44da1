/* signals.h - how a server that runs is spoken to: SIGTERM and SIGINT end it, SIGHUP has it read
 * again what may have changed. So does the end of standard input end it, if that was asked for. */
#ifndef GRAMME_CLI_SIGNALS_H
#define GRAMME_CLI_SIGNALS_H

#include <stdbool.h>

struct signals {
    int fd;           /* which they are read from */
    bool in_terminal; /* whose end is the server's */
    bool with_stdin;  /* likewise */
};

enum signal_wish { SIGNAL_STOP, SIGNAL_RELOAD, SIGNAL_NONE };

/* Before there are threads, so that every one inherits it and only the first one waits; and before
 * files are opened. False, with errno: they cannot be waited for. */
bool signals_block(struct signals *signals, bool with_stdin);
/* SIGNAL_NONE: none came in that time; 0: it may take for ever. */
enum signal_wish signals_wait(const struct signals *signals, unsigned timeout_ms);

#endif
