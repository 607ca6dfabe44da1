/* child.h - a server that the demonstration runs: started, watched, stopped.
 *
 * A child is in a process group of its own, so that Ctrl-C reaches only the demonstration, which
 * stops its children in order; when it dies without doing that, they get SIGTERM from the kernel.
 * Whatever a child prints goes to its log. Threads: the first one starts and stops. */
#ifndef DEMO_CHILD_H
#define DEMO_CHILD_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

enum { CHILD_ADDRESS_SIZE = 80, CHILD_TEXT_SIZE = 100 };

struct child {
    const char *name;
    pid_t pid; /* 0: it does not run */
    char address[CHILD_ADDRESS_SIZE];
    char log[PATH_MAX];
};

/* Somebody wants us to stop: SIGTERM or SIGINT waits. */
bool child_stop_is_wanted(void);
/* argv[0] is the path of the program; `folder` gets the log. Waits until it listens, and knows its
 * address then. False, and the log on stderr, when it does not come to that; false also when all is
 * to stop. */
bool child_start(struct child *child, const char *folder, const char *const argv[]);
/* True: it has ended by itself; `ret_how` says how: "ended with status 1". */
bool child_has_ended(struct child *child, char ret_how[CHILD_TEXT_SIZE]);
/* Sends SIGTERM and waits, for a while. False: it did not end well. */
bool child_stop(struct child *child, char ret_how[CHILD_TEXT_SIZE]);
/* The end of its log to stderr. */
void child_show_log(const struct child *child);

#endif
