/* account.h - what a call touched and what that costs: of each table and each index the kind of
 * access, items, bytes and capacity.
 *
 * Every call keeps one, whether somebody asks for it or not; op.h says when it is complete. It is
 * filled where items are read (account_get, account_range) and where writes come back from the
 * engine (account_writes). Replies show it (consumed.h). Of what was throttled nothing is touched;
 * that it was is noted.
 *
 * Memory: the first table is in the account itself; more tables, and indexes, are in the call's
 * arena. Tables are borrowed: they are there until the operation's release, or when they are kept
 * until account_let_go(). Threads: the one that runs the call. */
#ifndef GRAMME_OPS_ACCOUNT_ACCOUNT_H
#define GRAMME_OPS_ACCOUNT_ACCOUNT_H

#include "base/error.h"

struct op_call;
struct stored_item;
struct table;
struct table_index;
struct write_job;

/* How a table was used; together what all uses of it were. */
enum account_access {
    ACCOUNT_READ = 1 << 0,
    ACCOUNT_CONSISTENT = 1 << 1, /* with READ */
    ACCOUNT_WRITE = 1 << 2,
    ACCOUNT_TRANSACTION = 1 << 3,
    /* With READ and TRANSACTION: the writes were done before, and cost what reading costs. */
    ACCOUNT_REPLAY = 1 << 4,
    ACCOUNT_RANGE = 1 << 5, /* with READ: of all that a range holds, not of items by their keys */
};

/* What was touched of a table itself or of an index. */
struct account_cost {
    uint64_t halves;   /* half units of capacity (model/capacity.h) */
    uint64_t examined; /* items that were read */
    uint64_t returned; /* and those of them that passed the filter */
    uint64_t written;  /* writes that were done, checks of transactions too; entries that changed */
    uint64_t bytes;    /* of what was examined; of a write the larger of before and after */
};

struct account_index {
    struct slice name;
    bool global;
    struct account_cost cost;
    struct account_index *next;
};

struct account_table {
    struct slice name;         /* as the request gives it: a name or an ARN */
    const struct table *table; /* NULL: the entry is free */
    uint32_t access;
    struct account_cost cost; /* of the table without its indexes */
    /* Writes that came to their item and failed, as a false condition does, and what they cost. A
     * transaction that is cancelled fails all of its writes. */
    uint64_t failed;
    uint64_t failed_halves;
    uint32_t conditions_failed;    /* of the failed ones, those whose condition was false */
    uint32_t conflicts;            /* and those that met a transaction */
    struct account_index *indexes; /* in the order they were touched */
    struct account_table *next;
};

/* Parts of the request that found nothing left of one limit of a table or an index. */
struct account_throttle {
    const struct table *table;
    struct throttling_reason by;
    uint64_t events; /* one for each item, or page */
    struct account_throttle *next;
};

/* What was read of a stream. */
struct account_stream {
    struct slice table_name; /* absent: none was read */
    uint32_t id;             /* the stream's */
    uint64_t records;
    uint64_t bytes;
};

struct account {
    struct account_table first; /* the tables in the order they were touched */
    struct account_throttle *throttled;
    struct account_stream stream;
};

/* The entry of a table, made when the name is new: also one of which nothing is read is touched. */
struct account_table *account_table(struct op_call *call, struct slice name,
                                    const struct table *table);
/* Of a call that fails before it found its table, so that it is counted as one of that table; a
 * name that no table has is left alone. */
void account_touch(struct op_call *call, struct slice name);

/* One item, looked for by its key. An absent one costs as much as a small one. Returns what it
 * costs, in half units, as the next two do. */
uint64_t account_get(struct account_table *table, const struct stored_item *item, bool consistent);
/* The same in a transaction. */
uint64_t account_transact_get(struct account_table *table, const struct stored_item *item);

/* What was read in one go of a table or an index: it is rounded as a whole. */
struct account_range {
    const struct table_index *index; /* NULL: the table itself */
    bool consistent;
    uint64_t examined;
    uint64_t returned;
    uint64_t bytes;
};
uint64_t account_range(struct op_call *call, struct account_table *table,
                       const struct account_range *range);

/* The writes of a job that is done. `names`: of their tables, as the request gives them. */
void account_writes(struct op_call *call, const struct write_job *job, const struct slice *names);

/* That the error refused something of the table; it is one of throttling. */
void account_throttled(struct op_call *call, const struct table *table, const struct error *error);

/* Its tables outlive the operation's release, and do so no more. */
void account_keep(const struct account *account);
void account_let_go(const struct account *account);

#endif
