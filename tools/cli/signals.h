/* signals.h - how a server that runs is spoken to: SIGTERM and SIGINT end it, SIGHUP has it read
 * again what may have changed. */
#ifndef GRAMME_CLI_SIGNALS_H
#define GRAMME_CLI_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct signals {
    sigset_t set;
    bool in_terminal; /* whose end is the server's */
};

enum signal_wish { SIGNAL_STOP, SIGNAL_RELOAD, SIGNAL_NONE };

/* Before there are threads, so that every one inherits it and only the first one waits. */
void signals_block(struct signals *signals);
/* SIGNAL_NONE: none came in that time; 0: it may take for ever. */
enum signal_wish signals_wait(const struct signals *signals, unsigned timeout_ms);

#endif
