/* test_budget.c - memory that is counted: allowances, and the buffers and arenas that live on
 * them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/buffer.h"

#define MIB ((size_t)1 << 20)

/* What is its own costs nothing; what goes beyond is drawn, and stays drawn until it is settled. */
static void only_growth_is_drawn(void **state) {
    (void)state;
    struct budget budget = {.limit = MIB};
    struct allowance a;
    allowance_init(&a, &budget, 1000);
    assert_true(allowance_take(&a, 1000));
    assert_int_equal(budget_used(&budget), 0);
    assert_true(allowance_take(&a, 1));
    size_t drawn = budget_used(&budget);
    assert_in_range(drawn, 1, 64 * 1024);
    allowance_give(&a, 1);
    assert_int_equal(budget_used(&budget), drawn);
    assert_true(allowance_settle(&a));
    assert_false(allowance_settle(&a));
    assert_int_equal(budget_used(&budget), 0);
}

static void what_is_not_there_is_refused(void **state) {
    (void)state;
    struct budget budget = {.limit = MIB};
    struct allowance a, b;
    allowance_init(&a, &budget, 0);
    allowance_init(&b, &budget, 0);
    assert_true(allowance_take(&a, 700 * 1024));
    assert_false(allowance_take(&b, 700 * 1024));
    assert_in_range(b.missing, 700 * 1024, 720 * 1024);
    assert_int_equal(b.used, 0);
    assert_int_equal(b.drawn, 0);
    assert_true(allowance_take(&b, 200 * 1024));
    allowance_owe(&b, MIB); /* cannot be refused */
    assert_true(budget_used(&budget) > budget.limit);
    allowance_give(&a, 700 * 1024);
    allowance_settle(&a);
    assert_true(allowance_take(&b, 5 * MIB)); /* it is alone */
    allowance_give(&b, b.used);
    allowance_settle(&b);
    assert_int_equal(budget_used(&budget), 0);
}

/* Large ones leave a quarter to the small. */
static void much_leaves_room_for_little(void **state) {
    (void)state;
    struct budget budget = {.limit = 16 * MIB};
    struct allowance a, b, c;
    allowance_init(&a, &budget, 0);
    allowance_init(&b, &budget, 0);
    allowance_init(&c, &budget, 0);
    assert_true(allowance_reserve(&a, 10 * MIB));
    assert_false(allowance_reserve(&b, 3 * MIB));
    assert_true(allowance_reserve(&b, 2 * MIB));
    assert_true(allowance_take(&c, MIB));
    assert_false(allowance_take(&c, 1)); /* now it is a large one */
}

/* Who has a reservation is not refused; who has none does not overtake who waits for one. */
static void reservations_come_first(void **state) {
    (void)state;
    struct budget budget = {.limit = 16 * MIB};
    struct allowance a, b;
    allowance_init(&a, &budget, 0);
    allowance_init(&b, &budget, 0);
    assert_true(allowance_reserve(&a, 100 * 1024));
    atomic_store(&budget.waiting[BUDGET_SMALL], 1);
    assert_false(allowance_take(&b, 1));
    assert_true(allowance_take(&a, 100 * 1024));
    assert_true(allowance_reserve(&b, 1024));
    assert_true(allowance_take(&b, 1024));
    atomic_store(&budget.waiting[BUDGET_SMALL], 0);
    assert_true(allowance_take(&b, 64 * 1024));
}

static void a_buffer_pays_for_its_capacity(void **state) {
    (void)state;
    struct budget budget = {.limit = 16 * MIB};
    struct allowance a;
    struct buffer buffer, other;
    allowance_init(&a, &budget, 1024);
    buffer_init(&buffer, 100 * MIB);
    buffer_init(&other, 100 * MIB);
    buffer.allowance = &a;
    for (int i = 0; i < 100000; i++)
        buffer_append(&buffer, "0123456789", 10);
    assert_int_equal(a.used, buffer.capacity);
    assert_in_range(budget_used(&budget), 1000000 - 1024, 2 * MIB);
    buffer_append_text(&other, "other");
    buffer_swap(&buffer, &other);
    assert_int_equal(a.used, buffer.capacity);
    assert_memory_equal(buffer.data, "other", 5);
    assert_int_equal(other.len, 1000000);
    assert_true(buffer_grow_to(&buffer, 12345));
    assert_int_equal(buffer.capacity, 12345);
    buffer_release(&buffer);
    buffer_release(&other);
    assert_int_equal(a.used, 0);
    allowance_settle(&a);
    assert_int_equal(budget_used(&budget), 0);
}

/* Nothing is lost when growing is refused, and the writer sees it at the end. */
static void a_buffer_that_is_refused_overflows(void **state) {
    (void)state;
    struct budget budget = {.limit = MIB, .used = MIB};
    struct allowance a;
    struct buffer buffer;
    allowance_init(&a, &budget, 1024);
    buffer_init(&buffer, 100 * MIB);
    buffer.allowance = &a;
    for (int i = 0; i < 1000; i++)
        buffer_append(&buffer, "0123456789", 10);
    assert_true(buffer.overflow);
    assert_in_range(buffer.capacity, 1, 1024);
    assert_int_equal(a.used, buffer.capacity);
    assert_int_not_equal(a.missing, 0);
    buffer_release(&buffer);
    assert_false(buffer.overflow);
    assert_int_equal(a.used, 0);
}

static void memory_that_is_nowhere_is_an_overflow(void **state) {
    (void)state;
    struct buffer buffer;
    buffer_init(&buffer, SIZE_MAX / 4);
    buffer_append_text(&buffer, "kept");
    assert_false(buffer_reserve(&buffer, SIZE_MAX / 8));
    assert_true(buffer.overflow);
    assert_memory_equal(buffer.data, "kept", 4);
    buffer_release(&buffer);
}

static void an_arena_owes_for_its_chunks(void **state) {
    (void)state;
    struct budget budget = {.limit = MIB, .used = MIB};
    struct allowance a;
    struct arena arena;
    allowance_init(&a, &budget, 16 * 1024);
    arena_init(&arena);
    arena.allowance = &a;
    arena_alloc(&arena, 100);
    assert_int_equal(budget_used(&budget), MIB);
    struct arena_mark mark = arena_mark(&arena);
    arena_alloc(&arena, 3 * MIB);
    assert_true(budget_used(&budget) > 4 * MIB - 16 * 1024);
    arena_rewind(&arena, mark);
    assert_in_range(a.used, 1, 16 * 1024);
    arena_alloc(&arena, MIB);
    arena_reset(&arena);
    assert_in_range(a.used, 1, 16 * 1024);
    allowance_settle(&a);
    assert_int_equal(budget_used(&budget), MIB);
    arena_release(&arena);
    assert_int_equal(a.used, 0);
    arena_alloc(&arena, 1); /* it goes on counting */
    assert_int_not_equal(a.used, 0);
    arena_release(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_growth_is_drawn),
        cmocka_unit_test(what_is_not_there_is_refused),
        cmocka_unit_test(much_leaves_room_for_little),
        cmocka_unit_test(reservations_come_first),
        cmocka_unit_test(a_buffer_pays_for_its_capacity),
        cmocka_unit_test(a_buffer_that_is_refused_overflows),
        cmocka_unit_test(memory_that_is_nowhere_is_an_overflow),
        cmocka_unit_test(an_arena_owes_for_its_chunks),
    };
    return cmocka_run_group_tests_name("budgets", tests, NULL, NULL);
}
