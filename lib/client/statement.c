/* statement.c - ExecuteStatement, page by page. */
#include <stdlib.h>

#include "base/check.h"
#include "client/cursor.h"

static void write_page(struct ddb_cursor *cursor) {
    struct buffer *out = &cursor->client->request;
    buffer_append_slice(out, buffer_slice(&cursor->request));
    if (cursor->next_token != NULL) {
        struct json_writer writer;
        buffer_append_text(out, ",\"NextToken\":");
        json_writer_init(&writer, out);
        json_string(&writer, slice_text(cursor->next_token));
    }
    buffer_append_text(out, "}");
}

static bool read_member(struct ddb_cursor *cursor, struct reply *reply) {
    if (slice_is(reply->name, "Items"))
        reply_items(reply, &cursor->page);
    else if (slice_is(reply->name, "NextToken"))
        reply_text(reply, &cursor->page_token);
    else
        return false;
    return true;
}

static bool advance(struct ddb_cursor *cursor) {
    if (cursor->next_token != NULL && cursor->page_token != NULL &&
        strcmp(cursor->next_token, cursor->page_token) == 0)
        return cursor_fail_in_circles(cursor);
    cursor->count += (int64_t)cursor->page.count;
    cursor->finished = cursor->page_token == NULL;
    free(cursor->next_token);
    cursor->next_token = NULL;
    if (cursor->page_token != NULL)
        CHECK((cursor->next_token = strdup(cursor->page_token)) != NULL);
    return true;
}

/* A statement that only reads shows it by its first word. */
static bool is_select(const char *text) {
    struct slice rest = slice_text(text), word = SLICE_LITERAL("SELECT");
    rest = slice_skip(rest, strspn(text, " \t\r\n"));
    return rest.len >= word.len && slice_equal_ignoring_case(slice_first(rest, word.len), word);
}

struct ddb_cursor *ddb_execute_statement(struct ddb_client *client,
                                         const struct ddb_statement *statement) {
    static const struct pager pager = {"ExecuteStatement", write_page, read_member, advance};
    struct ddb_cursor *cursor = cursor_new(client, &pager);
    struct request request;
    request_begin(&request, client, pager.operation, &cursor->request);
    if (statement->text == NULL)
        request_wrong(&request, "there is no statement");
    else if (!is_select(statement->text))
        cursor->repeat = statement->idempotent ? REPEAT_SAME : REPEAT_NEVER;
    request_text(&request, "Statement", statement->text);
    request_list(&request, "Parameters", statement->parameters);
    request_true(&request, "ConsistentRead", statement->consistent);
    request_positive(&request, "Limit", statement->page_size);
    if (statement->return_item_on_failure)
        request_text(&request, "ReturnValuesOnConditionCheckFailure", "ALL_OLD");
    return cursor_start(cursor, &request);
}
