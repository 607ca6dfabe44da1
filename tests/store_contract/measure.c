/* measure.c - how fast and how large the engines are: measure <empty directory> [what ...].
 *
 * Not a test: its figures are for README.md and for whoever changes an engine. Keys are as the
 * database makes them (4 bytes of table, 16 of hash, 8 of sort key), values 270 bytes that compress
 * about as items do. Each figure comes from a child process, so that none warms up another. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/check.h"
#include "base/siphash.h"
#include "store/memory/memory.h"
#include "store/rocksdb/rocksdb.h"

enum { KEY_BYTES = 28, VALUE_BYTES = 270, GETS = 300000 };

static const struct store_keyspace keyspaces[] = {
    {.name = "items", .point_reads = true},
    {.name = "indexes"},
    {.name = "catalog"},
    {.name = "streams"},
};

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Of this thread, so that a busy machine disturbs less. */
static double cpu_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void must(const struct error *error) {
    if (error != NULL) {
        fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
        exit(1);
    }
}

static double resident_mib(void) {
    FILE *file = fopen("/proc/self/statm", "r");
    long size = 0, resident = 0;
    CHECK(file != NULL && fscanf(file, "%ld %ld", &size, &resident) == 2);
    fclose(file);
    return (double)resident * (double)sysconf(_SC_PAGESIZE) / (1 << 20);
}

static void make_key(uint64_t number, uint8_t key[static KEY_BYTES]) {
    static const uint8_t secret[SIPHASH_KEY_BYTES] = {7};
    memset(key, 0, KEY_BYTES);
    key[3] = 1;
    siphash128(secret, slice_of(&number, sizeof(number)), key + 4);
    store_u32_be(key + 24, (uint32_t)number);
}

static void make_value(uint64_t number, uint8_t value[static VALUE_BYTES]) {
    uint64_t random = number;
    for (size_t i = 0; i < VALUE_BYTES; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        value[i] = (uint8_t) "\"name\":\""[i % 8];
        if (i % 8 < 3)
            value[i] = (uint8_t)('a' + (random >> 40) % 26);
    }
}

static void put_number(struct store_txn *txn, uint64_t number) {
    uint8_t key[KEY_BYTES], value[VALUE_BYTES];
    make_key(number, key);
    make_value(number, value);
    struct store_key at = {0, slice_of(key, KEY_BYTES)};
    store_put(txn, &at, slice_of(value, VALUE_BYTES));
}

/* Puts [first, first + count) in transactions of `batch`; seconds of this thread per put. */
static double fill(struct store *store, uint64_t first, uint64_t count, uint64_t batch,
                   enum store_durability durability) {
    struct arena arena;
    arena_init(&arena);
    double start = cpu_now();
    for (uint64_t i = 0; i < count;) {
        struct store_txn *txn;
        enum store_outcome outcome;
        must(store_begin(store, &arena, STORE_WRITE, &txn));
        for (uint64_t j = 0; j < batch && i < count; j++)
            put_number(txn, first + i++);
        must(store_commit(txn, durability, &outcome));
        store_end(txn);
        arena_reset(&arena);
    }
    double taken = cpu_now() - start;
    arena_release(&arena);
    return taken / (double)count;
}

/* Random keys, `together` of them in each transaction; seconds of this thread per key. */
static double get(struct store *store, uint64_t count, enum store_mode mode, size_t together,
                  uint64_t offset) {
    struct arena arena;
    arena_init(&arena);
    uint64_t random = 1, rounds = GETS / together;
    double hashing = cpu_now();
    uint8_t bytes[100][KEY_BYTES];
    for (uint64_t i = 0; i < GETS; i++)
        make_key(i, bytes[i % together]);
    hashing = cpu_now() - hashing;
    double start = cpu_now();
    for (uint64_t i = 0; i < rounds; i++) {
        struct store_key keys[100];
        struct slice values[100];
        struct store_txn *txn;
        for (size_t j = 0; j < together; j++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            make_key(offset + (random >> 20) % count, bytes[j]);
            keys[j] = (struct store_key){0, slice_of(bytes[j], KEY_BYTES)};
        }
        must(store_begin(store, &arena, mode, &txn));
        must(store_get_many(txn, together, keys, values));
        for (size_t j = 0; j < together; j++)
            CHECK(slice_present(values[j]) == (offset == 0));
        store_end(txn);
        arena_reset(&arena);
    }
    double taken = cpu_now() - start - hashing;
    arena_release(&arena);
    return taken / (double)(rounds * together);
}

static double scan(struct store *store, uint64_t *ret_count) {
    struct arena arena;
    arena_init(&arena);
    struct store_txn *txn;
    struct store_scan *scan;
    struct store_range all = {0, SLICE_NONE, SLICE_NONE};
    double start = cpu_now();
    uint64_t count = 0;
    must(store_begin(store, &arena, STORE_READ, &txn));
    must(store_scan_open(txn, &all, false, &scan));
    for (bool found = true; found; count += found) {
        struct slice key, value;
        must(store_scan_next(scan, &found, &key, &value));
    }
    store_scan_close(scan);
    store_end(txn);
    arena_release(&arena);
    *ret_count = count;
    return (cpu_now() - start) / (double)(count == 0 ? 1 : count);
}

static struct store *open_rocksdb(const char *directory, size_t cache_mib) {
    struct arena arena;
    arena_init(&arena);
    struct rocksdb_store_options options = {
        .directory = directory, .create = true, .block_cache_bytes = cache_mib << 20};
    struct store *store = NULL;
    must(rocksdb_store_open(&arena, &options, keyspaces, 4, &store));
    arena_release(&arena);
    return store;
}

static void report_reads(const char *name, struct store *store, uint64_t count) {
    uint64_t seen;
    get(store, count, STORE_READ_LATEST, 1, 0); /* warm up */
    double one = get(store, count, STORE_READ_LATEST, 1, 0);
    double snapshot = get(store, count, STORE_READ, 1, 0);
    double many = get(store, count, STORE_READ_LATEST, 25, 0);
    double absent = get(store, count, STORE_READ_LATEST, 1, count);
    double step = scan(store, &seen);
    CHECK(seen >= count);
    printf("%s %8llu keys: get %5.0f ns, on a snapshot %5.0f, in 25s %5.0f, absent %5.0f, "
           "scan step %4.0f; %.0f MiB\n",
           name, (unsigned long long)count, one * 1e9, snapshot * 1e9, many * 1e9, absent * 1e9,
           step * 1e9, resident_mib());
}

static void measure_memory(const char *directory, uint64_t count) {
    (void)directory;
    struct arena arena;
    arena_init(&arena);
    double before = resident_mib();
    struct store *store = NULL;
    must(memory_store_open(&arena, keyspaces, 4, &store));
    printf("memory: an empty store takes %.3f MiB\n", resident_mib() - before);
    double bulk = fill(store, 0, count, 1000, STORE_RELAXED);
    double single = fill(store, 0, count < 200000 ? count : 200000, 1, STORE_RELAXED);
    printf("memory  %8llu keys: put %5.0f ns in batches of 1000, %5.0f alone\n",
           (unsigned long long)count, bulk * 1e9, single * 1e9);
    report_reads("memory ", store, count);
    struct store_txn *txn;
    enum store_outcome outcome;
    struct store_range all = {0, SLICE_NONE, SLICE_NONE};
    double start = now();
    must(store_begin(store, &arena, STORE_WRITE, &txn));
    store_delete_range(txn, &all);
    must(store_commit(txn, STORE_RELAXED, &outcome));
    store_end(txn);
    printf("memory  %8llu keys: delete_range of all %.3f ms\n", (unsigned long long)count,
           (now() - start) * 1e3);
    store_close(store);
}

static void measure_rocksdb(const char *directory, uint64_t count, size_t cache_mib) {
    struct store *store = open_rocksdb(directory, cache_mib);
    double bulk = fill(store, 0, count, 1000, STORE_RELAXED);
    double single = fill(store, 0, count < 100000 ? count : 100000, 1, STORE_RELAXED);
    printf("rocksdb %8llu keys, cache %zu MiB: put %5.0f ns in batches of 1000, %5.0f alone "
           "(relaxed)\n",
           (unsigned long long)count, cache_mib, bulk * 1e9, single * 1e9);
    report_reads("rocksdb, just written", store, count);
    store_close(store);
    store = open_rocksdb(directory, cache_mib);
    sleep(3); /* compactions */
    report_reads("rocksdb, reopened    ", store, count);
    store_close(store);
}

static void measure_sync(const char *directory) {
    char path[256];
    static uint8_t block[400 * 300];
    snprintf(path, sizeof(path), "%s/raw", directory);
    for (size_t batch = 1; batch <= 256; batch *= 16) {
        int fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0600);
        CHECK(fd >= 0 && posix_fallocate(fd, 0, 64 << 20) == 0 && fsync(fd) == 0);
        double start = now();
        int rounds = 0;
        for (; now() - start < 1; rounds++)
            CHECK(write(fd, block, 300 * batch) > 0 && fdatasync(fd) == 0);
        double raw = rounds / (now() - start);
        close(fd);
        char data[256];
        snprintf(data, sizeof(data), "%s/sync%zu", directory, batch);
        struct store *store = open_rocksdb(data, 0);
        fill(store, 0, 10, batch, STORE_DURABLE);
        double taken = 0;
        rounds = 0;
        for (start = now(); taken < 1; taken = now() - start, rounds++)
            fill(store, (uint64_t)rounds * batch, batch, batch, STORE_DURABLE);
        printf("batches of %3zu: raw fdatasync %6.0f/s; rocksdb %6.0f commits/s, %7.0f puts/s\n",
               batch, raw, rounds / taken, (double)batch * rounds / taken);
        store_close(store);
    }
}

static void measure_open(const char *directory, uint64_t count) {
    double start = now();
    struct store *store = open_rocksdb(directory, 0);
    double made = now() - start;
    if (count > 0)
        fill(store, 0, count, 1000, STORE_RELAXED);
    start = now();
    store_close(store);
    double closed = now() - start;
    start = now();
    store = open_rocksdb(directory, 0);
    double replayed = now() - start;
    store_close(store);
    fflush(stdout);
    pid_t child = fork(); /* a fresh heap for the figure of memory */
    if (child == 0) {
        double before = resident_mib();
        start = now();
        store = open_rocksdb(directory, 0);
        double opened = now() - start;
        printf("open, %7llu keys: make %.1f ms, close %.1f, open and replay %.1f, open %.1f; "
               "%.1f MiB more, %.1f in all\n",
               (unsigned long long)count, made * 1e3, closed * 1e3, replayed * 1e3, opened * 1e3,
               resident_mib() - before, resident_mib());
        fflush(stdout);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}

static void memory_10k(const char *directory) {
    measure_memory(directory, 10000);
}
static void memory_1m(const char *directory) {
    measure_memory(directory, 1000000);
}
static void rocksdb_10k(const char *directory) {
    measure_rocksdb(directory, 10000, 64);
}
static void rocksdb_1m(const char *directory) {
    measure_rocksdb(directory, 1000000, 64);
}
static void rocksdb_1m_cached(const char *directory) {
    measure_rocksdb(directory, 1000000, 1024);
}
static void open_empty(const char *directory) {
    measure_open(directory, 0);
}
static void open_100mb(const char *directory) {
    measure_open(directory, 350000);
}

static const struct {
    const char *name;
    void (*run)(const char *directory);
} measures[] = {
    {"memory-10k", memory_10k},
    {"memory-1m", memory_1m},
    {"rocksdb-10k", rocksdb_10k},
    {"rocksdb-1m", rocksdb_1m},
    {"rocksdb-1m-cached", rocksdb_1m_cached},
    {"sync", measure_sync},
    {"open-empty", open_empty},
    {"open-100mb", open_100mb},
};

static bool is_wanted(const char *name, int argc, char **argv) {
    for (int i = 2; i < argc; i++) {
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return argc == 2;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: measure <empty directory> [what ...]\n");
        return 2;
    }
    for (size_t i = 0; i < sizeof(measures) / sizeof(*measures); i++) {
        if (!is_wanted(measures[i].name, argc, argv))
            continue;
        char directory[256];
        snprintf(directory, sizeof(directory), "%s/%s", argv[1], measures[i].name);
        pid_t child = fork();
        if (child == 0) {
            char command[300];
            snprintf(command, sizeof(command), "mkdir -p %s", directory);
            CHECK(system(command) == 0);
            measures[i].run(directory);
            return 0;
        }
        waitpid(child, NULL, 0);
    }
    return 0;
}
