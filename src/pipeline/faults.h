/* faults.h - what is to go wrong, for tests of clients: which requests, how, and how often.
 *
 * A fault is asked for beforehand and happens so many times, to the first requests that it fits,
 * whatever comes in between: tests are the same each time they run. Only valid requests of callers
 * who are allowed to make them are looked at. Of several faults that fit, the oldest that is not
 * used up happens.
 *
 * Memory: bounded; a fault that is used up makes room for a new one. Threads: any; while nothing is
 * asked for, a request costs one look at a number. */
#ifndef GRAMME_PIPELINE_FAULTS_H
#define GRAMME_PIPELINE_FAULTS_H

#include "json/writer.h"
#include "ops/op.h"

enum {
    FAULTS_MAX = 100,
    FAULT_COUNT_MAX = 1000000,
    FAULT_DELAY_MS_MAX = 60000,
    FAULT_UNPROCESSED_MAX = 100,
    FAULT_NAME_BYTES = 256, /* with the NUL, as the next */
    FAULT_MESSAGE_BYTES = 1024,
};

struct fault {
    /* Whose: empty texts fit everything. */
    char operation[FAULT_NAME_BYTES];
    char table[FAULT_NAME_BYTES];
    char index[FAULT_NAME_BYTES]; /* with a table */
    /* What. */
    bool has_error;
    enum error_code error;
    char message[FAULT_MESSAGE_BYTES]; /* empty: the service's */
    bool has_reason;                   /* of an error of throttling; else one that fits it */
    bool reason_index;
    enum throttling_limit reason;
    int64_t delay_ms;
    int64_t unprocessed; /* of a batch: so many parts are left to the caller */
    bool drop;           /* the connection ends without a reply */
    bool after;          /* what the request does has happened by then */
    /* How often. */
    int64_t count;
    int64_t fired;
};

struct faults;

struct faults *faults_new(void);
void faults_free(struct faults *faults); /* NULL is fine */

/* All of them or, when there is no room, none. */
bool faults_add(struct faults *faults, const struct fault *list, size_t count);
void faults_clear(struct faults *faults);
/* An array of objects. */
void faults_write(struct faults *faults, struct json_writer *json);

/* The fault that happens to the call, which is valid and did not run yet; NULL: none. A copy in its
 * arena. On the thread of its catalog. */
const struct fault *faults_take(struct faults *faults, struct op_call *call);
/* The error that the fault is for the call. It has one. */
struct error *fault_error(const struct fault *fault, struct op_call *call);

#endif
