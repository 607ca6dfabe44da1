/* retry.c - the tables behind "Trying again" of gramme_client.h. */
#include "client/retry.h"

enum { HTTP_OK = 200, HTTP_TOO_MANY = 429, HTTP_SERVER_ERROR = 500 };

static bool is_in(const char *name, const char *const *list) {
    for (; *list != NULL; list++)
        if (strcmp(name, *list) == 0)
            return true;
    return false;
}

enum repeat repeat_of_operation(const char *operation) {
    static const char *const reads[] = {"GetItem",          "Query", "Scan", "BatchGetItem",
                                        "TransactGetItems", NULL};
    static const char *const once[] = {
        "UpdateItem",         "ExecuteStatement",   "BatchExecuteStatement",
        "ExecuteTransaction", "TransactWriteItems", NULL};
    if (is_in(operation, reads) || strncmp(operation, "Describe", 8) == 0 ||
        strncmp(operation, "List", 4) == 0)
        return REPEAT_READ;
    return is_in(operation, once) ? REPEAT_NEVER : REPEAT_SAME;
}

/* The server refused before it did anything. TransactionConflictException is not on the SDKs'
 * lists, but an item that is in a transaction now will soon be free. */
static bool nothing_happened(const char *type) {
    static const char *const types[] = {"ProvisionedThroughputExceededException",
                                        "ThrottlingException",
                                        "Throttling",
                                        "RequestLimitExceeded",
                                        "RequestThrottled",
                                        "RequestThrottledException",
                                        "TooManyRequestsException",
                                        "TransactionInProgressException",
                                        "TransactionConflictException",
                                        "ReplicatedWriteConflictException",
                                        NULL};
    return is_in(type, types);
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
    return answer->status >= HTTP_SERVER_ERROR ? VERDICT_AMBIGUOUS : VERDICT_FINAL;
}

int64_t retry_wait_max_ms(const struct settings *settings, int failures) {
    int64_t wait_ms = settings->backoff_base_ms;
    for (int i = 1; i < failures && wait_ms < settings->backoff_max_ms; i++)
        wait_ms *= 2;
    return wait_ms < settings->backoff_max_ms ? wait_ms : settings->backoff_max_ms;
}
