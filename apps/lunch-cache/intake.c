/* store.c - reads a menu from a JSON file, checks it and puts it into the cache.
 *
 *   {"restaurant": "niagara", "year": 2025, "week": 3, "lunches": [...],
 *    "source": "niagara-parser", "lastUpdated": "2025-01-20T08:00:00.000Z"}
 *
 * The last two may be left out. A menu that was there for the week is replaced. */
#include "store.h"

#include <stdio.h>
#include <string.h>

#include "common/document.h"
#include "common/timestamp.h"
#include "menu.h"
#include "validate.h"

enum { FILE_SIZE_MAX = 256 * 1024, LUNCHES_MAX = 200, SOURCE_MAX = 200 };

const struct app_option store_options[] = {
    {"ttl", "DURATION", "how long it is good: 45s, 30m, 24h, 14d; 14d when not given", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

static bool is_known(const char *name) {
    static const char *const names[] = {"restaurant", "year",   "week",
                                        "lunches",    "source", "lastUpdated"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_within(const struct ddb_item *file, const char *name, int64_t low, int64_t high) {
    int64_t number = ddb_item_int(file, name, low - 1);
    return number >= low && number <= high;
}

/* "" when the member is absent, NULL when it is no text. */
static const char *optional_text(const struct ddb_item *file, const char *name) {
    return ddb_item_value(file, name) == NULL ? "" : ddb_item_string(file, name, NULL);
}

/* What is wrong with the file, apart from its lunches; NULL when nothing is. */
static const char *find_problem(const struct ddb_item *file) {
    size_t lunches = ddb_list_count(ddb_item_list(file, "lunches"));
    const char *source = optional_text(file, "source");
    const char *updated = optional_text(file, "lastUpdated");
    int64_t updated_ms;
    if (file == NULL)
        return "is not a JSON object";
    for (size_t i = 0; i < ddb_item_count(file); i++)
        if (!is_known(ddb_item_name_at(file, i)))
            return "has members besides restaurant, year, week, lunches, source and lastUpdated";
    if (!menu_restaurant_is_good(ddb_item_string(file, "restaurant", "")))
        return "has no restaurant of 1 to 64 lower-case letters, digits or '-'";
    if (!is_within(file, "year", MENU_YEAR_MIN, MENU_YEAR_MAX))
        return "has no year from 2000 to 9999";
    if (!is_within(file, "week", 1, MENU_WEEK_MAX))
        return "has no week from 1 to 53";
    if (lunches < 1 || lunches > LUNCHES_MAX)
        return "has no list of 1 to 200 lunches";
    if (source == NULL || strlen(source) > SOURCE_MAX)
        return "has a source that is not a text of at most 200 bytes";
    if (updated == NULL || (*updated != '\0' && !timestamp_parse(updated, &updated_ms)))
        return "has a lastUpdated that is not a time like 2025-01-20T08:00:00.000Z";
    return NULL;
}

static struct ddb_item *make_menu(const struct ddb_item *file, int64_t lifetime_s) {
    struct menu_id id = {
        .restaurant = ddb_item_string(file, "restaurant", ""),
        .year = ddb_item_int(file, "year", 0),
        .week = ddb_item_int(file, "week", 0),
    };
    const char *source = optional_text(file, "source");
    struct ddb_item *menu = menu_new(&id, *source == '\0' ? "lunch-cache" : source, lifetime_s);
    ddb_item_set_value(menu, "lastUpdated", ddb_item_value(file, "lastUpdated"));
    validate_lunches(ddb_item_list(file, "lunches"), id.week, menu);
    return menu;
}

static enum app_status put_menu(struct app *app, const char *table, const struct ddb_item *menu) {
    const char *pk = ddb_item_string(menu, "pk", "");
    bool any = ddb_item_int(menu, "lunchCount", 0) > 0;
    if (any &&
        !ddb_put_item(app_client(app), &(struct ddb_write){.table = table, .item = menu}, NULL))
        return app_db_fail(app, "cannot store %s", pk);
    printf("%s: ", pk);
    menu_print_summary(menu);
    putchar('\n');
    menu_print_errors(menu);
    return any ? APP_OK : app_fail(app, "no lunch is right; nothing was stored");
}

enum app_status store(struct app *app) {
    const char *path = app_operand(app, 0);
    char table[MENU_TABLE_SIZE];
    int64_t lifetime_s = MENU_LIFETIME_S;
    if (!menu_table(app, table) || !duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    struct ddb_item *document = document_read(app, path, FILE_SIZE_MAX);
    if (document == NULL)
        return APP_FAILED;
    const struct ddb_item *file = ddb_item_map(document, "document");
    const char *problem = find_problem(file);
    enum app_status status = APP_FAILED;
    if (problem != NULL) {
        app_fail(app, "%s %s", path, problem);
    } else {
        struct ddb_item *menu = make_menu(file, lifetime_s);
        status = put_menu(app, table, menu);
        ddb_item_free(menu);
    }
    ddb_item_free(document);
    return status;
}
