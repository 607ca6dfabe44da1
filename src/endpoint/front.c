/* front.c - requests that are not for the API: those of pages that may not ask, and then, in the
 * order in which the service checks, CORS, health, then 404 for every method but POST, every path
 * but "/" and bodies that are not JSON. */
#include "base/leniency.h"
#include "endpoint/connection_state.h"

static void preflight(struct exchange *exchange) {
    const struct http_request *request = &exchange->request;
    struct slice names = request->known[HTTP_ACCESS_CONTROL_REQUEST_HEADERS];
    struct slice methods = request->known[HTTP_ACCESS_CONTROL_REQUEST_METHOD];
    struct slice lines =
        arena_printf(&exchange->arena, "%s%.*s%s%s%.*s%sAccess-Control-Max-Age: 172800\r\n",
                     slice_present(names) ? "Access-Control-Allow-Headers: " : "",
                     SLICE_ARGS(names), slice_present(names) ? "\r\n" : "",
                     slice_present(methods) ? "Access-Control-Allow-Methods: " : "",
                     SLICE_ARGS(methods), slice_present(methods) ? "\r\n" : "");
    exchange_reply_with(exchange,
                        &(struct exchange_reply_options){.status = 200, .headers = lines});
}

/* Names who was asked for, as the service does: "healthy: dynamodb.us-east-1.amazonaws.com ". */
static void health(struct exchange *exchange) {
    buffer_append_text(&exchange->reply, "healthy: ");
    buffer_append_slice(&exchange->reply, exchange->request.known[HTTP_HOST]);
    buffer_append_byte(&exchange->reply, ' ');
    exchange_reply_with(exchange, &(struct exchange_reply_options){.status = 200});
}

/* In the words of DynamoDB Local. */
static void refuse_root(struct exchange *exchange) {
    buffer_append_text(
        &exchange->reply,
        "{\"__type\":\"com.amazonaws.dynamodb.v20120810#MissingAuthenticationToken\","
        "\"Message\":\"Request must contain either a valid (registered) AWS access key "
        "ID or X.509 certificate.\"}");
    exchange->plain_json = false;
    exchange_reply(exchange, 400);
}

/* An error that clients of the API show. It goes to programs, mostly: the page of another site does
 * not get to see it. */
static void refuse_page(struct exchange *exchange, struct slice text) {
    buffer_append_text(
        &exchange->reply,
        "{\"__type\":\"com.amazon.coral.service#AccessDeniedException\",\"Message\":\"");
    buffer_append_slice(&exchange->reply, text);
    buffer_append_text(&exchange->reply, "\"}");
    exchange->plain_json = false;
    exchange_reply(exchange, 403);
}

/* That it is this status is recorded. The text is for the person who reads the client's log. */
void front_refuse_body(struct exchange *exchange) {
    buffer_append_text(&exchange->reply,
                       "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\","
                       "\"message\":\"The body cannot be unpacked by its Content-Encoding\"}");
    exchange->plain_json = false;
    exchange_reply(exchange, 500);
}

void front_refuse_memory(struct exchange *exchange) {
    buffer_append_text(&exchange->reply,
                       "{\"__type\":\"com.amazon.coral.service#ServiceUnavailableException\","
                       "\"message\":\"The server has no memory for this request now\"}");
    exchange->plain_json = false;
    exchange_reply(exchange, 503);
}

static void refuse_type(struct exchange *exchange) {
    buffer_append_text(&exchange->reply,
                       "{\"message\":\"the body must be JSON and come as application/json\"}\n");
    exchange->plain_json = true;
    exchange_reply(exchange, 415);
}

/* Paths that the service does not have. A browser lets any page POST what is no JSON without asking
 * first, and not every one says where that comes from. */
static bool handle_own(const struct endpoint_config *config, struct exchange *exchange, bool json) {
    if (config->handle_own == NULL ||
        !slice_starts_with(exchange->request.path, SLICE_LITERAL("/_gramme/")))
        return false;
    if (json || exchange->request.verb != HTTP_VERB_POST)
        return config->handle_own(exchange);
    refuse_type(exchange);
    return true;
}

static void not_found(struct exchange *exchange) {
    buffer_append_text(&exchange->reply, "<UnknownOperationException/>\n");
    exchange_reply_with(exchange, &(struct exchange_reply_options){.status = 404});
}

static bool is_allowed_page(const struct endpoint *endpoint, const struct http_request *request) {
    return slice_present(guard_allowed_origin(&endpoint->guard, request->known[HTTP_ORIGIN]));
}

/* The media type, without its parameters. */
static struct slice media_type(struct slice type) {
    if (type.len == 0)
        return type;
    const uint8_t *end = memchr(type.data, ';', type.len);
    return http_trim(end == NULL ? type : slice_first(type, (size_t)(end - type.data)));
}

/* Clients write it as it stands here; the standard lets them write it in any case, and with
 * parameters. */
static inline bool is_type(struct slice type, struct slice wanted) {
    return slice_equal(type, wanted) || slice_equal_ignoring_case(media_type(type), wanted);
}

/* A service besides the API may be at a path of its own, or have another type. A form has its own
 * way. */
static bool handle_service(const struct endpoint_config *config, struct exchange *exchange) {
    struct slice type = exchange->request.known[HTTP_CONTENT_TYPE];
    return config->handle_service != NULL && exchange->request.verb == HTTP_VERB_POST &&
           (is_type(type, SLICE_LITERAL("application/cbor")) ||
            is_type(type, SLICE_LITERAL("application/x-amz-json-1.1"))) &&
           config->handle_service(exchange);
}

static void handle_admitted(struct endpoint *endpoint, struct exchange *exchange) {
    const struct http_request *request = &exchange->request;
    const struct endpoint_config *config = &endpoint->config;
    bool reads = request->verb == HTTP_VERB_GET || request->verb == HTTP_VERB_HEAD;
    bool at_root = slice_is(request->path, "/");
    struct slice type = request->known[HTTP_CONTENT_TYPE];
    bool amz_json = is_type(type, SLICE_LITERAL("application/x-amz-json-1.0"));
    exchange->plain_json = !amz_json && is_type(type, SLICE_LITERAL("application/json"));
    bool json = amz_json || exchange->plain_json;
    if (request->verb == HTTP_VERB_OPTIONS && is_allowed_page(endpoint, request))
        preflight(exchange);
    else if (reads && at_root)
        (config->leniencies & LENIENT_ROOT ? refuse_root : health)(exchange);
    else if (handle_own(config, exchange, json))
        return;
    else if (reads && config->handle_other != NULL && config->handle_other(exchange))
        return;
    else if (request->verb == HTTP_VERB_POST && at_root && (request->body.len == 0 || json))
        config->handle(exchange);
    else if (config->handle_form != NULL && request->verb == HTTP_VERB_POST && at_root &&
             is_type(type, SLICE_LITERAL("application/x-www-form-urlencoded")))
        config->handle_form(exchange);
    else if (!handle_service(config, exchange))
        not_found(exchange);
}

void front_handle(struct endpoint_thread *thread, struct exchange *exchange) {
    const struct guard *guard = &thread->endpoint->guard;
    struct guard_seen *seen = &thread->guard_seen;
    struct slice refusal = SLICE_NONE;
    if (!thread->endpoint->config.relayed && !guard_passes(guard, seen, &exchange->request))
        refusal = guard_refusal(guard, seen, &exchange->request, &exchange->arena);
    if (!slice_present(refusal)) {
        handle_admitted(thread->endpoint, exchange);
        return;
    }
    if (thread->endpoint->config.turned_away != NULL)
        thread->endpoint->config.turned_away(exchange);
    refuse_page(exchange, refusal);
}
