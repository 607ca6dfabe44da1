/* test_files.c - data directories on a disk whose n-th call fails.
 *
 * The functions below replace the C library's. A directory is made, opened, settled, and another
 * one filled, with one call after the other failing. Each time an error says what could not be done
 * with what; and then, with a disk that works, all of it is done in what was left. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/data_directory.h"
#include "admin/files.h"

/* ---- calls that fail ---- */

static int calls, fails_at, fails_with;

static bool fails(void) {
    if (fails_at == 0 || ++calls != fails_at)
        return false;
    errno = fails_with;
    return true;
}

int open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    return fails() ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

ssize_t read(int fd, void *bytes, size_t size) {
    return fails() ? -1 : syscall(SYS_read, fd, bytes, size);
}

ssize_t write(int fd, const void *bytes, size_t size) {
    return fails() ? -1 : syscall(SYS_write, fd, bytes, size);
}

int fsync(int fd) {
    return fails() ? -1 : (int)syscall(SYS_fsync, fd);
}

int mkdir(const char *path, mode_t mode) {
    return fails() ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

int rename(const char *from, const char *to) {
    return fails() ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int remove(const char *path) {
    if (fails())
        return -1;
    int done = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    return done == 0 ? 0 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR);
}

int flock(int fd, int operation) {
    return fails() ? -1 : (int)syscall(SYS_flock, fd, operation);
}

/* ---- what is done ---- */

static struct error *make_and_open(struct arena *arena, const char *path) {
    struct data_directory data;
    bool encrypted = true;
    TRY(data_directory_open(arena, path, NULL, &data));
    TRY(data_directory_settle(arena, &data));
    data_directory_release(&data);
    TRY(data_directory_find(arena, path, NULL, &data));
    TRY(data_directory_is_encrypted(arena, path, &encrypted));
    assert_false(encrypted);
    data_directory_release(&data);
    return NULL;
}

/* Nothing, when it was filled already. */
static struct error *fill(struct arena *arena, const char *path) {
    struct data_directory data;
    int lock;
    if (access(files_join(arena, path, "GRAMME"), F_OK) == 0 &&
        access(files_join(arena, path, "RESTORING"), F_OK) != 0)
        return NULL;
    TRY(data_directory_fill(arena, path, NULL, &data, &lock));
    struct error *error = data_directory_filled(arena, &data);
    data_directory_release(&data);
    close(lock);
    return error;
}

static struct error *do_all(struct arena *arena, const char *root) {
    TRY(make_and_open(arena, files_join(arena, root, "some/where/new/")));
    TRY(fill(arena, files_join(arena, root, "filled")));
    TRY(make_and_open(arena, files_join(arena, root, "filled")));
    const char *file = files_join(arena, root, "file");
    TRY(files_write(arena, file, SLICE_LITERAL("text")));
    return files_rename(arena, file, files_join(arena, root, "other"));
}

/* ---- the tests ---- */

static void assert_clear(const struct error *error) {
    char text[512];
    snprintf(text, sizeof(text), "%.*s", SLICE_ARGS(error->message));
    assert_int_equal(error->code, ERROR_LOCAL);
    assert_non_null(strstr(text, "/tmp")); /* it, or one that it is in */
    if (strstr(text, "another restore is working in") == NULL)
        assert_non_null(strstr(text, strerror(fails_with)));
}

/* False: there are not so many calls. */
static bool run_with_fault(int n, int error_number) {
    struct arena arena;
    char root[] = "/tmp/gramme-files-XXXXXX";
    assert_non_null(mkdtemp(root));
    arena_init(&arena);
    calls = 0;
    fails_at = n;
    fails_with = error_number;
    struct error *error = do_all(&arena, root);
    bool reached = calls >= n;
    fails_at = 0;
    if (error != NULL)
        assert_clear(error);
    assert_null(do_all(&arena, root));
    assert_null(files_remove_tree(&arena, root));
    assert_null(files_remove_tree(&arena, root)); /* it is not there any more */
    arena_release(&arena);
    return reached;
}

static void every_call_may_fail(void **state) {
    (void)state;
    static const int numbers[] = {EIO, ENOSPC, EINTR};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        int n = 1;
        while (run_with_fault(n, numbers[i]))
            n++;
        assert_in_range(n, 40, 200);
    }
}

static void write_text(const char *path, const char *text) {
    struct arena arena;
    arena_init(&arena);
    assert_null(files_write(&arena, path, slice_text(text)));
    arena_release(&arena);
}

static void assert_refused(struct arena *arena, const char *path, const char *expected) {
    struct data_directory data;
    struct error *error = data_directory_open(arena, path, NULL, &data);
    assert_non_null(error);
    char text[512];
    snprintf(text, sizeof(text), "%.*s", SLICE_ARGS(error->message));
    assert_non_null(strstr(text, expected));
}

static void what_is_not_ours_is_refused(void **state) {
    (void)state;
    struct arena arena;
    struct data_directory data;
    char root[] = "/tmp/gramme-files-XXXXXX";
    assert_non_null(mkdtemp(root));
    arena_init(&arena);
    const char *marker = files_join(&arena, root, "GRAMME"),
               *path = files_join(&arena, root, "photo");
    write_text(path, "");
    assert_refused(&arena, root, "is not empty and not a data directory of gramme");
    assert_non_null(data_directory_find(&arena, root, NULL, &data));
    assert_refused(&arena, path, "cannot read the marker in");
    write_text(marker, "gramme data, format 3\n");
    assert_refused(&arena, root, "use a newer gramme");
    write_text(marker, "gramme data, format 0\n");
    assert_refused(&arena, root, "is damaged: its file GRAMME cannot be read");
    write_text(marker, "");
    assert_refused(&arena, root, "is damaged: its file GRAMME cannot be read");
    write_text(marker, "gramme data, format 2\n");
    assert_refused(&arena, root, "is encrypted: give its key");
    write_text(marker, "gramme data, format 1\n");
    assert_refused(&arena, root, "but not its store");
    int lock;
    struct error *error = data_directory_fill(&arena, root, NULL, &data, &lock);
    assert_non_null(error); /* somebody else's */
    assert_null(files_remove_tree(&arena, root));
    arena_release(&arena);
}

static void paths_are_taken_apart(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    assert_string_equal(files_parent(&arena, "name"), ".");
    assert_string_equal(files_parent(&arena, "/name"), "/");
    assert_string_equal(files_parent(&arena, "a/b"), "a");
    assert_string_equal(files_trimmed(&arena, "a/b//"), "a/b");
    assert_string_equal(files_trimmed(&arena, "/"), "/");
    assert_null(files_make_directories(&arena, "/"));
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_may_fail),
        cmocka_unit_test(what_is_not_ours_is_refused),
        cmocka_unit_test(paths_are_taken_apart),
    };
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
