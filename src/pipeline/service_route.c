/* service_route.c - see service_route.h.
 *
 * Threads: the exchange's I/O thread, but for run_elsewhere(). Memory: the exchange's arena. */
#include "pipeline/service_route.h"

#include "base/container.h"
#include "base/log.h"
#include "http/reply.h"
#include "pipeline/authorize.h"
#include "pipeline/context_keys.h"
#include "pipeline/thread.h"
#include "query/form.h"
#include "query/xml.h"
#include "service/cbor.h"
#include "service/form_tree.h"
#include "service/limits.h"
#include "service/service.h"

/* Of one form in all, by somebody who is known. */
enum { FORM_FIELDS_KNOWN_MAX = 100000 };

struct service_request {
    struct exchange *exchange;
    const struct service *service;
    const struct service_op *op; /* NULL: there is none of that name */
    struct slice op_name;
    enum answer_form form;
    struct service_call call;
    struct answer answer;
    struct worker_task task;
    struct error *error; /* what it ended with */
    struct audit_note *note;
    struct slice action, resource; /* of the permission that was asked for */
};

/* ---- which ---- */

static const struct service_instance *instances(const struct exchange *exchange) {
    static const struct service_instance none = {NULL, NULL};
    const struct pipeline_thread *thread = exchange->thread_context;
    return thread->services == NULL ? &none : thread->services;
}

/* What follows `head` and `joint`; absent: it does not begin with them. */
static struct slice after(struct slice text, const char *head, const char *joint) {
    size_t len = strlen(head), more = strlen(joint);
    if (text.len < len + more || memcmp(text.data, head, len) != 0 ||
        memcmp(text.data + len, joint, more) != 0)
        return SLICE_NONE;
    return slice_skip(text, len + more);
}

static struct slice cbor_op(const struct service *service, struct slice path) {
    struct slice rest = after(path, "/service", "/");
    return service->cbor && slice_present(rest) ? after(rest, service->target, "/operation/")
                                                : SLICE_NONE;
}

static struct service_request *request_new(struct exchange *exchange,
                                           const struct service_instance *instance,
                                           enum answer_form form, struct slice op_name) {
    struct pipeline_thread *thread = exchange->thread_context;
    struct service_request *self = ARENA_NEW(&exchange->arena, struct service_request);
    self->exchange = exchange;
    self->service = instance->service;
    self->form = form;
    self->op_name = op_name;
    self->op = service_find_op(instance->service, op_name);
    self->call = (struct service_call){
        .arena = &exchange->arena,
        .answer = &self->answer,
        .state = instance->state,
        .region = thread->ops.region,
        .account = thread->ops.account,
        .clock = thread->ops.clock,
        .random = thread->ops.random,
    };
    exchange->user = self;
    arena_set_limit(&exchange->arena, LIMIT_SERVICE_MEMORY_BYTES);
    if (thread->auditor != NULL)
        self->note = audit_note_new(exchange);
    return self;
}

/* ---- answers ---- */

static void send(struct service_request *self, int status, struct slice headers) {
    bool cbor = self->form == ANSWER_CBOR, empty = self->exchange->reply.len == 0;
    struct slice type = cbor                       ? SLICE_LITERAL("application/cbor")
                        : self->form == ANSWER_XML ? SLICE_LITERAL("text/xml")
                                                   : slice_text(self->service->json_type);
    if (cbor)
        headers = arena_printf(&self->exchange->arena, "smithy-protocol: rpc-v2-cbor\r\n%.*s",
                               SLICE_ARGS(headers));
    exchange_reply_with(self->exchange,
                        &(struct exchange_reply_options){.status = status,
                                                         .content_type = empty ? SLICE_NONE : type,
                                                         .headers = headers});
}

static void send_xml_error(struct service_request *self, const struct error *error) {
    struct exchange *exchange = self->exchange;
    int status = service_query_status(error);
    xml_write_fault(&exchange->reply,
                    &(struct xml_fault){.name_space = self->service->name_space,
                                        .ours = status >= 500,
                                        .code = service_query_code(&exchange->arena, error),
                                        .message = error->message,
                                        .request_id = exchange->request_id});
    send(self, status, SLICE_LITERAL(""));
}

static void send_error(struct service_request *self, const struct error *error) {
    struct exchange *exchange = self->exchange;
    struct arena *arena = &exchange->arena;
    const struct error_kind *kind = error_kind(error->code);
    struct slice headers = SLICE_LITERAL("");
    exchange->crc32_known = false;
    buffer_reset(&exchange->reply);
    exchange->reply.overflow = false;
    if (self->form == ANSWER_XML) {
        send_xml_error(self, error);
        return;
    }
    answer_init(&self->answer, self->form, &exchange->reply);
    answer_text(&self->answer, "__type",
                arena_printf(arena, "%s#%s", kind->name_space, kind->type));
    if (slice_present(error->message))
        answer_text(&self->answer, kind->text_member, error->message);
    answer_finish(&self->answer);
    if (self->service->form_version != NULL) {
        struct slice code = service_query_code(arena, error);
        headers = arena_printf(arena, "x-amzn-query-error: %.*s;%s\r\n", SLICE_ARGS(code),
                               kind->http_status >= 500 ? "Receiver" : "Sender");
    }
    send(self, kind->http_status, headers);
}

/* ---- the end ---- */

static void audit(struct service_request *self) {
    const struct pipeline_thread *thread = self->exchange->thread_context;
    const struct error *error = self->error;
    bool denied = error != NULL && (self->op == NULL || !slice_present(self->action) ||
                                    error->code == ERROR_ACCESS_DENIED);
    if (self->op == NULL || (!(self->op->flags & SERVICE_CHANGES) && !denied))
        return;
    self->note->operation = slice_text(self->op->name);
    self->note->subject = self->call.subject;
    if (slice_present(self->action))
        audit_note_permission(self->note, &self->exchange->arena, self->action, self->resource);
    audit_write(
        thread->auditor, self->exchange, self->note,
        (struct audit_outcome){.error = error == NULL ? NULL : error_kind(error->code)->type});
}

/* Of a failure of ours the client hears that there was one, of too much memory in the words of the
 * service. */
static struct error *for_client(struct service_request *self, struct error *error) {
    struct exchange *exchange = self->exchange;
    if (error == NULL && exchange->reply.overflow)
        error = error_local(&exchange->arena, "the reply is larger than this server allows");
    if (error != NULL && error->code == ERROR_REQUEST_MEMORY)
        error->code = self->service->exhausted;
    if (error == NULL || (error->code != ERROR_LOCAL && error->code != ERROR_INTERNAL_SERVER_ERROR))
        return error;
    log_request_error(exchange->request_id, "%s: %.*s",
                      self->op == NULL ? "request" : self->op->name, SLICE_ARGS(error->message));
    return error_without_text(&exchange->arena, self->service->internal);
}

static void finish(struct service_request *self) {
    self->error = for_client(self, self->error);
    if (self->note != NULL)
        audit(self);
    if (self->error != NULL)
        send_error(self, self->error);
    else
        send(self, 200, SLICE_LITERAL(""));
}

/* ---- running ---- */

static struct error *read_form(struct service_request *self, const struct json_value **ret_input) {
    struct arena *arena = &self->exchange->arena;
    struct form form;
    if (!form_read_within(arena, self->exchange->request.body, SERVICE_BODY_BYTES_MAX,
                          FORM_FIELDS_KNOWN_MAX, &form))
        return error_new(arena, ERROR_SERIALIZATION, "The form is too long");
    *ret_input = form_tree(arena, &form);
    return NULL;
}

/* What has no body has no members. */
static struct error *read_input(struct service_request *self) {
    struct exchange *exchange = self->exchange;
    struct arena *arena = &exchange->arena;
    struct slice body = exchange->request.body;
    const struct input_rules rules = {self->form == ANSWER_XML, self->service->missing};
    if (body.len > SERVICE_BODY_BYTES_MAX)
        return error_new(arena, ERROR_REQUEST_TOO_LARGE, "The request is larger than 1 MB");
    if (body.len == 0)
        body = self->form == ANSWER_CBOR ? SLICE_LITERAL("\xA0") : SLICE_LITERAL("{}");
    const struct json_value *input = NULL;
    if (self->form == ANSWER_XML)
        TRY(read_form(self, &input));
    else if (self->form == ANSWER_CBOR)
        input = cbor_tree_read(arena, body);
    else
        input = json_tree_read(arena, body, NULL);
    TRY(error_if_full(arena, 0));
    if (input == NULL)
        return error_without_text(arena, ERROR_SERIALIZATION);
    TRY(input_check(arena, input, self->op->input, &rules));
    self->call.input = input;
    return NULL;
}

static void begin_xml(struct service_request *self) {
    struct buffer *out = &self->exchange->reply;
    buffer_printf(out, "<%sResponse xmlns=\"%s\">", self->op->name, self->service->name_space);
    if (!(self->op->flags & SERVICE_NO_OUTPUT))
        buffer_printf(out, "<%sResult>", self->op->name);
}

static void end_xml(struct service_request *self) {
    struct buffer *out = &self->exchange->reply;
    if (!(self->op->flags & SERVICE_NO_OUTPUT))
        buffer_printf(out, "</%sResult>", self->op->name);
    xml_open(out, "ResponseMetadata");
    xml_text(out, "RequestId", self->exchange->request_id);
    xml_close(out, "ResponseMetadata");
    buffer_printf(out, "</%sResponse>", self->op->name);
}

static struct error *run(struct service_request *self) {
    struct exchange *exchange = self->exchange;
    if (self->call.input == NULL)
        TRY(read_input(self));
    if (self->form == ANSWER_XML)
        begin_xml(self);
    answer_init(&self->answer, self->form, &exchange->reply);
    publish_now(exchange->thread_context);
    TRY(self->op->run(&self->call));
    if (!(self->op->flags & SERVICE_CHANGES)) /* what has happened is not taken back */
        TRY(error_if_full(&exchange->arena, 0));
    answer_finish(&self->answer);
    if (self->form == ANSWER_XML)
        end_xml(self);
    else if (self->form == ANSWER_CBOR && (self->op->flags & SERVICE_NO_OUTPUT))
        buffer_reset(&exchange->reply);
    return NULL;
}

static void resume(struct net_task *task) {
    struct exchange *exchange = container_of(task, struct exchange, task);
    finish(exchange->user);
}

static void run_elsewhere(struct worker_task *task) {
    struct service_request *self = container_of(task, struct service_request, task);
    struct exchange *exchange = self->exchange;
    self->error = run(self);
    exchange->crc32_known = self->error == NULL && !exchange->reply.overflow;
    if (exchange->crc32_known)
        exchange->crc32 = http_crc32(buffer_slice(&exchange->reply));
    exchange->task.run = resume;
    net_loop_post(exchange->loop, &exchange->task);
}

/* ---- the path ---- */

static struct slice resource_of(const struct service_request *self, size_t number) {
    if (self->op->resource != NULL)
        return self->op->resource(&self->call, number);
    return number == 0 ? SLICE_LITERAL("*") : SLICE_NONE;
}

/* The audit log tells the first resource, or the one that was refused. */
static struct error *authorize(struct service_request *self, const struct caller *caller) {
    struct exchange *exchange = self->exchange;
    const struct pipeline_thread *thread = exchange->thread_context;
    struct arena *arena = &exchange->arena;
    bool own = caller->kind == CALLER_ANYONE || caller->kind == CALLER_ROOT;
    struct slice resource = resource_of(self, 0);
    self->action = arena_printf(arena, "%s:%s", self->service->name, self->op->name);
    self->resource = slice_present(resource) ? resource : SLICE_LITERAL("*");
    const struct policy *common = common_policy_now(thread->policy);
    if (common == NULL && own)
        return NULL;
    struct policy_request *request = ARENA_NEW(arena, struct policy_request);
    const struct context_source source = {exchange, caller, thread->ops.clock};
    const struct policy_sides sides = {.common = common};
    context_values(&source, policy_sides_keys(common, caller), request->values);
    request->caller = caller;
    request->action = self->action;
    for (size_t i = 0; i == 0 || slice_present(resource); resource = resource_of(self, ++i)) {
        request->resource = i == 0 ? self->resource : resource;
        struct policy_decision decision = policy_decide(&sides, request);
        if (decision.allowed)
            continue;
        self->resource = request->resource;
        return authorize_refusal(arena, request, &decision);
    }
    return NULL;
}

static struct error *unknown(const struct service_request *self) {
    struct arena *arena = &self->exchange->arena;
    struct slice name = auth_quotable(arena, self->op_name);
    if (self->form != ANSWER_XML)
        return error_without_text(arena, ERROR_UNKNOWN_OPERATION);
    return error_new(arena, ERROR_UNKNOWN_OPERATION, "Could not find operation %.*s for version %s",
                     SLICE_ARGS(name), self->service->form_version);
}

/* As much as an operation looks at. The rest belongs to this thread, and it may run on another. */
static const struct caller *keep_caller(struct arena *arena, const struct caller *caller) {
    struct caller *kept = ARENA_NEW(arena, struct caller);
    kept->kind = caller->kind;
    kept->account = caller->account;
    kept->name = slice_present(caller->name) ? arena_slice(arena, caller->name) : SLICE_NONE;
    kept->arn = arena_slice(arena, context_arn(arena, caller));
    kept->issued_ms = caller->issued_ms;
    return kept;
}

/* An input that tells what it is about is read before that is asked for; others on the worker. */
static struct error *admit(struct service_request *self) {
    struct exchange *exchange = self->exchange;
    const struct pipeline_thread *thread = exchange->thread_context;
    struct caller caller = {.kind = CALLER_ANYONE};
    if (self->op == NULL)
        return unknown(self);
    TRY(authenticate(thread->authenticator, exchange, slice_text(self->service->signing_name),
                     thread->ops.account, &caller));
    if (self->note != NULL)
        audit_note_caller(self->note, &exchange->arena, &caller);
    self->call.caller = keep_caller(&exchange->arena, &caller);
    if (self->op->resource != NULL)
        TRY(read_input(self));
    return authorize(self, &caller);
}

static void handle(struct service_request *self) {
    const struct pipeline_thread *thread = self->exchange->thread_context;
    self->error = admit(self);
    if (self->error != NULL) {
        finish(self);
        return;
    }
    self->task.run = run_elsewhere;
    workers_submit(thread->workers, &self->task);
}

bool service_route_handle(struct exchange *exchange) {
    const struct http_request *request = &exchange->request;
    struct slice target = request->known[HTTP_X_AMZ_TARGET], op;
    bool at_root = slice_is(request->path, "/");
    for (const struct service_instance *i = instances(exchange); i->service != NULL; i++) {
        bool json = at_root && slice_present(target);
        if (i->service->target == NULL)
            continue;
        op = json ? after(target, i->service->target, ".") : cbor_op(i->service, request->path);
        if (!slice_present(op))
            continue;
        handle(request_new(exchange, i, json ? ANSWER_JSON : ANSWER_CBOR, op));
        return true;
    }
    return false;
}

bool service_route_form(struct exchange *exchange) {
    struct arena *arena = &exchange->arena;
    struct slice body = exchange->request.body, version = form_peek(arena, body, "Version");
    for (const struct service_instance *i = instances(exchange); i->service != NULL; i++)
        if (i->service->form_version != NULL && slice_is(version, i->service->form_version)) {
            handle(request_new(exchange, i, ANSWER_XML, form_peek(arena, body, "Action")));
            return true;
        }
    return false;
}
