/* batch_write.c - BatchWriteItem, 25 writes at a time, until all are done.
 *
 * What the server leaves unprocessed it sends back in the form of a request, so the next request is
 * that text. It is sent again after a wait, and given up when as many rounds as there are attempts
 * made no progress: each round with progress leaves fewer writes, so the loop ends. */
#include "client/reply.h"
#include "client/request.h"
#include "json/member.h"
#include "model/limits.h"

#define OPERATION "BatchWriteItem"

/* ---- the first request of a chunk ---- */

static void write_action(struct request *request, const struct ddb_write *write) {
    struct json_writer *writer = &request->writer;
    bool put = write->action == DDB_PUT;
    if (!put && write->action != DDB_DELETE)
        request_wrong(request, "a batch puts and deletes, nothing else");
    if (write->condition != NULL || write->update != NULL)
        request_wrong(request, "the writes of a batch have no conditions and no updates");
    json_object_begin(writer);
    json_name(writer, slice_text(put ? "PutRequest" : "DeleteRequest"));
    json_object_begin(writer);
    if (put)
        request_needed_item(request, "Item", write->item);
    else
        request_needed_item(request, "Key", write->key);
    json_object_end(writer);
    json_object_end(writer);
}

/* Whether one of the writes before names the same table. */
static bool table_seen(const struct ddb_write *writes, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (strcmp(writes[i].table, writes[at].table) == 0)
            return true;
    return false;
}

/* The request has a list for each table. */
static void write_tables(struct request *request, const struct ddb_write *writes, size_t count) {
    struct json_writer *writer = &request->writer;
    for (size_t i = 0; i < count; i++) {
        if (table_seen(writes, i))
            continue;
        json_name(writer, slice_text(writes[i].table));
        json_array_begin(writer);
        for (size_t j = i; j < count; j++)
            if (strcmp(writes[j].table, writes[i].table) == 0)
                write_action(request, &writes[j]);
        json_array_end(writer);
    }
}

static void write_chunk(struct request *request, const struct ddb_write *writes, size_t count) {
    request_begin(request, request->client, OPERATION, &request->client->request);
    for (size_t i = 0; i < count; i++)
        if (writes[i].table == NULL)
            request_wrong(request, "no table is named");
    member_object(&request->writer, "RequestItems");
    if (!request->wrong)
        write_tables(request, writes, count);
    json_object_end(&request->writer);
}

/* ---- what is left ---- */

/* {"table": [{...}, {...}]}: the elements of all lists. */
static size_t count_requests(struct slice json, struct arena *arena) {
    struct json_reader reader;
    size_t count = 0;
    json_reader_init(&reader, json, arena);
    while (json_next(&reader) > JSON_END)
        if (reader.token == JSON_OBJECT_BEGIN && reader.depth == 3) {
            count++;
            json_skip(&reader);
        }
    return count;
}

static bool read_unprocessed(struct ddb_client *client, struct slice *ret_json) {
    struct reply reply;
    reply_begin(&reply, client);
    *ret_json = SLICE_LITERAL("{}");
    while (reply_next(&reply)) {
        if (slice_is(reply.name, "UnprocessedItems"))
            reply_object(&reply, ret_json);
        else
            reply_skip(&reply);
    }
    return reply_end(&reply, OPERATION);
}

static void write_rest(struct ddb_client *client, struct slice json) {
    buffer_reset(&client->request);
    buffer_append_text(&client->request, "{\"RequestItems\":");
    buffer_append_slice(&client->request, json);
    buffer_append_text(&client->request, "}");
}

/* Sends what is in the client's request, and what is left of it. */
static bool send_chunk(struct ddb_client *client, size_t left) {
    int rounds_in_vain = 0;
    for (;;) {
        struct slice rest;
        if (!client_send(client, OPERATION, REPEAT_SAME) || !read_unprocessed(client, &rest))
            return false;
        size_t still_left = count_requests(rest, &client->arena);
        if (still_left == 0)
            return true;
        rounds_in_vain = still_left < left ? 1 : rounds_in_vain + 1;
        if (rounds_in_vain >= client->settings.attempts_max) {
            client_fail(client, DDB_ERROR_SERVICE,
                        "the server left %zu writes of a batch unprocessed, %d times in a row",
                        still_left, rounds_in_vain);
            client->error.retryable = true;
            return false;
        }
        left = still_left;
        write_rest(client, rest);
        client_wait(client, rounds_in_vain);
    }
}

bool ddb_batch_write_items(struct ddb_client *client, const struct ddb_write *writes, size_t count,
                           size_t *ret_done) {
    bool ok = client_begin(client);
    size_t done = 0;
    while (ok && done < count) {
        size_t chunk = count - done;
        if (chunk > LIMIT_BATCH_WRITE_REQUESTS)
            chunk = LIMIT_BATCH_WRITE_REQUESTS;
        struct request request = {.client = client};
        write_chunk(&request, writes + done, chunk);
        ok = request_end(&request) && send_chunk(client, chunk);
        if (ok)
            done += chunk;
    }
    if (ret_done != NULL)
        *ret_done = done;
    return ok;
}
