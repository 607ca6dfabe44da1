/* table_change.h - what CreateTable, UpdateTable and DeleteTable share: one change of the catalog
 * and a TableDescription as the reply. */
#ifndef GRAMME_OPS_TABLE_TABLE_CHANGE_H
#define GRAMME_OPS_TABLE_TABLE_CHANGE_H

#include "engine/catalog_job.h"
#include "ops/op.h"
#include "ops/table/table_description.h"

/* An operation's own state begins with this. */
struct table_change {
    struct catalog_job job;
    struct op_call *call;
    int64_t now_ms; /* when the request came */
};

/* Decides on the commit thread; see catalog_job. */
typedef struct error *table_change_fn(struct catalog_job *job, const struct table *current,
                                      size_t table_count, struct catalog_change *ret_change);

/* `size` bytes, zeroed, as call->work; `given` is the request's TableName. */
struct error *table_change_new(struct op_call *call, struct slice given, size_t size);
/* The descriptor's run ends with this. */
void table_change_submit(struct op_call *call, table_change_fn *change, enum op_state *ret_state);
/* The descriptor's finish when nothing is said of what was changed. */
struct error *table_change_finish(struct op_call *call);
/* The descriptor's release. */
void table_change_release(struct op_call *call);

/* A description of the table with what every reply needs; the rest is the caller's. */
struct table_description table_describe(const struct op_call *call, const struct table *table,
                                        int64_t now_ms);
/* The reply: {"TableDescription":{...}}, or "Table" for DescribeTable. */
void table_description_reply(struct op_call *call, const char *member,
                             const struct table_description *description);

/* The table that a request names and only wants to know of, borrowed from the thread's view of the
 * catalog. */
struct error *table_find(struct op_call *call, struct slice name_or_arn,
                         const struct table **ret_table);
/* "Requested resource not found: Table: <t> not found" */
struct error *table_not_found(struct arena *arena, struct slice name);
/* Fails unless the table is ACTIVE. */
struct error *table_check_active(struct arena *arena, const struct table_definition *definition);

#endif
