/* test_poison.c - canary: AddressSanitizer must report memory errors inside an arena. Each error
 * happens in a child process, which the sanitizer ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

/* Volatile, so that the compiler neither warns nor removes the write. */
static void touch(char *memory, ptrdiff_t at) {
    ((volatile char *)memory)[at] = 'x';
}

static void writes_within_its_allocations(struct arena *arena) {
    for (ptrdiff_t size = 1; size < 40; size++) {
        char *memory = arena_alloc(arena, (size_t)size);
        for (ptrdiff_t i = 0; i < size; i++)
            touch(memory, i);
    }
}

static void writes_one_byte_more(struct arena *arena) {
    touch(arena_alloc(arena, 10), 10);
}

static void writes_one_byte_more_than_is_aligned(struct arena *arena) {
    char *memory = arena_alloc(arena, 16);
    arena_alloc(arena, 16);
    touch(memory, 16);
}

static void writes_one_byte_before(struct arena *arena) {
    arena_alloc(arena, 16);
    touch(arena_alloc(arena, 16), -1);
}

static void writes_one_byte_more_in_a_chunk_of_its_own(struct arena *arena) {
    touch(arena_alloc(arena, 100000), 100000);
}

static void writes_into_an_allocation_of_no_bytes(struct arena *arena) {
    touch(arena_alloc(arena, 0), 0);
}

static void writes_after_a_rewind(struct arena *arena) {
    struct arena_mark mark;
    arena_alloc(arena, 16);
    mark = arena_mark(arena);
    char *memory = arena_alloc(arena, 16);
    arena_rewind(arena, mark);
    touch(memory, 0);
}

static void writes_after_a_reset(struct arena *arena) {
    char *memory = arena_alloc(arena, 16);
    arena_reset(arena);
    touch(memory, 15);
}

static void child_runs(void (*use)(struct arena *arena), int output) {
    struct arena arena;
    arena_init(&arena);
    dup2(output, STDERR_FILENO);
    use(&arena);
    arena_release(&arena);
    _exit(0);
}

/* Returns the exit status of a child, and its standard error. */
static int run(void (*use)(struct arena *arena), char *ret_written, size_t size) {
    int ends[2], status;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        child_runs(use, ends[1]);
    close(ends[1]);
    FILE *output = fdopen(ends[0], "r");
    assert_non_null(output);
    ret_written[fread(ret_written, 1, size - 1, output)] = '\0';
    while (fgetc(output) != EOF) {
    }
    fclose(output);
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void check_reported(void (*use)(struct arena *arena)) {
    char written[4096];
    int status = run(use, written, sizeof(written));
    assert_int_not_equal(status, 0);
    assert_non_null(strstr(written, "AddressSanitizer: use-after-poison"));
}

static void writes_outside_an_allocation_are_reported(void **state) {
    (void)state;
    check_reported(writes_one_byte_more);
    check_reported(writes_one_byte_more_than_is_aligned);
    check_reported(writes_one_byte_before);
    check_reported(writes_one_byte_more_in_a_chunk_of_its_own);
    check_reported(writes_into_an_allocation_of_no_bytes);
}

static void writes_to_released_memory_are_reported(void **state) {
    (void)state;
    check_reported(writes_after_a_rewind);
    check_reported(writes_after_a_reset);
}

static void valid_writes_are_not_reported(void **state) {
    (void)state;
    char written[4096];
    assert_int_equal(run(writes_within_its_allocations, written, sizeof(written)), 0);
    assert_string_equal(written, "");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_outside_an_allocation_are_reported),
        cmocka_unit_test(writes_to_released_memory_are_reported),
        cmocka_unit_test(valid_writes_are_not_reported),
    };
    return cmocka_run_group_tests_name("poison", tests, NULL, NULL);
}
