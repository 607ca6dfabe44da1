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

struct error {
    enum error_code code;
    struct slice message; /* absent where the service sends no text */
    /* What follows the name of a member in a message about its text ("Invalid UpdateExpression: "),
     * for those who have no such member. */
    struct slice detail;
    /* Independent of any table: PutItem, UpdateItem and DeleteItem put "1 validation error
     * detected: " before these. */
    bool request_level;
    /* With ConditionalCheckFailedException: the item that failed the condition, when the caller
     * asked for it. Its bytes are a model value; the operation that answers writes it. */
    struct slice item;
    /* With TransactionCanceledException: one per action, in order. */
    const struct cancellation_reason *reasons;
    size_t reason_count;
};

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
