/* cases_tables.c - tables that come and go: waiting for them, and listing them. */
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

/* ---- waiting ---- */

/* A call by its plain JSON, without a use for the reply. */
static void call(struct ddb_client *db, const char *operation, const char *json) {
    if (ddb_call(db, operation, json) == NULL)
        report(db, false);
}

static void wait_for(struct ddb_client *db, const char *label, struct ddb_wait wait) {
    printf("%s ", label);
    report(db, ddb_wait(db, &wait));
}

static void wait_for_backup(struct ddb_client *db) {
    struct ddb_item *parameters = ddb_item_new(), *reply = NULL;
    ddb_item_set_string(parameters, "TableName", "music");
    ddb_item_set_string(parameters, "BackupName", "nightly");
    if (ddb_call_document(db, "CreateBackup", parameters, &reply)) {
        const char *arn = ddb_item_need_string(ddb_item_map(reply, "BackupDetails"), "BackupArn");
        wait_for(db, "backup", (struct ddb_wait){.until = DDB_BACKUP_AVAILABLE, .arn = arn});
    } else {
        report(db, false);
    }
    ddb_item_free(reply);
    ddb_item_free(parameters);
}

static void waits(struct ddb_client *db, const char *argument) {
    (void)argument;
    call(db, "CreateTable",
         "{\"TableName\":\"music\",\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":"
         "[{\"AttributeName\":\"pk\",\"AttributeType\":\"S\"}],"
         "\"KeySchema\":[{\"AttributeName\":\"pk\",\"KeyType\":\"HASH\"}]}");
    wait_for(db, "table", (struct ddb_wait){.table = "music"});
    call(db, "UpdateTable",
         "{\"TableName\":\"music\",\"AttributeDefinitions\":[{\"AttributeName\":\"pk\","
         "\"AttributeType\":\"S\"},{\"AttributeName\":\"year\",\"AttributeType\":\"N\"}],"
         "\"GlobalSecondaryIndexUpdates\":[{\"Create\":{\"IndexName\":\"by-year\",\"KeySchema\":"
         "[{\"AttributeName\":\"year\",\"KeyType\":\"HASH\"}],"
         "\"Projection\":{\"ProjectionType\":\"ALL\"}}}]}");
    wait_for(db, "index",
             (struct ddb_wait){.until = DDB_INDEX_ACTIVE, .table = "music", .index = "by-year"});
    wait_for_backup(db);
    call(db, "UpdateTable",
         "{\"TableName\":\"music\",\"GlobalSecondaryIndexUpdates\":"
         "[{\"Delete\":{\"IndexName\":\"by-year\"}}]}");
    wait_for(db, "no index",
             (struct ddb_wait){.until = DDB_INDEX_GONE, .table = "music", .index = "by-year"});
    call(db, "DeleteTable", "{\"TableName\":\"music\"}");
    wait_for(db, "no table", (struct ddb_wait){.until = DDB_TABLE_GONE, .table = "music"});
    wait_for(db, "too long", (struct ddb_wait){.table = "music", .timeout_ms = 2000});
    wait_for(db, "never", (struct ddb_wait){.table = "music", .must_exist = true});
}

/* ---- listing ---- */

static void lists(struct ddb_client *db, const char *argument) {
    struct ddb_item *parameters = ddb_item_new();
    ddb_item_set_int(parameters, "Limit", atoi(argument));
    print_cursor(db, ddb_call_pages(db, "ListTables", parameters), "TableName");
    ddb_item_free(parameters);
}

const struct client_case table_cases[] = {
    {"waits", waits},
    {"lists", lists},
    {NULL, NULL},
};
