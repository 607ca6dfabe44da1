/* cursor.c - fetching pages and handing out their items. */
#include "client/cursor.h"

#include <stdlib.h>

enum { KEPT_REQUEST_MAX = 16 * 1024 * 1024, KEPT_KEYS_MAX = 1024 * 1024 * 1024 };

struct ddb_cursor *cursor_new(struct ddb_client *client, const struct pager *pager) {
    struct ddb_cursor *cursor = tree_alloc(sizeof(*cursor));
    cursor->client = client;
    cursor->pager = pager;
    cursor->repeat = REPEAT_READ;
    buffer_init(&cursor->request, KEPT_REQUEST_MAX);
    buffer_init(&cursor->keys, KEPT_KEYS_MAX);
    buffer_init(&cursor->rest, KEPT_REQUEST_MAX);
    return cursor;
}

static void forget_page(struct ddb_cursor *cursor) {
    item_array_clear(&cursor->page);
    cursor->at = 0;
    ddb_item_free(cursor->page_end);
    cursor->page_end = NULL;
    cursor->page_count = cursor->page_scanned_count = 0;
    cursor->page_token = NULL;
    cursor->page_rest = SLICE_NONE;
}

void ddb_cursor_free(struct ddb_cursor *cursor) {
    if (cursor == NULL)
        return;
    forget_page(cursor);
    free(cursor->page.items);
    ddb_item_free(cursor->position);
    free(cursor->next_token);
    free(cursor->operation);
    ddb_item_free(cursor->parameters);
    free(cursor->key_ends);
    buffer_release(&cursor->request);
    buffer_release(&cursor->keys);
    buffer_release(&cursor->rest);
    free(cursor);
}

static const char *operation_of(const struct ddb_cursor *cursor) {
    return cursor->pager->operation != NULL ? cursor->pager->operation : cursor->operation;
}

bool cursor_fail_in_circles(struct ddb_cursor *cursor) {
    return client_fail(cursor->client, DDB_ERROR_REPLY, "%s: the server's pages go in circles",
                       operation_of(cursor));
}

static bool read_page(struct ddb_cursor *cursor) {
    struct reply reply;
    reply_begin(&reply, cursor->client);
    while (reply_next(&reply))
        if (!cursor->pager->read(cursor, &reply))
            reply_skip(&reply);
    return reply_end(&reply, operation_of(cursor));
}

static bool fetch(struct ddb_cursor *cursor) {
    struct ddb_client *client = cursor->client;
    if (!client_begin(client))
        return false;
    forget_page(cursor);
    if (cursor->request.overflow || cursor->keys.overflow || cursor->rest.overflow)
        return client_fail(client, DDB_ERROR_INPUT, "%s: the request is too large",
                           operation_of(cursor));
    cursor->pager->write(cursor);
    if (!client_send(client, operation_of(cursor), cursor->repeat))
        return false;
    if (read_page(cursor) && cursor->pager->advance(cursor))
        return true;
    forget_page(cursor);
    return false;
}

struct ddb_cursor *cursor_start(struct ddb_cursor *cursor, const struct request *request) {
    if (!request->wrong && fetch(cursor))
        return cursor;
    ddb_cursor_free(cursor);
    return NULL;
}

const struct ddb_item *ddb_cursor_next(struct ddb_cursor *cursor) {
    if (cursor == NULL || !client_begin(cursor->client))
        return NULL;
    if (cursor->limit > 0 && cursor->given >= cursor->limit)
        return NULL;
    while (cursor->at == cursor->page.count)
        if (cursor->finished || !fetch(cursor))
            return NULL;
    cursor->given++;
    return cursor->page.items[cursor->at++];
}

int64_t ddb_cursor_count(const struct ddb_cursor *cursor) {
    return cursor == NULL ? 0 : cursor->count;
}

int64_t ddb_cursor_scanned_count(const struct ddb_cursor *cursor) {
    return cursor == NULL ? 0 : cursor->scanned_count;
}

const struct ddb_item *ddb_cursor_position(const struct ddb_cursor *cursor) {
    return cursor == NULL ? NULL : cursor->position;
}
