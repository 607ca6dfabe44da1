/* cursor.h - what queries, scans, batches of gets and statements share: pages of items.
 *
 * A pager writes the request for the next page and reads the reply. Its state moves on only when a
 * page has been read, so that after a failure the same page is asked for again.
 * Memory: the cursor owns all of this; the page's items live until the next page is asked for. */
#ifndef GRAMME_CLIENT_CURSOR_H
#define GRAMME_CLIENT_CURSOR_H

#include "client/reply.h"
#include "client/request.h"

struct pager {
    const char *operation; /* NULL: the cursor's own */
    /* Into the client's request. */
    void (*write)(struct ddb_cursor *cursor);
    /* Takes the member that the reply stands on; false when it is none of the pager's. */
    bool (*read)(struct ddb_cursor *cursor, struct reply *reply);
    /* After a page: remembers where the next one begins, or that there is none. False: the call has
     * failed. */
    bool (*advance)(struct ddb_cursor *cursor);
};

struct ddb_cursor {
    struct ddb_client *client;
    const struct pager *pager;
    enum repeat repeat;
    struct buffer request; /* what every page's request begins with */
    struct item_array page;
    size_t at; /* of the next item in the page */
    bool finished;
    int64_t count;
    int64_t scanned_count;
    /* What the page's reply says; 0 and NULL before: */
    int64_t page_count;
    int64_t page_scanned_count;
    struct ddb_item *page_end;
    const char *page_token; /* in the call's arena */
    const char *page_token_name;
    struct slice page_rest; /* in the reply */
    /* Query and Scan: */
    int64_t limit;
    int64_t given;
    int page_size;
    bool filtered;
    struct ddb_item *position; /* NULL: at the beginning or the end */
    /* ExecuteStatement: */
    char *next_token;
    /* List operations: */
    char *operation;
    struct ddb_item *parameters;
    /* BatchGetItem: */
    struct buffer keys; /* JSON texts, one after another */
    size_t *key_ends;
    size_t key_count;
    size_t keys_sent;
    size_t keys_asked;  /* by the latest request */
    struct buffer rest; /* UnprocessedKeys as they came, or empty */
    int rounds_in_vain;
};

/* For advance(): the page ends where it began. Always false. */
bool cursor_fail_in_circles(struct ddb_cursor *cursor);

struct ddb_cursor *cursor_new(struct ddb_client *client, const struct pager *pager);
/* Fetches a page before the cursor goes to the caller. Frees the cursor and returns NULL when that
 * fails, or when the request was wrong. */
struct ddb_cursor *cursor_start(struct ddb_cursor *cursor, const struct request *request);

#endif
