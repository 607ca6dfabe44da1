/* apply_service.c - see apply_service.h.
 *
 * Waiting asks again and again, first at once, then more and more seldom. What this server does not
 * know (UnknownOperationException) is no mistake as long as the template does not ask for it. */
#include "cli/apply_service.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/buffer.h"
#include "base/check.h"
#include "template/request.h"
#include "json/member.h"

enum {
    POLL_FIRST_MS = 10,
    POLL_MAX_MS = 1000,
    DOT_EVERY_S = 5,
    BUSY_RETRY_S = 60,
    TAG_PAGES_MAX = 20,
    TAGS_BYTES_MAX = 1024 * 1024,
};

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
                                .timeout_s = options->timeout_s};
    struct ddb_options client = {.endpoint = service->endpoint,
                                 .region = options->region,
                                 .access_key_id = options->access_key_id,
                                 .secret_access_key = options->secret_access_key,
                                 .attempts_max = 4};
    service->client = ddb_client_new(&client);
    if (ddb_client_error(service->client) != NULL)
        make_up_credentials(service, &client);
    const struct ddb_error *error = ddb_client_error(service->client);
    return error == NULL ? NULL : error_new(arena, ERROR_VALIDATION, "%s", error->message);
}

void service_close(struct service *service) {
    ddb_client_free(service->client);
}

/* ---- one call ---- */

static struct error *failure(struct service *service, const char *operation) {
    const struct ddb_error *error = ddb_client_error(service->client);
    CHECK(error != NULL);
    if (error->kind == DDB_ERROR_NETWORK || error->kind == DDB_ERROR_TIMEOUT)
        return error_new(service->arena, ERROR_VALIDATION, "%s", error->message);
    if (error->kind != DDB_ERROR_SERVICE)
        return error_new(service->arena, ERROR_VALIDATION, "%s: %s", service->endpoint,
                         error->message);
    if (strcmp(error->type, "UnknownOperationException") == 0)
        return error_new(service->arena, ERROR_UNKNOWN_OPERATION,
                         "the server at %s does not have %s, which this template needs",
                         service->endpoint, operation);
    return error_new(service->arena, ERROR_VALIDATION, "%s: %s: %s", operation, error->type,
                     error->message);
}

/* The answer is copied: the client keeps its own only until the next call. */
static struct error *call(struct service *service, const char *operation, struct slice body,
                          struct slice *ret_answer) {
    const char *answer = ddb_call(service->client, operation, (const char *)body.data);
    if (answer == NULL)
        return failure(service, operation);
    *ret_answer = arena_printf(service->arena, "%s", answer);
    return NULL;
}

/* Like call(), for what the server may not have; then the answer stays absent. */
static struct error *call_if_known(struct service *service, const char *operation,
                                   struct slice body, bool needed, struct slice *ret_answer) {
    struct error *error = call(service, operation, body, ret_answer);
    if (error != NULL && !needed && error->code == ERROR_UNKNOWN_OPERATION)
        return NULL;
    return error;
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

enum table_shape { SHAPE_ACTIVE, SHAPE_MOVING, SHAPE_GONE };

static bool indexes_active(const struct node *table) {
    const struct node *indexes = node_find(table, "GlobalSecondaryIndexes");
    for (size_t i = 0; indexes != NULL && indexes->kind == NODE_SEQUENCE && i < indexes->count;
         i++) {
        const struct node *status = node_find(indexes->items[i], "IndexStatus");
        if (status != NULL && !slice_is(status->text, "ACTIVE"))
            return false;
    }
    return true;
}

static struct error *look(struct service *service, struct slice table,
                          enum table_shape *ret_shape) {
    struct arena scratch;
    arena_init(&scratch);
    struct document document = {&scratch, SLICE_LITERAL("DescribeTable")};
    const struct node *root = NULL;
    struct slice body = request_table_name(&scratch, table);
    const char *answer = ddb_call(service->client, "DescribeTable", (const char *)body.data);
    struct error *error = NULL;
    if (answer == NULL && ddb_client_failed_with(service->client, "ResourceNotFoundException"))
        *ret_shape = SHAPE_GONE;
    else if (answer == NULL)
        error = failure(service, "DescribeTable");
    else if (document_read_json(&document, slice_text(answer), NULL, &root) != NULL)
        error = error_new(service->arena, ERROR_VALIDATION, "DescribeTable: not JSON");
    if (error == NULL && answer != NULL) {
        const struct node *described = node_find(root, "Table");
        const struct node *status = node_find(described, "TableStatus");
        bool active = status != NULL && slice_is(status->text, "ACTIVE");
        *ret_shape = active && indexes_active(described) ? SHAPE_ACTIVE : SHAPE_MOVING;
    }
    arena_release(&scratch);
    return error;
}

/* Until the table is ACTIVE or gone, whichever comes; the caller knows which one it wants. */
static struct error *settle(struct service *service, struct slice table, bool until_gone,
                            enum table_shape *ret_shape) {
    double begin = now_s(), dot = begin + DOT_EVERY_S;
    long delay_ms = POLL_FIRST_MS;
    for (;;) {
        TRY(look(service, table, ret_shape));
        if (*ret_shape == SHAPE_GONE || (*ret_shape == SHAPE_ACTIVE && !until_gone))
            return NULL;
        double now = now_s();
        if (now - begin > service->timeout_s)
            return error_new(service->arena, ERROR_VALIDATION,
                             "table %.*s is still not ready after %g s (--timeout)",
                             SLICE_ARGS(table), service->timeout_s);
        if (now > dot) {
            putchar('.');
            fflush(stdout);
            dot = now + DOT_EVERY_S;
        }
        sleep_ms(delay_ms);
        delay_ms = 2 * delay_ms > POLL_MAX_MS ? POLL_MAX_MS : 2 * delay_ms;
    }
}

/* ---- describing ---- */

static struct slice tags_request(struct arena *arena, struct slice arn, struct slice token) {
    struct buffer buffer;
    struct json_writer json;
    buffer_init(&buffer, TAGS_BYTES_MAX);
    json_writer_init(&json, &buffer);
    json_object_begin(&json);
    member_text(&json, "ResourceArn", arn);
    if (slice_present(token))
        member_text(&json, "NextToken", token);
    json_object_end(&json);
    struct slice text = arena_printf(arena, "%.*s", SLICE_ARGS(buffer_slice(&buffer)));
    buffer_release(&buffer);
    return text;
}

static void append_tags(struct json_writer *json, const struct node *list) {
    for (size_t i = 0; list != NULL && list->kind == NODE_SEQUENCE && i < list->count; i++) {
        const struct node *key = node_find(list->items[i], "Key");
        const struct node *value = node_find(list->items[i], "Value");
        if (key == NULL || value == NULL)
            continue;
        json_object_begin(json);
        member_text(json, "Key", key->text);
        member_text(json, "Value", value->text);
        json_object_end(json);
    }
}

/* All pages as one {"Tags": [...]}; absent when the server does not know tags. */
static struct error *read_tags_into(struct service *service, struct slice arn, bool needed,
                                    struct json_writer *json, bool *ret_known) {
    struct document document = {service->arena, SLICE_LITERAL("ListTagsOfResource")};
    struct slice token = SLICE_NONE;
    for (size_t page = 0; page < TAG_PAGES_MAX; page++) {
        struct slice answer = SLICE_NONE;
        const struct node *root = NULL;
        TRY(call_if_known(service, "ListTagsOfResource", tags_request(service->arena, arn, token),
                          needed, &answer));
        *ret_known = slice_present(answer);
        if (!*ret_known)
            return NULL;
        TRY(document_read_json(&document, answer, NULL, &root));
        append_tags(json, node_find(root, "Tags"));
        const struct node *next = node_find(root, "NextToken");
        if (next == NULL || next->kind != NODE_SCALAR)
            return NULL;
        token = next->text;
    }
    return NULL;
}

static struct error *list_tags(struct service *service, struct slice arn, bool needed,
                               struct slice *ret_tags) {
    struct buffer buffer CLEANUP(buffer_release);
    struct json_writer json;
    bool known = false;
    buffer_init(&buffer, TAGS_BYTES_MAX);
    json_writer_init(&json, &buffer);
    json_object_begin(&json);
    member_array(&json, "Tags");
    TRY(read_tags_into(service, arn, needed, &json, &known));
    json_array_end(&json);
    json_object_end(&json);
    if (buffer.overflow)
        return error_new(service->arena, ERROR_VALIDATION, "ListTagsOfResource: too long");
    if (known)
        *ret_tags = arena_printf(service->arena, "%.*s", SLICE_ARGS(buffer_slice(&buffer)));
    return NULL;
}

static struct error *ask_all(struct service *service, const struct table_state *wanted,
                             struct table_answers *answers) {
    const struct table_definition *definition = &wanted->definition;
    struct slice body = request_table_name(service->arena, definition->name);
    struct found_table found;
    TRY(call(service, "DescribeTable", body, &answers->table));
    TRY(table_answers_read(service->arena, answers, &found));
    TRY(call_if_known(service, "DescribeTimeToLive", body, slice_present(definition->ttl_attribute),
                      &answers->ttl));
    TRY(call_if_known(service, "DescribeContinuousBackups", body, wanted->recovery,
                      &answers->backups));
    return list_tags(service, found.arn, definition->tag_count > 0, &answers->tags);
}

struct error *service_describe(struct service *service, const struct table_state *wanted,
                               struct found_table *ret_found, bool *ret_there) {
    enum table_shape shape;
    struct table_answers answers = {.table = SLICE_NONE};
    TRY(settle(service, wanted->definition.name, false, &shape));
    *ret_there = shape == SHAPE_ACTIVE;
    if (!*ret_there)
        return NULL;
    TRY(ask_all(service, wanted, &answers));
    return table_answers_read(service->arena, &answers, ret_found);
}

/* ---- changing ---- */

/* Something else may be at work on the table, or its backups may not be ready yet. */
static bool is_busy(const struct service *service) {
    return ddb_client_failed_with(service->client, "ResourceInUseException") ||
           ddb_client_failed_with(service->client, "ContinuousBackupsUnavailableException");
}

struct error *service_carry_out(struct service *service, struct slice table,
                                const struct plan_step *step) {
    double begin = now_s();
    bool creating = strcmp(step->operation, "CreateTable") == 0;
    struct slice answer;
    enum table_shape shape;
    for (;;) {
        struct error *error = call(service, step->operation, step->body, &answer);
        if (error == NULL)
            break;
        if (creating || !is_busy(service) || now_s() - begin > BUSY_RETRY_S)
            return error;
        sleep_ms(POLL_MAX_MS);
    }
    if (step->wait == WAIT_NOT)
        return NULL;
    TRY(settle(service, table, step->wait == WAIT_GONE, &shape));
    if (step->wait == WAIT_ACTIVE && shape != SHAPE_ACTIVE)
        return error_new(service->arena, ERROR_VALIDATION, "table %.*s is gone", SLICE_ARGS(table));
    return NULL;
}
