/* process.c - see process.h.
 *
 * Whoever uses the library may have threads, blocked signals and children of its own: the child is
 * spawned, not forked, with the signals that a program expects, and waited for by its id. */
#include "client/process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY_MS = 10, READ_SIZE = 4096 };

/* ---- words ---- */

/* One word into `word`, which has room for the whole line. Returns where it ends; NULL when a quote
 * is not closed. */
static const char *take_word(const char *next, char *word) {
    char quote = 0;
    for (; *next != '\0' && (quote != 0 || strchr(" \t", *next) == NULL); next++) {
        if (quote == 0 && (*next == '"' || *next == '\''))
            quote = *next;
        else if (*next == quote)
            quote = 0;
        else if (*next == '\\' && quote != '\'' && next[1] != '\0')
            *word++ = *++next;
        else
            *word++ = *next;
    }
    *word = '\0';
    return quote == 0 ? next : NULL;
}

char **process_words(struct arena *arena, const char *command) {
    size_t len = strlen(command), count = 0;
    char **words = ARENA_ARRAY(arena, char *, len / 2 + 2);
    for (const char *next = command + strspn(command, " \t"); *next != '\0';) {
        words[count] = arena_alloc(arena, len + 1);
        next = take_word(next, words[count]);
        if (next == NULL)
            return NULL;
        words[count] = arena_copy(arena, words[count], strlen(words[count]) + 1);
        count++;
        next += strspn(next, " \t");
    }
    return count == 0 ? NULL : words;
}

/* ---- running ---- */

static int start(char *const *words, int out, pid_t *ret_child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    int failure = posix_spawnp(ret_child, words[0], &actions, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return failure;
}

static int64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Up to the end of the output; false when that does not come in time, or too much of it does. */
static bool read_output(int fd, int64_t end_ms, struct buffer *out) {
    char bytes[READ_SIZE];
    while (!out->overflow) {
        int64_t left_ms = end_ms - now_ms();
        int ready = left_ms <= 0 ? 0 : poll(&(struct pollfd){fd, POLLIN, 0}, 1, (int)left_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        ssize_t len = ready <= 0 ? -1 : read(fd, bytes, sizeof(bytes));
        if (len <= 0)
            return ready > 0 && len == 0;
        buffer_append(out, bytes, (size_t)len);
    }
    return false;
}

/* False when the child has not ended in time. Where the caller ignores SIGCHLD nobody learns how it
 * ended; then its output has to tell. */
static bool wait_for(pid_t child, int64_t end_ms, int *ret_status) {
    for (;;) {
        pid_t ended = waitpid(child, ret_status, WNOHANG);
        if (ended == child)
            return true;
        if (ended < 0 && errno != EINTR) {
            *ret_status = 0;
            return true;
        }
        if (now_ms() >= end_ms)
            return false;
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000L}, NULL);
    }
}

static void kill_child(pid_t child) {
    int status;
    kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
}

static const char *finish(struct arena *arena, pid_t child, bool whole, int64_t end_ms,
                          const struct buffer *out) {
    int status = 0;
    if (!whole || !wait_for(child, end_ms, &status)) {
        kill_child(child);
        return out->overflow ? "prints too much" : "takes too long";
    }
    if (WIFSIGNALED(status))
        return (const char *)arena_printf(arena, "was ended by signal %d", WTERMSIG(status)).data;
    if (WEXITSTATUS(status) != 0)
        return (const char *)arena_printf(arena, "ended with status %d", WEXITSTATUS(status)).data;
    return NULL;
}

const char *process_run(struct arena *arena, char *const *words, int64_t timeout_ms,
                        struct buffer *out) {
    int ends[2];
    pid_t child;
    int64_t end_ms = now_ms() + timeout_ms;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return "cannot be run: there is no pipe";
    int failure = start(words, ends[1], &child);
    close(ends[1]);
    const char *problem;
    if (failure != 0) {
        problem = (const char *)arena_printf(arena, "cannot be run: %s", strerror(failure)).data;
    } else {
        bool whole = read_output(ends[0], end_ms, out);
        problem = finish(arena, child, whole, end_ms, out);
    }
    close(ends[0]);
    return problem;
}
