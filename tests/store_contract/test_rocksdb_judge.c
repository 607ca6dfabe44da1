/* test_rocksdb_judge.c - what a disk did to a database is told from what a crash did.
 *
 * Bits of the log are flipped, one at a time: a start that goes on has every write. After a loss of
 * power, as a copy of the files up to what was synced and anything behind it, no start is refused,
 * and no durable write is missing. A directory that was refused is as it was. */
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/crc32c.h"
#include "contract.h"
#include "rocksdb_database.h"
#include "store/rocksdb/file_cipher.h"
#include "store/rocksdb/judge.h"

enum { PATH_BYTES = 512 };

/* A path, or a command with some. */
static __attribute__((format(printf, 3, 4))) void put_text(char *out, size_t size,
                                                           const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(out, size, format, arguments);
    va_end(arguments);
    assert_true(len >= 0 && (size_t)len < size);
}

static void close_database(struct database *database) {
    store_close(database->store);
    database->store = NULL;
}

/* ---- files ---- */

/* The newest file with that ending. */
static void find_file(const struct database *database, const char *ending, char path[PATH_BYTES]) {
    char newest[256] = "";
    DIR *files = opendir(database->directory);
    assert_non_null(files);
    for (const struct dirent *file = readdir(files); file != NULL; file = readdir(files))
        if (strstr(file->d_name, ending) != NULL && strcmp(file->d_name, newest) > 0)
            put_text(newest, sizeof(newest), "%s", file->d_name);
    closedir(files);
    assert_true(newest[0] != '\0');
    put_text(path, PATH_BYTES, "%s/%s", database->directory, newest);
}

static off_t size_of(const char *path) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return status.st_size;
}

static void flip(const char *path, off_t at, int bit) {
    uint8_t byte;
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &byte, 1, at), 1);
    byte ^= (uint8_t)(1 << bit);
    assert_int_equal(pwrite(fd, &byte, 1, at), 1);
    close(fd);
}

static void copy_directory(const char *from, const char *to) {
    char command[4 * PATH_BYTES];
    put_text(command, sizeof(command), "rm -rf %s && cp -a %s %s", to, from, to);
    assert_int_equal(system(command), 0);
}

static void expect_same(const char *one, const char *other) {
    char command[4 * PATH_BYTES];
    put_text(command, sizeof(command), "diff -r %s %s", one, other);
    assert_int_equal(system(command), 0);
}

/* ---- the checksum ---- */

static void the_checksum_is_castagnolis(void **state) {
    (void)state;
    assert_int_equal(crc32c(0, SLICE_LITERAL("123456789")), 0xe3069283);
    assert_int_equal(crc32c(crc32c(0, SLICE_LITERAL("1234")), SLICE_LITERAL("56789")), 0xe3069283);
    assert_int_equal(crc32c(0, SLICE_LITERAL("")), 0);
}

/* ---- damage ---- */

/* Opens a copy that was damaged: it is refused and stays as it is, or has what it had. */
static bool is_refused(const struct database *database, const char *copy, const char *broken,
                       const char *expected, int keys) {
    struct database other = {0};
    copy_directory(copy, broken);
    put_text(other.directory, sizeof(other.directory), "%s", copy);
    struct error *error = database_try(&other, false);
    bool refused = error != NULL;
    (void)database;
    if (refused) {
        expect_error(error, "is damaged: ");
        expect_error(error, expected);
        expect_same(copy, broken);
    } else {
        for (int i = 0; i < keys; i++) {
            char key[16];
            put_text(key, sizeof(key), "k%d", i);
            assert_true(has(&other, key));
        }
        store_close(other.store);
    }
    arena_release(&other.arena);
    return refused;
}

static void put_keys(struct database *database, int first, int last) {
    for (int i = first; i < last; i++) {
        char key[16];
        put_text(key, sizeof(key), "k%d", i);
        must(try_put_text(database, key, "a value of some length, so that records have a body"));
    }
}

/* GRAMME_SEED=n runs another seed. */
static unsigned chosen_seed(void) {
    const char *chosen = getenv("GRAMME_SEED");
    unsigned seed = chosen != NULL ? (unsigned)strtoul(chosen, NULL, 10) : 1;
    print_message("# repeat with GRAMME_SEED=%u\n", seed);
    return seed;
}

/* One flipped bit once dropped every write behind it, without a word. */
static void a_flipped_bit_in_the_log_is_found(void **state) {
    (void)state;
    struct database database;
    char log[PATH_BYTES], copy[PATH_BYTES], broken[PATH_BYTES];
    database_init(&database);
    put_keys(&database, 0, 5);
    close_database(&database);
    find_file(&database, ".log", log);
    put_text(copy, sizeof(copy), "%s.copy", database.directory);
    put_text(broken, sizeof(broken), "%s.broken", database.directory);
    unsigned seed = chosen_seed();
    /* Most of what is before an encrypted log is room that nobody looks at. */
    off_t header = contract_keyring() == NULL ? 0 : FILE_HEADER_BYTES;
    for (int i = 0; i < 12; i++) {
        char copied[PATH_BYTES];
        off_t first = i % 2 == 0 ? header : 0;
        off_t at = first + rand_r(&seed) % (size_of(log) - first);
        copy_directory(database.directory, copy);
        put_text(copied, sizeof(copied), "%s%s", copy, log + strlen(database.directory));
        flip(copied, at, rand_r(&seed) % 8);
        bool refused = is_refused(&database, copy, broken, "", 5);
        assert_true(refused || at < header);
    }
    directory_remove(copy);
    directory_remove(broken);
    database_release(&database);
}

static void cut_to_half(const char *path) {
    assert_int_equal(truncate(path, size_of(path) / 2), 0);
}

static void cut_to_nothing(const char *path) {
    assert_int_equal(truncate(path, 0), 0);
}

static void cut_off_a_byte(const char *path) {
    assert_int_equal(truncate(path, size_of(path) - 1), 0);
}

static void delete_it(const char *path) {
    assert_int_equal(unlink(path), 0);
}

static void zero_it(const char *path) {
    off_t size = size_of(path);
    assert_int_equal(truncate(path, 0), 0);
    assert_int_equal(truncate(path, size), 0);
}

static void what_was_durable_must_be_there(void **state) {
    (void)state;
    static const struct {
        const char *file;
        void (*act)(const char *path);
        const char *expected;
    } cases[] = {
        {".log", cut_to_half, "were synced"},
        {".log", cut_off_a_byte, "were synced"},
        {".log", cut_to_nothing, "were synced"},
        {".log", zero_it, "were synced"},
        {".log", delete_it, "the end of its log is missing"},
        {"MANIFEST", cut_to_half, "ends at byte"},
        {"MANIFEST", cut_off_a_byte, "ends at byte"},
        {"MANIFEST", cut_to_nothing, "ends at byte"},
        {"MANIFEST", zero_it, "ends at byte"},
        {"MANIFEST", delete_it, "cannot be read: No such file"},
        {"CURRENT", cut_to_nothing, "its file CURRENT cannot be read"},
        {".sst", delete_it, ""},
        {".sst", cut_to_half, ""},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct database database;
        char path[PATH_BYTES], copy[PATH_BYTES], broken[PATH_BYTES];
        database_init(&database);
        put_keys(&database, 0, 20);
        database_reopen(&database); /* the log has become tables */
        put_keys(&database, 20, 25);
        close_database(&database);
        put_text(copy, sizeof(copy), "%s.copy", database.directory);
        put_text(broken, sizeof(broken), "%s.broken", database.directory);
        find_file(&database, cases[i].file, path);
        cases[i].act(path);
        copy_directory(database.directory, copy);
        assert_true(is_refused(&database, copy, broken, cases[i].expected, 25));
        directory_remove(copy);
        directory_remove(broken);
        database_release(&database);
    }
}

/* Without the file SYNCED the log itself tells, as long as something stands behind. */
static void the_log_speaks_for_itself(void **state) {
    (void)state;
    struct database database;
    char path[PATH_BYTES], copy[PATH_BYTES], broken[PATH_BYTES];
    database_init(&database);
    put_keys(&database, 0, 5);
    close_database(&database);
    find_file(&database, "SYNCED", path);
    assert_int_equal(unlink(path), 0);
    find_file(&database, ".log", path);
    flip(path, (contract_keyring() == NULL ? 0 : 4096) + 60, 3);
    put_text(copy, sizeof(copy), "%s.copy", database.directory);
    put_text(broken, sizeof(broken), "%s.broken", database.directory);
    copy_directory(database.directory, copy);
    assert_true(is_refused(&database, copy, broken, "cannot be read at byte ", 5));
    directory_remove(copy);
    directory_remove(broken);
    database_release(&database);
}

/* ---- a manifest of which the last edit came in part ---- */

/* Behind what is there, which was synced: a whole edit that came with a wrong byte, noise, zeros
 * with something behind them, or the begin of an edit. */
static void append_wrong(const char *path, int kind) {
    static const uint8_t parts[][40] = {
        {1, 2, 3, 4, 9, 0, 1, 2, 5, 3, 6, 4, 7, 9, 0, 1},
        "this is no edit, and only some noise",
        {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7, 8, 9, 1, 2},
        {1, 2, 3, 4, 255, 0, 1, 2, 5},
    };
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, parts[kind], sizeof(parts[kind])), sizeof(parts[kind]));
    close(fd);
}

static void an_edit_that_came_in_part_is_left_out(void **state) {
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        struct database database;
        char path[PATH_BYTES], copy[PATH_BYTES], broken[PATH_BYTES];
        database_init(&database);
        put_keys(&database, 0, 20);
        database_reopen(&database);
        put_keys(&database, 20, 25);
        close_database(&database);
        find_file(&database, "MANIFEST", path);
        append_wrong(path, kind);
        put_text(copy, sizeof(copy), "%s.copy", database.directory);
        put_text(broken, sizeof(broken), "%s.broken", database.directory);
        copy_directory(database.directory, copy);
        assert_false(is_refused(&database, copy, broken, "", 25));
        assert_false(is_refused(&database, copy, broken, "", 25)); /* and again, as it is then */
        /* Without the file SYNCED it might have been synced, and is not cut. */
        find_file(&database, "SYNCED", path);
        assert_int_equal(unlink(path), 0);
        copy_directory(database.directory, copy);
        bool refused = is_refused(&database, copy, broken, "", 25);
        assert_true(contract_keyring() != NULL || kind > 0 || refused);
        directory_remove(copy);
        directory_remove(broken);
        database_release(&database);
    }
}

/* ---- losses of power ---- */

enum { LOSSES = 6, COMMITS_MAX = 40 };

enum loss_kind { LOSS_CUT, LOSS_ZEROS, LOSS_NOISE, LOSS_HOLE, LOSS_KINDS };

/* Keeps what was synced of a file, and some of the rest. */
static void lose(const char *path, off_t synced, unsigned *seed) {
    off_t size = size_of(path), lost = size - synced;
    static uint8_t bytes[1 << 20];
    if (lost <= 0)
        return;
    off_t at = synced + rand_r(seed) % lost;
    size_t len = (size_t)(size - at);
    enum loss_kind kind = (enum loss_kind)(rand_r(seed) % LOSS_KINDS);
    if (kind == LOSS_CUT) {
        assert_int_equal(truncate(path, at), 0);
        return;
    }
    if (kind == LOSS_HOLE)
        len = len / 2 + 1;
    for (size_t i = 0; i < len && i < sizeof(bytes); i++)
        bytes[i] = kind == LOSS_NOISE ? (uint8_t)rand_r(seed) : 0;
    int fd = open(path, O_WRONLY);
    assert_int_equal(pwrite(fd, bytes, len < sizeof(bytes) ? len : sizeof(bytes), at),
                     (ssize_t)(len < sizeof(bytes) ? len : sizeof(bytes)));
    close(fd);
}

/* Commits, the last `relaxed` of them without a sync; then the power is lost. What was durable is
 * there, and nobody refuses. The copy is taken while the store is open, as a crash leaves it. */
static void lose_power_once(unsigned *seed) {
    struct database database, other = {0};
    char copy[PATH_BYTES], log[PATH_BYTES], copied[PATH_BYTES];
    static uint8_t value[60000];
    off_t synced = 0;
    int durable = 0, commits = 1 + rand_r(seed) % COMMITS_MAX;
    database_init(&database);
    if (rand_r(seed) % 2) {
        put_keys(&database, 1000, 1010);
        database_reopen(&database);
    }
    find_file(&database, ".log", log);
    synced = size_of(log);
    for (int i = 0; i < commits; i++) {
        char key[16];
        bool sync = rand_r(seed) % 4 == 0;
        put_text(key, sizeof(key), "k%d", i);
        must(try_put(&database, key, slice_of(value, (size_t)(rand_r(seed) % (int)sizeof(value))),
                     sync ? STORE_DURABLE : STORE_RELAXED));
        if (!sync)
            continue;
        synced = size_of(log);
        durable = i + 1;
    }
    if (rand_r(seed) % 3 == 0)
        usleep(30000); /* a mark may be written meanwhile */
    put_text(copy, sizeof(copy), "%s.copy", database.directory);
    copy_directory(database.directory, copy);
    put_text(copied, sizeof(copied), "%s%s", copy, log + strlen(database.directory));
    lose(copied, synced, seed);
    put_text(other.directory, sizeof(other.directory), "%s", copy);
    must(database_try(&other, false));
    for (int i = 0; i < durable; i++) {
        char key[16];
        put_text(key, sizeof(key), "k%d", i);
        assert_true(has(&other, key));
    }
    must(try_put_text(&other, "after", "1"));
    database_reopen(&other);
    assert_true(has(&other, "after"));
    store_close(other.store);
    arena_release(&other.arena);
    directory_remove(copy);
    database_release(&database);
}

static void append_noise(const char *path, uint8_t byte) {
    uint8_t noise[64];
    memset(noise, byte, sizeof(noise));
    int fd = open(path, O_WRONLY | O_APPEND);
    assert_int_equal(write(fd, noise, sizeof(noise)), sizeof(noise));
    close(fd);
}

/* Of plain files only: what noise becomes by a key nobody knows. */
static void expect_endless(struct database *database, const char *log, off_t end) {
    struct judgement judgement;
    if (contract_keyring() != NULL)
        return;
    must(rocksdb_judge(&database->arena, NULL, database->directory, &judgement));
    assert_true(judgement.is_endless);
    assert_string_equal(judgement.dropped, strrchr(log, '/') + 1);
    assert_int_equal(judgement.dropped_at, end);
}

/* A log behind the last one, that ends in the same noise. */
static void add_log(const char *log) {
    char command[4 * PATH_BYTES];
    const char *name = strrchr(log, '/') + 1;
    put_text(command, sizeof(command), "cp %s %.*s%06ld.log", log, (int)(name - log), log,
             atol(name) + 1);
    assert_int_equal(system(command), 0);
}

/* Noise that has the type of a log that is used again: RocksDB 9 reads it forever, so it never gets
 * to see it, in the log where the writes end, nor in one behind it. */
static void noise_that_rocksdb_would_read_forever(void **state) {
    (void)state;
    static const uint8_t types[] = {5, 6, 7, 8, 11, 131};
    for (size_t i = 0; i < sizeof(types); i++) {
        struct database database, other = {0};
        char log[PATH_BYTES], copy[PATH_BYTES];
        database_init(&database);
        put_keys(&database, 0, 5);
        put_text(copy, sizeof(copy), "%s.copy", database.directory);
        copy_directory(database.directory, copy);
        put_text(other.directory, sizeof(other.directory), "%s", copy);
        find_file(&other, ".log", log);
        off_t end = size_of(log);
        append_noise(log, types[i]);
        if (i % 2)
            add_log(log);
        expect_endless(&other, log, end);
        must(database_try(&other, false));
        assert_true(has(&other, "k4"));
        must(try_put_text(&other, "after", "1"));
        database_reopen(&other);
        assert_true(has(&other, "after"));
        store_close(other.store);
        arena_release(&other.arena);
        directory_remove(copy);
        database_release(&database);
    }
}

static void a_loss_of_power_is_no_damage(void **state) {
    (void)state;
    const char *more = getenv("GRAMME_LOSSES");
    unsigned seed = chosen_seed();
    int losses = more != NULL ? atoi(more) : LOSSES;
    for (int i = 0; i < losses; i++)
        lose_power_once(&seed);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_checksum_is_castagnolis),
        cmocka_unit_test(a_flipped_bit_in_the_log_is_found),
        cmocka_unit_test(what_was_durable_must_be_there),
        cmocka_unit_test(the_log_speaks_for_itself),
        cmocka_unit_test(an_edit_that_came_in_part_is_left_out),
        cmocka_unit_test(noise_that_rocksdb_would_read_forever),
        cmocka_unit_test(a_loss_of_power_is_no_damage),
    };
    return cmocka_run_group_tests_name("rocksdb judge", tests, NULL, NULL);
}
