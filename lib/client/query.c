/* query.c - Query and Scan, page by page. */
#include <stdlib.h>

#include "client/cursor.h"
#include "json/member.h"

/* ---- pages ---- */

/* Without a filter no more items are read than will be given; with one, nobody knows how many that
 * takes. */
static int64_t page_limit(const struct ddb_cursor *cursor) {
    int64_t left = cursor->limit - cursor->given;
    if (cursor->limit == 0 || cursor->filtered)
        return cursor->page_size;
    return cursor->page_size > 0 && cursor->page_size < left ? cursor->page_size : left;
}

static void write_page(struct ddb_cursor *cursor) {
    struct buffer *out = &cursor->client->request;
    buffer_append_slice(out, buffer_slice(&cursor->request));
    int64_t limit = page_limit(cursor);
    if (limit > 0)
        buffer_printf(out, ",\"Limit\":%lld", (long long)limit);
    if (cursor->position != NULL) {
        struct json_writer writer;
        buffer_append_text(out, ",\"ExclusiveStartKey\":");
        json_writer_init(&writer, out);
        tree_write_item(&writer, cursor->position);
    }
    buffer_append_text(out, "}");
}

static bool read_member(struct ddb_cursor *cursor, struct reply *reply) {
    if (slice_is(reply->name, "Items"))
        reply_items(reply, &cursor->page);
    else if (slice_is(reply->name, "Count"))
        reply_integer(reply, &cursor->page_count);
    else if (slice_is(reply->name, "ScannedCount"))
        reply_integer(reply, &cursor->page_scanned_count);
    else if (slice_is(reply->name, "LastEvaluatedKey"))
        reply_item(reply, &cursor->page_end);
    else
        return false;
    return true;
}

static bool is_same_key(const struct ddb_item *a, const struct ddb_item *b) {
    char *left = ddb_item_json(a), *right = ddb_item_json(b);
    bool same = strcmp(left, right) == 0;
    free(left);
    free(right);
    return same;
}

/* A page without items that ends where it began would be asked for again for ever. */
static bool advance(struct ddb_cursor *cursor) {
    if (cursor->page.count == 0 && cursor->position != NULL && cursor->page_end != NULL &&
        is_same_key(cursor->position, cursor->page_end))
        return cursor_fail_in_circles(cursor);
    cursor->count += cursor->page_count;
    cursor->scanned_count += cursor->page_scanned_count;
    cursor->finished = cursor->page_end == NULL;
    ddb_item_free(cursor->position);
    cursor->position = cursor->page_end;
    cursor->page_end = NULL;
    return true;
}

/* ---- the call ---- */

static void write_query(struct request *request, const struct ddb_query *query) {
    request_table(request, query->table);
    request_text(request, "IndexName", query->index);
    request_text(request, "KeyConditionExpression", query->key_condition);
    request_text(request, "FilterExpression", query->filter);
    request_text(request, "ProjectionExpression", query->projection);
    request_names(request, query->names);
    request_values(request, query->values);
    request_true(request, "ConsistentRead", query->consistent);
    if (query->descending)
        member_bool(&request->writer, "ScanIndexForward", false);
    request_text(request, "Select", query->count_only ? "COUNT" : NULL);
    if (query->total_segments > 0) {
        member_integer(&request->writer, "Segment", query->segment);
        request_positive(request, "TotalSegments", query->total_segments);
    }
}

static struct ddb_cursor *start(struct ddb_client *client, const struct ddb_query *query,
                                const struct pager *pager) {
    struct ddb_cursor *cursor = cursor_new(client, pager);
    cursor->limit = query->limit > 0 ? query->limit : 0;
    cursor->page_size = query->page_size;
    cursor->filtered = query->filter != NULL;
    struct request request;
    request_begin(&request, client, pager->operation, &cursor->request);
    write_query(&request, query);
    if (query->start_key != NULL) {
        request_check_item(&request, query->start_key);
        cursor->position = ddb_item_copy(query->start_key);
    }
    cursor = cursor_start(cursor, &request);
    while (cursor != NULL && query->count_only && !cursor->finished)
        cursor = cursor_start(cursor, &request);
    return cursor;
}

struct ddb_cursor *ddb_query(struct ddb_client *client, const struct ddb_query *query) {
    static const struct pager pager = {"Query", write_page, read_member, advance};
    return start(client, query, &pager);
}

struct ddb_cursor *ddb_scan(struct ddb_client *client, const struct ddb_query *scan) {
    static const struct pager pager = {"Scan", write_page, read_member, advance};
    return start(client, scan, &pager);
}
