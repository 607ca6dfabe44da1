/* meter.h - what is counted of a table, a global index, an operation on a table, and of the commit
 * thread.
 *
 * Entries are in lists that readers walk while one thread adds to their front; meters.h says whose
 * they are. */
#ifndef GRAMME_METRICS_METER_H
#define GRAMME_METRICS_METER_H

#include "base/error.h"
#include "metrics/latency.h"

/* No table's names. */
#define METER_NO_TABLE SLICE_LITERAL("")
#define METER_OTHER SLICE_LITERAL("(other)")

enum {
    METER_OPERATIONS_MAX = 80, /* the last number is for requests that name none */
    METER_NO_OPERATION = METER_OPERATIONS_MAX - 1,
    METER_TABLES_MAX = 4096, /* of a thread, as the next two */
    METER_TABLE_OPERATIONS_MAX = 8192,
    METER_INDEXES_MAX = 8192,
    METER_GROUP_SIZES = 14, /* 1, up to 2, up to 4, ... */
};

/* What became of a request: METER_OK, or METER_ERRORS and its error's code. */
enum { METER_OK, METER_ERRORS };
enum {
    METER_OUTCOMES = METER_ERRORS
#define ERROR(symbol, type, namespace, member, status) +1
#include "base/errors.def"
#undef ERROR
};

/* Why something was throttled. */
enum meter_throttle {
    METER_READ_PROVISIONED,
    METER_READ_KEY_RANGE,
    METER_READ_ACCOUNT,
    METER_READ_MAX_ON_DEMAND,
    METER_WRITE_PROVISIONED,
    METER_WRITE_KEY_RANGE,
    METER_WRITE_ACCOUNT,
    METER_WRITE_MAX_ON_DEMAND,
    METER_THROTTLES
};

/* Of a table with its local indexes, or of a global index: what is paid for. */
struct meter_resource {
    struct spread read, write; /* half units, a sample for each request */
    counter throttled[METER_THROTTLES];
};

struct meter_index {
    struct slice name;
    struct meter_resource own;
    struct meter_index *_Atomic next;
};

/* Of one operation on one table. */
struct meter_operation {
    counter outcomes[METER_OUTCOMES];
    struct latency latency;       /* of those that succeeded */
    struct spread returned;       /* items; of a stream records */
    struct spread returned_bytes; /* of a stream */
    counter throttled;            /* requests */
};

struct meter_table {
    struct slice name;
    struct meter_resource own;
    counter conditions_failed;
    counter conflicts; /* of transactions */
    counter expired;   /* items that were deleted when their time had come */
    counter stream_records;
    struct meter_index *_Atomic indexes;
    struct meter_operation *_Atomic operations[METER_OPERATIONS_MAX]; /* NULL: never asked for */
    struct meter_table *_Atomic next;
};

/* Of the commit thread. */
struct meter_commit {
    counter group_sizes[METER_GROUP_SIZES]; /* writes that were committed together */
    struct spread groups;
    struct latency syncs; /* what a commit takes until it is on the disk */
    counter last_sync_ns;
};

#endif
