/* pages.c - List operations, page by page, whatever they list.
 *
 * They are all alike: what is listed is in an array, and what a reply calls LastEvaluatedTableName
 * or NextToken the next request calls ExclusiveStartTableName or NextToken. */
#include <stdlib.h>

#include "base/check.h"
#include "client/cursor.h"

/* ---- the next page ---- */

static void write_page(struct ddb_cursor *cursor) {
    struct buffer *out = &cursor->client->request;
    struct json_writer writer;
    json_writer_init(&writer, out);
    json_object_begin(&writer);
    tree_write_plain_members(&writer, cursor->parameters);
    json_object_end(&writer);
}

/* What the request calls it; NULL when the member does not tell where to go on. */
static const char *start_name(struct arena *arena, struct slice name) {
    struct slice last = SLICE_LITERAL("LastEvaluated");
    if (slice_is(name, "NextToken"))
        return "NextToken";
    if (!slice_starts_with(name, last))
        return NULL;
    struct slice rest = slice_skip(name, last.len);
    return (const char *)arena_printf(arena, "ExclusiveStart%.*s", SLICE_ARGS(rest)).data;
}

static bool advance(struct ddb_cursor *cursor) {
    const char *name = cursor->page_token_name, *token = cursor->page_token;
    if (token != NULL && strcmp(ddb_item_string(cursor->parameters, name, ""), token) == 0)
        return cursor_fail_in_circles(cursor);
    cursor->count += (int64_t)cursor->page.count;
    cursor->finished = token == NULL;
    if (token != NULL)
        ddb_item_set_string(cursor->parameters, name, token);
    return true;
}

/* ---- what is listed ---- */

/* A text becomes the only attribute of an item: one of TableNames is a TableName. */
static void add_text(struct ddb_cursor *cursor, struct slice list, struct slice text) {
    struct ddb_item *item = ddb_item_new();
    if (list.len > 1 && list.data[list.len - 1] == 's')
        list.len--;
    tree_put_bytes(tree_item_append(item, list), DDB_S, text);
    item_array_add(&cursor->page, item);
}

static void read_elements(struct ddb_cursor *cursor, struct reply *reply, struct slice list) {
    struct json_reader *reader = &reply->reader;
    while (!reply->wrong && json_next(reader) != JSON_ARRAY_END) {
        if (reader->token == JSON_STRING) {
            add_text(cursor, list, reader->text);
        } else {
            struct ddb_item *item = ddb_item_new();
            item_array_add(&cursor->page, item);
            reply->wrong = !tree_read_plain(reader, item);
        }
    }
}

static bool read_member(struct ddb_cursor *cursor, struct reply *reply) {
    struct slice name = reply->name;
    struct json_reader *reader = &reply->reader;
    enum json_token token = json_next(reader);
    const char *start = token != JSON_STRING ? NULL : start_name(reader->arena, name);
    if (start != NULL) {
        cursor->page_token_name = start;
        cursor->page_token =
            (const char *)arena_printf(reader->arena, "%.*s", SLICE_ARGS(reader->text)).data;
    } else if (token == JSON_ARRAY_BEGIN) {
        read_elements(cursor, reply, name);
    } else {
        reply->wrong = !json_skip(reader);
    }
    return true;
}

struct ddb_cursor *ddb_call_pages(struct ddb_client *client, const char *operation,
                                  const struct ddb_item *parameters) {
    static const struct pager pager = {NULL, write_page, read_member, advance};
    struct ddb_cursor *cursor = cursor_new(client, &pager);
    struct request request;
    request_begin(&request, client, operation == NULL ? "" : operation, &cursor->request);
    CHECK((cursor->operation = strdup(operation == NULL ? "" : operation)) != NULL);
    cursor->repeat = repeat_of_operation(cursor->operation);
    if (parameters != NULL)
        request_check_item(&request, parameters);
    cursor->parameters = parameters == NULL ? ddb_item_new() : ddb_item_copy(parameters);
    return cursor_start(cursor, &request);
}
