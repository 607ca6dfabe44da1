/* query_route.c - see query_route.h. Threads: the exchange's I/O thread. */
#include "pipeline/query_route.h"

#include "pipeline/context_keys.h"
#include "pipeline/pipeline.h"
#include "pipeline/service_route.h"
#include "query/xml.h"
#include "service/service.h"
#include "sts/sts.h"

/* ---- answers ---- */

static void send(struct exchange *exchange, int status) {
    exchange_reply_with(exchange, &(struct exchange_reply_options){
                                      .status = status, .content_type = SLICE_LITERAL("text/xml")});
}

static void send_fault(struct exchange *exchange, struct slice id, const struct sts_fault *fault) {
    buffer_reset(&exchange->reply);
    xml_write_fault(&exchange->reply, &(struct xml_fault){.name_space = STS_NAME_SPACE,
                                                          .code = slice_text(fault->code),
                                                          .message = fault->message,
                                                          .request_id = id});
    send(exchange, fault->status);
}

/* What this protocol calls the errors of a signature. */
static struct sts_fault fault_of(struct arena *arena, const struct error *error) {
    struct slice code = service_query_code(arena, error);
    return (struct sts_fault){.status = service_query_status(error),
                              .code =
                                  (const char *)arena_printf(arena, "%.*s", SLICE_ARGS(code)).data,
                              .message = error->message};
}

/* ---- the path ---- */

static struct sts_fault run_sts(struct exchange *exchange, const struct form *form,
                                const struct caller *caller) {
    const struct pipeline_thread *thread = exchange->thread_context;
    struct authenticator *authenticator = thread->authenticator;
    struct policy_values values[POLICY_KEY_COUNT] = {0};
    struct context_source source = {exchange, caller, thread->ops.clock};
    context_values(&source, UINT64_MAX, values);
    struct sts_request request = {
        .arena = &exchange->arena,
        .form = form,
        .caller = caller,
        .caller_arn = context_arn(&exchange->arena, caller),
        .iam = authenticator == NULL ? NULL : authenticator->iam,
        .directory = authenticator == NULL ? NULL : iam_view_directory(authenticator->view),
        .clock = thread->ops.clock,
        .random = thread->ops.random,
        .common = common_policy_now(thread->policy),
        .values = values,
    };
    return sts_run(&request, &exchange->reply);
}

static struct sts_fault run(struct exchange *exchange, const struct form *form,
                            struct audit_note *note) {
    const struct pipeline_thread *thread = exchange->thread_context;
    struct caller caller = {.kind = CALLER_ANYONE};
    if (!slice_is(form_find(form, "Version"), STS_VERSION))
        return (struct sts_fault){400, "InvalidAction",
                                  SLICE_LITERAL("No such version: there is 2011-06-15, of STS")};
    struct error *error = authenticate(thread->authenticator, exchange, SLICE_LITERAL("sts"),
                                       thread->ops.account, &caller);
    if (error != NULL)
        return fault_of(&exchange->arena, error);
    if (note != NULL)
        audit_note_caller(note, &exchange->arena, &caller);
    return run_sts(exchange, form, &caller);
}

/* What hands out credentials, and what was denied. */
static void audit(struct exchange *exchange, const struct form *form, struct audit_note *note,
                  const struct sts_fault *fault) {
    const struct pipeline_thread *thread = exchange->thread_context;
    struct slice action = form_find(form, "Action"), role = form_find(form, "RoleArn");
    struct arena *arena = &exchange->arena;
    if (!sts_issues(action) && fault->status != 403)
        return;
    note->operation = auth_quotable(arena, action);
    if (slice_present(role))
        audit_note_permission(note, arena, SLICE_LITERAL("sts:AssumeRole"),
                              auth_quotable(arena, role));
    audit_write(thread->auditor, exchange, note, (struct audit_outcome){.error = fault->code});
}

void query_handle(struct exchange *exchange) {
    const struct pipeline_thread *thread = exchange->thread_context;
    if (service_route_form(exchange))
        return;
    struct arena *arena = &exchange->arena;
    struct slice id = random_uuid(thread->ops.random, arena);
    struct form form = {NULL, 0};
    struct audit_note *note = thread->auditor == NULL ? NULL : audit_note_new(exchange);
    struct sts_fault fault = {400, "MalformedInput", SLICE_LITERAL("The form is too long")};
    if (form_read(arena, exchange->request.body, &form)) {
        struct slice name =
            arena_printf(arena, "%.*sResponse", SLICE_ARGS(form_find(&form, "Action")));
        xml_open_root(&exchange->reply, (const char *)name.data, STS_NAME_SPACE);
        fault = run(exchange, &form, note);
        xml_open(&exchange->reply, "ResponseMetadata");
        xml_text(&exchange->reply, "RequestId", id);
        xml_close(&exchange->reply, "ResponseMetadata");
        xml_close(&exchange->reply, (const char *)name.data);
    }
    if (note != NULL)
        audit(exchange, &form, note, &fault);
    if (fault.code != NULL)
        send_fault(exchange, id, &fault);
    else
        send(exchange, 200);
}
