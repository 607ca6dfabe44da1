/* audit_log.c - two buffers: one is filled while the other is written.
 *
 * The lock is held for a copy of a line and for the exchange of the buffers, never while something
 * is written. `writing`, `at` and the descriptor are the writer's alone.
 * Files that may block (pipes, terminals) are asked first and written to in pieces that fit, so
 * that the writer always hears of the end. */
#include "audit/audit_log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/timestamp.h"

enum {
    PIECE_BYTES = 4096, /* what a pipe takes when it says that it takes something */
    PATIENCE_MS = 2000, /* at the end, with a reader that takes nothing */
    POLL_MS = 100,
    RETRY_MS = 1000,         /* after an error */
    KEEP_BYTES = 256 * 1024, /* of a buffer that is empty */
    DROPPED_LINE_BYTES_MAX = 100,
};

struct audit_log {
    const char *path; /* NULL: standard output */
    size_t queue_bytes_max;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    struct buffer filling;
    uint64_t dropped; /* behind what is being filled */
    bool asleep;      /* the writer waits to be told */
    bool reopen;
    _Atomic bool stopping;
    /* The writer's. */
    struct buffer writing;
    size_t at; /* of it, what is written */
    int fd;
    bool blocks; /* it is no plain file */
};

/* ---- the file ---- */

static void take_file(struct audit_log *log, int fd) {
    struct stat status;
    log->fd = fd;
    log->blocks = fstat(fd, &status) != 0 || !S_ISREG(status.st_mode);
}

/* Without a wait for the reader of a pipe. */
static int open_path(const char *path) {
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
}

/* A line that was cut off goes to the new file as a whole. */
static void reopen_file(struct audit_log *log) {
    if (log->path == NULL)
        return;
    int fd = open_path(log->path);
    if (fd < 0) {
        log_error("audit: %s cannot be opened again, the old file is kept: %s", log->path,
                  strerror(errno));
        return;
    }
    close(log->fd);
    take_file(log, fd);
    while (log->at > 0 && log->writing.data[log->at - 1] != '\n')
        log->at--;
    log_info("the audit log %s was opened anew", log->path);
}

/* ---- the writer ---- */

static bool take_wish_to_reopen(struct audit_log *log) {
    pthread_mutex_lock(&log->lock);
    bool wanted = log->reopen;
    log->reopen = false;
    pthread_mutex_unlock(&log->lock);
    return wanted;
}

/* Until something is wanted of it, or for a while. */
static void rest(struct audit_log *log) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += RETRY_MS / 1000;
    pthread_mutex_lock(&log->lock);
    while (!log->reopen && !atomic_load(&log->stopping))
        if (pthread_cond_timedwait(&log->changed, &log->lock, &until) != 0)
            break;
    pthread_mutex_unlock(&log->lock);
}

/* False: not now. */
static bool is_writable(const struct audit_log *log) {
    struct pollfd wanted = {.fd = log->fd, .events = POLLOUT};
    return !log->blocks || poll(&wanted, 1, POLL_MS) > 0;
}

/* Returns the bytes that went out; 0: none yet; -1: an error, which was told. */
static ssize_t write_some(struct audit_log *log) {
    if (!is_writable(log))
        return 0;
    size_t left = log->writing.len - log->at;
    if (log->blocks && left > PIECE_BYTES)
        left = PIECE_BYTES;
    ssize_t written = write(log->fd, log->writing.data + log->at, left);
    if (written >= 0)
        return written;
    if (errno == EINTR || errno == EAGAIN)
        return 0;
    log_repeated_error("audit: %s cannot be written to: %s",
                       log->path == NULL ? "standard output" : log->path, strerror(errno));
    return -1;
}

static void give_up(struct audit_log *log) {
    pthread_mutex_lock(&log->lock);
    size_t left = log->writing.len - log->at + log->filling.len;
    pthread_mutex_unlock(&log->lock);
    log_error("audit: the last %zu bytes could not be written", left);
}

/* All of it, however long it takes. False: at the end of the server its patience did not last. */
static bool write_all(struct audit_log *log) {
    unsigned in_vain_ms = 0;
    while (log->at < log->writing.len) {
        if (take_wish_to_reopen(log))
            reopen_file(log);
        ssize_t written = write_some(log);
        bool stopping = atomic_load(&log->stopping);
        if (written > 0) {
            log->at += (size_t)written;
            in_vain_ms = 0;
        } else if (stopping && (written < 0 || in_vain_ms >= PATIENCE_MS)) {
            give_up(log);
            return false;
        } else if (written < 0) {
            rest(log);
        } else {
            in_vain_ms += stopping ? POLL_MS : 0;
        }
    }
    return true;
}

static void empty(struct buffer *buffer) {
    if (buffer->capacity > KEEP_BYTES)
        buffer_release(buffer);
    buffer_reset(buffer);
}

static void append_dropped(struct audit_log *log, uint64_t count) {
    char time[TIMESTAMP_CHARS + 1];
    if (count == 0)
        return;
    timestamp_print(clock_now_ms(&system_clock), time);
    buffer_printf(&log->writing, "{\"time\":\"%sZ\",\"dropped\":%llu}\n", time,
                  (unsigned long long)count);
    log_repeated_error("audit: %llu lines were dropped: they come faster than they are written",
                       (unsigned long long)count);
}

/* Waits for something to do. False: the end, and nothing is left. */
static bool take_batch(struct audit_log *log) {
    empty(&log->writing);
    log->at = 0;
    pthread_mutex_lock(&log->lock);
    while (log->filling.len == 0 && log->dropped == 0 && !log->reopen &&
           !atomic_load(&log->stopping)) {
        log->asleep = true;
        pthread_cond_wait(&log->changed, &log->lock);
    }
    log->asleep = false;
    struct buffer batch = log->filling;
    log->filling = log->writing;
    log->writing = batch;
    uint64_t dropped = log->dropped;
    log->dropped = 0;
    pthread_mutex_unlock(&log->lock);
    append_dropped(log, dropped);
    return log->writing.len > 0 || !atomic_load(&log->stopping);
}

static void *writer_main(void *argument) {
    struct audit_log *log = argument;
    bool going = true;
    while (going && take_batch(log)) {
        if (take_wish_to_reopen(log))
            reopen_file(log);
        going = write_all(log);
    }
    return NULL;
}

/* ---- for everybody ---- */

static struct audit_log *log_new(const char *path, size_t queue_bytes_max) {
    struct audit_log *log = calloc(1, sizeof(*log));
    CHECK(log != NULL);
    log->queue_bytes_max = queue_bytes_max == 0 ? AUDIT_QUEUE_BYTES : queue_bytes_max;
    buffer_init(&log->filling, log->queue_bytes_max + DROPPED_LINE_BYTES_MAX);
    buffer_init(&log->writing, log->queue_bytes_max + DROPPED_LINE_BYTES_MAX);
    pthread_mutex_init(&log->lock, NULL);
    pthread_cond_init(&log->changed, NULL);
    log->path = path;
    return log;
}

static void log_free(struct audit_log *log) {
    if (log->path != NULL)
        close(log->fd);
    pthread_mutex_destroy(&log->lock);
    pthread_cond_destroy(&log->changed);
    buffer_release(&log->filling);
    buffer_release(&log->writing);
    free(log);
}

struct error *audit_log_open(struct arena *arena, const struct audit_log_options *options,
                             struct audit_log **ret_log) {
    bool standard = strcmp(options->path, "-") == 0;
    int fd = standard ? STDOUT_FILENO : open_path(options->path);
    if (fd < 0)
        return error_local(arena, "the audit log %s cannot be opened: %s", options->path,
                           strerror(errno));
    struct audit_log *log = log_new(standard ? NULL : options->path, options->queue_bytes_max);
    take_file(log, fd);
    if (pthread_create(&log->thread, NULL, writer_main, log) != 0) {
        log_free(log);
        return error_local(arena, "the thread of the audit log did not start");
    }
    *ret_log = log;
    return NULL;
}

void audit_log_append(struct audit_log *log, struct slice line) {
    pthread_mutex_lock(&log->lock);
    /* Behind the first that is dropped all are, until that is told: the count stands in its place.
     */
    if (log->dropped > 0 || line.len > log->queue_bytes_max - log->filling.len)
        log->dropped++;
    else
        buffer_append_slice(&log->filling, line);
    bool asleep = log->asleep;
    log->asleep = false;
    pthread_mutex_unlock(&log->lock);
    if (asleep)
        pthread_cond_signal(&log->changed);
}

void audit_log_reopen(struct audit_log *log) {
    pthread_mutex_lock(&log->lock);
    log->reopen = true;
    pthread_mutex_unlock(&log->lock);
    pthread_cond_signal(&log->changed);
}

void audit_log_close(struct audit_log *log) {
    if (log == NULL)
        return;
    pthread_mutex_lock(&log->lock);
    atomic_store(&log->stopping, true);
    pthread_mutex_unlock(&log->lock);
    pthread_cond_signal(&log->changed);
    pthread_join(log->thread, NULL);
    if (!log->blocks)
        fdatasync(log->fd);
    log_free(log);
}
