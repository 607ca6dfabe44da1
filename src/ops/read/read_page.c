/* read_page.c - the loop over a range. Memory: the call's arena; items are written to the reply as
 * they are found. */
#include "ops/read/read_page.h"

#include <sched.h>

#include "json/member.h"
#include "model/capacity.h"
#include "model/key.h"
#include "model/limits.h"
#include "ops/account/consumed.h"
#include "ops/read/call_fetch.h"

enum {
    /* What a page may read on the I/O thread before it moves: less than the cost of moving it would
     * be worth. A scan that has so many items has mostly more. */
    INLINE_ITEMS_MAX = 256,
    INLINE_ITEMS_OF_SCAN_MAX = 32,
    INLINE_BYTES_MAX = 128 * 1024,
    /* On a worker it gives way now and then, or a GetItem that needs the same core would wait for
     * some milliseconds until the scheduler has a look. */
    ITEMS_BETWEEN_YIELDS = 64,
};

static bool is_scan(const struct read_page *page) {
    return !value_present(page->range.hash[0]);
}

/* Whose units are taken: those of the one partition of a query, too. */
static void note_partition(const struct op_call *call, struct read_page *page) {
    const struct read_range *range = &page->range;
    page->ticket = read_ticket(call, page->table, range->index, is_scan(page) ? NULL : range->hash);
}

static struct error *open_range(struct read_page *page) {
    const struct read_range *range = &page->range;
    TRY(cursor_open(&page->reader, range, &page->cursor));
    page->partitions =
        is_scan(page) ? capacity_partitions(&range->table->definition, range->index) : 1;
    page->partition = is_scan(page) ? cursor_partition(&page->cursor, page->partitions) : 0;
    return NULL;
}

/* What is fetched from the table for entries of a local index is of the same partition. */
static void account_for(struct op_call *call, struct read_page *page,
                        const struct account_range *range) {
    uint64_t halves = account_range(call, page->account, range);
    if (reads_are_throttled(call))
        read_throttle_take(call, &page->ticket, halves);
}

/* Nothing looks into an item before it is written. */
static bool only_writes_whole(const struct read_page *page) {
    return expressions_get(&page->expressions, EXPR_FILTER) == NULL && page->hooks == NULL &&
           !page->fetch && !page->count_only && projection_is_whole(&page->projection);
}

static struct error *start(struct op_call *call, struct read_page *page) {
    if (reads_are_throttled(call)) {
        note_partition(call, page);
        TRY(read_throttle_check(call, &page->ticket, capacity_read(0, page->consistent)));
    }
    page->account = account_table(call, page->table_name, page->table);
    TRY(call_reader_begin(call, (struct call_read){READ_SNAPSHOT, page->consistent},
                          &page->reader));
    page->reader.unread = only_writes_whole(page);
    TRY(open_range(page));
    json_writer_init(&page->json, call->reply);
    json_object_begin(&page->json);
    if (!page->count_only)
        member_array(&page->json, "Items");
    page->started = true;
    return NULL;
}

/* An entry of a local index stands for the whole item. */
static struct error *fetch(struct op_call *call, struct read_page *page, struct stored_item *item) {
    const struct key_schema *keys = &page->table->definition.keys;
    struct value key = key_of_item(call->arena, keys, NULL, item->item);
    if (!key_is_good(keys, key))
        return cursor_damaged(&page->cursor);
    TRY(reader_get(&page->reader, page->table, key, item));
    if (!value_present(item->item))
        return error_local(call->arena, "an index has an entry for an item that is not there");
    account_for(call, page,
                &(const struct account_range){
                    .consistent = page->consistent, .examined = 1, .bytes = item->size});
    page->fetched_bytes += item->size;
    return NULL;
}

static struct error *take(struct op_call *call, struct read_page *page, struct stored_item *item) {
    const struct expr *filter = expressions_get(&page->expressions, EXPR_FILTER);
    page->scanned++;
    page->bytes += item->size;
    if (page->fetch)
        TRY(fetch(call, page, item));
    if (filter != NULL && !expr_holds(filter, item->item))
        return NULL;
    page->count++;
    if (page->hooks != NULL && page->hooks->write_item != NULL)
        page->hooks->write_item(call, page, item->item);
    else if (!page->count_only &&
             !projection_write(&page->projection, call->arena, &page->json, item->item))
        return cursor_damaged(&page->cursor);
    return NULL;
}

static bool page_is_full(const struct read_page *page) {
    return (page->limit > 0 && page->scanned >= (uint64_t)page->limit) ||
           page->bytes + page->fetched_bytes >= LIMIT_PAGE_BYTES;
}

static bool too_long_for_here(const struct op_call *call, const struct read_page *page) {
    return !call->elsewhere &&
           (page->scanned >= (is_scan(page) ? INLINE_ITEMS_OF_SCAN_MAX : INLINE_ITEMS_MAX) ||
            page->bytes + page->fetched_bytes >= INLINE_BYTES_MAX);
}

/* What was read of a partition goes on the account: each is rounded by itself, as in the service,
 * where a scan asks them one after another. A query asks one. */
static void end_partition(struct op_call *call, struct read_page *page) {
    const struct account_range so_far = {
        .index = page->range.index,
        .consistent = page->consistent,
        .examined = page->scanned,
        .returned = page->count,
        .bytes = page->bytes,
    };
    struct account_range range = so_far;
    range.examined -= page->ended.examined;
    range.returned -= page->ended.returned;
    range.bytes -= page->ended.bytes;
    account_for(call, page, &range);
    page->ended = so_far;
}

/* Also those in between, in which nothing was found. */
static void end_partitions_before(struct op_call *call, struct read_page *page, uint32_t next) {
    for (; page->partition < next; page->partition++)
        end_partition(call, page);
}

/* A range is read to its end: the next one, where there are several. */
static struct error *go_on(struct op_call *call, struct read_page *page, bool *ret_more) {
    end_partitions_before(call, page, cursor_last_partition(&page->cursor, page->partitions) + 1);
    *ret_more = false;
    if (page->hooks == NULL || page->hooks->next_range == NULL || !page->hooks->next_range(page))
        return NULL;
    cursor_close(&page->cursor);
    if (reads_are_throttled(call))
        note_partition(call, page);
    TRY(open_range(page));
    *ret_more = true;
    return NULL;
}

/* Where the next page goes on. The end of a Query is no such place; of a statement with several
 * ranges the caller knows which is the last. */
static void note_last_key(struct op_call *call, struct read_page *page, struct value item) {
    const struct table_index *index = page->range.index;
    struct value key = key_of_item(call->arena, &page->table->definition.keys,
                                   index == NULL ? NULL : &index->keys, item);
    if (page->hooks != NULL || !read_range_ends_at(&page->range, key))
        page->last_key = key;
}

/* True when the page is complete. */
static struct error *read_on(struct op_call *call, struct read_page *page, bool *ret_complete) {
    *ret_complete = true;
    while (!too_long_for_here(call, page)) {
        struct stored_item item;
        TRY(cursor_next(&page->cursor, &item));
        if (!value_present(item.item)) {
            bool more;
            TRY(go_on(call, page, &more));
            if (!more)
                return NULL;
            continue;
        }
        if (page->partitions > 1)
            end_partitions_before(call, page, cursor_partition(&page->cursor, page->partitions));
        TRY(take(call, page, &item));
        if (call->elsewhere && page->scanned % ITEMS_BETWEEN_YIELDS == 0)
            sched_yield();
        if (page_is_full(page)) {
            note_last_key(call, page, item.item);
            end_partition(call, page);
            return NULL;
        }
    }
    *ret_complete = false;
    return NULL;
}

static void write_counts(struct read_page *page) {
    member_integer(&page->json, "Count", (int64_t)page->count);
    member_integer(&page->json, "ScannedCount", (int64_t)page->scanned);
}

static void write_end(struct op_call *call, struct read_page *page) {
    struct json_writer *json = &page->json;
    if (!page->count_only)
        json_array_end(json);
    if (page->hooks != NULL && page->hooks->write_members != NULL)
        page->hooks->write_members(call, page);
    else
        write_counts(page);
    if (value_present(page->last_key)) {
        JSON_NAME_LITERAL(json, "LastEvaluatedKey");
        item_write_json(json, page->last_key);
    }
    consumed_write(json, &call->account, page->return_consumed_capacity);
    json_object_end(json);
}

struct error *read_page_run(struct op_call *call, struct read_page *page,
                            enum op_state *ret_state) {
    if (op_goes_elsewhere(call, ret_state))
        return NULL;
    if (!page->started)
        TRY(start(call, page));
    bool complete;
    TRY(read_on(call, page, &complete));
    if (complete)
        write_end(call, page);
    *ret_state = complete ? OP_DONE : OP_ELSEWHERE;
    return NULL;
}

void read_page_release(struct read_page *page) {
    cursor_close(&page->cursor);
    reader_end(&page->reader);
    expressions_release(&page->expressions);
    table_unref(page->table);
}
