/* retry.c - the tables behind "Trying again" of gramme_client.h. */
#include "client/retry.h"

enum { HTTP_OK = 200, HTTP_TOO_MANY = 429, HTTP_SERVER_ERROR = 500 };
enum { RETRY_COST = 5, RETRY_COST_TIMEOUT = 10 };

static bool is_in(const char *name, const char *const *list) {
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

enum repeat repeat_of_operation(const char *operation) {
    static const char *const reads[] = {
        "GetItem",          "Query",      "Scan", "BatchGetItem", "TransactGetItems",
        "GetShardIterator", "GetRecords", NULL};
    static const char *const once[] = {
        "UpdateItem",         "ExecuteStatement",   "BatchExecuteStatement",
        "ExecuteTransaction", "TransactWriteItems", NULL};
    const char *dot = strrchr(operation, '.');
    operation = dot == NULL ? operation : dot + 1;
    if (is_in(operation, reads) || strncmp(operation, "Describe", 8) == 0 ||
        strncmp(operation, "List", 4) == 0)
        return REPEAT_READ;
    return is_in(operation, once) ? REPEAT_NEVER : REPEAT_SAME;
}

/* The server refused before it did anything. The names are those that the AWS SDKs know;
 * conflicts with a transaction are not on their lists, but the item will soon be free. */
static bool nothing_happened(const char *type) {
    static const char *const types[] = {"BandwidthLimitExceeded",
                                        "EC2ThrottledException",
                                        "LimitExceededException",
                                        "PriorRequestNotComplete",
                                        "ProvisionedThroughputExceededException",
                                        "ReplicatedWriteConflictException",
                                        "RequestLimitExceeded",
                                        "RequestThrottled",
                                        "RequestThrottledException",
                                        "SlowDown",
                                        "ThrottledException",
                                        "Throttling",
                                        "ThrottlingException",
                                        "TooManyRequestsException",
                                        "TransactionConflictException",
                                        "TransactionInProgressException",
                                        NULL};
    return is_in(type, types);
}

/* The server gave up, who knows where. */
static bool timed_out(const char *type) {
    static const char *const types[] = {"RequestTimeout", "RequestTimeoutException", NULL};
    return is_in(type, types);
}

bool retry_worth_it(const struct ddb_error *error) {
    static const char *const codes[] = {"None", "ProvisionedThroughputExceeded", "ThrottlingError",
                                        "TransactionConflict", NULL};
    for (size_t i = 0; i < error->reason_count; i++)
        if (!is_in(error->reasons[i].code, codes))
            return false;
    return error->reason_count > 0;
}

enum verdict retry_verdict(const struct answer *answer, const char *type) {
    switch (answer->kind) {
    case ANSWER_NOT_SENT:
        return VERDICT_AGAIN;
    case ANSWER_NEVER:
    case ANSWER_TOO_LARGE:
        return VERDICT_FINAL;
    case ANSWER_BROKEN:
    case ANSWER_TIMEOUT:
        return VERDICT_AMBIGUOUS;
    case ANSWER_REPLY:
        break;
    }
    if (answer->status == HTTP_OK)
        return VERDICT_DONE;
    if (nothing_happened(type) || answer->status == HTTP_TOO_MANY)
        return VERDICT_AGAIN;
    return answer->status >= HTTP_SERVER_ERROR || timed_out(type) ? VERDICT_AMBIGUOUS
                                                                  : VERDICT_FINAL;
}

bool retry_budget_pay(struct retry_budget *budget, enum answer_kind after) {
    int cost = after == ANSWER_TIMEOUT ? RETRY_COST_TIMEOUT : RETRY_COST;
    if (budget->tokens_max >= 0 && budget->tokens < cost)
        return false;
    budget->tokens -= budget->tokens_max >= 0 ? cost : 0;
    budget->paid = cost;
    return true;
}

void retry_budget_earn(struct retry_budget *budget) {
    if (budget->tokens_max < 0)
        return;
    budget->tokens += budget->paid > 0 ? budget->paid : 1;
    if (budget->tokens > budget->tokens_max)
        budget->tokens = budget->tokens_max;
}

int64_t retry_wait_max_ms(const struct settings *settings, int failures) {
    int64_t wait_ms = settings->backoff_base_ms;
    for (int i = 1; i < failures && wait_ms < settings->backoff_max_ms; i++)
        wait_ms *= 2;
    return wait_ms < settings->backoff_max_ms ? wait_ms : settings->backoff_max_ms;
}
