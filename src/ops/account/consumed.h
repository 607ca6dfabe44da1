/* consumed.h - ConsumedCapacity in replies. Units are counted in halves (model/capacity.h). */
#ifndef GRAMME_OPS_ACCOUNT_CONSUMED_H
#define GRAMME_OPS_ACCOUNT_CONSUMED_H

#include "engine/write.h"
#include "json/writer.h"

enum consumed_detail { CONSUMED_NONE, CONSUMED_TOTAL, CONSUMED_INDEXES };

/* From the request's ReturnConsumedCapacity, which passed its constraint. */
enum consumed_detail consumed_detail(struct slice return_consumed_capacity);

/* Transactions say with every figure whether it is of reads or of writes. */
enum consumed_units { CONSUMED_UNITS, CONSUMED_READ_UNITS, CONSUMED_WRITE_UNITS };

struct consumed_index {
    struct slice name;
    bool global;
    uint64_t halves;
};

/* What a request consumed of one table and of the indexes that it touched. */
struct consumed {
    struct slice table_name; /* as the request gave it */
    uint64_t table_halves;
    uint64_t failed_halves; /* of writes that failed: in the total, in no part */
    struct consumed_index *indexes;
    size_t index_count;
    enum consumed_units units;
};

/* Adds one write: to the table, and to each index that it changed. Indexes are gathered in the
 * arena. */
void consumed_add_write(struct consumed *consumed, struct arena *arena,
                        const struct item_write *write);
/* The same for a write of a transaction; `replayed`: it was done before, and is counted as a read.
 */
void consumed_add_transact_write(struct consumed *consumed, struct arena *arena,
                                 const struct item_write *write, bool replayed);
void consumed_add_index(struct consumed *consumed, struct arena *arena,
                        const struct consumed_index *cost);

/* {"TableName":"t","CapacityUnits":1.0}, and with INDEXES its parts. Call with a detail other than
 * NONE. */
void consumed_write(struct json_writer *json, enum consumed_detail detail,
                    const struct consumed *consumed);
/* ,"ConsumedCapacity":{...} as a member, or nothing with CONSUMED_NONE. */
void consumed_write_member(struct json_writer *json, enum consumed_detail detail,
                           const struct consumed *consumed);

/* What a request consumed of several tables, in the order in which it names them. */
struct consumed_list {
    struct consumed *tables;
    size_t count;
};

/* For at most `tables_max` tables. */
void consumed_list_init(struct consumed_list *list, struct arena *arena, size_t tables_max);
/* The entry of a table, made when it is new. */
struct consumed *consumed_list_table(struct consumed_list *list, struct slice table_name);
/* ,"ConsumedCapacity":[...] as a member, or nothing with CONSUMED_NONE. */
void consumed_list_write_member(struct json_writer *json, enum consumed_detail detail,
                                const struct consumed_list *list);

#endif
