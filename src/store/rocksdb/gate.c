/* gate.c - what happens after a write to the log failed, and how the store gets over a full disk.
 *
 * After an error on its log a RocksDB handle is not written to again. RocksDB tries to go on by
 * itself when the disk was full, but may do so with the log that failed, and then the next write
 * ends the program. So the handle serves reads only, and once there is room the database is closed
 * and opened again, which replays the log of everything that was acknowledged.
 *
 * Closing needs every transaction to have ended. The gate is shut for that: who comes meanwhile
 * waits, for a moment while others leave, then for the opening. If they do not leave in time the
 * gate opens again and the next attempt is a second later, so that two transactions on one thread
 * cannot wait for each other for long.
 *
 * After any other error (a failing disk, a file that may not grow) nothing is opened again: it
 * might fail, and take the reads with it. A restart decides.
 *
 * Invariants: whoever is `inside` may use the handle. `shut` is set and cleared, and store->db
 * changes, only with the lock held; the handle changes only when nobody is inside.
 * Threads: any. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/check.h"
#include "store/rocksdb/internal.h"

enum {
    TRY_EVERY_MS = 1000,
    DRAIN_MS = 50,             /* how long others may take to leave */
    ROOM_BYTES_MIN = 16 << 20, /* besides what replaying the logs takes */
};

void rocksdb_gate_init(struct gate *gate) {
    atomic_init(&gate->shut, false);
    atomic_init(&gate->inside, 0);
    CHECK(pthread_mutex_init(&gate->lock, NULL) == 0);
}

static int64_t now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

void rocksdb_gate_leave(struct rocksdb_store *store) {
    atomic_fetch_sub(&store->gate.inside, 1);
}

/* With the lock held: whether it is time for another attempt, which is then taken. */
static bool may_try(struct gate *gate) {
    int64_t now = now_ms();
    if (now < gate->next_try_ms)
        return false;
    gate->next_try_ms = now + TRY_EVERY_MS;
    return true;
}

/* With the lock held and nobody inside. On success everything acknowledged is durable: opening
 * turns the logs into tables. Where there is no room for them it can at least be read, if that. */
static struct error *open_again(struct rocksdb_store *store, struct arena *arena) {
    rocksdb_database_close(store);
    struct error *error = rocksdb_database_open(store, arena);
    if (error != NULL) {
        (void)rocksdb_database_open_as(store, arena, OPEN_TO_READ);
        return error;
    }
    store->gate.failed = false;
    atomic_store(&store->commits_synced, atomic_load(&store->commits));
    return NULL;
}

/* The way in when the gate is shut: waits until it is open, or opens a database that is closed. */
static struct error *enter_slowly(struct rocksdb_store *store, struct arena *arena) {
    struct gate *gate = &store->gate;
    struct error *error = NULL;
    pthread_mutex_lock(&gate->lock);
    if (store->db == NULL) {
        if (may_try(gate)) {
            error = open_again(store, arena);
            error = store->db == NULL ? error : NULL;
        } else {
            error = error_local(arena, "The store is closed after an error: %s", gate->failure);
        }
    }
    if (error == NULL) {
        atomic_store(&gate->shut, false);
        atomic_fetch_add(&gate->inside, 1);
    }
    pthread_mutex_unlock(&gate->lock);
    return error;
}

/* Either this sees the gate shut, or whoever shuts it sees this inside. */
struct error *rocksdb_gate_enter(struct rocksdb_store *store, struct arena *arena) {
    struct gate *gate = &store->gate;
    atomic_fetch_add(&gate->inside, 1);
    if (!atomic_load(&gate->shut))
        return NULL;
    atomic_fetch_sub(&gate->inside, 1);
    return enter_slowly(store, arena);
}

void rocksdb_gate_fail_until_restart(struct rocksdb_store *store) {
    pthread_mutex_lock(&store->gate.lock);
    store->gate.failed_for_room = false;
    pthread_mutex_unlock(&store->gate.lock);
}

void rocksdb_gate_fail(struct rocksdb_store *store, const char *text) {
    struct gate *gate = &store->gate;
    pthread_mutex_lock(&gate->lock);
    gate->failed = true;
    gate->failed_for_room = strstr(text, "No space left on device") != NULL;
    snprintf(gate->failure, sizeof(gate->failure), "%s", text);
    pthread_mutex_unlock(&gate->lock);
}

/* With the lock held. */
static struct error *refusal(const struct gate *gate, struct arena *arena) {
    return error_local(arena, "The store takes no writes %s: %s",
                       gate->failed_for_room ? "until the disk has room again" : "until a restart",
                       gate->failure);
}

struct error *rocksdb_gate_check_sound(struct rocksdb_store *store, struct arena *arena) {
    struct gate *gate = &store->gate;
    pthread_mutex_lock(&gate->lock);
    struct error *error = gate->failed ? refusal(gate, arena) : NULL;
    pthread_mutex_unlock(&gate->lock);
    return error;
}

static uint64_t log_bytes(const char *directory) {
    uint64_t bytes = 0;
    DIR *files = opendir(directory);
    if (files == NULL)
        return 0;
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files)) {
        struct stat info;
        const char *dot = strrchr(file->d_name, '.');
        if (dot != NULL && strcmp(dot, ".log") == 0 &&
            fstatat(dirfd(files), file->d_name, &info, 0) == 0)
            bytes += (uint64_t)info.st_size;
    }
    closedir(files);
    return bytes;
}

/* Room to replay the logs and to go on for a while. */
static bool has_room(const char *directory) {
    struct statvfs disk;
    if (statvfs(directory, &disk) != 0)
        return false;
    return (uint64_t)disk.f_bavail * disk.f_frsize >= ROOM_BYTES_MIN + 2 * log_bytes(directory);
}

/* With the lock held and the gate shut: whether everyone left in time. */
static bool drain(struct gate *gate) {
    for (int i = 0; i < DRAIN_MS && atomic_load(&gate->inside) > 0; i++) {
        struct timespec moment = {0, 1000000};
        nanosleep(&moment, NULL);
    }
    return atomic_load(&gate->inside) == 0;
}

/* With the lock held. */
static struct error *recover(struct rocksdb_store *store, struct arena *arena) {
    struct gate *gate = &store->gate;
    if (!gate->failed_for_room || !may_try(gate) || !has_room(store->config.options.directory))
        return refusal(gate, arena);
    atomic_store(&gate->shut, true);
    if (!drain(gate)) {
        atomic_store(&gate->shut, false);
        return refusal(gate, arena);
    }
    struct error *error = open_again(store, arena);
    if (store->db == NULL)
        return error; /* the gate stays shut: there is nothing behind it */
    atomic_store(&gate->shut, false);
    return error == NULL ? NULL : refusal(gate, arena);
}

struct error *rocksdb_gate_check_writable(struct rocksdb_store *store, struct arena *arena) {
    struct gate *gate = &store->gate;
    pthread_mutex_lock(&gate->lock);
    struct error *error = NULL;
    if (gate->failed && store->db != NULL) /* a closed one is opened by who enters */
        error = recover(store, arena);
    pthread_mutex_unlock(&gate->lock);
    return error;
}
