/* workload.h - what is asked of the endpoint: kinds of requests, and how often each.
 *
 * All workloads share one table: key `pk`, eight digits; index `by_group` on `g`, the key divided
 * by 100, and `pk`; `n`, a number that updates count up; `b`, a truth; `p`, the payload. */
#ifndef GRAMME_BENCH_WORKLOAD_H
#define GRAMME_BENCH_WORKLOAD_H

#include "bench/request.h"

enum {
    WORKLOAD_KINDS_MAX = 3,
    WORKLOAD_STEPS_MAX = 2,
    WORKLOAD_GROUP = 100,
    WORKLOAD_LOAD_BATCH = 25,
    WORKLOAD_ITEM_BYTES = 25, /* of an item without its payload, as DynamoDB counts */
};

#define WORKLOAD_INDEX "by_group"

/* One kind of request: a row of the results. */
struct workload_kind {
    const char *name;
    struct request_text text;
    bool is_batch; /* the reply may tell of unprocessed parts */
    bool is_get;   /* the reply is empty when there is no such item */
    bool inserts;
};

/* An operation: a request, and maybe a second one on the same key after its reply. */
struct workload_step {
    unsigned weight; /* of 100 in sum */
    int first;
    int second; /* -1: none */
};

struct workload {
    const char *name;
    const char *description;
    enum key_order order; /* unless the user wants another */
    uint64_t keys_min;    /* a batch has each key once */
    size_t kind_count;
    struct workload_kind kinds[WORKLOAD_KINDS_MAX];
    size_t step_count;
    struct workload_step steps[WORKLOAD_STEPS_MAX];
};

/* The list, for help: the name and description of the one at `index`; false after the last. */
bool workload_listing(size_t index, const char **ret_name, const char **ret_description);

/* The workload on that table, with `batch` items per request where there are batches (0: as many as
 * listed). The table's name has only what DynamoDB allows. NULL: there is no such workload. */
const struct workload *workload_find(struct arena *arena, const char *name, const char *table,
                                     unsigned batch);
/* The most items that a request of it may have; 0: it has no batches. */
unsigned workload_batch_max(const char *name);

/* Fills the table: every key once. */
const struct workload *workload_load(struct arena *arena, const char *table, uint64_t keys);
/* One kind of request of the user's own. */
const struct workload *workload_own(struct arena *arena, struct request_text text);

/* The body of a CreateTable for that table. */
struct slice workload_table(struct arena *arena, const char *table);

#endif
