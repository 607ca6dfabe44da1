/* process.h - runs a command of the user's and waits for it, but not for ever.
 *
 * Limits: the time, and how much of its output is kept. When either is passed the command and all
 * its children are killed. */
#ifndef APPS_COMMON_PROCESS_H
#define APPS_COMMON_PROCESS_H

#include <stddef.h>

enum process_outcome {
    PROCESS_EXITED,      /* by itself: `status` is its exit status */
    PROCESS_KILLED,      /* by a signal, `status` */
    PROCESS_TIMED_OUT,   /* it was still running */
    PROCESS_TOO_LONG,    /* it said more than output_max bytes */
    PROCESS_NOT_STARTED, /* `status` is errno */
};

struct process_call {
    const char *command; /* a shell command; the arguments follow it, whatever is in them */
    const char *const *arguments; /* ends with NULL */
    int timeout_ms;
    size_t output_max;
};

struct process_result {
    enum process_outcome outcome;
    int status;
    char *output; /* of stdout, with a NUL after it; free() it. NULL when not started */
    size_t size;
};

void process_run(const struct process_call *call, struct process_result *ret_result);

/* For messages: "it ended with status 7", "no answer within 300 ms". */
enum { PROCESS_TEXT_SIZE = 100 };
void process_describe(const struct process_call *call, const struct process_result *result,
                      char ret_text[PROCESS_TEXT_SIZE]);

#endif
