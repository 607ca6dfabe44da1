/* merchant.c - merchants. */
#include "merchant.h"

#include <stdio.h>

#include "common/random.h"
#include "entity.h"

enum app_status merchant_make(struct app *app, const char *id, const char *name,
                              const char *category) {
    struct ddb_item *item = entity_key("MERCHANT#", id);
    ddb_item_set_string(item, "Type", "Merchant");
    ddb_item_set_string(item, "ID", id);
    ddb_item_set_string(item, "Name", name);
    ddb_item_set_string(item, "Category", category);
    enum app_status status = entity_add(app, "a merchant", item);
    ddb_item_free(item);
    return status;
}

const struct app_option merchant_add_options[] = {
    {"name", "NAME", "what people call it", true},
    {"category", "CATEGORY", "Restaurant, say", true},
    {"id", "ID", "its id; a new UUID when not given", false},
    {0},
};

enum app_status merchant_add(struct app *app) {
    char uuid[UUID_TEXT_SIZE];
    uuid_random(uuid);
    const char *id = app_option(app, "id", uuid);
    const char *name = app_option(app, "name", ""), *category = app_option(app, "category", "");
    if (!app_check_id(app, "--id", id) || !app_check_text(app, "--name", name) ||
        !app_check_text(app, "--category", category))
        return APP_USAGE;
    enum app_status status = merchant_make(app, id, name, category);
    if (status == APP_OK)
        printf("%s\n", id);
    return status;
}

enum app_status merchant_show(struct app *app) {
    const char *id = app_operand(app, 0);
    struct ddb_item *item = NULL;
    if (!app_check_id(app, "MERCHANT", id))
        return APP_USAGE;
    if (!entity_read(app, "MERCHANT#", id, &item))
        return APP_FAILED;
    if (item == NULL)
        return app_fail(app, "there is no merchant %s", id);
    printf("%s %s, %s\n", id, ddb_item_string(item, "Name", "?"),
           ddb_item_string(item, "Category", "?"));
    ddb_item_free(item);
    return APP_OK;
}
