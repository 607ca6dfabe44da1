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

struct permission;
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
    struct account_range ended; /* the sums of what is accounted for */
    uint32_t partitions;        /* of the table or index that is scanned; of a query 1 */
    uint32_t partition;         /* the one that is being read */
    struct value last_key;      /* present: where to go on, the page ended before the range did */
};

/* What the requests of Query and Scan have in common. */
struct read_page_input {
    struct slice table_name;
    struct slice index_name;
    struct slice select;
    struct slice return_consumed_capacity;
    struct slice filter_expression;
    struct slice projection_expression;
    const struct field_list *attributes_to_get;
    const struct field_list *names;
    const struct field_list *values;
    int64_t limit;
    bool consistent;
};

/* A row of their field tables (item_fields.h). */
#define SELECT_FIELD(request)                                                                     \
    {                                                                                             \
        NAMED("Select"), AT(struct request, select),                                              \
            .type = FIELD_STRING,                                                                 \
            .enum_text = "[SPECIFIC_ATTRIBUTES, COUNT, ALL_ATTRIBUTES, ALL_PROJECTED_ATTRIBUTES]" \
    }

#define READ_PAGE_INPUT(request)                                                            \
    {                                                                                       \
        .table_name = (request)->table_name, .index_name = (request)->index_name,           \
        .select = (request)->select,                                                        \
        .return_consumed_capacity = (request)->return_consumed_capacity,                    \
        .filter_expression = (request)->filter_expression,                                  \
        .projection_expression = (request)->projection_expression,                          \
        .attributes_to_get = &(request)->attributes_to_get,                                 \
        .names = &(request)->expression_attribute_names,                                    \
        .values = &(request)->expression_attribute_values, .limit = (request)->limit.value, \
        .consistent = (request)->consistent_read.value,                                     \
    }

/* Sets call->work; the caller adds its own expressions. */
struct read_page *read_page_new(struct op_call *call, const struct read_page_input *input);

/* The request's Select and what it may be combined with; `prefix` is put before the texts. The
 * expressions are bound. */
struct error *read_page_check_select(struct arena *arena, const struct read_page *page,
                                     const char *prefix);

/* A broken rule inside ExclusiveStartKey. */
struct error *read_page_start_key_fault(struct arena *arena, const struct field_item *start_key);

/* Adds to a permission what Query and Scan have in common, and asks for it. */
struct error *read_page_ask(const struct read_page *page, const struct permission_check *check,
                            struct permission *permission, struct value start_key);

/* Reads and writes the reply. page->table and page->range are set by the first call. */
struct error *read_page_run(struct op_call *call, struct read_page *page, enum op_state *ret_state);
void read_page_release(struct read_page *page);

#endif
