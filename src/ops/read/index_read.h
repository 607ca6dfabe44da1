/* index_read.h - reading a secondary index with Query or Scan: what the service allows. */
#ifndef GRAMME_OPS_READ_INDEX_READ_H
#define GRAMME_OPS_READ_INDEX_READ_H

#include "ops/read/read_page.h"

/* Finds the index of page->range.table and sets page->range.index: it exists, can be read, and with
 * the consistency that is asked for. */
struct error *index_read_find(struct op_call *call, struct read_page *page,
                              struct slice index_name);
/* What is asked for is what the index has; sets page->fetch where a local index needs the table's
 * items. Without an index nothing happens. */
struct error *index_read_check_attributes(struct op_call *call, struct read_page *page);
/* Query only: a filter sees what the index projects. */
struct error *index_read_check_filter(struct op_call *call, const struct read_page *page);
/* The same for the attributes that a filter names. */
struct error *index_read_check_names(struct op_call *call, const struct read_page *page,
                                     const struct slice *names, size_t count);

/* ExclusiveStartKey of an index: the key attributes of index and table, each once. First those of
 * the index, later those of the table. */
struct error *index_read_check_start(struct arena *arena, const struct read_range *range);
struct error *index_read_check_table_start(struct arena *arena, const struct read_range *range);

#endif
