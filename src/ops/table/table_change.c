/* table_change.c - handing a change to the engine, and describing what came of it.
 *
 * Threads: the change itself runs on the commit thread while the call waits; everything else on the
 * call's I/O thread. Memory: the call's arena, which only one of them uses at a time. */
#include "ops/table/table_change.h"

#include "ops/table/table_input.h"

static void change_done(struct catalog_job *job) {
    struct op_call *call = job->context;
    call->wake(call);
}

struct error *table_change_new(struct op_call *call, struct slice given, size_t size) {
    struct table_change *change = arena_zalloc(call->arena, size);
    TRY(table_name_resolve(call, given, &change->job.table_name));
    change->job.arena = call->arena;
    change->job.context = call;
    change->job.done = change_done;
    change->call = call;
    change->now_ms = clock_now_ms(call->context->clock);
    call->work = change;
    return NULL;
}

void table_change_submit(struct op_call *call, table_change_fn *change, enum op_state *ret_state) {
    struct table_change *work = call->work;
    work->job.change = change;
    *ret_state = OP_WAITING;
    engine_submit_catalog(call->context->engine, &work->job);
}

struct error *table_change_finish(struct op_call *call) {
    const struct table_change *change = call->work;
    return change->job.error;
}

void table_change_release(struct op_call *call) {
    struct table_change *change = call->work;
    if (change != NULL)
        catalog_job_release(&change->job);
}

static struct index_figures *figures_of_indexes(struct arena *arena, const struct table *table) {
    size_t count = table->definition.index_count;
    struct index_figures *figures = ARENA_ARRAY(arena, struct index_figures, count);
    for (size_t i = 0; i < count; i++) {
        struct table_count total = table_stats_total(table->index_stats[i]);
        figures[i] = (struct index_figures){.item_count = total.items, .size_bytes = total.bytes};
    }
    return figures;
}

struct table_description table_describe(const struct op_call *call, const struct table *table,
                                        int64_t now_ms) {
    struct table_count total = table_stats_total(table->stats);
    return (struct table_description){
        .kind = DESCRIBE_TABLE,
        .definition = &table->definition,
        .status = table->definition.status,
        .item_count = total.items,
        .size_bytes = total.bytes,
        .index_figures = figures_of_indexes(call->arena, table),
        .now_ms = now_ms,
        .region = call->context->region,
        .account = call->context->account,
    };
}

void table_description_reply(struct op_call *call, const char *member,
                             const struct table_description *description) {
    struct json_writer json;
    json_writer_init(&json, call->reply);
    json_object_begin(&json);
    json_name(&json, slice_text(member));
    table_description_write(&json, description);
    json_object_end(&json);
}

struct error *table_not_found(struct arena *arena, struct slice name) {
    return error_new(arena, ERROR_RESOURCE_NOT_FOUND,
                     "Requested resource not found: Table: %.*s not found", SLICE_ARGS(name));
}

struct error *table_find(struct op_call *call, struct slice name_or_arn,
                         const struct table **ret_table) {
    struct slice name;
    TRY(table_name_resolve(call, name_or_arn, &name));
    *ret_table = catalog_find(call->context->catalog, name);
    return *ret_table == NULL ? table_not_found(call->arena, name) : NULL;
}

struct error *table_check_active(struct arena *arena, const struct table_definition *definition) {
    static const char *const doing[] = {[TABLE_CREATING] = "created",
                                        [TABLE_ACTIVE] = NULL,
                                        [TABLE_UPDATING] = "updated",
                                        [TABLE_DELETING] = "deleted"};
    const char *what = doing[definition->status];
    if (what == NULL)
        return NULL;
    return error_new(arena, ERROR_RESOURCE_IN_USE,
                     "Attempt to change a resource which is still in use: Table is being %s: %.*s",
                     what, SLICE_ARGS(definition->name));
}
