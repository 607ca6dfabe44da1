/* read_page.h - what Query and Scan have in common: one page of a range, filtered, projected and
 * accounted for.
 *
 * A page ends after `limit` evaluated items, or when they reach 1 MB, or at the end of the range.
 * It starts on the I/O thread; when it turns out to be long it says OP_ELSEWHERE and goes on where
 * it stopped, on a worker thread. */
#ifndef GRAMME_OPS_READ_READ_PAGE_H
#define GRAMME_OPS_READ_READ_PAGE_H

#include "engine/read.h"
#include "ops/read/projection.h"
#include "ops/request/expressions.h"
#include "ops/throttle/read_throttle.h"

struct read_page;

/* What a caller other than Query and Scan does in its own way. Each may be NULL. */
struct read_page_hooks {
    /* Instead of page->projection: the JSON of an item. */
    void (*write_item)(struct op_call *call, struct read_page *page, struct value item);
    /* A range is read to its end: sets page->range to the next one, or returns false. */
    bool (*next_range)(struct read_page *page);
    /* Instead of Count and ScannedCount: the members after the items. */
    void (*write_members)(struct op_call *call, struct read_page *page);
};

struct read_page {
    struct expressions expressions;
    struct slice table_name; /* as the request gave it */
    struct slice return_consumed_capacity;
    struct projection projection;
    struct slice select;
    bool has_index; /* the request names one */
    bool count_only;
    bool consistent;
    bool fetch;                          /* of a local index: items are read from the table */
    int64_t limit;                       /* 0: none */
    struct table *table;                 /* referenced once the page runs */
    const struct read_page_hooks *hooks; /* NULL: none */
    void *context;                       /* the hooks' */

    /* Progress. */
    struct read_range range;
    struct reader reader;
    struct cursor cursor;
    struct json_writer json;
    bool started;
    uint64_t count;
    uint64_t scanned;
    uint64_t bytes;
    uint64_t fetched_bytes; /* of the items read from the table, which fill the page too */
    struct account_table *account;
    struct read_ticket ticket;  /* where reads are throttled */
    struct account_range ended; /* the sums of what is accounted for */
    uint32_t partitions;        /* of the table or index that is scanned; of a query 1 */
    uint32_t partition;         /* the one that is being read */
    struct value last_key;      /* present: where to go on, the page ended before the range did */
};

/* Reads and writes the reply. page->table and page->range are set by the first call. */
struct error *read_page_run(struct op_call *call, struct read_page *page, enum op_state *ret_state);
void read_page_release(struct read_page *page);

#endif
