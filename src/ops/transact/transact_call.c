/* transact_call.c - one job of several writes, and its error. */
#include "ops/transact/transact_call.h"

#include "ops/transact/cancellation.h"

void transact_call_init(struct transact_call *transact, struct arena *arena, size_t count) {
    transact->count = count;
    transact->writes = ARENA_ARRAY(arena, struct item_write, count);
    transact->table_names = ARENA_ARRAY(arena, struct slice, count);
}

void transact_call_release(struct transact_call *transact) {
    for (size_t i = 0; i < transact->count; i++)
        table_unref(transact->writes[i].table);
}

struct error *transact_same_item_error(struct arena *arena) {
    return error_validation(arena,
                            "Transaction request cannot include multiple operations on one item");
}

static struct error *check_distinct(struct arena *arena, const struct transact_call *transact) {
    const struct item_write *writes = transact->writes;
    for (size_t i = 0; i < transact->count; i++)
        for (size_t before = 0; writes[i].refused == NULL && before < i; before++)
            if (writes[before].refused == NULL &&
                slice_equal(writes[before].store_key, writes[i].store_key))
                return transact_same_item_error(arena);
    return NULL;
}

struct error *transact_call_submit(struct op_call *call, struct transact_call *transact) {
    for (size_t i = 0; i < transact->count; i++)
        if (transact->writes[i].refused == NULL)
            item_write_prepare(call->context->engine, call->arena, &transact->writes[i]);
    TRY(check_distinct(call->arena, transact));
    transact->call = (struct write_call){
        .job = {.transaction = &transact->transaction,
                .writes = transact->writes,
                .count = transact->count},
        .table_names = transact->table_names,
    };
    write_call_submit(call, &transact->call);
    return NULL;
}

/* `count` when none is. */
static size_t first_refused(const struct transact_call *transact) {
    size_t i = 0;
    while (i < transact->count && transact->writes[i].refused == NULL)
        i++;
    return i;
}

struct error *transact_call_finish(struct op_call *call, const struct transact_call *transact) {
    TRY(write_call_finish(call, &transact->call));
    if (!transact->transaction.cancelled)
        return NULL;
    struct error **errors = ARENA_ARRAY(call->arena, struct error *, transact->count);
    size_t alone = transact->refusal_alone ? first_refused(transact) : transact->count;
    for (size_t i = 0; i < transact->count; i++)
        if (alone == transact->count || alone == i)
            errors[i] = transact->writes[i].error;
    return cancellation_error(call->arena, transact->count, errors);
}
