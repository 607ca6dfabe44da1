/* transaction_fixture.c - text to a job, and its outcome to text. */
#include "support/transaction_fixture.h"

#include "base/check.h"

void transact_prepare(struct engine_fixture *fixture, const char *token, const char *request,
                      const struct transaction_action *actions, struct transact_run *run) {
    memset(run, 0, sizeof(*run));
    size_t count = 0;
    for (; actions[count].table != NULL; count++) {
        const struct transaction_action *action = &actions[count];
        CHECK(count < TRANSACTION_ACTIONS_MAX);
        struct value attributes = fixture_item(fixture, action->attributes);
        struct item_write *write = &run->writes[count];
        *write = (struct item_write){
            .table = fixture_table(fixture, action->table),
            .kind = action->kind,
            .update = fixture_expr(fixture, EXPR_UPDATE, action->update, action->values),
            .condition = fixture_expr(fixture, EXPR_CONDITION, action->condition, action->values),
        };
        *(action->kind == WRITE_PUT ? &write->item : &write->key) = attributes;
        item_write_prepare(fixture->engine, &fixture->arena, write);
    }
    run->job.transaction = &run->transaction;
    run->job.writes = run->writes;
    run->job.count = count;
    if (token != NULL)
        run->transaction.token = slice_text(token);
    engine_fingerprint(fixture->engine, slice_text(request), run->transaction.fingerprint);
}

const char *transact_outcome(struct engine_fixture *fixture, const struct transact_run *run) {
    if (run->job.error != NULL)
        return (const char *)run->job.error->message.data;
    if (run->transaction.replayed)
        return "replayed";
    if (!run->transaction.cancelled)
        return "done";
    struct slice text = arena_printf(&fixture->arena, "cancelled:");
    for (size_t i = 0; i < run->job.count; i++) {
        const struct error *error = run->writes[i].error;
        struct slice reason = error == NULL ? SLICE_LITERAL("-") : error->message;
        text = arena_printf(&fixture->arena, "%.*s%s %.*s", SLICE_ARGS(text), i == 0 ? "" : ";",
                            SLICE_ARGS(reason));
    }
    return (const char *)text.data;
}

const char *transact(struct engine_fixture *fixture, const char *token, const char *request,
                     const struct transaction_action *actions, struct transact_run *run) {
    transact_prepare(fixture, token, request, actions, run);
    fixture_write_job(fixture, &run->job);
    return transact_outcome(fixture, run);
}
