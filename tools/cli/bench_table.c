/* bench_table.c - the table that the workloads of `gramme bench` work on: there, of the right
 * shape, full or not. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/bench.h"
#include "template/node.h"
#include "template/request.h"

enum { POLL_MS = 50, POLLS_MAX = 6000 }; /* five minutes */

/* ---- asking ---- */

static struct error *failure(const struct bench_table *table, const char *operation) {
    const struct ddb_error *error = ddb_client_error(table->service.client);
    return error_new(table->arena, ERROR_VALIDATION, "%s: %s%s%s", operation,
                     error->kind == DDB_ERROR_SERVICE ? error->type : "",
                     error->kind == DDB_ERROR_SERVICE ? ": " : "", error->message);
}

static struct error *call(const struct bench_table *table, const char *operation, struct slice body,
                          const struct node **ret_root) {
    const char *answer = ddb_call(table->service.client, operation, (const char *)body.data);
    struct document document = {table->arena, slice_text(operation)};
    if (answer == NULL)
        return failure(table, operation);
    struct slice text = arena_printf(table->arena, "%s", answer);
    if (document_read_json(&document, text, NULL, ret_root) != NULL || *ret_root == NULL)
        return error_new(table->arena, ERROR_VALIDATION,
                         "%s: the answer is not JSON; is there a DynamoDB at %s?", operation,
                         table->service.endpoint);
    return NULL;
}

static bool is_missing(const struct bench_table *table) {
    return ddb_client_failed_with(table->service.client, "ResourceNotFoundException");
}

/* NULL when there is no such table. */
static struct error *describe(const struct bench_table *table, const struct node **ret_table) {
    const struct node *root = NULL;
    struct slice body = request_table_name(table->arena, slice_text(table->name));
    struct error *error = call(table, "DescribeTable", body, &root);
    if (error != NULL && !is_missing(table))
        return error;
    *ret_table = error == NULL ? node_find(root, "Table") : NULL;
    return NULL;
}

static bool text_is(const struct node *node, const char *name, const char *text) {
    const struct node *member = node == NULL ? NULL : node_find(node, name);
    return member != NULL && member->kind == NODE_SCALAR && slice_is(member->text, text);
}

static const struct node *list_of(const struct node *node, const char *name) {
    const struct node *list = node == NULL ? NULL : node_find(node, name);
    return list != NULL && list->kind == NODE_SEQUENCE ? list : NULL;
}

/* ---- its shape ---- */

static bool key_is(const struct node *owner, const char *first, const char *second) {
    const struct node *schema = list_of(owner, "KeySchema");
    if (schema == NULL || schema->count != (second == NULL ? 1 : 2))
        return false;
    return text_is(schema->items[0], "AttributeName", first) &&
           (second == NULL || text_is(schema->items[1], "AttributeName", second));
}

static const struct node *group_index(const struct node *described) {
    const struct node *indexes = list_of(described, "GlobalSecondaryIndexes");
    for (size_t i = 0; indexes != NULL && i < indexes->count; i++)
        if (text_is(indexes->items[i], "IndexName", WORKLOAD_INDEX))
            return indexes->items[i];
    return NULL;
}

static struct error *check_shape(const struct bench_table *table, const struct node *described) {
    if (key_is(described, "pk", NULL) && key_is(group_index(described), "g", "pk"))
        return NULL;
    return error_new(table->arena, ERROR_VALIDATION,
                     "the table %s is none that gramme bench made: its key is not pk, or it has no "
                     "index " WORKLOAD_INDEX " on g and pk; name another one with --table",
                     table->name);
}

static bool is_active(const struct node *described) {
    return text_is(described, "TableStatus", "ACTIVE") &&
           text_is(group_index(described), "IndexStatus", "ACTIVE");
}

/* Until it can be used, or until it is gone. */
static struct error *wait_for(const struct bench_table *table, bool gone) {
    const struct timespec pause = {.tv_nsec = POLL_MS * 1000000L};
    for (int i = 0; i < POLLS_MAX; i++) {
        const struct node *described;
        TRY(describe(table, &described));
        if (gone ? described == NULL : described != NULL && is_active(described))
            return NULL;
        nanosleep(&pause, NULL);
    }
    return error_new(table->arena, ERROR_VALIDATION, "the table %s does not become ready",
                     table->name);
}

/* ---- what is in it ---- */

static struct error *has_item(const struct bench_table *table, uint64_t key, bool *ret_there) {
    const struct node *root = NULL;
    struct slice body =
        arena_printf(table->arena, "{\"TableName\":\"%s\",\"Key\":{\"pk\":{\"S\":\"%08llu\"}}}",
                     table->name, (unsigned long long)key);
    TRY(call(table, "GetItem", body, &root));
    *ret_there = node_find(root, "Item") != NULL;
    return NULL;
}

/* The service counts its items only every few hours. Where the count is too small, the last key of
 * all and the last one that a load writes tell. */
static struct error *is_full(const struct bench_table *table, const struct node *described,
                             uint64_t keys, bool *ret_full) {
    const struct node *count = node_find(described, "ItemCount");
    struct key_space space;
    bool last = true, written_last = true;
    if (count == NULL || count->kind != NODE_SCALAR ||
        strtoull((const char *)count->text.data, NULL, 10) < keys) {
        key_space_init(&space, KEYS_SEQUENTIAL, keys);
        TRY(has_item(table, keys - 1, &last));
        TRY(has_item(table, key_at_turn(&space, keys - 1), &written_last));
    }
    *ret_full = last && written_last;
    return NULL;
}

/* ---- before and after ---- */

struct error *bench_table_prepare(struct bench_table *table, uint64_t keys, bool *ret_full) {
    const struct node *described, *root;
    TRY(describe(table, &described));
    if (described != NULL) {
        TRY(check_shape(table, described));
        TRY(wait_for(table, false));
        return is_full(table, described, keys, ret_full);
    }
    *ret_full = false;
    TRY(call(table, "CreateTable", workload_table(table->arena, table->name), &root));
    table->made = true;
    return wait_for(table, false);
}

struct error *bench_table_delete(struct bench_table *table) {
    const struct node *root;
    struct slice body = request_table_name(table->arena, slice_text(table->name));
    TRY(call(table, "DeleteTable", body, &root));
    return wait_for(table, true);
}
