/* transact.c - TransactWriteItems and TransactGetItems. */
#include "client/get.h"
#include "client/reply.h"
#include "client/write.h"
#include "json/member.h"

/* ---- writes ---- */

static const char *action_name(enum ddb_action action) {
    switch (action) {
    case DDB_PUT:
        return "Put";
    case DDB_UPDATE:
        return "Update";
    case DDB_DELETE:
        return "Delete";
    case DDB_CHECK:
        return "ConditionCheck";
    }
    return NULL;
}

static void write_action(struct request *request, const struct ddb_write *write) {
    struct json_writer *writer = &request->writer;
    const char *name = action_name(write->action);
    if (name == NULL) {
        request_wrong(request, "`action` is none of enum ddb_action");
        return;
    }
    json_object_begin(writer);
    member_object(writer, name);
    write_members(request, write->action, write);
    json_object_end(writer);
    json_object_end(writer);
}

bool ddb_transact_write_items(struct ddb_client *client, const struct ddb_write *actions,
                              size_t count, const char *token) {
    struct request request;
    request_begin(&request, client, "TransactWriteItems", &client->request);
    member_array(&request.writer, "TransactItems");
    for (size_t i = 0; i < count; i++)
        write_action(&request, &actions[i]);
    json_array_end(&request.writer);
    member_text(&request.writer, "ClientRequestToken",
                token != NULL ? slice_text(token) : random_uuid(client->random, &client->arena));
    /* The reply holds nothing that was asked for, but it must be one. */
    return request_send(&request, REPEAT_TOKEN) &&
           reply_read_item(client, request.operation, "", NULL);
}

/* ---- reads ---- */

static void write_get(struct request *request, const struct ddb_get *get) {
    if (get->consistent)
        request_wrong(request, "a transaction reads consistently: leave `consistent` out");
    json_object_begin(&request->writer);
    member_object(&request->writer, "Get");
    get_members(request, get);
    json_object_end(&request->writer);
    json_object_end(&request->writer);
}

/* {"Item": {...}} or {} */
static void read_response(struct reply *reply, struct ddb_item **ret_item) {
    while (reply_next(reply)) {
        if (slice_is(reply->name, "Item"))
            reply_item(reply, ret_item);
        else
            reply_skip(reply);
    }
}

static void read_responses(struct reply *reply, size_t count, struct ddb_item **items) {
    struct json_reader *reader = &reply->reader;
    reply->wrong = json_next(reader) != JSON_ARRAY_BEGIN;
    for (size_t i = 0; !reply->wrong && json_next(reader) != JSON_ARRAY_END; i++) {
        if (reader->token == JSON_OBJECT_BEGIN && i < count)
            read_response(reply, &items[i]);
        else
            reply->wrong = true;
    }
}

static bool read_items(struct ddb_client *client, const char *operation, size_t count,
                       struct ddb_item **ret_items) {
    struct ddb_item **items = ARENA_ARRAY(&client->arena, struct ddb_item *, count);
    struct reply reply;
    reply_begin(&reply, client);
    while (reply_next(&reply)) {
        if (slice_is(reply.name, "Responses"))
            read_responses(&reply, count, items);
        else
            reply_skip(&reply);
    }
    bool ok = reply_end(&reply, operation);
    for (size_t i = 0; i < count; i++) {
        if (ok)
            ret_items[i] = items[i];
        else
            ddb_item_free(items[i]);
    }
    return ok;
}

bool ddb_transact_get_items(struct ddb_client *client, const struct ddb_get *gets, size_t count,
                            struct ddb_item **ret_items) {
    struct request request;
    request_begin(&request, client, "TransactGetItems", &client->request);
    member_array(&request.writer, "TransactItems");
    for (size_t i = 0; i < count; i++)
        write_get(&request, &gets[i]);
    json_array_end(&request.writer);
    return request_send(&request, REPEAT_READ) &&
           read_items(client, request.operation, count, ret_items);
}
