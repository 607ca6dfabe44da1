/* stream_records.h - the records of one GetRecords, read from its reply.
 *
 * Memory: the items are the page's until stream_page_clear(), the texts are in its arena. */
#ifndef GRAMME_CLIENT_STREAM_RECORDS_H
#define GRAMME_CLIENT_STREAM_RECORDS_H

#include "client/reply.h"

struct stream_page {
    struct ddb_record *records;
    size_t count;
    size_t capacity;
    size_t at;                 /* the next one to give */
    const char *next_iterator; /* NULL: the shard ends here */
    struct arena arena;
};

void stream_page_init(struct stream_page *page);
void stream_page_clear(struct stream_page *page);
void stream_page_release(struct stream_page *page);

/* From the client's reply. False, and the call has failed, when that is none. */
bool stream_page_read(struct stream_page *page, struct ddb_client *client);

#endif
