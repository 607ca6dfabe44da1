/* engine_fixture.c - submits a job and waits for it. */
#include "support/engine_fixture.h"

#include <time.h>

#include "base/check.h"
#include "base/container.h"
#include "store/memory/memory.h"
#include "support/read_item.h"

static int64_t read_clock(const struct clock *clock) {
    return ((const struct fixture_clock *)(const void *)clock)->now_ms;
}

struct fixture_clock fixture_clock = {.clock = {read_clock}};

struct store *fixture_store(void) {
    struct arena arena;
    struct store *store;
    arena_init(&arena);
    CHECK(memory_store_open(&arena, engine_keyspaces, KEYSPACE_COUNT, &store) == NULL);
    arena_release(&arena);
    return store;
}

struct engine_options fixture_options(struct store *store) {
    return (struct engine_options){
        .store = store,
        .durability = STORE_DURABLE,
        .clock = &system_clock,
        .random = &system_random,
    };
}

struct error *fixture_open_with(struct engine_fixture *fixture,
                                const struct engine_options *options) {
    arena_init(&fixture->arena);
    sem_init(&fixture->done, 0, 0);
    fixture->stepped = options->stepped;
    fixture->engine = NULL;
    fixture->view = NULL;
    fixture->program_count = 0;
    fixture->table_count = 0;
    TRY(engine_open(&fixture->arena, options, &fixture->engine));
    fixture->view = catalog_view_new(engine_catalog(fixture->engine));
    return NULL;
}

struct error *fixture_open(struct engine_fixture *fixture, struct store *store) {
    struct engine_options options = fixture_options(store);
    return fixture_open_with(fixture, &options);
}

void fixture_close(struct engine_fixture *fixture) {
    catalog_view_free(fixture->view);
    engine_close(fixture->engine);
    for (size_t i = 0; i < fixture->program_count; i++)
        expr_program_unref(fixture->programs[i]);
    for (size_t i = 0; i < fixture->table_count; i++)
        table_unref(fixture->tables[i]);
    sem_destroy(&fixture->done);
    arena_release(&fixture->arena);
}

void fixture_wait(struct engine_fixture *fixture) {
    if (!fixture->stepped) {
        sem_wait(&fixture->done);
        return;
    }
    while (sem_trywait(&fixture->done) != 0)
        engine_step(fixture->engine);
}

void fixture_pause(struct engine_fixture *fixture, int *turns) {
    const struct timespec pause = {0, 100000};
    CHECK((*turns)++ < 300000);
    if (fixture->stepped)
        engine_step(fixture->engine);
    else
        nanosleep(&pause, NULL);
}

struct value fixture_item(struct engine_fixture *fixture, const char *json) {
    return read_item(&fixture->arena, json);
}

const char *fixture_json(struct engine_fixture *fixture, struct value item) {
    if (!value_present(item))
        return "absent";
    struct buffer out;
    struct json_writer writer;
    buffer_init(&out, 1 << 20);
    json_writer_init(&writer, &out);
    item_write_json(&writer, item);
    buffer_append_byte(&out, 0);
    char *text = arena_copy(&fixture->arena, out.data, out.len);
    buffer_release(&out);
    return text;
}

/* ---- catalog jobs ---- */

static void catalog_done(struct catalog_job *job) {
    struct fixture_job *waited = container_of(job, struct fixture_job, job);
    sem_post(&waited->fixture->done);
}

void fixture_submit_catalog(struct engine_fixture *fixture, struct fixture_job *job,
                            const char *table, fixture_change *change, void *context) {
    *job = (struct fixture_job){
        .job = {.table_name = slice_text(table),
                .arena = &fixture->arena,
                .context = context,
                .change = change,
                .done = catalog_done},
        .fixture = fixture,
    };
    engine_submit_catalog(fixture->engine, &job->job);
}

struct error *fixture_await_catalog(struct fixture_job *job) {
    fixture_wait(job->fixture);
    catalog_job_release(&job->job);
    return job->job.error;
}

struct error *fixture_run_catalog(struct engine_fixture *fixture, const char *table,
                                  fixture_change *change, void *context) {
    struct fixture_job job;
    fixture_submit_catalog(fixture, &job, table, change, context);
    return fixture_await_catalog(&job);
}

static struct error *change_nothing(struct catalog_job *job, const struct table *current,
                                    size_t table_count, struct catalog_change *ret_change) {
    (void)job, (void)current, (void)table_count, (void)ret_change;
    return NULL;
}

static void wait_to_go(struct catalog_job *job) {
    struct fixture_hold *hold = job->context;
    sem_post(&hold->held);
    sem_wait(&hold->go);
    sem_post(&hold->held); /* it is not looked at any more */
}

void fixture_hold(struct engine_fixture *fixture, struct fixture_hold *hold) {
    hold->job = (struct catalog_job){.table_name = SLICE_LITERAL("none"),
                                     .arena = &fixture->arena,
                                     .context = hold,
                                     .change = change_nothing,
                                     .done = wait_to_go};
    sem_init(&hold->held, 0, 0);
    sem_init(&hold->go, 0, 0);
    engine_submit_catalog(fixture->engine, &hold->job);
    sem_wait(&hold->held);
}

void fixture_let_go(struct fixture_hold *hold) {
    sem_post(&hold->go);
    sem_wait(&hold->held);
    sem_destroy(&hold->held);
    sem_destroy(&hold->go);
}

/* ---- tables ---- */

struct wanted_table {
    enum value_type sort_type;
    bool indexed;
};

static void add_indexes(struct arena *arena, struct table_definition *definition) {
    static struct attribute_definition attributes[] = {
        {{(const uint8_t *)"g", 1}, VALUE_S},
        {{(const uint8_t *)"l", 1}, VALUE_N},
        {{(const uint8_t *)"pk", 2}, VALUE_S},
        {{(const uint8_t *)"sk", 2}, VALUE_S},
    };
    definition->attributes = attributes;
    definition->attribute_count = 4;
    definition->index_count = 2;
    definition->indexes = ARENA_ARRAY(arena, struct table_index, 2);
    definition->indexes[0] = (struct table_index){
        .name = SLICE_LITERAL("by-g"),
        .global = true,
        .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("g"), VALUE_S}}},
        .projection = PROJECT_ALL,
        .status = TABLE_ACTIVE,
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
    definition->indexes[1] = (struct table_index){
        .name = SLICE_LITERAL("by-l"),
        .keys = {.hash_count = 1,
                 .range_count = 1,
                 .hash = {{SLICE_LITERAL("pk"), VALUE_S}},
                 .range = {{SLICE_LITERAL("l"), VALUE_N}}},
        .projection = PROJECT_KEYS_ONLY,
        .status = TABLE_ACTIVE,
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
}

static struct error *create(struct catalog_job *job, const struct table *current,
                            size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    if (current != NULL)
        return error_new(job->arena, ERROR_RESOURCE_IN_USE, "Table already exists");
    ret_change->action = CATALOG_CREATE;
    struct table_definition *definition = &ret_change->definition;
    *definition = (struct table_definition){
        .name = job->table_name,
        .uuid = SLICE_LITERAL("00000000-0000-4000-8000-000000000000"),
        .status = TABLE_ACTIVE,
        .created_ms = 1700000000000,
        .keys = {.hash_count = 1, .hash = {{SLICE_LITERAL("pk"), VALUE_S}}},
        .billing = BILLING_PAY_PER_REQUEST,
        .on_demand = UNITS_UNSET,
        .warm = UNITS_UNSET,
    };
    const struct wanted_table *wanted = job->context;
    if (wanted->sort_type != VALUE_NONE) {
        definition->keys.range_count = 1;
        definition->keys.range[0] = (struct key_attribute){SLICE_LITERAL("sk"), wanted->sort_type};
    }
    if (wanted->indexed)
        add_indexes(job->arena, definition);
    return NULL;
}

static struct error *set_stream(struct catalog_job *job, const struct table *current,
                                size_t table_count, struct catalog_change *ret_change) {
    (void)table_count;
    if (current == NULL)
        return error_new(job->arena, ERROR_RESOURCE_NOT_FOUND, "Table not found");
    ret_change->action = CATALOG_REPLACE;
    ret_change->definition = current->definition;
    ret_change->definition.stream = *(const enum stream_view *)job->context;
    return NULL;
}

static struct error *drop(struct catalog_job *job, const struct table *current, size_t table_count,
                          struct catalog_change *ret_change) {
    (void)table_count;
    if (current == NULL)
        return error_new(job->arena, ERROR_RESOURCE_NOT_FOUND, "Table not found");
    ret_change->action = CATALOG_DROP;
    return NULL;
}

struct error *fixture_create_table(struct engine_fixture *fixture, const char *name,
                                   enum value_type sort_type) {
    struct wanted_table wanted = {sort_type, false};
    return fixture_run_catalog(fixture, name, create, &wanted);
}

struct error *fixture_create_indexed(struct engine_fixture *fixture, const char *name) {
    struct wanted_table wanted = {VALUE_S, true};
    return fixture_run_catalog(fixture, name, create, &wanted);
}

struct error *fixture_set_stream(struct engine_fixture *fixture, const char *table,
                                 enum stream_view view) {
    return fixture_run_catalog(fixture, table, set_stream, &view);
}

struct error *fixture_drop_table(struct engine_fixture *fixture, const char *name) {
    return fixture_run_catalog(fixture, name, drop, NULL);
}

struct table *fixture_table(struct engine_fixture *fixture, const char *name) {
    struct table *table = catalog_find(fixture->view, slice_text(name));
    for (size_t i = 0; i < fixture->table_count; i++)
        if (fixture->tables[i] == table)
            return table;
    if (table != NULL) {
        CHECK(fixture->table_count < FIXTURE_TABLES_MAX);
        fixture->tables[fixture->table_count++] = table_ref(table);
    }
    return table;
}

/* ---- items ---- */

static void write_done(struct write_job *job) {
    struct engine_fixture *fixture = job->context;
    sem_post(&fixture->done);
}

void fixture_submit_writes(struct engine_fixture *fixture, struct write_job *job) {
    job->arena = &fixture->arena;
    job->context = fixture;
    job->done = write_done;
    engine_submit_writes(fixture->engine, job);
}

struct error *fixture_write_job(struct engine_fixture *fixture, struct write_job *job) {
    fixture_submit_writes(fixture, job);
    fixture_wait(fixture);
    return job->error;
}

void fixture_write_group(struct engine_fixture *fixture, size_t count, struct write_job **jobs) {
    struct fixture_hold hold;
    fixture_hold(fixture, &hold);
    for (size_t i = 0; i < count; i++)
        fixture_submit_writes(fixture, jobs[i]);
    fixture_let_go(&hold);
    for (size_t i = 0; i < count; i++)
        fixture_wait(fixture);
}

struct error *fixture_write(struct engine_fixture *fixture, struct item_write *write) {
    item_write_prepare(fixture->engine, &fixture->arena, write);
    struct write_job job = {.writes = write, .count = 1};
    TRY(fixture_write_job(fixture, &job));
    return write->error;
}

struct error *fixture_put(struct engine_fixture *fixture, const char *table, const char *json) {
    struct item_write write = {.table = fixture_table(fixture, table),
                               .kind = WRITE_PUT,
                               .item = fixture_item(fixture, json)};
    return fixture_write(fixture, &write);
}

struct error *fixture_delete(struct engine_fixture *fixture, const char *table, const char *key) {
    struct item_write write = {.table = fixture_table(fixture, table),
                               .kind = WRITE_DELETE,
                               .key = fixture_item(fixture, key)};
    return fixture_write(fixture, &write);
}

static struct expr_placeholders values_of(struct engine_fixture *fixture, const char *json) {
    struct expr_placeholders given = {0};
    if (json == NULL)
        return given;
    struct value_iter iter;
    struct value map = fixture_item(fixture, json);
    given.values = ARENA_ARRAY(&fixture->arena, struct expr_placeholder, value_count(map));
    value_iter_init(&iter, map);
    while (value_iter_next(&iter))
        given.values[given.value_count++] =
            (struct expr_placeholder){.key = iter.name, .value = iter.value};
    return given;
}

const struct expr *fixture_expr(struct engine_fixture *fixture, enum expr_kind kind,
                                const char *text, const char *values) {
    if (text == NULL)
        return NULL;
    struct expr *expr;
    struct expr_program *program;
    struct expr_placeholders given = values_of(fixture, values);
    struct error *error = expr_compile(&fixture->arena, kind, slice_text(text), NULL, &program);
    CHECK(error == NULL && fixture->program_count < FIXTURE_PROGRAMS_MAX);
    fixture->programs[fixture->program_count++] = program;
    error = expr_bind(&fixture->arena, program, &given, &expr);
    CHECK(error == NULL);
    return expr;
}

struct error *fixture_update(struct engine_fixture *fixture, const char *table, const char *key,
                             const char *update, const char *condition, const char *values) {
    struct item_write write = {
        .table = fixture_table(fixture, table),
        .kind = WRITE_UPDATE,
        .key = fixture_item(fixture, key),
        .update = fixture_expr(fixture, EXPR_UPDATE, update, values),
        .condition = fixture_expr(fixture, EXPR_CONDITION, condition, values),
    };
    return fixture_write(fixture, &write);
}

struct error *fixture_get(struct engine_fixture *fixture, const char *table, const char *key,
                          const char **ret_json) {
    struct reader reader;
    struct stored_item item;
    TRY(reader_begin(fixture->engine, &fixture->arena, READ_ONCE, &reader));
    struct error *error =
        reader_get(&reader, fixture_table(fixture, table), fixture_item(fixture, key), &item);
    if (error == NULL)
        *ret_json = fixture_json(fixture, item.item);
    reader_end(&reader);
    return error;
}
