/* request.c - the members that requests are made of. */
#include "client/request.h"

#include "json/member.h"

void request_begin(struct request *request, struct ddb_client *client, const char *operation,
                   struct buffer *out) {
    *request = (struct request){.client = client, .operation = operation};
    request->wrong = !client_begin(client);
    json_writer_init(&request->writer, out);
    json_object_begin(&request->writer);
}

bool request_end(struct request *request) {
    json_object_end(&request->writer);
    return !request->wrong;
}

bool request_send(struct request *request, enum repeat repeat) {
    return request_end(request) && client_send(request->client, request->operation, repeat);
}

void request_wrong(struct request *request, const char *text) {
    if (!request->wrong)
        client_fail(request->client, DDB_ERROR_INPUT, "%s: %s", request->operation, text);
    request->wrong = true;
}

void request_check_item(struct request *request, const struct ddb_item *item) {
    if (item->mistakes->building != NULL)
        request_wrong(request, item->mistakes->building);
}

void request_text(struct request *request, const char *name, const char *text) {
    if (text == NULL)
        return;
    member_text(&request->writer, name, slice_text(text));
}

void request_true(struct request *request, const char *name, bool truth) {
    if (!truth)
        return;
    member_bool(&request->writer, name, true);
}

void request_positive(struct request *request, const char *name, int64_t number) {
    if (number <= 0)
        return;
    member_integer(&request->writer, name, number);
}

void request_table(struct request *request, const char *table) {
    if (table == NULL)
        request_wrong(request, "no table is named");
    request_text(request, "TableName", table);
}

static void request_item(struct request *request, const char *name, const struct ddb_item *item) {
    if (item == NULL)
        return;
    request_check_item(request, item);
    json_name(&request->writer, slice_text(name));
    tree_write_item(&request->writer, item);
}

void request_needed_item(struct request *request, const char *name, const struct ddb_item *item) {
    if (item == NULL)
        request_wrong(request, strcmp(name, "Key") == 0 ? "no key is given" : "no item is given");
    request_item(request, name, item);
}

void request_list(struct request *request, const char *name, const struct ddb_list *list) {
    if (list == NULL || list->count == 0)
        return;
    if (list->mistakes->building != NULL)
        request_wrong(request, list->mistakes->building);
    json_name(&request->writer, slice_text(name));
    tree_write_list(&request->writer, list);
}

void request_names(struct request *request, const char *const *names) {
    if (names == NULL || names[0] == NULL)
        return;
    member_object(&request->writer, "ExpressionAttributeNames");
    for (size_t i = 0; names[i] != NULL; i += 2) {
        if (names[i + 1] == NULL) {
            request_wrong(request, "the last of `names` has no attribute name");
            break;
        }
        json_name(&request->writer, slice_text(names[i]));
        json_string(&request->writer, slice_text(names[i + 1]));
    }
    json_object_end(&request->writer);
}

void request_values(struct request *request, const struct ddb_item *values) {
    if (ddb_item_count(values) > 0)
        request_item(request, "ExpressionAttributeValues", values);
}
