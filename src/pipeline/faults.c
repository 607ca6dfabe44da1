/* faults.c - the list of faults, and which of them fits a call. What a call is about comes from
 * where policies get it (ops/permission). */
#include "pipeline/faults.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"
#include "base/container.h"
#include "json/member.h"
#include "ops/account/account.h"
#include "ops/permission/permission.h"
#include "ops/throttle/throttled_call.h"

struct faults {
    pthread_mutex_t lock;
    size_t count;
    struct fault list[FAULTS_MAX]; /* the oldest first */
    _Atomic int64_t left;          /* of all of them */
};

struct faults *faults_new(void) {
    struct faults *faults = calloc(1, sizeof(*faults));
    CHECK(faults != NULL);
    pthread_mutex_init(&faults->lock, NULL);
    return faults;
}

void faults_free(struct faults *faults) {
    if (faults == NULL)
        return;
    pthread_mutex_destroy(&faults->lock);
    free(faults);
}

/* ---- the list ---- */

static bool is_used_up(const struct fault *fault) {
    return fault->fired >= fault->count;
}

/* What is used up goes, the oldest first, until there is room for so many. */
static void make_room(struct faults *faults, size_t wanted) {
    size_t kept = 0;
    for (size_t i = 0; i < faults->count; i++) {
        bool crowded = faults->count - i + kept + wanted > FAULTS_MAX;
        if (!crowded || !is_used_up(&faults->list[i]))
            faults->list[kept++] = faults->list[i];
    }
    faults->count = kept;
}

bool faults_add(struct faults *faults, const struct fault *list, size_t count) {
    pthread_mutex_lock(&faults->lock);
    make_room(faults, count);
    bool room = faults->count + count <= FAULTS_MAX;
    for (size_t i = 0; room && i < count; i++) {
        faults->list[faults->count++] = list[i];
        atomic_fetch_add(&faults->left, list[i].count);
    }
    pthread_mutex_unlock(&faults->lock);
    return room;
}

void faults_clear(struct faults *faults) {
    pthread_mutex_lock(&faults->lock);
    faults->count = 0;
    atomic_store(&faults->left, 0);
    pthread_mutex_unlock(&faults->lock);
}

static void write_text(struct json_writer *json, const char *name, const char *text) {
    if (text[0] != '\0')
        member_word(json, name, text);
}

static void write_reason(struct json_writer *json, const struct fault *fault) {
    char reason[64];
    snprintf(reason, sizeof(reason), "%s%s", fault->reason_index ? "Index" : "Table",
             throttling_limit_text(fault->reason));
    member_word(json, "Reason", reason);
}

static void write_fault(struct json_writer *json, const struct fault *fault) {
    json_object_begin(json);
    write_text(json, "Operation", fault->operation);
    write_text(json, "Table", fault->table);
    write_text(json, "Index", fault->index);
    if (fault->has_error)
        member_word(json, "Error", error_kind(fault->error)->type);
    write_text(json, "Message", fault->message);
    if (fault->has_reason)
        write_reason(json, fault);
    if (fault->delay_ms > 0)
        member_integer(json, "DelayMs", fault->delay_ms);
    if (fault->unprocessed > 0)
        member_integer(json, "Unprocessed", fault->unprocessed);
    if (fault->drop)
        member_bool(json, "Drop", true);
    if (fault->after)
        member_word(json, "When", "After");
    member_integer(json, "Count", fault->count);
    member_integer(json, "Fired", fault->fired);
    member_integer(json, "Left", fault->count - fault->fired);
    json_object_end(json);
}

void faults_write(struct faults *faults, struct json_writer *json) {
    json_array_begin(json);
    pthread_mutex_lock(&faults->lock);
    for (size_t i = 0; i < faults->count; i++)
        write_fault(json, &faults->list[i]);
    pthread_mutex_unlock(&faults->lock);
    json_array_end(json);
}

/* ---- which one ---- */

struct looking {
    struct permission_check check;
    const struct fault *fault;
    struct slice *found; /* the first table that fits */
};

/* Whether a part of the request is about the fault's table or index. */
static struct error *look_at(const struct permission_check *check, struct permission *permission) {
    const struct looking *looking = container_of(check, const struct looking, check);
    const struct fault *fault = looking->fault;
    struct arn arn;
    if (!arn_parse(permission->request.resource, &arn) || arn.kind == ARN_OTHER)
        return NULL;
    bool table = fault->table[0] == '\0' || slice_is(arn.table, fault->table);
    bool index =
        fault->index[0] == '\0' || (arn.kind == ARN_INDEX && slice_is(arn.id, fault->index));
    if (table && index && !slice_present(*looking->found))
        *looking->found = arena_slice(permission->call->arena, arn.table);
    return NULL;
}

static bool fits(const struct fault *fault, struct op_call *call, struct slice *ret_table) {
    *ret_table = SLICE_NONE;
    if (is_used_up(fault) ||
        (fault->operation[0] != '\0' && strcmp(fault->operation, call->op->name) != 0))
        return false;
    const struct looking looking = {.check = {.ask = look_at}, .fault = fault, .found = ret_table};
    permission_ask(call, &looking.check); /* the request was found to be fine */
    return slice_present(*ret_table) || (fault->table[0] == '\0' && fault->index[0] == '\0');
}

/* The copy tells the table, also when any will do. */
static const struct fault *take_first(struct faults *faults, struct op_call *call) {
    struct slice table;
    for (size_t i = 0; i < faults->count; i++) {
        struct fault *fault = &faults->list[i];
        if (!fits(fault, call, &table))
            continue;
        fault->fired++;
        atomic_fetch_sub(&faults->left, 1);
        struct fault *taken = arena_copy(call->arena, fault, sizeof(*fault));
        if (slice_present(table))
            snprintf(taken->table, sizeof(taken->table), "%.*s", SLICE_ARGS(table));
        return taken;
    }
    return NULL;
}

const struct fault *faults_take(struct faults *faults, struct op_call *call) {
    if (atomic_load_explicit(&faults->left, memory_order_relaxed) == 0)
        return NULL;
    pthread_mutex_lock(&faults->lock);
    const struct fault *fault = take_first(faults, call);
    pthread_mutex_unlock(&faults->lock);
    return fault;
}

/* ---- its error ---- */

static const char *usual_text(enum error_code code) {
    switch ((int)code) {
    case ERROR_CONDITIONAL_CHECK_FAILED:
        return "The conditional request failed";
    case ERROR_TRANSACTION_CONFLICT:
        return "Transaction is ongoing for the item";
    case ERROR_ITEM_COLLECTION_SIZE_LIMIT_EXCEEDED:
        return "Collection size exceeded.";
    case ERROR_RESOURCE_NOT_FOUND:
        return "Requested resource not found";
    case ERROR_INTERNAL_SERVER_ERROR:
        return "Internal server error";
    case ERROR_SERVICE_UNAVAILABLE:
        return "The service is currently unavailable or busy.";
    default:
        return "A test asked for this error";
    }
}

static bool is_of_throttling(enum error_code code) {
    return code == ERROR_PROVISIONED_THROUGHPUT_EXCEEDED || code == ERROR_THROTTLING ||
           code == ERROR_REQUEST_LIMIT_EXCEEDED;
}

struct error *fault_error(const struct fault *fault, struct op_call *call) {
    struct error *error;
    if (!is_of_throttling(fault->error)) {
        account_touch(call, slice_text(fault->table));
        error = error_new(call->arena, fault->error, "%s", usual_text(fault->error));
    } else {
        struct throttled_wish wish = {
            .code = fault->error,
            .has_limit = fault->has_reason,
            .limit = fault->reason,
            .table = slice_text(fault->table),
            .index =
                fault->has_reason && !fault->reason_index ? SLICE_NONE : slice_text(fault->index),
        };
        error = throttled_call_error(call, &wish);
    }
    if (fault->message[0] != '\0')
        error->message = slice_text(fault->message);
    return error;
}
