/* test_rekey.c - a data directory whose key is changed by a process that dies on the way.
 *
 * The functions below replace the C library's for RocksDB too: each is a step that leaves something
 * on the disk. A child does the work and is killed before its n-th step: at each of the last ones,
 * among which is the one that counts, and at some of those in which RocksDB is filled. After each
 * death the directory is opened by another child, as a server would, and has to have everything.
 * GRAMME_EVERY=1 dies at all of them. Nothing here runs RocksDB in the first process, whose threads
 * would not survive a fork. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/data_directory.h"
#include "admin/files.h"
#include "admin/rekey.h"
#include "admin/secrets_file.h"
#include "base/check.h"
#include "engine/engine.h"
#include "store/rocksdb/rocksdb.h"

enum { RECORDS = 40, LAST_STEPS = 16, EVERY = 60 };

/* ---- steps ---- */

/* Of the child that works, shared with the one that looks on. */
static struct steps {
    atomic_int done;
    atomic_int deadly; /* it dies before this one, from 1; 0: it does not */
} * steps;

static void step(void) {
    if (steps != NULL && atomic_fetch_add(&steps->done, 1) + 1 == atomic_load(&steps->deadly))
        syscall(SYS_kill, getpid(), SIGKILL);
}

int rename(const char *from, const char *to) {
    step();
    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path) {
    step();
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int remove(const char *path) {
    step();
    int done = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    return done == 0 ? 0 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int mkdir(const char *path, mode_t mode) {
    step();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int fsync(int fd) {
    step();
    return (int)syscall(SYS_fsync, fd);
}

int fdatasync(int fd) {
    step();
    return (int)syscall(SYS_fdatasync, fd);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    step();
    return (ssize_t)syscall(SYS_write, fd, bytes, size);
}

/* ---- children ---- */

struct place {
    const char *directory;
    const struct master_key *key;     /* of the directory before, or NULL */
    const struct master_key *new_key; /* and after */
};

/* What `run` returns in a process of its own; -1 when it was killed. */
static int in_child(int (*run)(const struct place *place), const struct place *place) {
    int status;
    fflush(NULL);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0)
        _exit(run(place));
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
        return -1;
    if (!WIFEXITED(status))
        fail_msg("a child ended by signal %d", WTERMSIG(status));
    return WEXITSTATUS(status);
}

static void check_error(const struct error *error) {
    if (error != NULL)
        fprintf(stderr, "%.*s\n", SLICE_ARGS(error->message));
    CHECK(error == NULL);
}

static struct store *open_store(struct arena *arena, const struct data_directory *data) {
    struct store *store = NULL;
    struct rocksdb_store_options options = {
        .directory = data->store_path, .create = true, .keyring = data->keyring};
    check_error(rocksdb_store_open(arena, &options, engine_keyspaces, KEYSPACE_COUNT, &store));
    return store;
}

static struct store_key key_of(struct arena *arena, int i) {
    return (struct store_key){(uint8_t)(i % KEYSPACE_COUNT), arena_printf(arena, "needle %d", i)};
}

/* The key of secrets opens, or is made. */
static void open_secrets(struct arena *arena, const struct data_directory *data) {
    struct keyring *secrets = NULL;
    check_error(secrets_file_open(arena, data->path, data->keyring, &secrets));
    keyring_free(secrets);
}

static int make(const struct place *place) {
    struct arena arena;
    struct data_directory data;
    struct store_txn *txn = NULL;
    enum store_outcome outcome;
    arena_init(&arena);
    check_error(data_directory_open(&arena, place->directory, place->key, &data));
    struct store *store = open_store(&arena, &data);
    open_secrets(&arena, &data);
    check_error(store_begin(store, &arena, STORE_WRITE, &txn));
    for (int i = 0; i < RECORDS; i++) {
        struct store_key key = key_of(&arena, i);
        store_put(txn, &key, SLICE_LITERAL("needle and thread"));
    }
    check_error(store_commit(txn, STORE_DURABLE, &outcome));
    store_end(txn);
    store_close(store);
    data_directory_release(&data);
    arena_release(&arena);
    return 0;
}

static int run_rekey(const struct place *place) {
    struct arena arena;
    struct rekey_summary summary;
    struct rekey_options options = {
        .directory = place->directory, .key = place->key, .new_key = place->new_key};
    arena_init(&arena);
    check_error(rekey(&arena, &options, &summary));
    arena_release(&arena);
    return 0;
}

static int count_records(struct store *store, struct arena *arena) {
    struct store_txn *txn = NULL;
    int found = 0;
    check_error(store_begin(store, arena, STORE_READ, &txn));
    for (int i = 0; i < RECORDS; i++) {
        struct store_key key = key_of(arena, i);
        struct slice value;
        check_error(store_get(txn, &key, &value));
        found += slice_present(value) && slice_is(value, "needle and thread");
    }
    store_end(txn);
    return found;
}

/* Opens it with the key that fits; 0 as it was, 1 as it is to be, 2 with something missing. */
static int look(const struct place *place) {
    struct arena arena;
    struct data_directory data = {0};
    arena_init(&arena);
    bool before = data_directory_open(&arena, place->directory, place->key, &data) == NULL;
    if (!before)
        check_error(data_directory_open(&arena, place->directory, place->new_key, &data));
    struct store *store = open_store(&arena, &data);
    check_error(data_directory_settle(&arena, &data));
    bool whole = count_records(store, &arena) == RECORDS &&
                 access(files_join(&arena, place->directory, "SECRETS"), F_OK) == 0;
    open_secrets(&arena, &data);
    store_close(store);
    data_directory_release(&data);
    arena_release(&arena);
    return !whole ? 2 : before ? 0 : 1;
}

/* ---- cases ---- */

__attribute__((format(printf, 1, 2))) static void shell(const char *format, ...) {
    char command[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof(command), format, arguments);
    va_end(arguments);
    assert_int_equal(system(command), 0);
}

static bool has_needle(const char *directory) {
    char command[100];
    snprintf(command, sizeof(command), "grep -qr needle %s", directory);
    return system(command) == 0;
}

static int look_and_check(const struct place *place) {
    int found = in_child(look, place);
    assert_in_range(found, 0, 1);
    const struct master_key *now = found == 0 ? place->key : place->new_key;
    assert_int_equal(has_needle(place->directory), now == NULL);
    return found;
}

/* After a death before step n. Whatever is found then, a second attempt comes to its end. */
static int go_on(const struct place *place, bool repeatable, int n) {
    int found = 0;
    if (!repeatable || n % 2 == 0)
        found = look_and_check(place);
    if (found == 0) {
        assert_int_equal(in_child(run_rekey, place), 0);
        assert_int_equal(look_and_check(place), 1);
    }
    return found;
}

/* The next deadly step after n, of so many. */
static int step_after(int n, int last) {
    const char *chosen = getenv("GRAMME_EVERY");
    int next = n + (chosen == NULL ? EVERY : atoi(chosen)), each_from = last - LAST_STEPS;
    return n >= each_from ? n + 1 : next < each_from ? next : each_from;
}

/* How many steps it took; -1 when it died before the deadly one. */
static int rekey_until(const struct place *place, int deadly) {
    atomic_store(&steps->done, 0);
    atomic_store(&steps->deadly, deadly);
    int ended = in_child(run_rekey, place), done = atomic_load(&steps->done);
    atomic_store(&steps->deadly, 0);
    return ended < 0 ? -1 : done;
}

/* `repeatable`: the command can be given again when all of it was done. */
static void die_at_every_step(const struct master_key *key, const struct master_key *new_key,
                              bool repeatable) {
    char folder[] = "/tmp/test_rekey.XXXXXX", directory[64];
    assert_non_null(mkdtemp(folder));
    snprintf(directory, sizeof(directory), "%s/data", folder);
    struct place place = {directory, key, new_key};
    int deaths = 0, found[2] = {0, 0};
    assert_int_equal(in_child(make, &place), 0);
    shell("cp -a %s %s.original", directory, directory);
    int last = rekey_until(&place, 0);
    assert_true(last > 0);
    assert_int_equal(look_and_check(&place), 1);
    for (int n = 1; n <= last; n = step_after(n, last)) {
        shell("rm -rf %s && cp -a %s.original %s", directory, directory, directory);
        if (rekey_until(&place, n) < 0)
            found[go_on(&place, repeatable, ++deaths)]++;
    }
    printf("%d deaths: %d before the change, %d after it\n", deaths, found[0], found[1]);
    assert_true(found[0] > 0 && found[1] > 0);
    shell("rm -r %s", folder);
}

static struct master_key key_from(uint8_t first) {
    return (struct master_key){keyring_new((uint8_t[CIPHER_KEY_BYTES]){first}), "the key"};
}

static void a_plain_directory_is_encrypted(void **state) {
    (void)state;
    struct master_key key = key_from(1);
    die_at_every_step(NULL, &key, true);
    master_key_release(&key);
}

static void an_encrypted_directory_becomes_plain(void **state) {
    (void)state;
    struct master_key key = key_from(1);
    die_at_every_step(&key, NULL, false);
    master_key_release(&key);
}

static void another_key_in_one_step(void **state) {
    (void)state;
    struct master_key key = key_from(1), new_key = key_from(2);
    die_at_every_step(&key, &new_key, false);
    master_key_release(&key);
    master_key_release(&new_key);
}

int main(void) {
    steps = mmap(NULL, sizeof(*steps), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(steps != MAP_FAILED);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_directory_is_encrypted),
        cmocka_unit_test(an_encrypted_directory_becomes_plain),
        cmocka_unit_test(another_key_in_one_step),
    };
    return cmocka_run_group_tests_name("rekey", tests, NULL, NULL);
}
