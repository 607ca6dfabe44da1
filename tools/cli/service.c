/* service.c - see service.h. */
#include "cli/service.h"

#include <stdlib.h>
#include <time.h>

#include "base/check.h"
#include "template/request.h"

enum { POLL_FIRST_MS = 10, POLL_MAX_MS = 1000, DOT_EVERY_S = 5 };

/* ---- opening ---- */

const char *service_endpoint(const char *given) {
    const char *endpoint = given;
    if (endpoint == NULL)
        endpoint = getenv("AWS_ENDPOINT_URL_DYNAMODB");
    if (endpoint == NULL)
        endpoint = getenv("AWS_ENDPOINT_URL");
    return endpoint == NULL || *endpoint == '\0' ? SERVICE_LOCAL_ENDPOINT : endpoint;
}

const char *service_region(const char *given) {
    const char *region = given;
    if (region == NULL)
        region = getenv("AWS_REGION");
    if (region == NULL || *region == '\0')
        region = getenv("AWS_DEFAULT_REGION");
    return region == NULL || *region == '\0' ? SERVICE_LOCAL_REGION : region;
}

/* Credentials that are missing do not matter to a server that is not Amazon's: plain HTTP tells. */
static void make_up_credentials(struct service *service, struct ddb_options *options) {
    if (strncmp(service->endpoint, "http://", 7) != 0)
        return;
    options->access_key_id = "local";
    options->secret_access_key = "local";
    ddb_client_free(service->client);
    service->client = ddb_client_new(options);
}

struct error *service_open(struct service *service, struct arena *arena,
                           const struct service_options *options) {
    *service = (struct service){.arena = arena,
                                .endpoint = service_endpoint(options->endpoint),
                                .timeout_s = options->timeout_s,
                                .progress = options->progress};
    struct ddb_options client = {.endpoint = service->endpoint,
                                 .region = options->region,
                                 .access_key_id = options->access_key_id,
                                 .secret_access_key = options->secret_access_key,
                                 .signing_name = options->signing_name,
                                 .attempts_max = 4};
    service->client = ddb_client_new(&client);
    if (ddb_client_error(service->client) != NULL)
        make_up_credentials(service, &client);
    const struct ddb_error *error = ddb_client_error(service->client);
    return error == NULL ? NULL : error_local(arena, "%s", error->message);
}

void service_close(struct service *service) {
    ddb_client_free(service->client);
}

/* ---- one call ---- */

static struct error *no_json(struct service *service, const char *operation) {
    return error_local(service->arena, "%s: the answer is not JSON; is there a DynamoDB at %s?",
                       operation, service->endpoint);
}

struct error *service_error(struct service *service, const char *operation) {
    const struct ddb_error *error = ddb_client_error(service->client);
    CHECK(error != NULL);
    if (error->kind == DDB_ERROR_NETWORK || error->kind == DDB_ERROR_TIMEOUT)
        return error_local(service->arena, "%s", error->message);
    if (error->kind == DDB_ERROR_REPLY && error->http_status == 200)
        return no_json(service, operation);
    if (error->kind != DDB_ERROR_SERVICE)
        return error_local(service->arena, "%s: %s", service->endpoint, error->message);
    if (service_failed_with(service, "UnknownOperationException"))
        return error_new(service->arena, ERROR_UNKNOWN_OPERATION,
                         "the server at %s does not have %s, which is needed here",
                         service->endpoint, operation);
    return error_local(service->arena, "%s: %s: %s", operation, error->type, error->message);
}

/* The text is copied: the client keeps its own only until the next call. */
struct error *service_call(struct service *service, const char *operation, struct slice body,
                           const struct json_value **ret_reply) {
    const char *text = ddb_call(service->client, operation, (const char *)body.data);
    if (text == NULL)
        return service_error(service, operation);
    struct slice copy = arena_slice(service->arena, slice_text(text));
    const struct json_value *reply = json_tree_read(service->arena, copy, NULL);
    if (reply == NULL && copy.len > 0)
        return no_json(service, operation);
    *ret_reply = reply;
    return NULL;
}

bool service_failed_with(const struct service *service, const char *type) {
    return ddb_client_failed_with(service->client, type);
}

/* ---- waiting ---- */

/* A sign of life now and then. */
struct dots {
    FILE *out; /* or NULL */
    time_t next_s;
};

static bool show_progress(void *context) {
    struct dots *dots = context;
    if (dots->out != NULL && time(NULL) >= dots->next_s) {
        fputc('.', dots->out);
        fflush(dots->out);
        dots->next_s = time(NULL) + DOT_EVERY_S;
    }
    return true;
}

struct error *service_wait(struct service *service, struct slice table, enum service_wait wait,
                           bool *ret_there) {
    struct dots dots = {service->progress, time(NULL) + DOT_EVERY_S};
    struct slice name = arena_printf(service->arena, "%.*s", SLICE_ARGS(table));
    bool good = ddb_wait(
        service->client,
        &(struct ddb_wait){.until = wait == SERVICE_GONE ? DDB_TABLE_GONE : DDB_INDEX_ACTIVE,
                           .table = (const char *)name.data,
                           .must_exist = true,
                           .timeout_ms = (int64_t)(service->timeout_s * 1000) + 1,
                           .delay_ms = POLL_FIRST_MS,
                           .delay_max_ms = POLL_MAX_MS,
                           .go_on = show_progress,
                           .context = &dots});
    *ret_there = good && wait == SERVICE_ACTIVE;
    if (good || service_failed_with(service, "ResourceNotFoundException"))
        return NULL;
    return service_error(service, "DescribeTable");
}

struct error *service_describe(struct service *service, struct slice table,
                               const struct json_value **ret_description) {
    bool there;
    *ret_description = NULL;
    TRY(service_wait(service, table, SERVICE_ACTIVE, &there));
    if (!there)
        return NULL;
    return service_call(service, "DescribeTable", request_table_name(service->arena, table),
                        ret_description);
}
