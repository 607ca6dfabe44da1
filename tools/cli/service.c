/* service.c - see service.h.
 *
 * Waiting asks again and again, first at once, then more and more seldom. */
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

static struct error *failure(struct service *service, const char *operation) {
    const struct ddb_error *error = ddb_client_error(service->client);
    CHECK(error != NULL);
    if (error->kind == DDB_ERROR_NETWORK || error->kind == DDB_ERROR_TIMEOUT)
        return error_local(service->arena, "%s", error->message);
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
        return failure(service, operation);
    struct slice copy = arena_slice(service->arena, slice_text(text));
    const struct json_value *reply = json_tree_read(service->arena, copy, NULL);
    if (reply == NULL && copy.len > 0)
        return error_local(service->arena, "%s: the answer is not JSON; is there a DynamoDB at %s?",
                           operation, service->endpoint);
    *ret_reply = reply;
    return NULL;
}

bool service_failed_with(const struct service *service, const char *type) {
    return ddb_client_failed_with(service->client, type);
}

/* ---- waiting ---- */

static void sleep_ms(long ms) {
    struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* NULL when there is no such table. */
static struct error *describe(struct service *service, struct slice table,
                              const struct json_value **ret_description) {
    struct slice body = request_table_name(service->arena, table);
    struct error *error = service_call(service, "DescribeTable", body, ret_description);
    if (error == NULL || !service_failed_with(service, "ResourceNotFoundException"))
        return error;
    *ret_description = NULL;
    return NULL;
}

static bool is_active(const struct json_value *description) {
    const struct json_value *table = json_find(description, "Table");
    const struct json_value *index = json_find_items(table, "GlobalSecondaryIndexes");
    for (; index != NULL; index = index->next)
        if (json_find(index, "IndexStatus") != NULL &&
            !slice_is(json_find_text(index, "IndexStatus"), "ACTIVE"))
            return false;
    return slice_is(json_find_text(table, "TableStatus"), "ACTIVE");
}

/* A pause between two looks, and a sign of life. */
struct pause {
    double begin_s;
    double dot_s; /* when the next one is due */
    long delay_ms;
};

static void take_pause(struct pause *pause, FILE *progress) {
    if (progress != NULL && now_s() > pause->dot_s) {
        fputc('.', progress);
        fflush(progress);
        pause->dot_s = now_s() + DOT_EVERY_S;
    }
    sleep_ms(pause->delay_ms);
    pause->delay_ms = 2 * pause->delay_ms > POLL_MAX_MS ? POLL_MAX_MS : 2 * pause->delay_ms;
}

struct error *service_wait(struct service *service, struct slice table, enum service_wait wait,
                           const struct json_value **ret_description) {
    struct pause pause = {now_s(), now_s() + DOT_EVERY_S, POLL_FIRST_MS};
    for (;;) {
        struct arena_mark mark = arena_mark(service->arena);
        const struct json_value *description = NULL;
        TRY(describe(service, table, &description));
        if (description == NULL || (wait == SERVICE_ACTIVE && is_active(description))) {
            *ret_description = description;
            return NULL;
        }
        arena_rewind(service->arena, mark);
        if (now_s() - pause.begin_s > service->timeout_s)
            return error_local(service->arena, "table %.*s is still not ready after %g s",
                               SLICE_ARGS(table), service->timeout_s);
        take_pause(&pause, service->progress);
    }
}
