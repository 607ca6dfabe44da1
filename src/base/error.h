/* error.h - the one error type.
 *
 * A function that can fail returns `struct error *`; NULL is success. On failure its ret_ outputs
 * are untouched. An error lives in the arena it was made in. Outcomes (not found, condition false)
 * are not errors, and bugs are CHECKs. */
#ifndef GRAMME_BASE_ERROR_H
#define GRAMME_BASE_ERROR_H

#include "base/arena.h"

enum error_code {
#define ERROR(symbol, type, namespace, member, status) ERROR_##symbol,
#include "base/errors.def"
#undef ERROR
};

/* A row of errors.def. */
struct error_kind {
    const char *type;        /* ValidationException */
    const char *name_space;  /* com.amazon.coral.validate */
    const char *text_member; /* message or Message */
    int http_status;
};

/* Why a transaction was cancelled, for one of its actions. */
struct cancellation_reason {
    const char *code;     /* "None", "ConditionalCheckFailed", ... */
    struct slice message; /* absent with "None" */
    struct slice item;    /* as in struct error */
};

/* Which limit had nothing left: reads, then writes. */
enum throttling_limit {
    THROTTLED_READ_PROVISIONED,
    THROTTLED_READ_KEY_RANGE,
    THROTTLED_READ_ACCOUNT,
    THROTTLED_READ_MAX_ON_DEMAND,
    THROTTLED_WRITE_PROVISIONED,
    THROTTLED_WRITE_KEY_RANGE,
    THROTTLED_WRITE_ACCOUNT,
    THROTTLED_WRITE_MAX_ON_DEMAND,
    THROTTLING_LIMITS,
};

/* "ReadProvisionedThroughputExceeded": after "Table" or "Index" one of the service's reasons. */
const char *throttling_limit_text(enum throttling_limit limit);

struct throttling_reason {
    enum throttling_limit limit;
    struct slice table;
    struct slice index; /* absent: it is the table's */
};

struct error {
    enum error_code code;
    struct slice message; /* absent where the service sends no text */
    /* What follows the name of a member in a message about its text ("Invalid UpdateExpression: "),
     * for those who have no such member. */
    struct slice detail;
    /* Where it is in a text of several lines that the request has sent, as line:column:length. Only
     * of texts about which the service's own message does not say it. */
    struct slice position;
    /* Independent of any table: PutItem, UpdateItem and DeleteItem put "1 validation error
     * detected: " before these. */
    bool request_level;
    /* With ConditionalCheckFailedException: the item that failed the condition, when the caller
     * asked for it. Its bytes are a model value; the operation that answers writes it. */
    struct slice item;
    /* With TransactionCanceledException: one per action, in order. */
    const struct cancellation_reason *reasons;
    size_t reason_count;
    /* Of who was throttled: each limit that had nothing left. */
    const struct throttling_reason *throttled_by;
    size_t throttled_by_count;
};

/* It had no effect and may be tried again. */
static inline bool error_is_throttled(const struct error *error) {
    return error != NULL && error->throttled_by_count > 0;
}

const struct error_kind *error_kind(enum error_code code);

struct error *error_new(struct arena *arena, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The service sends only the type. */
struct error *error_without_text(struct arena *arena, enum error_code code);
/* A ValidationException about the request itself, whatever the table looks like. */
struct error *error_request(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A ValidationException that needs the table or the item. */
struct error *error_validation(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A failure on this machine (ERROR_LOCAL), in words for whoever runs the program. */
struct error *error_local(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* NULL when the arena has room for so many bytes more within its limit. A service tells its clients
 * in its own words (ERROR_REQUEST_MEMORY). */
struct error *error_if_full(struct arena *arena, size_t bytes);

/* What a client is told: the error itself, but of a local failure only that there was one. */
struct error *error_for_client(struct arena *arena, struct error *error);

/* The prefix that many ValidationExceptions share. */
#define PVI "One or more parameter values were invalid: "

#define TRY(call)                                    \
    do {                                             \
        struct error *try_error_ = (call);           \
        if (__builtin_expect(try_error_ != NULL, 0)) \
            return try_error_;                       \
    } while (0)

#endif
