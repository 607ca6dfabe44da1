/* cases_groups.c - batches, transactions, the raw call, and small calls for the stub server. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

enum { BATCH_MAX = 1000 };

/* ---- batches ---- */

static bool batch_write(struct ddb_client *db, int count, enum ddb_action action) {
    struct ddb_write *writes = calloc(BATCH_MAX, sizeof(*writes));
    struct ddb_item *items[BATCH_MAX];
    for (int i = 0; i < count; i++) {
        items[i] = make_key("batch", i);
        writes[i] = (struct ddb_write){.table = i % 2 == 0 ? "table" : "other", .action = action};
        if (action == DDB_PUT)
            writes[i].item = items[i];
        else
            writes[i].key = items[i];
    }
    size_t done = 12345;
    bool ok = report(db, ddb_batch_write_items(db, writes, (size_t)count, &done));
    printf("done %zu\n", done);
    for (int i = 0; i < count; i++)
        ddb_item_free(items[i]);
    free(writes);
    return ok;
}

static void batch_get(struct ddb_client *db, int count) {
    struct ddb_item *keys[BATCH_MAX];
    for (int i = 0; i < count; i++)
        keys[i] = make_key("batch", i);
    struct ddb_cursor *cursor =
        ddb_batch_get_items(db, &(struct ddb_batch_get){.table = "table",
                                                        .keys = keys,
                                                        .key_count = (size_t)count,
                                                        .projection = "#s",
                                                        .names = (const char *[]){"#s", "sk", NULL},
                                                        .consistent = true});
    int64_t sum = 0;
    for (const struct ddb_item *item; (item = ddb_cursor_next(cursor)) != NULL;)
        sum += ddb_item_need_int(item, "sk");
    report(db, ddb_client_error(db) == NULL);
    printf("%lld items, sum %lld\n", (long long)ddb_cursor_count(cursor), (long long)sum);
    ddb_cursor_free(cursor);
    for (int i = 0; i < count; i++)
        ddb_item_free(keys[i]);
}

static void batch(struct ddb_client *db, const char *argument) {
    int count = atoi(argument);
    batch_write(db, count, DDB_PUT);
    batch_get(db, count);
    batch_write(db, count, DDB_DELETE);
    batch_get(db, count);
    batch_write(db, 1, DDB_CHECK);
}

static void stub_batch_write(struct ddb_client *db, const char *argument) {
    batch_write(db, atoi(argument), DDB_PUT);
}

static void stub_batch_get(struct ddb_client *db, const char *argument) {
    batch_get(db, atoi(argument));
}

/* ---- transactions ---- */

/* Moves 40 from one account to the other, unless that would leave less than nothing. */
static bool transfer(struct ddb_client *db, const char *token) {
    struct ddb_item *from = make_key("from", 0), *to = make_key("to", 0);
    struct ddb_item *log = make_key("log", 0), *values = ddb_item_new(), *plus = ddb_item_new();
    ddb_item_set_int(values, ":minus", -40);
    ddb_item_set_int(values, ":least", 40);
    ddb_item_set_int(plus, ":plus", 40);
    struct ddb_write actions[] = {
        {.action = DDB_UPDATE,
         .table = "table",
         .key = from,
         .update = "ADD balance :minus",
         .condition = "balance >= :least",
         .values = values,
         .return_item_on_failure = true},
        {.action = DDB_UPDATE,
         .table = "table",
         .key = to,
         .update = "ADD balance :plus",
         .values = plus},
        {.action = DDB_PUT, .table = "table", .item = log},
        {.action = DDB_CHECK,
         .table = "other",
         .key = log,
         .condition = "attribute_not_exists(pk)"},
        {.action = DDB_DELETE, .table = "other", .key = from},
    };
    bool ok = report(db, ddb_transact_write_items(db, actions, 5, token));
    ddb_item_free(from);
    ddb_item_free(to);
    ddb_item_free(log);
    ddb_item_free(values);
    ddb_item_free(plus);
    return ok;
}

static void balances(struct ddb_client *db) {
    struct ddb_item *from = make_key("from", 0), *to = make_key("to", 0), *no = make_key("no", 0);
    struct ddb_get gets[] = {
        {.table = "table", .key = from, .projection = "balance"},
        {.table = "table", .key = no},
        {.table = "table", .key = to, .projection = "balance"},
    };
    struct ddb_item *items[3] = {NULL, NULL, NULL};
    report(db, ddb_transact_get_items(db, gets, 3, items));
    for (int i = 0; i < 3; i++) {
        print_item("balance", items[i]);
        ddb_item_free(items[i]);
    }
    ddb_item_free(from);
    ddb_item_free(to);
    ddb_item_free(no);
}

static void transactions(struct ddb_client *db, const char *argument) {
    (void)argument;
    struct ddb_item *from = make_key("from", 0);
    ddb_item_set_int(from, "balance", 100);
    report(db, ddb_put_item(db, &(struct ddb_write){.table = "table", .item = from}, NULL));
    ddb_item_free(from);
    transfer(db, "token-1");
    transfer(db, "token-1"); /* the same one: it happens once */
    balances(db);
    transfer(db, NULL);
    transfer(db, NULL);
    balances(db);
}

static void stub_transaction(struct ddb_client *db, const char *argument) {
    (void)argument;
    transfer(db, NULL);
}

/* ---- the raw call ---- */

/* {"x":"ééé"}: longer than the environment may be. */
static char *make_json(int count) {
    char *json = malloc(16 + 2 * (size_t)count), *at = json;
    at += sprintf(at, "{\"x\":\"");
    for (int i = 0; i < count; i++)
        at += sprintf(at, "é");
    sprintf(at, "\"}");
    return json;
}

static void call(struct ddb_client *db, const char *argument) {
    const char *json = getenv("CASE_JSON"), *size = getenv("CASE_JSON_SIZE");
    char *made = size == NULL ? NULL : make_json(atoi(size));
    const char *reply = ddb_call(db, argument, made != NULL ? made : json);
    report(db, reply != NULL);
    if (reply != NULL)
        printf("%s\n", reply);
    free(made);
}

/* ---- small calls, the argument says how often ---- */

static int times(const char *argument) {
    return argument[0] == '\0' ? 1 : atoi(argument);
}

static void stub_put(struct ddb_client *db, const char *argument) {
    struct ddb_item *item = make_key("p", 1);
    for (int i = 0; i < times(argument); i++)
        report(db, ddb_put_item(db,
                                &(struct ddb_write){.table = "table",
                                                    .item = item,
                                                    .condition = "attribute_not_exists(pk)"},
                                NULL));
    ddb_item_free(item);
}

static void update_times(struct ddb_client *db, const char *argument, bool idempotent) {
    struct ddb_item *key = make_key("p", 1), *values = ddb_item_new();
    ddb_item_set_int(values, ":one", 1);
    for (int i = 0; i < times(argument); i++)
        report(db, ddb_update_item(db,
                                   &(struct ddb_write){.table = "table",
                                                       .key = key,
                                                       .update = "ADD n :one",
                                                       .values = values,
                                                       .idempotent = idempotent},
                                   NULL));
    ddb_item_free(values);
    ddb_item_free(key);
}

static void stub_update(struct ddb_client *db, const char *argument) {
    update_times(db, argument, false);
}

static void stub_update_idempotent(struct ddb_client *db, const char *argument) {
    update_times(db, argument, true);
}

static void stub_get(struct ddb_client *db, const char *argument) {
    struct ddb_item *key = make_key("p", 1);
    for (int i = 0; i < times(argument); i++) {
        struct ddb_item *item = NULL;
        report(db, ddb_get_item(db, &(struct ddb_get){.table = "table", .key = key}, &item));
        print_item("item", item);
        ddb_item_free(item);
    }
    ddb_item_free(key);
}

static void stub_statement(struct ddb_client *db, const char *argument) {
    print_cursor(db, ddb_execute_statement(db, &(struct ddb_statement){.text = argument}), "sk");
}

static void stub_query(struct ddb_client *db, const char *argument) {
    (void)argument;
    print_cursor(db, ddb_query(db, &(struct ddb_query){.table = "table", .key_condition = "x"}),
                 "sk");
}

const struct client_case group_cases[] = {
    {"batch", batch},
    {"stub-batch-write", stub_batch_write},
    {"stub-batch-get", stub_batch_get},
    {"transactions", transactions},
    {"stub-transaction", stub_transaction},
    {"call", call},
    {"stub-put", stub_put},
    {"stub-update", stub_update},
    {"stub-update-idempotent", stub_update_idempotent},
    {"stub-get", stub_get},
    {"stub-statement", stub_statement},
    {"stub-query", stub_query},
    {NULL, NULL},
};
