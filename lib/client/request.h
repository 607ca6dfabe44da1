/* request.h - writing the request of a call.
 *
 * What is NULL, false or 0 is left out, which is the service's default. The first wrong parameter
 * fails the call; request_send() then sends nothing. */
#ifndef GRAMME_CLIENT_REQUEST_H
#define GRAMME_CLIENT_REQUEST_H

#include "client/client.h"

struct request {
    struct ddb_client *client;
    const char *operation;
    struct json_writer writer;
    bool wrong;
};

/* Begins the call, too. `out` is the client's own buffer, or one that a cursor keeps. */
void request_begin(struct request *request, struct ddb_client *client, const char *operation,
                   struct buffer *out);
/* False, and the call has failed, when a parameter was wrong. */
bool request_end(struct request *request);
bool request_send(struct request *request, enum repeat repeat);

void request_wrong(struct request *request, const char *text);
/* Its mistakes are the request's. */
void request_check_item(struct request *request, const struct ddb_item *item);

void request_text(struct request *request, const char *name, const char *text);
void request_true(struct request *request, const char *name, bool truth);
void request_positive(struct request *request, const char *name, int64_t number);
void request_table(struct request *request, const char *table);
void request_list(struct request *request, const char *name, const struct ddb_list *list);
/* An item that must be there. */
void request_needed_item(struct request *request, const char *name, const struct ddb_item *item);
/* ExpressionAttributeNames, ExpressionAttributeValues. */
void request_names(struct request *request, const char *const *names);
void request_values(struct request *request, const struct ddb_item *values);

#endif
