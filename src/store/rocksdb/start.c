/* start.c - a database is opened when it was found sound, and refused without a trace otherwise.
 *
 * Its directory is locked first, since RocksDB's own lock comes too late: nobody may look at files,
 * or put them back, while another works with them. Threads: the caller's. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/log.h"
#include "store/rocksdb/aside.h"
#include "store/rocksdb/cut.h"
#include "store/rocksdb/internal.h"
#include "store/rocksdb/judge.h"
#include "store/rocksdb/log_walk.h"
#include "store/rocksdb/manifest.h"
#include "store/rocksdb/scrub.h"

/* ---- the lock ---- */

/* Whether another process has RocksDB's lock: one of an older version, which has not ours. */
static bool is_open_elsewhere(int directory) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    int fd = openat(directory, "LOCK", O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool held = fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
    close(fd);
    return held;
}

bool rocksdb_take_lock(struct rocksdb_store *store) {
    store->lock = open(store->config.options.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (store->lock < 0)
        return true;
    return (flock(store->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) &&
           !is_open_elsewhere(store->lock);
}

/* RocksDB says who. */
static struct error *refuse_in_use(struct rocksdb_store *store, struct arena *arena) {
    TRY(rocksdb_database_open(store, arena));
    rocksdb_database_close(store);
    return error_local(arena, "The database in %s is in use", store->config.options.directory);
}

/* ---- opening ---- */

enum { LOG_NAME_BYTES = 32 };

static void tell(const struct rocksdb_store *store, const struct judgement *judgement) {
    if (!store->config.options.settled_later)
        return;
    if (judgement->commits > 0)
        log_info("replaying %llu commits of the store's log",
                 (unsigned long long)judgement->commits);
    if (judgement->dropped[0] != '\0')
        log_warning("the store's log %s ends at byte %llu in what a crash cut short, which nobody "
                    "was told was durable: it is left out",
                    judgement->dropped, (unsigned long long)judgement->dropped_at);
}

/* What RocksDB read is no less than what was promised. */
static struct error *check_sequence(const struct rocksdb_store *store, struct arena *arena,
                                    const struct watermark *watermark) {
    uint64_t sequence = rocks.get_latest_sequence_number(store->db);
    if (sequence >= watermark->sequence)
        return NULL;
    return error_local(arena,
                       "The database in %s is damaged: it ends with change %llu, and was durable "
                       "up to %llu by the word of its file " WATERMARK_FILE,
                       store->config.options.directory, (unsigned long long)sequence,
                       (unsigned long long)watermark->sequence);
}

static bool is_for_room(const struct error *error) {
    static const char text[] = "No space left on device";
    return memmem(error->message.data, error->message.len, text, sizeof(text) - 1) != NULL;
}

/* Where that fails, RocksDB says what it thinks of it. */
static void end_manifest(const struct rocksdb_store *store, const struct judgement *judgement) {
    if (manifest_cut(store->config.options.directory, judgement->manifest,
                     judgement->manifest_end) &&
        store->config.options.settled_later)
        log_warning("the store's MANIFEST-%06llu ends at byte %llu in what a crash cut short: it "
                    "is left out",
                    (unsigned long long)judgement->manifest,
                    (unsigned long long)judgement->manifest_end);
}

/* What a crash cut short is left out, with all logs behind it, as RocksDB would do it. */
static bool end_logs(const struct rocksdb_store *store, struct arena *arena, DIR *files,
                     uint64_t number, uint64_t end) {
    uint64_t *numbers = ARENA_ARRAY(arena, uint64_t, LOGS_MAX);
    size_t count = log_find(files, number, numbers);
    bool done = true;
    for (size_t i = 0; i < count && done; i++) {
        char name[LOG_NAME_BYTES];
        snprintf(name, sizeof(name), "%06llu.log", (unsigned long long)numbers[i]);
        bool first = numbers[i] == number;
        uint64_t header = store->cipher == NULL ? 0 : FILE_HEADER_BYTES;
        done = file_cut(dirfd(files), name, numbers[i], first ? header + end : 0);
    }
    return done;
}

static struct error *end_log(const struct rocksdb_store *store, struct arena *arena,
                             const struct judgement *judgement) {
    DIR *files = opendir(store->config.options.directory);
    uint64_t number = strtoull(judgement->dropped, NULL, 10);
    bool done = files != NULL && end_logs(store, arena, files, number, judgement->dropped_at);
    struct error *error =
        done ? NULL
             : error_local(arena,
                           "The log %s of the database in %s cannot be cut at byte %llu, where a "
                           "crash has left what RocksDB would read forever: %s",
                           judgement->dropped, store->config.options.directory,
                           (unsigned long long)judgement->dropped_at, strerror(errno));
    if (files != NULL)
        closedir(files);
    return error;
}

/* From here on the files of before come back when it is closed before it is settled. */
static struct error *set_aside(struct rocksdb_store *store, struct arena *arena,
                               const struct judgement *judgement) {
    store->is_kept = !judgement->is_new && aside_keep(store->config.options.directory);
    if (store->is_kept && judgement->manifest_end != 0)
        end_manifest(store, judgement);
    return judgement->is_endless ? end_log(store, arena, judgement) : NULL;
}

/* False: some could not be put back. */
static bool put_back(struct rocksdb_store *store) {
    bool done = !store->is_kept || aside_restore(store->config.options.directory);
    store->is_kept = false;
    return done;
}

/* The same on a full disk with the room of the reserve. */
static struct error *set_aside_in_room(struct rocksdb_store *store, struct arena *arena,
                                       const struct judgement *judgement) {
    struct error *error = set_aside(store, arena, judgement);
    if (error == NULL || !is_for_room(error) || !store->config.options.settled_later ||
        !put_back(store) || !reserve_give_up(&store->reserve))
        return error;
    return set_aside(store, arena, judgement);
}

/* Opening writes: the logs become tables. On a full disk it is tried with the room of the reserve.
 * Then a database is opened to read only, as if a write had failed for lack of room; the gate opens
 * it again when there is some. */
static struct error *open_for_now(struct rocksdb_store *store, struct arena *arena,
                                  const struct judgement *judgement) {
    struct error *error = rocksdb_database_open(store, arena);
    if (error == NULL || !is_for_room(error) || !store->config.options.settled_later)
        return error;
    if (!put_back(store))
        return error;
    if (reserve_give_up(&store->reserve)) {
        TRY(set_aside(store, arena, judgement));
        error = rocksdb_database_open(store, arena);
        if (error == NULL || !is_for_room(error) || !put_back(store))
            return error;
    }
    if (judgement->is_endless && rocksdb_reads_forever())
        return error; /* its log is as it was */
    if (rocksdb_database_open_as(store, arena, OPEN_TO_READ) != NULL)
        return error;
    log_error("the disk is full: the store can be read, and takes no writes until there is room");
    rocksdb_gate_fail(store, "No space left on device");
    return NULL;
}

static struct error *open_judged(struct rocksdb_store *store, struct arena *arena,
                                 const struct judgement *judgement) {
    const char *directory = store->config.options.directory;
    TRY(open_for_now(store, arena, judgement));
    TRY(check_sequence(store, arena, &judgement->watermark));
    watermark_keeper_init(&store->watermark, directory, store->cipher, &judgement->watermark,
                          rocks.get_latest_sequence_number(store->db));
    return NULL;
}

struct error *rocksdb_open_judged_to_read(struct rocksdb_store *store, struct arena *arena,
                                          const struct judgement *judgement) {
    TRY(rocksdb_database_open_as(store, arena, OPEN_TO_READ));
    rocksdb_gate_fail(store, "it was opened to be read");
    struct error *error = check_sequence(store, arena, &judgement->watermark);
    if (error != NULL)
        rocksdb_database_close(store);
    return error;
}

struct error *rocksdb_start(struct rocksdb_store *store, struct arena *arena) {
    const char *directory = store->config.options.directory;
    struct judgement judgement;
    if (!rocksdb_take_lock(store))
        return refuse_in_use(store, arena);
    TRY(rocksdb_check_not_beheaded(arena, directory));
    struct error *error = rocksdb_judge(arena, store->cipher, directory, &judgement);
    if (error != NULL)
        return error_local(arena, "The database in %s is damaged: %.*s", directory,
                           SLICE_ARGS(error->message));
    tell(store, &judgement);
    TRY(set_aside_in_room(store, arena, &judgement));
    TRY(open_judged(store, arena, &judgement));
    if (!store->config.options.settled_later)
        rocksdb_store_settle(&store->base);
    return NULL;
}

void rocksdb_store_settle(struct store *base) {
    struct rocksdb_store *store = rocksdb_of(base);
    if (store->is_kept)
        aside_drop(store->config.options.directory);
    store->is_kept = false;
    if (store->watermark.running)
        return;
    reserve_look(&store->reserve);
    watermark_keeper_start(&store->watermark, &store->reserve);
    scrubber_start(store);
}

void rocksdb_stop(struct rocksdb_store *store) {
    scrubber_stop(store);
    watermark_keeper_release(&store->watermark);
    rocksdb_database_close(store);
    if (store->is_kept && !aside_restore(store->config.options.directory))
        log_error("the files of the store in %s could not all be put back as they were",
                  store->config.options.directory);
    if (store->lock >= 0)
        close(store->lock);
}
