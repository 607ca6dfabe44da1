/* cancellation.c - from the errors of actions to the service's codes. */
#include "ops/transact/cancellation.h"

#include "base/buffer.h"
#include "base/check.h"

enum { CODES_BYTES_MAX = 8 * 1024 }; /* 100 of the longest */

bool cancellation_unfit(const struct error *error) {
    return error->code == ERROR_EMPTY_KEY || error->code == ERROR_ITEM_TOO_LARGE;
}

/* NULL: no reason for a cancellation. */
static const char *code_of(const struct error *error) {
    if (error == NULL)
        return "None";
    switch ((int)error->code) {
    case ERROR_CONDITIONAL_CHECK_FAILED:
        return "ConditionalCheckFailed";
    case ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED:
        return "ItemCollectionSizeLimitExceeded";
    case ERROR_TRANSACTION_CONFLICT:
        return "TransactionConflict";
    case ERROR_PROVISIONED_THROUGHPUT_EXCEEDED:
        return "ProvisionedThroughputExceeded";
    case ERROR_THROTTLING:
        return "ThrottlingError";
    case ERROR_DUPLICATE_ITEM:
        return "DuplicateItem";
    case ERROR_RESOURCE_NOT_FOUND:
        return "ResourceNotFound";
    case ERROR_VALIDATION:
        return "ValidationError";
    default:
        return NULL;
    }
}

static struct error *with_reasons(struct arena *arena, size_t count,
                                  const struct cancellation_reason *reasons) {
    struct buffer CLEANUP(buffer_release) codes;
    buffer_init(&codes, CODES_BYTES_MAX);
    for (size_t i = 0; i < count; i++)
        buffer_printf(&codes, "%s%s", i == 0 ? "" : ", ", reasons[i].code);
    struct error *error =
        error_new(arena, ERROR_TRANSACTION_CANCELED,
                  "Transaction cancelled, please refer cancellation reasons for specific reasons "
                  "[%.*s]",
                  SLICE_ARGS(buffer_slice(&codes)));
    error->reasons = reasons;
    error->reason_count = count;
    return error;
}

struct error *cancellation_error(struct arena *arena, size_t count, struct error *const *errors) {
    struct cancellation_reason *reasons = ARENA_ARRAY(arena, struct cancellation_reason, count);
    for (size_t i = 0; i < count; i++) {
        reasons[i].code = code_of(errors[i]);
        if (reasons[i].code == NULL)
            return errors[i];
        if (errors[i] == NULL)
            continue;
        reasons[i].message = errors[i]->message;
        reasons[i].item = errors[i]->item;
    }
    return with_reasons(arena, count, reasons);
}
