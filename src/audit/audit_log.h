/* audit_log.h - lines to a file, by a thread of its own.
 *
 * Who appends never waits for the file: a line goes to a queue of bounded bytes, in the order of
 * appending, and the writer takes all that is there at once. A line that does not fit is dropped
 * and counted; the count follows as a line of its own as soon as there is room, and goes to the log
 * of the server:
 *   {"time":"2026-11-16T08:30:00.123Z","dropped":17}
 * When the file cannot be written, on a full disk say, the writer tries again until it can; what
 * was written in part is completed. Lines are never torn but by a file system that does so.
 *
 * Threads: any may append; the rest is for the one that opened it. */
#ifndef GRAMME_AUDIT_AUDIT_LOG_H
#define GRAMME_AUDIT_AUDIT_LOG_H

#include "base/error.h"

enum { AUDIT_QUEUE_BYTES = 16 * 1024 * 1024 };

struct audit_log_options {
    /* Appended to; made for its owner alone. "-": standard output. Outlives the log. */
    const char *path;
    size_t queue_bytes_max; /* 0: AUDIT_QUEUE_BYTES */
};

struct audit_log;

struct error *audit_log_open(struct arena *arena, const struct audit_log_options *options,
                             struct audit_log **ret_log);

/* The line has its line break. */
void audit_log_append(struct audit_log *log, struct slice line);

/* The path is opened anew before more is written, so that a file that was moved away is complete.
 * When that fails the old one is kept, and the server's log tells. */
void audit_log_reopen(struct audit_log *log);

/* Writes what is queued, but does not wait for a reader that takes nothing. NULL is fine. */
void audit_log_close(struct audit_log *log);

#endif
