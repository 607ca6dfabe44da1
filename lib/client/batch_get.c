/* batch_get.c - BatchGetItem, 100 keys at a time, until all are answered.
 *
 * What the server leaves unprocessed it sends back in the form of a request; that goes first, after
 * a wait, and is given up when as many rounds as there are attempts left as much as before. */
#include "client/cursor.h"
#include "json/member.h"
#include "model/limits.h"

/* ---- pages ---- */

static void write_keys(struct ddb_cursor *cursor, struct buffer *out) {
    size_t first = cursor->keys_sent, last = first + LIMIT_BATCH_GET_KEYS;
    if (last > cursor->key_count)
        last = cursor->key_count;
    for (size_t i = first; i < last; i++) {
        size_t start = i == 0 ? 0 : cursor->key_ends[i - 1];
        if (i > first)
            buffer_append_text(out, ",");
        buffer_append(out, cursor->keys.data + start, cursor->key_ends[i] - start);
    }
    cursor->keys_asked = last - first;
}

static void write_page(struct ddb_cursor *cursor) {
    struct buffer *out = &cursor->client->request;
    if (cursor->rest.len > 0) {
        client_wait(cursor->client, cursor->rounds_in_vain);
        buffer_append_text(out, "{\"RequestItems\":");
        buffer_append_slice(out, buffer_slice(&cursor->rest));
        buffer_append_text(out, "}");
        return;
    }
    buffer_append_slice(out, buffer_slice(&cursor->request));
    write_keys(cursor, out);
    buffer_append_text(out, "]}}}");
}

/* {"table": [{...}, ...]} */
static void read_responses(struct ddb_cursor *cursor, struct reply *reply) {
    reply_enter(reply);
    while (reply_next(reply))
        reply_items(reply, &cursor->page);
}

static bool read_member(struct ddb_cursor *cursor, struct reply *reply) {
    if (slice_is(reply->name, "Responses"))
        read_responses(cursor, reply);
    else if (slice_is(reply->name, "UnprocessedKeys"))
        reply_object(reply, &cursor->page_rest);
    else
        return false;
    return true;
}

/* {} or { } is nothing. */
static bool is_empty_object(struct slice json) {
    for (size_t i = 0; i < json.len; i++)
        if (json.data[i] == '"')
            return false;
    return true;
}

static bool advance(struct ddb_cursor *cursor) {
    struct ddb_client *client = cursor->client;
    bool was_rest = cursor->rest.len > 0, is_rest = !is_empty_object(cursor->page_rest);
    bool progress = !was_rest || cursor->page_rest.len < cursor->rest.len;
    cursor->rounds_in_vain = progress ? 1 : cursor->rounds_in_vain + 1;
    if (is_rest && cursor->rounds_in_vain >= client->settings.attempts_max) {
        client_fail(client, DDB_ERROR_SERVICE,
                    "the server left keys of a batch unprocessed, %d times in a row",
                    cursor->rounds_in_vain);
        client->error.retryable = true;
        return false;
    }
    if (!was_rest)
        cursor->keys_sent += cursor->keys_asked;
    buffer_reset(&cursor->rest);
    if (is_rest)
        buffer_append_slice(&cursor->rest, cursor->page_rest);
    cursor->count += (int64_t)cursor->page.count;
    cursor->finished = !is_rest && cursor->keys_sent == cursor->key_count;
    return true;
}

/* ---- the call ---- */

static void keep_keys(struct ddb_cursor *cursor, struct request *request,
                      const struct ddb_batch_get *get) {
    cursor->key_ends = tree_alloc((get->key_count + 1) * sizeof(*cursor->key_ends));
    for (size_t i = 0; i < get->key_count; i++) {
        struct json_writer writer;
        json_writer_init(&writer, &cursor->keys);
        if (get->keys[i] == NULL) {
            request_wrong(request, "a key is NULL");
            return;
        }
        request_check_item(request, get->keys[i]);
        tree_write_item(&writer, get->keys[i]);
        cursor->key_ends[i] = cursor->keys.len;
    }
    cursor->key_count = get->key_count;
}

struct ddb_cursor *ddb_batch_get_items(struct ddb_client *client, const struct ddb_batch_get *get) {
    static const struct pager pager = {"BatchGetItem", write_page, read_member, advance};
    struct ddb_cursor *cursor = cursor_new(client, &pager);
    struct request request;
    request_begin(&request, client, pager.operation, &cursor->request);
    if (get->table == NULL)
        request_wrong(&request, "no table is named");
    member_object(&request.writer, "RequestItems");
    json_name(&request.writer, slice_text(get->table == NULL ? "" : get->table));
    json_object_begin(&request.writer);
    request_true(&request, "ConsistentRead", get->consistent);
    request_text(&request, "ProjectionExpression", get->projection);
    request_names(&request, get->names);
    member_array(&request.writer, "Keys");
    keep_keys(cursor, &request, get);
    if (get->key_count == 0) {
        cursor->finished = true;
        if (!request.wrong)
            return cursor;
    }
    return cursor_start(cursor, &request);
}
