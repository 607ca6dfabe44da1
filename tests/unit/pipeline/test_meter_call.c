/* test_meter_call.c - what was throttled, on the meters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/throttled.h"
#include "pipeline/meter_call.h"

enum { OPERATION = 3 };

struct scene {
    struct arena arena;
    struct meters *meters;
    struct call_meter meter;
    struct op_call call;
    struct table table;
    struct table_index index;
};

static void begin(struct scene *scene) {
    *scene = (struct scene){.meters = meters_new()};
    arena_init(&scene->arena);
    scene->meter.thread = meters_join(scene->meters);
    scene->call.arena = &scene->arena;
    scene->call.number = OPERATION;
    scene->table.definition = (struct table_definition){.id = 7, .name = SLICE_LITERAL("table")};
    scene->index.name = SLICE_LITERAL("index");
}

static void end(struct scene *scene) {
    meters_free(scene->meters);
    arena_release(&scene->arena);
}

static struct error *throttle(struct scene *scene, const struct table_index *index,
                              unsigned kinds) {
    const struct throttled_hit hit = {index, LIMIT_WRITES, kinds};
    struct error *error = throttled_error(&scene->arena, &scene->table.definition, &hit, 1);
    account_throttled(&scene->call, &scene->table, error);
    return error;
}

static const struct meter_table *read_table(struct scene *scene) {
    struct meter_sums sums;
    meters_read(scene->meters, &scene->arena, false, &sums);
    for (size_t i = 0; i < sums.table_count; i++)
        if (slice_is(sums.tables[i]->name, "table"))
            return sums.tables[i];
    fail();
    return NULL;
}

/* An event for each item and limit, one request, and its error with the table. */
static void a_request_that_was_refused(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    throttle(&scene, NULL, 1 << LIMIT_PROVISIONED | 1 << LIMIT_KEY_RANGE);
    throttle(&scene, NULL, 1 << LIMIT_PROVISIONED);
    struct error *error = throttle(&scene, &scene.index, 1 << LIMIT_PROVISIONED);
    meter_call(&scene.meter, &scene.call, error, 0);
    const struct meter_table *table = read_table(&scene);
    assert_int_equal(counter_read(&table->own.throttled[METER_WRITE_PROVISIONED]), 2);
    assert_int_equal(counter_read(&table->own.throttled[METER_WRITE_KEY_RANGE]), 1);
    assert_int_equal(counter_read(&table->own.throttled[METER_READ_PROVISIONED]), 0);
    const struct meter_index *index = atomic_load(&table->indexes);
    assert_true(slice_is(index->name, "index"));
    assert_int_equal(counter_read(&index->own.throttled[METER_WRITE_PROVISIONED]), 1);
    const struct meter_operation *asked = atomic_load(&table->operations[OPERATION]);
    assert_int_equal(counter_read(&asked->throttled), 1);
    assert_int_equal(
        counter_read(&asked->outcomes[METER_ERRORS + ERROR_PROVISIONED_THROUGHPUT_EXCEEDED]), 1);
    end(&scene);
}

/* Of a batch: the events count, the request went through. */
static void a_part_that_was_refused(void **state) {
    (void)state;
    struct scene scene;
    begin(&scene);
    throttle(&scene, NULL, 1 << LIMIT_PROVISIONED);
    account_table(&scene.call, SLICE_LITERAL("table"), &scene.table);
    meter_call(&scene.meter, &scene.call, NULL, 0);
    const struct meter_table *table = read_table(&scene);
    assert_int_equal(counter_read(&table->own.throttled[METER_WRITE_PROVISIONED]), 1);
    const struct meter_operation *asked = atomic_load(&table->operations[OPERATION]);
    assert_int_equal(counter_read(&asked->throttled), 0);
    assert_int_equal(counter_read(&asked->outcomes[METER_OK]), 1);
    end(&scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_that_was_refused),
        cmocka_unit_test(a_part_that_was_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
