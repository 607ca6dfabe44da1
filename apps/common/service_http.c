/* service_http.c - one request: its body collected, its route's function called, its reply sent.
 *
 * A connection has a thread for as long as it lasts; an app is lent to each request from a store of
 * them, so that clients and their connections to the tables are used again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/document.h"
#include "common/service_frame.h"
#include "common/service_routes.h"

struct request {
    char *body;
    size_t size;
    bool too_long;
    int64_t began_us;
};

static int64_t now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* ---- apps to lend ---- */

static struct app *lend_app(struct frame *frame) {
    struct app *app = NULL;
    pthread_mutex_lock(&frame->lock);
    if (frame->idle_count > 0)
        app = frame->idle[--frame->idle_count];
    pthread_mutex_unlock(&frame->lock);
    return app != NULL ? app : app_copy(frame->app);
}

static void take_back(struct frame *frame, struct app *app) {
    pthread_mutex_lock(&frame->lock);
    if (frame->idle_count < THREADS_MAX) {
        frame->idle[frame->idle_count++] = app;
        app = NULL;
    }
    pthread_mutex_unlock(&frame->lock);
    app_free(app);
}

/* ---- replies ---- */

struct page {
    int status;
    int64_t max_age_s; /* 0: nobody keeps it */
    const char *type;
    char *text; /* free()d when it is sent */
    size_t size;
};

static enum MHD_Result send_page(struct MHD_Connection *connection, const struct page *page) {
    char caching[40] = "no-store";
    struct MHD_Response *response =
        MHD_create_response_from_buffer(page->size, page->text, MHD_RESPMEM_MUST_FREE);
    if (page->max_age_s > 0)
        snprintf(caching, sizeof(caching), "max-age=%lld", (long long)page->max_age_s);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, page->type);
    MHD_add_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, caching);
    enum MHD_Result result = MHD_queue_response(connection, (unsigned)page->status, response);
    MHD_destroy_response(response);
    return result;
}

/* An object: the map `document` of the item. */
static enum MHD_Result send_document(struct MHD_Connection *connection, int status,
                                     int64_t max_age_s, const struct ddb_item *holder) {
    struct page page = {.status = status, .max_age_s = max_age_s, .type = "application/json"};
    FILE *out = open_memstream(&page.text, &page.size);
    if (out == NULL)
        abort();
    document_write(out, ddb_item_value(holder, "document"));
    fputc('\n', out);
    fclose(out);
    return send_page(connection, &page);
}

static enum MHD_Result send_error(struct MHD_Connection *connection, int status,
                                  const char *message) {
    struct ddb_item *holder = ddb_item_new();
    ddb_item_set_string(ddb_item_set_map(holder, "document"), "error", message);
    enum MHD_Result result = send_document(connection, status, 0, holder);
    ddb_item_free(holder);
    return result;
}

/* ---- the frame's own paths ---- */

static int check_ready(struct frame *frame) {
    if (service_is_stopping())
        return 503;
    if (frame->service->is_ready == NULL)
        return 200;
    struct app *app = lend_app(frame);
    bool ready = frame->service->is_ready(app);
    take_back(frame, app);
    return ready ? 200 : 503;
}

static enum MHD_Result send_health(struct frame *frame, struct MHD_Connection *connection,
                                   bool ready) {
    int status = ready ? check_ready(frame) : 200;
    struct ddb_item *holder = ddb_item_new();
    ddb_item_set_string(ddb_item_set_map(holder, "document"), "status",
                        status == 200 ? "ok" : "unavailable");
    enum MHD_Result result = send_document(connection, status, 0, holder);
    ddb_item_free(holder);
    return result;
}

static enum MHD_Result send_own(struct frame *frame, struct MHD_Connection *connection,
                                bool metrics) {
    struct page page = {.status = 200,
                        .type = metrics ? "text/plain; version=0.0.4" : "application/json"};
    FILE *out = open_memstream(&page.text, &page.size);
    const struct app_program *program = app_program(frame->app);
    if (out == NULL)
        abort();
    struct metrics_page did = {program->name, frame->service, frame->routes, frame->task_metrics};
    if (metrics)
        metrics_write(out, &did);
    else
        routes_describe(out, program->name, program->summary, frame->service->routes);
    fclose(out);
    return send_page(connection, &page);
}

/* False: it is none of them. */
static bool answer_own(struct frame *frame, struct MHD_Connection *connection, const char *path,
                       enum MHD_Result *ret_result) {
    bool ready = strcmp(path, "/health/ready") == 0, metrics = strcmp(path, "/metrics") == 0;
    if (ready || strcmp(path, "/health") == 0)
        *ret_result = send_health(frame, connection, ready);
    else if (metrics || strcmp(path, "/openapi.json") == 0)
        *ret_result = send_own(frame, connection, metrics);
    else
        return false;
    return true;
}

/* ---- one request ---- */

static bool is_own_name(const char *host) {
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t size = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":");
    for (int i = 0; i < 3; i++)
        if (strlen(names[i]) == size && strncmp(host, names[i], size) == 0)
            return true;
    return false;
}

/* A page of another site may not use what only this machine reaches: not by a name of its own that
 * leads here, and not by a form, which cannot have this content type. */
static const char *refuse(const struct frame *frame, struct MHD_Connection *connection,
                          const struct request *request) {
    const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host");
    const char *type = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Content-Type");
    if (frame->loopback && host != NULL && !is_own_name(host))
        return "this host name is not the service's";
    if (request->size > 0 && (type == NULL || strncmp(type, "application/json", 16) != 0))
        return "the body must be application/json";
    return NULL;
}

static struct ddb_item *read_body(struct app *app, const struct request *request) {
    char problem[DOCUMENT_PROBLEM_SIZE];
    struct ddb_item *holder;
    if (request->size == 0) {
        holder = ddb_item_new();
        ddb_item_set_map(holder, "document");
        return holder;
    }
    holder = document_parse(request->body, request->size, problem);
    if (holder == NULL)
        app_bad_usage(app, "the body is no JSON: %s", problem);
    else if (ddb_item_map(holder, "document") == NULL)
        app_bad_usage(app, "the body is no JSON object");
    else
        return holder;
    ddb_item_free(holder);
    return NULL;
}

const char *service_query(const struct service_call *call, const char *name,
                          const char *otherwise) {
    const char *value = MHD_lookup_connection_value(call->connection, MHD_GET_ARGUMENT_KIND, name);
    return value == NULL || *value == '\0' ? otherwise : value;
}

static int status_of(const struct service_call *call, enum app_status status) {
    if (status == APP_OK)
        return call->status == 0 ? 200 : call->status;
    if (call->status >= 400)
        return call->status;
    return status == APP_USAGE ? 400 : 500;
}

static enum MHD_Result send_reply(const struct service_call *call, enum app_status outcome,
                                  int status, const struct ddb_item *holder) {
    if (outcome == APP_OK && call->text != NULL)
        return send_page(call->connection, &(struct page){status, call->max_age_s, call->text_type,
                                                          call->text, call->text_size});
    free(call->text);
    if (outcome != APP_OK)
        return send_error(call->connection, status, app_message(call->app));
    return send_document(call->connection, status, call->max_age_s, holder);
}

static enum MHD_Result run_route(const struct service_route *route, struct service_call *call,
                                 const struct request *request, int *ret_status) {
    struct ddb_item *body = read_body(call->app, request), *holder = ddb_item_new();
    enum app_status status = APP_USAGE;
    call->reply = ddb_item_set_map(holder, "document");
    call->body = ddb_item_map(body, "document");
    if (body != NULL && (status = routes_check(route, call)) == APP_OK)
        status = route->run(call);
    *ret_status = status_of(call, status);
    enum MHD_Result result = send_reply(call, status, *ret_status, holder);
    ddb_item_free(holder);
    ddb_item_free(body);
    return result;
}

static enum MHD_Result answer_route(struct frame *frame, struct MHD_Connection *connection,
                                    const char *method, const char *url,
                                    const struct request *request) {
    struct service_call call = {.connection = connection};
    bool other_method;
    int status;
    enum MHD_Result result;
    char *path = strdup(url);
    if (path == NULL)
        abort();
    const struct service_route *route =
        routes_find(frame->service->routes, method, path, call.path, &other_method);
    if (route == NULL) {
        status = other_method ? 405 : 404;
        result = send_error(connection, status,
                            other_method ? "there is no such method of this path"
                                         : "there is no such path; see /openapi.json");
    } else {
        call.app = lend_app(frame);
        result = run_route(route, &call, request, &status);
        take_back(frame, call.app);
    }
    size_t at = route == NULL ? frame->route_count : (size_t)(route - frame->service->routes);
    metrics_count(&frame->routes[at], status, now_us() - request->began_us);
    free(path);
    return result;
}

static enum MHD_Result answer(struct frame *frame, struct MHD_Connection *connection,
                              const char *method, const char *url, const struct request *request) {
    enum MHD_Result result;
    const char *refusal = refuse(frame, connection, request);
    if (request->too_long)
        return send_error(connection, 413, "the body is too long");
    if (refusal != NULL)
        return send_error(connection, 403, refusal);
    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    if (strcmp(method, "GET") == 0 && answer_own(frame, connection, url, &result))
        return result;
    return answer_route(frame, connection, method, url, request);
}

static void collect(struct request *request, const char *data, size_t *size) {
    if (request->size + *size > SERVICE_BODY_MAX) {
        request->too_long = true;
    } else {
        request->body = realloc(request->body, request->size + *size + 1);
        if (request->body == NULL)
            abort();
        memcpy(request->body + request->size, data, *size);
        request->size += *size;
        request->body[request->size] = '\0';
    }
    *size = 0;
}

/* Called first when the headers are there, then for each part of the body, then at its end. */
enum MHD_Result http_handle(void *user, struct MHD_Connection *connection, const char *url,
                            const char *method, const char *version, const char *data, size_t *size,
                            void **state) {
    (void)version;
    struct frame *frame = user;
    struct request *request = *state;
    if (request == NULL) {
        request = frame_make(1, sizeof(*request));
        request->began_us = now_us();
        atomic_fetch_add(&frame->open_requests, 1);
        *state = request;
        return MHD_YES;
    }
    if (*size > 0) {
        collect(request, data, size);
        return MHD_YES;
    }
    return answer(frame, connection, method, url, request);
}

void http_forget(void *user, struct MHD_Connection *connection, void **state,
                 enum MHD_RequestTerminationCode code) {
    (void)connection;
    (void)code;
    struct frame *frame = user;
    struct request *request = *state;
    if (request == NULL)
        return;
    atomic_fetch_sub(&frame->open_requests, 1);
    free(request->body);
    free(request);
    *state = NULL;
}
