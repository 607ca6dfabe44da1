/* reply_error.c - from an error reply to the error that the caller sees.
 *
 *     {"__type": "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException",
 *      "message": "The conditional request failed", "Item": {...}}
 *
 * Some layers of the service write Message; a cancelled transaction has CancellationReasons. */
#include <stdlib.h>

#include "client/reply.h"

enum { REASONS_MAX = 128, QUOTED_BODY_MAX = 200 };

/* What an error reply says. Items are owned. */
struct details {
    const char *type;
    const char *message;
    struct ddb_item *item;
    struct ddb_reason *reasons;
    struct ddb_item **reason_items;
    size_t reason_count;
};

/* ---- reading ---- */

static void read_reason(struct reply *reply, struct details *details) {
    size_t at = details->reason_count++;
    struct ddb_reason *reason = &details->reasons[at];
    *reason = (struct ddb_reason){.code = "None", .message = ""};
    while (reply_next(reply)) {
        if (slice_is(reply->name, "Code"))
            reply_text(reply, &reason->code);
        else if (slice_is(reply->name, "Message"))
            reply_text(reply, &reason->message);
        else if (slice_is(reply->name, "Item"))
            reply_item(reply, &details->reason_items[at]);
        else
            reply_skip(reply);
    }
    reason->item = details->reason_items[at];
}

static void read_reasons(struct reply *reply, struct details *details) {
    struct json_reader *reader = &reply->reader;
    struct arena *arena = &reply->client->arena;
    if (details->reasons != NULL || json_next(reader) != JSON_ARRAY_BEGIN) {
        reply->wrong = true;
        return;
    }
    details->reasons = ARENA_ARRAY(arena, struct ddb_reason, REASONS_MAX);
    details->reason_items = ARENA_ARRAY(arena, struct ddb_item *, REASONS_MAX);
    while (!reply->wrong && json_next(reader) != JSON_ARRAY_END) {
        if (reader->token != JSON_OBJECT_BEGIN || details->reason_count == REASONS_MAX)
            reply->wrong = true;
        else
            read_reason(reply, details);
    }
}

/* False when the body is not an error of DynamoDB; items may have been read all the same. */
static bool read_details(struct ddb_client *client, struct details *details) {
    struct reply reply;
    reply_begin(&reply, client);
    while (reply_next(&reply)) {
        if (slice_is(reply.name, "__type"))
            reply_text(&reply, &details->type);
        else if (slice_is(reply.name, "message") || slice_is(reply.name, "Message"))
            reply_text(&reply, &details->message);
        else if (slice_is(reply.name, "Item"))
            reply_item(&reply, &details->item);
        else if (slice_is(reply.name, "CancellationReasons"))
            read_reasons(&reply, details);
        else
            reply_skip(&reply);
    }
    return !reply.wrong && details->type != NULL;
}

/* ---- telling ---- */

/* The name without its namespace, and without what some proxies append after a colon. */
static const char *plain_type(struct ddb_client *client, const char *type) {
    const char *hash = strchr(type, '#');
    type = hash == NULL ? type : hash + 1;
    return (const char *)arena_printf(&client->arena, "%.*s", (int)strcspn(type, ":"), type).data;
}

/* The service's text of a cancelled transaction says only which codes there were. */
static const char *with_first_reason(struct ddb_client *client, const struct details *details) {
    for (size_t i = 0; i < details->reason_count; i++) {
        const struct ddb_reason *reason = &details->reasons[i];
        if (strcmp(reason->code, "None") != 0)
            return (const char *)arena_printf(&client->arena, "%s; action %zu of %zu: %s: %s",
                                              details->message, i + 1, details->reason_count,
                                              reason->code, reason->message)
                .data;
    }
    return details->message;
}

/* The client owns the items from here on. */
static void keep_items(struct ddb_client *client, const struct details *details) {
    client->error_items = ARENA_ARRAY(&client->arena, struct ddb_item *, details->reason_count + 1);
    client->error_items[0] = details->item;
    for (size_t i = 0; i < details->reason_count; i++)
        client->error_items[i + 1] = details->reason_items[i];
    client->error_item_count = details->reason_count + 1;
}

void client_fail_with_reply(struct ddb_client *client) {
    struct details details = {.message = ""};
    bool understood = read_details(client, &details);
    struct slice body = buffer_slice(&client->reply);
    client_fail(client, understood ? DDB_ERROR_SERVICE : DDB_ERROR_REPLY,
                "HTTP status %d without an error of DynamoDB: %.*s", client->answer.status,
                body.len < QUOTED_BODY_MAX ? (int)body.len : QUOTED_BODY_MAX,
                (const char *)body.data);
    keep_items(client, &details);
    if (!understood)
        return;
    struct ddb_error *error = &client->error;
    error->type = plain_type(client, details.type);
    error->message = with_first_reason(client, &details);
    error->item = details.item;
    error->reasons = details.reasons;
    error->reason_count = details.reason_count;
}
