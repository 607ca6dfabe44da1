/* error.c - the table behind errors.def, and how errors are made. */
#include "base/error.h"

#define CORAL_VALIDATE "com.amazon.coral.validate"
#define CORAL_SERVICE "com.amazon.coral.service"
#define CORAL_AVAILABILITY "com.amazon.coral.availability"
#define CLOUDWATCH "com.amazonaws.cloudwatch.v2010_08_01"
#define AUTO_SCALING "com.amazonaws.applicationautoscaling.v2016_02_06"
#define IAM "com.amazonaws.iam.v20100508"
#define DYNAMODB "com.amazonaws.dynamodb.v20120810"

static const struct error_kind kinds[] = {
#define ERROR(symbol, type, namespace, member, status) \
    [ERROR_##symbol] = {type, namespace, member, status},
#include "base/errors.def"
#undef ERROR
};

const struct error_kind *error_kind(enum error_code code) {
    return &kinds[code];
}

const char *throttling_limit_text(enum throttling_limit limit) {
    static const char *const texts[] = {
        [THROTTLED_READ_PROVISIONED] = "ReadProvisionedThroughputExceeded",
        [THROTTLED_READ_KEY_RANGE] = "ReadKeyRangeThroughputExceeded",
        [THROTTLED_READ_ACCOUNT] = "ReadAccountLimitExceeded",
        [THROTTLED_READ_MAX_ON_DEMAND] = "ReadMaxOnDemandThroughputExceeded",
        [THROTTLED_WRITE_PROVISIONED] = "WriteProvisionedThroughputExceeded",
        [THROTTLED_WRITE_KEY_RANGE] = "WriteKeyRangeThroughputExceeded",
        [THROTTLED_WRITE_ACCOUNT] = "WriteAccountLimitExceeded",
        [THROTTLED_WRITE_MAX_ON_DEMAND] = "WriteMaxOnDemandThroughputExceeded",
    };
    return texts[limit];
}

struct error *error_without_text(struct arena *arena, enum error_code code) {
    struct error *error = ARENA_NEW(arena, struct error);
    error->code = code;
    return error;
}

#define ERROR_FROM_FORMAT(error)                               \
    do {                                                       \
        va_list args;                                          \
        va_start(args, format);                                \
        (error)->message = arena_vprintf(arena, format, args); \
        va_end(args);                                          \
    } while (0)

struct error *error_new(struct arena *arena, enum error_code code, const char *format, ...) {
    struct error *error = error_without_text(arena, code);
    ERROR_FROM_FORMAT(error);
    return error;
}

struct error *error_request(struct arena *arena, const char *format, ...) {
    struct error *error = error_without_text(arena, ERROR_VALIDATION);
    error->request_level = true;
    ERROR_FROM_FORMAT(error);
    return error;
}

struct error *error_validation(struct arena *arena, const char *format, ...) {
    struct error *error = error_without_text(arena, ERROR_VALIDATION);
    ERROR_FROM_FORMAT(error);
    return error;
}

struct error *error_local(struct arena *arena, const char *format, ...) {
    struct error *error = error_without_text(arena, ERROR_LOCAL);
    ERROR_FROM_FORMAT(error);
    return error;
}

struct error *error_if_full(struct arena *arena, size_t bytes) {
    if (arena_has_room(arena, bytes))
        return NULL;
    return error_new(arena, ERROR_REQUEST_MEMORY,
                     "The request takes more memory than this server allows");
}

struct error *error_for_client(struct arena *arena, struct error *error) {
    if (error->code != ERROR_LOCAL)
        return error;
    return error_new(arena, ERROR_INTERNAL_SERVER_ERROR, "Internal server error");
}
