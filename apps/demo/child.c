/* child.c - see child.h. */
#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/timestamp.h"

enum { START_MS = 60000, STOP_MS = 30000, STEP_MS = 20, LOG_LINES_SIZE = 2000 };

#define LISTENING "listening on "

static void pause_ms(int ms) {
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

/* After the fork: only what a child of a program with threads may call. */
static void become(pid_t parent, int log, const char *const argv[]) {
    sigset_t none;
    sigemptyset(&none);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (getppid() == parent && dup2(nothing, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
}

/* The address of the line that tells it, once that is whole. */
static bool find_address(const struct child *child, char ret_address[CHILD_ADDRESS_SIZE]) {
    char line[512];
    bool found = false;
    FILE *log = fopen(child->log, "re");
    while (!found && log != NULL && fgets(line, sizeof(line), log) != NULL) {
        const char *start = strstr(line, LISTENING);
        found = start != NULL && strchr(line, '\n') != NULL;
        if (found)
            snprintf(ret_address, CHILD_ADDRESS_SIZE, "%.*s",
                     (int)strcspn(start + strlen(LISTENING), " \n"), start + strlen(LISTENING));
    }
    if (log != NULL)
        fclose(log);
    return found;
}

bool child_stop_is_wanted(void) {
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGTERM) == 1 || sigismember(&waiting, SIGINT) == 1;
}

bool child_start(struct child *child, const char *folder, const char *const argv[]) {
    char how[CHILD_TEXT_SIZE];
    int64_t until_ms = timestamp_elapsed_ms() + START_MS;
    snprintf(child->log, sizeof(child->log), "%s/%s.log", folder, child->name);
    int log = open(child->log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    pid_t parent = getpid(), pid = log < 0 ? -1 : fork();
    if (pid == 0)
        become(parent, log, argv);
    if (log >= 0)
        close(log);
    child->pid = pid < 0 ? 0 : pid;
    while (child->pid > 0 && !find_address(child, child->address)) {
        if (child_has_ended(child, how) || child_stop_is_wanted() ||
            timestamp_elapsed_ms() > until_ms)
            break;
        pause_ms(STEP_MS);
    }
    if (*child->address == '\0' && !child_stop_is_wanted())
        child_show_log(child);
    return *child->address != '\0';
}

static void describe(int status, char ret_how[CHILD_TEXT_SIZE]) {
    if (WIFSIGNALED(status))
        snprintf(ret_how, CHILD_TEXT_SIZE, "was killed by signal %d", WTERMSIG(status));
    else
        snprintf(ret_how, CHILD_TEXT_SIZE, "ended with status %d", WEXITSTATUS(status));
}

bool child_has_ended(struct child *child, char ret_how[CHILD_TEXT_SIZE]) {
    int status;
    if (child->pid == 0 || waitpid(child->pid, &status, WNOHANG) != child->pid)
        return false;
    describe(status, ret_how);
    child->pid = 0;
    return true;
}

bool child_stop(struct child *child, char ret_how[CHILD_TEXT_SIZE]) {
    int64_t until_ms = timestamp_elapsed_ms() + STOP_MS;
    int status = 0;
    if (child->pid == 0)
        return true;
    kill(child->pid, SIGTERM);
    while (waitpid(child->pid, &status, WNOHANG) == 0) {
        if (timestamp_elapsed_ms() > until_ms)
            kill(child->pid, SIGKILL);
        pause_ms(STEP_MS);
    }
    describe(status, ret_how);
    child->pid = 0;
    /* One that was still on its way up does not catch signals yet. */
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM && *child->address == '\0')
        return true;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

void child_show_log(const struct child *child) {
    char text[LOG_LINES_SIZE + 1];
    FILE *log = fopen(child->log, "re");
    if (log == NULL)
        return;
    if (fseek(log, -LOG_LINES_SIZE, SEEK_END) != 0)
        rewind(log);
    text[fread(text, 1, LOG_LINES_SIZE, log)] = '\0';
    fclose(log);
    fprintf(stderr, "--- the end of its log:\n%s---\n", text);
}
