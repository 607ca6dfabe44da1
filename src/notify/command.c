/* command.c - see command.h.
 *
 * The message is a file in memory, so that a program that never reads holds nobody up. */
#include "notify/command.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"

enum { WORDS_MAX = 64 };

struct command_run {
    pid_t pid; /* 0: it has ended and was told */
    int descriptor;
};

static struct command_run *fail(struct outcome *outcome, enum outcome_kind kind, const char *what,
                                int number) {
    outcome->kind = kind;
    snprintf(outcome->text, sizeof(outcome->text), "%s: %s", what, strerror(number));
    return NULL;
}

/* ---- starting ---- */

static int open_message(struct slice body) {
    int fd = memfd_create("message", MFD_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t at = 0;
    while (at < body.len) {
        ssize_t written = write(fd, body.data + at, body.len - at);
        if (written <= 0) {
            close(fd);
            return -1;
        }
        at += (size_t)written;
    }
    lseek(fd, 0, SEEK_SET);
    return fd;
}

/* The words, each ended where a space was; the last pointer is NULL. */
static bool split(char *text, char *words[WORDS_MAX + 1]) {
    size_t count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " ", &rest); word != NULL; word = strtok_r(NULL, " ", &rest)) {
        if (count == WORDS_MAX)
            return false;
        words[count++] = word;
    }
    words[count] = NULL;
    return count > 0;
}

/* The signals that the server's threads block are the program's own again. */
static int spawn(char **words, int message, pid_t *ret_pid) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, message, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK |
                                              POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    int number = posix_spawnp(ret_pid, words[0], &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return number;
}

static struct command_run *run_new(pid_t pid) {
    struct command_run *run = calloc(1, sizeof(*run));
    CHECK(run != NULL);
    run->pid = pid;
    run->descriptor = (int)syscall(SYS_pidfd_open, pid, 0);
    return run;
}

struct command_run *command_start(const struct parcel *parcel, struct outcome *ret_outcome) {
    char *words[WORDS_MAX + 1];
    pid_t pid = 0;
    char *text = strndup((const char *)parcel->to.data, parcel->to.len);
    CHECK(text != NULL);
    int message = open_message(parcel->body), number = message < 0 ? errno : 0;
    if (number == 0)
        number = split(text, words) ? spawn(words, message, &pid) : E2BIG;
    if (message >= 0)
        close(message);
    free(text);
    if (number != 0) {
        bool later = number == EAGAIN || number == ENOMEM || number == EMFILE || number == ENFILE;
        return fail(ret_outcome, later ? OUTCOME_FAILED : OUTCOME_REFUSED,
                    "the command did not start", number);
    }
    return run_new(pid);
}

int command_descriptor(const struct command_run *run) {
    return run->descriptor;
}

/* ---- the end ---- */

static void describe(int status, struct outcome *outcome) {
    outcome->kind = OUTCOME_FAILED;
    if (WIFSIGNALED(status))
        snprintf(outcome->text, sizeof(outcome->text), "the command was ended by signal %d",
                 WTERMSIG(status));
    else
        snprintf(outcome->text, sizeof(outcome->text), "the command ended with status %d",
                 WEXITSTATUS(status));
    if (status == 0)
        *outcome = (struct outcome){.kind = OUTCOME_DELIVERED};
}

bool command_ended(struct command_run *run, struct outcome *ret_outcome) {
    int status = 0;
    pid_t ended = waitpid(run->pid, &status, WNOHANG);
    if (ended == 0)
        return false;
    if (ended == run->pid)
        describe(status, ret_outcome);
    else
        fail(ret_outcome, OUTCOME_FAILED, "the command is lost", errno);
    run->pid = 0;
    return true;
}

void command_free(struct command_run *run) {
    if (run == NULL)
        return;
    if (run->pid > 0) {
        kill(-run->pid, SIGKILL);
        while (waitpid(run->pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    if (run->descriptor >= 0)
        close(run->descriptor);
    free(run);
}
