/* process.c - runs a command with a time-out and bounded output. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* for pipe2() and asprintf() */
#endif
#include "common/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/timestamp.h"

enum { ARGUMENTS_MAX = 16, LOOK_EVERY_MS = 2 };

/* The shell is given `COMMAND "$@"`, so the arguments reach the command as they are and are never
 * read as shell code. Made before the fork: after it, in a program with threads, there is hardly
 * anything that a child may do. */
struct script {
    char *argv[ARGUMENTS_MAX + 5];
    char *text;
};

static void script_init(struct script *script, const struct process_call *call) {
    static char shell[] = "sh", option[] = "-c", name[] = "command";
    int count = 0;
    *script = (struct script){.text = NULL};
    if (asprintf(&script->text, "%s \"$@\"", call->command) < 0)
        abort();
    script->argv[count++] = shell;
    script->argv[count++] = option;
    script->argv[count++] = script->text;
    script->argv[count++] = name;
    for (size_t i = 0; call->arguments[i] != NULL && i < ARGUMENTS_MAX; i++)
        script->argv[count++] = (char *)(uintptr_t)call->arguments[i];
}

/* In the child. */
static void become(const struct script *script, int output) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setpgid(0, 0); /* a group of its own, so that its children can be killed with it */
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
        _exit(127);
    execv("/bin/sh", script->argv);
    _exit(127);
}

/* Reads until the command has closed its output. */
static enum process_outcome read_output(int fd, int64_t deadline_ms, size_t size_max,
                                        struct process_result *result) {
    for (;;) {
        int64_t left_ms = deadline_ms - timestamp_elapsed_ms();
        struct pollfd wait = {.fd = fd, .events = POLLIN};
        int ready = left_ms <= 0 ? 0 : poll(&wait, 1, (int)left_ms);
        if (ready == 0)
            return PROCESS_TIMED_OUT;
        if (ready < 0)
            continue; /* a signal; the deadline still counts */
        /* One byte more than the limit, to see that there is more. */
        ssize_t got = read(fd, result->output + result->size, size_max + 1 - result->size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return PROCESS_EXITED;
        result->size += (size_t)got;
        if (result->size > size_max)
            return PROCESS_TOO_LONG;
    }
}

/* Waits for the end of a process that has closed its output. False when it takes too long. */
static bool wait_until(pid_t pid, int64_t deadline_ms, int *ret_status) {
    for (;;) {
        pid_t ended = waitpid(pid, ret_status, WNOHANG);
        if (ended == pid)
            return true;
        if (timestamp_elapsed_ms() >= deadline_ms)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000L}, NULL);
    }
}

static void watch(pid_t pid, int fd, const struct process_call *call,
                  struct process_result *result) {
    int64_t deadline_ms = timestamp_elapsed_ms() + call->timeout_ms;
    int status = 0;
    result->outcome = read_output(fd, deadline_ms, call->output_max, result);
    if (result->outcome == PROCESS_EXITED && !wait_until(pid, deadline_ms, &status))
        result->outcome = PROCESS_TIMED_OUT;
    if (result->outcome != PROCESS_EXITED) {
        kill(-pid, SIGKILL);
        waitpid(pid, &status, 0);
        return;
    }
    if (WIFSIGNALED(status))
        result->outcome = PROCESS_KILLED;
    result->status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

void process_run(const struct process_call *call, struct process_result *ret_result) {
    *ret_result = (struct process_result){.outcome = PROCESS_NOT_STARTED};
    struct script script;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        ret_result->status = errno;
        return;
    }
    script_init(&script, call);
    pid_t pid = fork();
    if (pid == 0)
        become(&script, ends[1]);
    close(ends[1]);
    if (pid < 0) {
        ret_result->status = errno;
    } else {
        setpgid(pid, pid); /* here too: whoever of the two comes first */
        ret_result->output = calloc(1, call->output_max + 2);
        if (ret_result->output == NULL)
            abort();
        watch(pid, ends[0], call, ret_result);
        ret_result->output[ret_result->size] = '\0';
    }
    free(script.text);
    close(ends[0]);
}

void process_describe(const struct process_call *call, const struct process_result *result,
                      char ret_text[PROCESS_TEXT_SIZE]) {
    switch (result->outcome) {
    case PROCESS_EXITED:
        snprintf(ret_text, PROCESS_TEXT_SIZE, "it ended with status %d", result->status);
        break;
    case PROCESS_KILLED:
        snprintf(ret_text, PROCESS_TEXT_SIZE, "it was killed by signal %d", result->status);
        break;
    case PROCESS_TIMED_OUT:
        snprintf(ret_text, PROCESS_TEXT_SIZE, "no answer within %d ms", call->timeout_ms);
        break;
    case PROCESS_TOO_LONG:
        snprintf(ret_text, PROCESS_TEXT_SIZE, "its answer has more than %zu bytes",
                 call->output_max);
        break;
    case PROCESS_NOT_STARTED:
        snprintf(ret_text, PROCESS_TEXT_SIZE, "it cannot be started: %s", strerror(result->status));
        break;
    }
}
