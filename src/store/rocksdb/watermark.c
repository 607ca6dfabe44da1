/* watermark.c - see watermark.h.
 *
 * A mark that cannot be written is no error: the one before it still holds. */
#include "store/rocksdb/watermark.h"

#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "base/crc32c.h"
#include "store/rocksdb/manifest.h"

enum { SLOT_BYTES = 4096, SLOTS = 2, INTERVAL_S = 1 };

#define FORMAT_TEXT \
    "gramme synced, format 1: mark %llu, sequence %llu, manifest %llu of %llu bytes, checksum %x"

static int open_at(const char *directory, int flags) {
    int parent = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return -1;
    int fd = openat(parent, WATERMARK_FILE, flags | O_CLOEXEC, 0600);
    close(parent);
    return fd;
}

static uint32_t checksum_of(const char *line) {
    const char *end = strstr(line, ", checksum ");
    return crc32c(0, slice_of(line, end == NULL ? 0 : (size_t)(end - line)));
}

static bool parse(const char *line, struct watermark *ret_watermark) {
    unsigned long long mark, sequence, manifest, bytes;
    unsigned checksum;
    if (sscanf(line, FORMAT_TEXT, &mark, &sequence, &manifest, &bytes, &checksum) != 5 ||
        checksum != checksum_of(line))
        return false;
    *ret_watermark = (struct watermark){mark, sequence, manifest, bytes};
    return true;
}

struct error *watermark_read(struct arena *arena, const char *directory,
                             struct watermark *ret_watermark) {
    bool spoilt[SLOTS] = {false}, found = false;
    int fd = open_at(directory, O_RDONLY);
    *ret_watermark = (struct watermark){0};
    for (int i = 0; fd >= 0 && i < SLOTS; i++) {
        char slot[SLOT_BYTES + 1] = {0};
        struct watermark mark;
        ssize_t len = pread(fd, slot, SLOT_BYTES, i * SLOT_BYTES);
        if (len > 0 && parse(slot, &mark)) {
            found = true;
            if (mark.mark > ret_watermark->mark)
                *ret_watermark = mark;
        } else {
            spoilt[i] = len > 0 && slot[0] != '\0';
        }
    }
    if (fd >= 0)
        close(fd);
    if (!found && spoilt[0] && spoilt[1])
        return error_local(arena, "its file %s cannot be read", WATERMARK_FILE);
    return NULL;
}

/* ---- writing ---- */

static bool write_mark(const struct watermark_keeper *keeper, const struct watermark *mark) {
    char slot[SLOT_BYTES] = {0};
    int fd = open_at(keeper->directory, O_WRONLY | O_CREAT);
    if (fd < 0)
        return false;
    snprintf(slot, sizeof(slot), FORMAT_TEXT "\n", (unsigned long long)mark->mark,
             (unsigned long long)mark->sequence, (unsigned long long)mark->manifest,
             (unsigned long long)mark->manifest_bytes, 0u);
    uint32_t checksum = checksum_of(slot);
    char *end = strstr(slot, ", checksum ");
    snprintf(end, sizeof(slot) - (size_t)(end - slot), ", checksum %08x\n", checksum);
    off_t at = (off_t)(mark->mark % SLOTS) * SLOT_BYTES;
    bool written = pwrite(fd, slot, sizeof(slot), at) == sizeof(slot) && fdatasync(fd) == 0;
    close(fd);
    return written;
}

static void write_news(struct watermark_keeper *keeper) {
    struct watermark mark = {.mark = keeper->last.mark + 1, .sequence = watermark_synced(keeper)};
    if (!manifest_sync(keeper->cipher, keeper->directory, &mark.manifest, &mark.manifest_bytes))
        return;
    if (mark.sequence == keeper->last.sequence && mark.manifest == keeper->last.manifest &&
        mark.manifest_bytes == keeper->last.manifest_bytes)
        return;
    if (write_mark(keeper, &mark))
        keeper->last = mark;
}

static void *keep(void *context) {
    struct watermark_keeper *keeper = context;
    pthread_mutex_lock(&keeper->lock);
    while (!keeper->stopping) {
        if (!atomic_exchange(&keeper->news, false)) {
            pthread_cond_wait(&keeper->wake, &keeper->lock);
            continue;
        }
        pthread_mutex_unlock(&keeper->lock);
        write_news(keeper);
        reserve_look(keeper->reserve);
        pthread_mutex_lock(&keeper->lock);
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_sec += INTERVAL_S;
        while (!keeper->stopping &&
               pthread_cond_timedwait(&keeper->wake, &keeper->lock, &until) == 0) {
        }
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

void watermark_keeper_init(struct watermark_keeper *keeper, const char *directory,
                           struct file_cipher *cipher, const struct watermark *last,
                           uint64_t sequence) {
    pthread_condattr_t clock;
    *keeper = (struct watermark_keeper){.directory = directory, .cipher = cipher, .last = *last};
    atomic_init(&keeper->synced, sequence);
    CHECK(pthread_mutex_init(&keeper->lock, NULL) == 0);
    CHECK(pthread_condattr_init(&clock) == 0);
    CHECK(pthread_condattr_setclock(&clock, CLOCK_MONOTONIC) == 0);
    CHECK(pthread_cond_init(&keeper->wake, &clock) == 0);
    pthread_condattr_destroy(&clock);
}

void watermark_keeper_start(struct watermark_keeper *keeper, struct reserve *reserve) {
    keeper->reserve = reserve;
    CHECK(pthread_create(&keeper->thread, NULL, keep, keeper) == 0);
    keeper->running = true;
}

static void stop(struct watermark_keeper *keeper) {
    pthread_mutex_lock(&keeper->lock);
    keeper->stopping = true;
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    write_news(keeper);
}

void watermark_keeper_release(struct watermark_keeper *keeper) {
    if (keeper->directory == NULL)
        return;
    if (keeper->running)
        stop(keeper);
    pthread_cond_destroy(&keeper->wake);
    pthread_mutex_destroy(&keeper->lock);
    keeper->directory = NULL;
}

/* The lock makes sure that the thread either sees the news or waits for the signal; it is taken
 * about once a second. */
void watermark_note(struct watermark_keeper *keeper, uint64_t sequence) {
    uint64_t synced = watermark_synced(keeper);
    while (synced < sequence && !atomic_compare_exchange_weak(&keeper->synced, &synced, sequence)) {
    }
    if (atomic_load_explicit(&keeper->news, memory_order_relaxed) ||
        atomic_exchange(&keeper->news, true))
        return;
    pthread_mutex_lock(&keeper->lock);
    pthread_cond_signal(&keeper->wake);
    pthread_mutex_unlock(&keeper->lock);
}
