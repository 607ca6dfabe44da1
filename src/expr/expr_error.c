/* expr_error.c - the prefix that all errors about one expression share. */
#include "expr/expr_error.h"

static const char *const kind_names[] = {
    [EXPR_CONDITION] = "ConditionExpression",        [EXPR_FILTER] = "FilterExpression",
    [EXPR_PROJECTION] = "ProjectionExpression",      [EXPR_UPDATE] = "UpdateExpression",
    [EXPR_KEY_CONDITION] = "KeyConditionExpression",
};

struct error *expr_error(struct arena *arena, enum expr_kind kind, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct slice text = arena_vprintf(arena, format, args);
    va_end(args);
    struct error *error =
        error_request(arena, "Invalid %s: %.*s", kind_names[kind], SLICE_ARGS(text));
    error->detail = text;
    return error;
}
