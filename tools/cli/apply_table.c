/* apply_table.c - see apply_table.h. What a server does not know (UnknownOperationException) is no
 * mistake as long as the template does not ask for it. */
#include "cli/apply_table.h"

#include <time.h>

#include "base/buffer.h"
#include "json/member.h"
#include "json/text.h"
#include "template/request.h"

enum { BUSY_TRIES_MAX = 60 };

/* ---- describing ---- */

/* For what the server may not have; then there is no reply. */
static struct error *call_if_known(struct service *service, const char *operation,
                                   struct slice body, bool needed,
                                   const struct json_value **ret_reply) {
    struct error *error = service_call(service, operation, body, ret_reply);
    if (error == NULL || needed || error->code != ERROR_UNKNOWN_OPERATION)
        return error;
    *ret_reply = NULL;
    return NULL;
}

static struct slice tags_request(struct arena *arena, struct slice arn, struct slice token) {
    struct json_text request;
    json_text_begin(&request);
    member_text(&request.json, "ResourceArn", arn);
    if (slice_present(token))
        member_text(&request.json, "NextToken", token);
    return json_text_end(&request, arena);
}

static struct error *list_tags(struct service *service, struct slice arn, bool needed,
                               const struct json_value **pages) {
    struct slice token = SLICE_NONE;
    for (size_t page = 0; page < TAG_PAGES_MAX; page++) {
        TRY(call_if_known(service, "ListTagsOfResource", tags_request(service->arena, arn, token),
                          needed, &pages[page]));
        token = json_find_text(pages[page], "NextToken");
        if (!slice_present(token))
            break;
    }
    return NULL;
}

struct error *apply_describe(struct service *service, const struct table_state *wanted,
                             struct found_table *ret_found, bool *ret_there) {
    const struct table_definition *definition = &wanted->definition;
    struct table_answers answers = {.table = NULL};
    TRY(service_describe(service, definition->name, &answers.table));
    *ret_there = answers.table != NULL;
    if (answers.table == NULL)
        return NULL;
    struct slice body = request_table_name(service->arena, definition->name);
    TRY(call_if_known(service, "DescribeTimeToLive", body, slice_present(definition->ttl_attribute),
                      &answers.ttl));
    TRY(call_if_known(service, "DescribeContinuousBackups", body, wanted->recovery,
                      &answers.backups));
    struct slice arn = json_find_text(json_find(answers.table, "Table"), "TableArn");
    if (slice_present(arn))
        TRY(list_tags(service, arn, definition->tag_count > 0, answers.tags));
    return table_answers_read(service->arena, &answers, ret_found);
}

/* ---- changing ---- */

/* Something else may be at work on the table, or its backups may not be ready yet. */
static bool is_busy(const struct service *service) {
    return service_failed_with(service, "ResourceInUseException") ||
           service_failed_with(service, "ContinuousBackupsUnavailableException");
}

static struct error *send(struct service *service, const struct plan_step *step) {
    bool creating = strcmp(step->operation, "CreateTable") == 0;
    const struct timespec second = {.tv_sec = 1};
    const struct json_value *reply;
    for (size_t i = 0;; i++) {
        struct error *error = service_call(service, step->operation, step->body, &reply);
        if (error == NULL || creating || !is_busy(service) || i == BUSY_TRIES_MAX)
            return error;
        nanosleep(&second, NULL);
    }
}

struct error *apply_step(struct service *service, struct slice table,
                         const struct plan_step *step) {
    bool there;
    TRY(send(service, step));
    if (step->wait == WAIT_NOT)
        return NULL;
    TRY(service_wait(service, table, step->wait == WAIT_GONE ? SERVICE_GONE : SERVICE_ACTIVE,
                     &there));
    if (step->wait == WAIT_ACTIVE && !there)
        return error_local(service->arena, "table %.*s is gone", SLICE_ARGS(table));
    return NULL;
}
