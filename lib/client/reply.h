/* reply.h - reading the reply to a call, member by member.
 *
 *     struct reply reply;
 *     reply_begin(&reply, client);
 *     while (reply_next(&reply))
 *         if (slice_is(reply.name, "Item"))
 *             reply_item(&reply, &item);
 *         else
 *             reply_skip(&reply);
 *     return reply_end(&reply, "GetItem");
 *
 * What is not as expected makes reply_next() stop and reply_end() fail; a caller keeps what it got
 * until then, and frees it. */
#ifndef GRAMME_CLIENT_REPLY_H
#define GRAMME_CLIENT_REPLY_H

#include "client/client.h"

struct reply {
    struct ddb_client *client;
    struct json_reader reader;
    struct slice name; /* of the member whose value comes next */
    bool wrong;
};

/* Items, each a root. */
struct item_array {
    struct ddb_item **items;
    size_t count;
    size_t capacity;
};

void item_array_clear(struct item_array *array);
void item_array_add(struct item_array *array, struct ddb_item *item);

void reply_begin(struct reply *reply, struct ddb_client *client);
/* The next member of the object that was entered last; false at its end. */
bool reply_next(struct reply *reply);
bool reply_end(struct reply *reply, const char *operation);

/* Each takes the value of the member. A JSON null leaves the output as it is. */
void reply_skip(struct reply *reply);
/* Enters an object: reply_next() goes through its members, then the outer ones go on. */
void reply_enter(struct reply *reply);
void reply_integer(struct reply *reply, int64_t *ret_number);
/* In the call's arena, with a NUL. */
void reply_text(struct reply *reply, const char **ret_text);
/* Frees what was there. */
void reply_item(struct reply *reply, struct ddb_item **ret_item);
/* [{"pk": {"S": "x"}}] */
void reply_items(struct reply *reply, struct item_array *array);
/* A whole reply of which one member, an item, is wanted. `ret_item` may be NULL; NULL goes there
 * when the member is absent. */
bool reply_read_item(struct ddb_client *client, const char *operation, const char *member,
                     struct ddb_item **ret_item);
/* The JSON text of an object, as it was sent. */
void reply_object(struct reply *reply, struct slice *ret_json);

#endif
