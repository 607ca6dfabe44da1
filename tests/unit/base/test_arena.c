/* test_arena.c - arenas: marks, rewinding, limits, alignment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/error.h"

static void arena_rewinds_to_its_mark(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    char *kept = arena_alloc(&arena, 10);
    memcpy(kept, "kept", 5);
    struct arena_mark mark = arena_mark(&arena);
    for (int i = 0; i < 100; i++)
        memset(arena_alloc(&arena, 1000), 'x', 1000);
    arena_rewind(&arena, mark);
    assert_string_equal(kept, "kept");
    char *again = arena_alloc(&arena, 16);
    assert_ptr_equal(again, kept + arena_step(10));
    arena_reset(&arena);
    assert_ptr_equal(arena_alloc(&arena, 1), kept);
    arena_release(&arena);
}

static void arena_rewinds_to_an_empty_start(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    struct arena_mark mark = arena_mark(&arena);
    arena_alloc(&arena, 100000);
    arena_rewind(&arena, mark);
    assert_null(arena.chunks);
    memset(arena_alloc(&arena, 5), 0, 5);
    arena_release(&arena);
}

/* Sizes up to more than a chunk. */
static void arena_knows_its_limit(void **state) {
    (void)state;
    struct arena arena, scratch;
    arena_init(&arena);
    arena_init(&scratch);
    assert_true(arena_has_room(&arena, SIZE_MAX));
    arena_set_limit(&arena, 100000);
    assert_null(error_if_full(&arena, 100000));
    assert_non_null(error_if_full(&arena, 100001));
    struct arena_mark mark = arena_mark(&arena);
    arena_alloc(&arena, 60000);
    assert_true(arena_has_room(&arena, 30000));
    assert_false(arena_has_room(&arena, 40000));
    arena_share_limit(&scratch, &arena);
    assert_true(arena_has_room(&scratch, 30000));
    assert_false(arena_has_room(&scratch, 40000));
    arena_alloc(&arena, 60000); /* beyond: it is there all the same */
    struct error *error = error_if_full(&arena, 0);
    assert_int_equal(error->code, ERROR_REQUEST_MEMORY);
    arena_share_limit(&scratch, &arena);
    assert_false(arena_has_room(&scratch, 2));
    arena_rewind(&arena, mark);
    assert_true(arena_has_room(&arena, 90000));
    arena_alloc(&arena, 200000);
    arena_reset(&arena);
    assert_true(arena_has_room(&arena, SIZE_MAX));
    arena_release(&arena);
    assert_int_equal(arena.held, 0);
    arena_release(&scratch);
}

static void allocations_are_aligned_and_do_not_overlap(void **state) {
    (void)state;
    struct arena arena;
    arena_init(&arena);
    uint8_t *all[100];
    for (size_t size = 0; size < 100; size++) {
        all[size] = arena_alloc(&arena, size * size);
        assert_int_equal((uintptr_t)all[size] % ARENA_ALIGNMENT, 0);
        memset(all[size], (int)size & 255, size * size);
    }
    for (size_t size = 0; size < 100; size++)
        for (size_t i = 0; i < size * size; i++)
            assert_int_equal(all[size][i], size & 255);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_rewinds_to_its_mark),
        cmocka_unit_test(arena_rewinds_to_an_empty_start),
        cmocka_unit_test(arena_knows_its_limit),
        cmocka_unit_test(allocations_are_aligned_and_do_not_overlap),
    };
    return cmocka_run_group_tests_name("arena", tests, NULL, NULL);
}
