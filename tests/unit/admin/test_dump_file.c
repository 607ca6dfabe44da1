/* test_dump_file.c - two backups to one name at a time.
 *
 * flock() below replaces the C library's: when this process asks for its lock, the other backup,
 * which held it, has just finished and given its file its name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "admin/dump_file.h"
#include "base/check.h"

static char folder[] = "/tmp/gramme-dump-XXXXXX";
static char file[64], partial[64];

int flock(int fd, int operation) {
    CHECK(rename(partial, file) == 0);
    return (int)syscall(SYS_flock, fd, operation);
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    CHECK(out != NULL && fputs(text, out) >= 0 && fclose(out) == 0);
}

static void assert_text(const char *path, const char *expected) {
    char text[64] = "";
    FILE *in = fopen(path, "r");
    CHECK(in != NULL);
    CHECK(fgets(text, sizeof(text), in) != NULL || feof(in));
    fclose(in);
    assert_string_equal(text, expected);
}

static void a_finished_backup_is_not_emptied(void **state) {
    (void)state;
    struct arena arena;
    struct dump_file_summary summary;
    struct dump_file_options options = {
        .place = {.directory = folder, .name = folder}, .file = file, .program = "test"};
    arena_init(&arena);
    write_text(partial, "of the other one");
    struct error *error = dump_file_make(&arena, &options, &summary);
    assert_non_null(error);
    assert_non_null(strstr((const char *)error->message.data, "another backup is writing"));
    assert_text(file, "of the other one");
    arena_release(&arena);
}

int main(void) {
    CHECK(mkdtemp(folder) != NULL);
    snprintf(file, sizeof(file), "%s/file", folder);
    snprintf(partial, sizeof(partial), "%s/file.partial", folder);
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_finished_backup_is_not_emptied)};
    int failed = cmocka_run_group_tests_name("dump_file", tests, NULL, NULL);
    unlink(file);
    unlink(partial);
    rmdir(folder);
    return failed;
}
