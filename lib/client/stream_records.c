/* stream_records.c - see stream_records.h.
 *
 *     {"Records": [{"eventID": "...", "eventName": "MODIFY",
 *                   "userIdentity": {"type": "Service", "principalId": "dynamodb.amazonaws.com"},
 *                   "dynamodb": {"Keys": {...}, "NewImage": {...}, "OldImage": {...},
 *                                "SequenceNumber": "1", "ApproximateCreationDateTime": 1.7e9}}],
 *      "NextShardIterator": "..."} */
#include "client/stream_records.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/check.h"

void stream_page_init(struct stream_page *page) {
    *page = (struct stream_page){0};
    arena_init(&page->arena);
}

/* The page's own items, which its users see as const. */
static void free_item(const struct ddb_item *item) {
    ddb_item_free((struct ddb_item *)(uintptr_t)item);
}

void stream_page_clear(struct stream_page *page) {
    for (size_t i = 0; i < page->count; i++) {
        free_item(page->records[i].keys);
        free_item(page->records[i].old_image);
        free_item(page->records[i].new_image);
    }
    page->count = page->at = 0;
    page->next_iterator = NULL;
    arena_reset(&page->arena);
}

void stream_page_release(struct stream_page *page) {
    stream_page_clear(page);
    free(page->records);
    arena_release(&page->arena);
}

/* ---- reading ---- */

static void read_text(struct stream_page *page, struct reply *reply, const char **ret_text) {
    const char *text = NULL;
    reply_text(reply, &text);
    if (text != NULL)
        *ret_text = arena_copy(&page->arena, text, strlen(text) + 1);
}

static void read_item(struct reply *reply, const struct ddb_item **ret_item) {
    struct ddb_item *item = NULL;
    reply_item(reply, &item);
    if (*ret_item != NULL)
        free_item(*ret_item);
    *ret_item = item;
}

/* Of seconds, with a fraction or an exponent or without. */
static void read_seconds(struct reply *reply, int64_t *ret_seconds) {
    struct json_reader *reader = &reply->reader;
    enum json_token token = json_next(reader);
    char digits[64];
    reply->wrong = token != JSON_INTEGER && token != JSON_DECIMAL;
    if (reply->wrong)
        return;
    snprintf(digits, sizeof(digits), "%.*s", SLICE_ARGS(reader->text));
    double seconds = strtod(digits, NULL);
    *ret_seconds = seconds > -1e15 && seconds < 1e15 ? (int64_t)seconds : 0;
}

static void read_change(struct stream_page *page, struct reply *reply, struct ddb_record *record) {
    reply_enter(reply);
    while (reply_next(reply)) {
        if (slice_is(reply->name, "Keys"))
            read_item(reply, &record->keys);
        else if (slice_is(reply->name, "OldImage"))
            read_item(reply, &record->old_image);
        else if (slice_is(reply->name, "NewImage"))
            read_item(reply, &record->new_image);
        else if (slice_is(reply->name, "SequenceNumber"))
            read_text(page, reply, &record->sequence_number);
        else if (slice_is(reply->name, "ApproximateCreationDateTime"))
            read_seconds(reply, &record->created_s);
        else
            reply_skip(reply);
    }
}

/* The service itself has deleted an item that expired. */
static void read_identity(struct reply *reply, struct ddb_record *record) {
    const char *type = "", *principal = "";
    if (json_next(&reply->reader) == JSON_NULL)
        return;
    reply->wrong = reply->reader.token != JSON_OBJECT_BEGIN;
    while (reply_next(reply)) {
        if (slice_equal_ignoring_case(reply->name, SLICE_LITERAL("type")))
            reply_text(reply, &type);
        else if (slice_equal_ignoring_case(reply->name, SLICE_LITERAL("principalId")))
            reply_text(reply, &principal);
        else
            reply_skip(reply);
    }
    record->expired =
        strcmp(type, "Service") == 0 && strcmp(principal, "dynamodb.amazonaws.com") == 0;
}

static void read_event(struct reply *reply, struct ddb_record *record) {
    static const char *const names[] = {
        [DDB_INSERT] = "INSERT", [DDB_MODIFY] = "MODIFY", [DDB_REMOVE] = "REMOVE"};
    const char *name = "";
    reply_text(reply, &name);
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(name, names[i]) == 0) {
            record->event = (enum ddb_event)i;
            return;
        }
    }
    reply->wrong = true;
}

static struct ddb_record *add_record(struct stream_page *page) {
    if (page->count == page->capacity) {
        page->capacity = page->capacity == 0 ? 64 : 2 * page->capacity;
        page->records = realloc(page->records, page->capacity * sizeof(*page->records));
        CHECK(page->records != NULL);
    }
    struct ddb_record *record = &page->records[page->count++];
    *record = (struct ddb_record){.event_id = "", .sequence_number = ""};
    return record;
}

/* Without its number nobody could go on behind it, and without its key it says nothing. */
static void read_record(struct stream_page *page, struct reply *reply) {
    struct ddb_record *record = add_record(page);
    while (reply_next(reply)) {
        if (slice_is(reply->name, "eventID"))
            read_text(page, reply, &record->event_id);
        else if (slice_is(reply->name, "eventName"))
            read_event(reply, record);
        else if (slice_is(reply->name, "dynamodb"))
            read_change(page, reply, record);
        else if (slice_is(reply->name, "userIdentity"))
            read_identity(reply, record);
        else
            reply_skip(reply);
    }
    if (record->sequence_number[0] == '\0' || record->keys == NULL)
        reply->wrong = true;
}

static void read_records(struct stream_page *page, struct reply *reply) {
    struct json_reader *reader = &reply->reader;
    reply->wrong = json_next(reader) != JSON_ARRAY_BEGIN;
    while (!reply->wrong && json_next(reader) != JSON_ARRAY_END) {
        if (reader->token == JSON_OBJECT_BEGIN)
            read_record(page, reply);
        else
            reply->wrong = true;
    }
}

bool stream_page_read(struct stream_page *page, struct ddb_client *client) {
    struct reply reply;
    stream_page_clear(page);
    reply_begin(&reply, client);
    while (reply_next(&reply)) {
        if (slice_is(reply.name, "Records"))
            read_records(page, &reply);
        else if (slice_is(reply.name, "NextShardIterator"))
            read_text(page, &reply, &page->next_iterator);
        else
            reply_skip(&reply);
    }
    if (reply_end(&reply, "GetRecords"))
        return true;
    stream_page_clear(page);
    return false;
}
