/* service.c - see service.h. */
#include "service/service.h"

const struct service_op *service_find_op(const struct service *service, struct slice name) {
    for (const struct service_op *const *op = service->ops; *op != NULL; op++)
        if (slice_is(name, (*op)->name))
            return *op;
    return NULL;
}

/* Where it is not the type without "Exception". */
static const struct {
    enum error_code code;
    const char *query;
} query_codes[] = {
    {ERROR_VALIDATION, "ValidationError"},
    {ERROR_SERIALIZATION, "MalformedInput"},
    {ERROR_UNKNOWN_OPERATION, "InvalidAction"},
    {ERROR_UNRECOGNIZED_CLIENT, "InvalidClientTokenId"},
    {ERROR_INVALID_SIGNATURE, "SignatureDoesNotMatch"},
    {ERROR_CLOUDWATCH_MISSING_PARAMETER, "MissingParameter"},
    {ERROR_CLOUDWATCH_INVALID_FORMAT, "InvalidFormat"},
    {ERROR_CLOUDWATCH_LIMIT_EXCEEDED, "LimitExceeded"},
    {ERROR_CLOUDWATCH_ARN_NOT_FOUND, "ResourceNotFoundException"},
    {ERROR_CLOUDWATCH_DASHBOARD_INVALID, "InvalidParameterInput"},
    {ERROR_CLOUDWATCH_DASHBOARD_NOT_FOUND, "ResourceNotFound"},
    {ERROR_CLOUDWATCH_INTERNAL, "InternalServiceError"},
};

struct slice service_query_code(struct arena *arena, const struct error *error) {
    for (size_t i = 0; i < sizeof(query_codes) / sizeof(*query_codes); i++)
        if (query_codes[i].code == error->code)
            return slice_text(query_codes[i].query);
    const struct slice suffix = SLICE_LITERAL("Exception");
    struct slice type = slice_text(error_kind(error->code)->type);
    if (type.len > suffix.len && slice_equal(slice_skip(type, type.len - suffix.len), suffix))
        type.len -= suffix.len;
    return arena_slice(arena, type);
}

int service_query_status(const struct error *error) {
    switch ((int)error->code) {
    case ERROR_MISSING_AUTHENTICATION_TOKEN:
    case ERROR_UNRECOGNIZED_CLIENT:
    case ERROR_EXPIRED_TOKEN:
    case ERROR_INVALID_SIGNATURE:
    case ERROR_ACCESS_DENIED:
        return 403;
    default:
        return error_kind(error->code)->http_status;
    }
}
