/* entity.c - reads and writes items by the keys of entity.h. */
#include "entity.h"

#include <stdio.h>

void entity_set(struct ddb_item *item, const char *name, const char *prefix, const char *id) {
    char text[LEDGER_KEY_SIZE];
    snprintf(text, sizeof(text), "%s%s", prefix, id);
    ddb_item_set_string(item, name, text);
}

struct ddb_item *entity_key(const char *prefix, const char *id) {
    struct ddb_item *key = ddb_item_new();
    entity_set(key, "PK", prefix, id);
    ddb_item_set_string(key, "SK", "METADATA");
    return key;
}

bool entity_read(struct app *app, const char *prefix, const char *id, struct ddb_item **ret_item) {
    struct ddb_item *key = entity_key(prefix, id);
    bool ok = ddb_get_item(app_client(app),
                           &(struct ddb_get){.table = LEDGER_TABLE, .key = key, .consistent = true},
                           ret_item);
    ddb_item_free(key);
    if (!ok)
        app_db_fail(app, "cannot read %s%s", prefix, id);
    return ok;
}

enum app_status entity_add(struct app *app, const char *what, const struct ddb_item *item) {
    struct ddb_client *db = app_client(app);
    const char *id = ddb_item_string(item, "ID", "");
    if (ddb_put_item(db,
                     &(struct ddb_write){.table = LEDGER_TABLE,
                                         .item = item,
                                         .condition = "attribute_not_exists(PK)"},
                     NULL))
        return APP_OK;
    if (ddb_client_failed_with(db, "ConditionalCheckFailedException"))
        return app_fail(app, "there is %s %s already", what, id);
    return app_db_fail(app, "cannot add %s %s", what, id);
}

struct ddb_cursor *entity_query(struct app *app, const struct entity_query *query) {
    struct ddb_item *values = ddb_item_new();
    entity_set(values, ":pk", query->pk_prefix, query->pk);
    if (query->from != NULL)
        ddb_item_set_string(values, ":from", query->from);
    if (query->to != NULL)
        ddb_item_set_string(values, ":to", query->to);
    struct ddb_cursor *cursor =
        ddb_query(app_client(app), &(struct ddb_query){.table = LEDGER_TABLE,
                                                       .index = query->index,
                                                       .key_condition = query->condition,
                                                       .values = values,
                                                       .descending = query->descending,
                                                       .limit = query->limit,
                                                       .page_size = (int)query->limit,
                                                       .start_key = query->start_key});
    ddb_item_free(values);
    return cursor;
}
