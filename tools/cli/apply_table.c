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

/* A list of which there may be more than one page, and what it is a list of. */
struct listing {
    const char *operation;
    const char *member; /* of the request */
    struct slice value;
    bool needed;
};

static struct slice list_request(struct arena *arena, const struct listing *listing,
                                 struct slice token) {
    struct json_text request;
    json_text_begin(&request);
    member_text(&request.json, listing->member, listing->value);
    if (slice_present(token))
        member_text(&request.json, "NextToken", token);
    return json_text_end(&request, arena);
}

static struct error *list_all(struct service *service, const struct listing *listing,
                              const struct json_value **pages) {
    struct slice token = SLICE_NONE;
    for (size_t page = 0; page < PAGES_MAX; page++) {
        TRY(call_if_known(service, listing->operation, list_request(service->arena, listing, token),
                          listing->needed, &pages[page]));
        token = json_find_text(pages[page], "NextToken");
        if (!slice_present(token))
            break;
    }
    return NULL;
}

static bool wants_insights(const struct table_definition *wanted) {
    bool wants = wanted->insights.enabled;
    for (size_t i = 0; i < wanted->index_count; i++)
        wants = wants || wanted->indexes[i].insights.enabled;
    return wants;
}

static struct error *get_policy(struct service *service, struct slice arn, bool needed,
                                const struct json_value **ret_reply) {
    struct error *error = call_if_known(service, "GetResourcePolicy",
                                        request_policy_of(service->arena, arn), needed, ret_reply);
    if (error == NULL || !service_failed_with(service, "PolicyNotFoundException"))
        return error;
    *ret_reply = NULL;
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
    const struct listing tags = {"ListTagsOfResource", "ResourceArn", arn,
                                 definition->tag_count > 0};
    const struct listing insights = {"ListContributorInsights", "TableName", definition->name,
                                     wants_insights(definition)};
    TRY(list_all(service, &insights, answers.insights));
    if (slice_present(arn)) {
        TRY(list_all(service, &tags, answers.tags));
        TRY(get_policy(service, arn, wanted->policy != NULL, &answers.policy));
    }
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
