/* audit_call.c - see audit_call.h. */
#include "pipeline/audit_call.h"

#include "auth/auth.h"
#include "pipeline/thread.h"

static bool has_written(const struct account *account) {
    for (const struct account_table *table = &account->first; table != NULL; table = table->next)
        if (table->access & ACCOUNT_WRITE)
            return true;
    return false;
}

/* Or tried to. Of statements their account tells. */
static bool is_change(const struct op_call *call) {
    const struct op *op = call->op;
    if (op == NULL || !(op->flags & OP_WRITES))
        return false;
    return !(op->flags & OP_READS) || has_written(&call->account);
}

static bool is_denied(const struct op_call *call, enum audit_reach reach,
                      const struct error *error) {
    return call->denied > 0 ||
           (error != NULL && (reach == AUDIT_UNPROVED || error->code == ERROR_ACCESS_DENIED));
}

/* Of what changes nothing the permissions are looked for when it was denied, which is seldom. */
void audit_call(struct exchange *exchange, struct audit_note *note, struct op_call *call,
                enum audit_reach reach, const struct error *error) {
    const struct pipeline_thread *thread = exchange->thread_context;
    if (!is_change(call) && !is_denied(call, reach, error))
        return;
    if (note->permission_count == 0 && reach == AUDIT_VALID)
        audit_note_permissions(note, call);
    if (call->op != NULL)
        note->operation = slice_text(call->op->name);
    struct audit_outcome outcome = {.denied = call->denied};
    outcome.error = error == NULL ? NULL : error_kind(error->code)->type;
    audit_write(thread->auditor, exchange, note, outcome);
}

void audit_turned_away(struct exchange *exchange) {
    const struct pipeline_thread *thread = exchange->thread_context;
    const struct http_request *request = &exchange->request;
    if (thread->auditor == NULL)
        return;
    struct audit_note *note = audit_note_new(exchange);
    note->host = auth_quotable(&exchange->arena, request->known[HTTP_HOST]);
    note->origin = auth_quotable(&exchange->arena, request->known[HTTP_ORIGIN]);
    struct audit_outcome outcome = {.error = error_kind(ERROR_ACCESS_DENIED)->type};
    audit_write(thread->auditor, exchange, note, outcome);
}
