/* reply.c - the members of a reply. */
#include "client/reply.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

void item_array_clear(struct item_array *array) {
    for (size_t i = 0; i < array->count; i++)
        ddb_item_free(array->items[i]);
    array->count = 0;
}

void item_array_add(struct item_array *array, struct ddb_item *item) {
    if (array->count == array->capacity) {
        array->capacity = array->capacity == 0 ? 16 : array->capacity * 2;
        array->items = realloc(array->items, array->capacity * sizeof(*array->items));
        CHECK(array->items != NULL);
    }
    array->items[array->count++] = item;
}

void reply_begin(struct reply *reply, struct ddb_client *client) {
    reply->client = client;
    reply->name = SLICE_NONE;
    json_reader_init(&reply->reader, buffer_slice(&client->reply), &client->arena);
    reply->wrong = json_next(&reply->reader) != JSON_OBJECT_BEGIN;
}

bool reply_next(struct reply *reply) {
    if (reply->wrong)
        return false;
    enum json_token token = json_next(&reply->reader);
    reply->name = reply->reader.text;
    reply->wrong = token != JSON_NAME && token != JSON_OBJECT_END;
    return token == JSON_NAME;
}

bool reply_end(struct reply *reply, const char *operation) {
    if (!reply->wrong && json_next(&reply->reader) == JSON_END)
        return true;
    struct ddb_client *client = reply->client;
    client_fail(client, DDB_ERROR_REPLY,
                "%s: the server's reply is not DynamoDB's JSON, near byte %zu of it", operation,
                (size_t)(reply->reader.next - reply->reader.start));
    client->error.maybe_applied = client->repeat != REPEAT_READ;
    return false;
}

/* Takes the first token of a value; false for a null, and when something is wrong already. */
static bool take(struct reply *reply, enum json_token expected) {
    if (reply->wrong)
        return false;
    enum json_token token = json_next(&reply->reader);
    reply->wrong = token != expected && token != JSON_NULL;
    return token == expected;
}

void reply_skip(struct reply *reply) {
    if (reply->wrong)
        return;
    json_next(&reply->reader);
    reply->wrong = !json_skip(&reply->reader);
}

void reply_enter(struct reply *reply) {
    if (!take(reply, JSON_OBJECT_BEGIN))
        reply->wrong = true;
}

void reply_integer(struct reply *reply, int64_t *ret_number) {
    char digits[24];
    if (!take(reply, JSON_INTEGER))
        return;
    snprintf(digits, sizeof(digits), "%.*s", SLICE_ARGS(reply->reader.text));
    *ret_number = strtoll(digits, NULL, 10);
}

void reply_text(struct reply *reply, const char **ret_text) {
    if (take(reply, JSON_STRING))
        *ret_text = (const char *)arena_printf(&reply->client->arena, "%.*s",
                                               SLICE_ARGS(reply->reader.text))
                        .data;
}

/* Where the reader stands on the item's first token. */
static struct ddb_item *read_item(struct reply *reply) {
    struct ddb_item *item = ddb_item_new();
    if (!tree_read_item(&reply->reader, item))
        reply->wrong = true;
    return item;
}

void reply_item(struct reply *reply, struct ddb_item **ret_item) {
    if (!take(reply, JSON_OBJECT_BEGIN))
        return;
    ddb_item_free(*ret_item);
    *ret_item = read_item(reply);
}

void reply_items(struct reply *reply, struct item_array *array) {
    if (!take(reply, JSON_ARRAY_BEGIN))
        return;
    while (!reply->wrong && json_next(&reply->reader) != JSON_ARRAY_END)
        item_array_add(array, read_item(reply));
}

void reply_object(struct reply *reply, struct slice *ret_json) {
    if (!take(reply, JSON_OBJECT_BEGIN))
        return;
    const uint8_t *start = reply->reader.next - 1; /* the brace */
    reply->wrong = !json_skip(&reply->reader);
    *ret_json = slice_of(start, (size_t)(reply->reader.next - start));
}

bool reply_read_item(struct ddb_client *client, const char *operation, const char *member,
                     struct ddb_item **ret_item) {
    struct ddb_item *item = NULL;
    struct reply reply;
    reply_begin(&reply, client);
    while (reply_next(&reply)) {
        if (slice_is(reply.name, member))
            reply_item(&reply, &item);
        else
            reply_skip(&reply);
    }
    bool ok = reply_end(&reply, operation);
    if (ok && ret_item != NULL)
        *ret_item = item;
    else
        ddb_item_free(item);
    return ok;
}
