/* fault_route.c - {"Operation": "PutItem", "Error": "ThrottlingException", "Count": 3} to a fault.
 *
 * Threads: the exchange's. Memory: the exchange's arena. */
#include "pipeline/fault_route.h"

#include <stdio.h>
#include <stdlib.h>

#include "json/reader.h"
#include "pipeline/faults.h"
#include "pipeline/own_reply.h"

enum { DIGITS_MAX = 10 };

static const char body_expected[] =
    "the body must be a JSON object, or a list of them, with Error, DelayMs, Drop or Unprocessed, "
    "and any of Operation, Table, Index, Reason, Message, When and Count";

/* ---- members ---- */

static struct error *take_text(struct json_reader *json, struct arena *arena, const char *name,
                               char *ret_text, size_t size) {
    if (json_next(json) != JSON_STRING || json->text.len == 0 || json->text.len >= size ||
        memchr(json->text.data, '\0', json->text.len) != NULL)
        return error_validation(arena, "%s must be a text of 1 to %zu bytes", name, size - 1);
    snprintf(ret_text, size, "%.*s", SLICE_ARGS(json->text));
    return NULL;
}

static struct error *take_number(struct json_reader *json, struct arena *arena, const char *name,
                                 int64_t most, int64_t *ret_number) {
    char digits[DIGITS_MAX + 1] = {0};
    bool integer = json_next(json) == JSON_INTEGER && json->text.len <= DIGITS_MAX;
    if (integer)
        memcpy(digits, json->text.data, json->text.len);
    int64_t number = integer ? strtoll(digits, NULL, 10) : 0;
    if (number < 1 || number > most)
        return error_validation(arena, "%s must be a whole number from 1 to %lld", name,
                                (long long)most);
    *ret_number = number;
    return NULL;
}

static struct error *take_operation(struct json_reader *json, struct arena *arena,
                                    struct fault *fault) {
    TRY(take_text(json, arena, "Operation", fault->operation, sizeof(fault->operation)));
    if (op_find(json->text) == NULL)
        return error_validation(arena, "there is no operation %s", fault->operation);
    return NULL;
}

/* The name of a type, with "Exception" at its end or without. */
static bool is_type(struct slice text, const char *type) {
    size_t suffix = strlen("Exception"), len = strlen(type);
    bool ends = len > suffix && strcmp(type + len - suffix, "Exception") == 0;
    return slice_is(text, type) ||
           (ends && slice_equal(text, slice_of((const uint8_t *)type, len - suffix)));
}

static struct error *take_error(struct json_reader *json, struct arena *arena,
                                struct fault *fault) {
    static const enum error_code codes[] = {
        ERROR_INTERNAL_SERVER_ERROR, /* before the other one of its type */
#define ERROR(symbol, type, namespace, member, status) ERROR_##symbol,
#include "base/errors.def"
#undef ERROR
    };
    enum json_token token = json_next(json);
    for (size_t i = 0; token == JSON_STRING && i < sizeof(codes) / sizeof(codes[0]); i++) {
        if (!is_type(json->text, error_kind(codes[i])->type))
            continue;
        fault->has_error = true;
        fault->error = codes[i];
        return NULL;
    }
    return error_validation(arena, "Error must be the name of an error, such as "
                                   "ThrottlingException");
}

static struct error *take_reason(struct json_reader *json, struct arena *arena,
                                 struct fault *fault) {
    bool text = json_next(json) == JSON_STRING;
    fault->reason_index = text && slice_starts_with(json->text, SLICE_LITERAL("Index"));
    bool table = text && slice_starts_with(json->text, SLICE_LITERAL("Table"));
    for (int i = 0; (fault->reason_index || table) && i < THROTTLING_LIMITS; i++) {
        enum throttling_limit limit = (enum throttling_limit)i;
        if (!slice_is(slice_skip(json->text, strlen("Table")), throttling_limit_text(limit)))
            continue;
        fault->has_reason = true;
        fault->reason = limit;
        return NULL;
    }
    return error_validation(arena, "Reason must be one of the service's, such as "
                                   "TableWriteKeyRangeThroughputExceeded");
}

static struct error *take_drop(struct json_reader *json, struct arena *arena, struct fault *fault) {
    enum json_token token = json_next(json);
    if (token != JSON_TRUE && token != JSON_FALSE)
        return error_validation(arena, "Drop must be true or false");
    fault->drop = token == JSON_TRUE;
    return NULL;
}

static struct error *take_when(struct json_reader *json, struct arena *arena, struct fault *fault) {
    bool text = json_next(json) == JSON_STRING;
    fault->after = text && slice_is(json->text, "After");
    if (!fault->after && !(text && slice_is(json->text, "Before")))
        return error_validation(arena, "When must be Before or After");
    return NULL;
}

static struct error *take_member(struct json_reader *json, struct arena *arena,
                                 struct fault *fault) {
    if (slice_is(json->text, "Operation"))
        return take_operation(json, arena, fault);
    if (slice_is(json->text, "Table"))
        return take_text(json, arena, "Table", fault->table, sizeof(fault->table));
    if (slice_is(json->text, "Index"))
        return take_text(json, arena, "Index", fault->index, sizeof(fault->index));
    if (slice_is(json->text, "Message"))
        return take_text(json, arena, "Message", fault->message, sizeof(fault->message));
    if (slice_is(json->text, "Error"))
        return take_error(json, arena, fault);
    if (slice_is(json->text, "Reason"))
        return take_reason(json, arena, fault);
    if (slice_is(json->text, "Drop"))
        return take_drop(json, arena, fault);
    if (slice_is(json->text, "When"))
        return take_when(json, arena, fault);
    if (slice_is(json->text, "Count"))
        return take_number(json, arena, "Count", FAULT_COUNT_MAX, &fault->count);
    if (slice_is(json->text, "DelayMs"))
        return take_number(json, arena, "DelayMs", FAULT_DELAY_MS_MAX, &fault->delay_ms);
    if (slice_is(json->text, "Unprocessed"))
        return take_number(json, arena, "Unprocessed", FAULT_UNPROCESSED_MAX, &fault->unprocessed);
    return error_validation(arena, "%s", body_expected);
}

/* ---- a fault ---- */

static struct error *check(struct arena *arena, const struct fault *fault) {
    bool throttling = fault->has_error && (fault->error == ERROR_THROTTLING ||
                                           fault->error == ERROR_PROVISIONED_THROUGHPUT_EXCEEDED ||
                                           fault->error == ERROR_REQUEST_LIMIT_EXCEEDED);
    bool batch = strcmp(fault->operation, "BatchWriteItem") == 0 ||
                 strcmp(fault->operation, "BatchGetItem") == 0;
    if (!fault->has_error && !fault->drop && fault->delay_ms == 0 && fault->unprocessed == 0)
        return error_validation(arena, "%s", body_expected);
    if ((fault->has_error && fault->drop) ||
        (fault->unprocessed > 0 && (fault->has_error || fault->drop || fault->after)))
        return error_validation(arena, "Error, Drop and Unprocessed do not go together");
    if (fault->unprocessed > 0 && !batch)
        return error_validation(arena, "Unprocessed is for BatchWriteItem and BatchGetItem");
    if (fault->has_reason && !throttling)
        return error_validation(arena, "Reason is for an error of throttling");
    if (fault->has_reason && fault->reason_index && fault->index[0] == '\0')
        return error_validation(arena, "the Reason is about an index: say which in Index");
    if (fault->index[0] != '\0' && fault->table[0] == '\0')
        return error_validation(arena, "Index needs a Table");
    return NULL;
}

/* Just after the beginning of the object. */
static struct error *read_fault(struct json_reader *json, struct arena *arena,
                                struct fault *fault) {
    fault->count = 1;
    while (json_next(json) == JSON_NAME)
        TRY(take_member(json, arena, fault));
    if (json->token != JSON_OBJECT_END)
        return error_validation(arena, "%s", body_expected);
    return check(arena, fault);
}

static struct error *read_faults(struct arena *arena, struct slice body, struct fault *list,
                                 size_t *ret_count) {
    struct json_reader json;
    json_reader_init(&json, body, arena);
    enum json_token first = json_next(&json);
    *ret_count = 0;
    if (first == JSON_OBJECT_BEGIN)
        TRY(read_fault(&json, arena, &list[(*ret_count)++]));
    while (first == JSON_ARRAY_BEGIN && json_next(&json) == JSON_OBJECT_BEGIN) {
        if (*ret_count == FAULTS_MAX)
            return error_validation(arena, "at most %d faults", FAULTS_MAX);
        TRY(read_fault(&json, arena, &list[(*ret_count)++]));
    }
    bool ended = first == JSON_OBJECT_BEGIN || json.token == JSON_ARRAY_END;
    if (!ended || json_next(&json) != JSON_END)
        return error_validation(arena, "%s", body_expected);
    return NULL;
}

static struct error *add_faults(struct arena *arena, struct faults *faults, struct slice body) {
    struct fault *list = ARENA_ARRAY(arena, struct fault, FAULTS_MAX);
    size_t count;
    TRY(read_faults(arena, body, list, &count));
    if (!faults_add(faults, list, count))
        return error_validation(arena, "at most %d faults", FAULTS_MAX);
    return NULL;
}

/* ---- the route ---- */

static void reply(struct exchange *exchange, struct faults *faults, const struct error *error) {
    struct json_writer json;
    own_reply_begin(exchange, &json);
    if (error == NULL) {
        JSON_NAME_LITERAL(&json, "Faults");
        faults_write(faults, &json);
    }
    own_reply_end(exchange, &json, error);
}

bool fault_route_handle(struct exchange *exchange, const struct pipeline_thread *thread) {
    const struct http_request *request = &exchange->request;
    struct faults *faults = thread->faults;
    bool reads = request->verb == HTTP_VERB_GET || request->verb == HTTP_VERB_HEAD;
    bool clears = slice_is(request->method, "DELETE");
    struct error *error = NULL;
    if (faults == NULL || (!reads && !clears && request->verb != HTTP_VERB_POST))
        return false;
    if (clears)
        faults_clear(faults);
    else if (!reads)
        error = add_faults(&exchange->arena, faults, request->body);
    reply(exchange, faults, error);
    return true;
}
