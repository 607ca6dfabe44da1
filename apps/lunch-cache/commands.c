/* commands.c - what people type, and what they see. */
#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/document.h"
#include "figures.h"
#include "intake.h"
#include "store.h"
#include "upkeep.h"

/* ---- store ---- */

enum { FILE_SIZE_MAX = 256 * 1024, FILES_MAX = 1000 };

const struct app_option store_options[] = {
    {"ttl", "DURATION", "how long it is good: 45s, 30m, 24h, 14d; 14d when not given", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

/* NULL when the file is no menu; says why. */
static struct ddb_item *read_menu(struct app *app, const char *path, int64_t lifetime_s) {
    const char *problem;
    struct ddb_item *document = document_read(app, path, FILE_SIZE_MAX);
    if (document == NULL)
        return NULL;
    struct ddb_item *menu = intake_menu(ddb_item_map(document, "document"), lifetime_s, &problem);
    if (menu == NULL)
        app_fail(app, "%s %s", path, problem);
    ddb_item_free(document);
    return menu;
}

static bool is_twice(const struct app *app, struct ddb_item *const *menus, size_t count) {
    size_t before = intake_place(menus, count, menus[count]);
    if (before < count)
        app_fail(app, "files %zu and %zu are both %s", before + 1, count + 1,
                 ddb_item_string(menus[count], "pk", "?"));
    return before < count;
}

static void print_menu_line(const struct ddb_item *menu) {
    printf("%s: ", ddb_item_string(menu, "pk", "?"));
    menu_print_summary(menu);
    putchar('\n');
    menu_print_errors(menu);
}

/* All are checked before the first one is stored, so a mistake in one changes nothing. */
static enum app_status store_all(struct app *app, const char *table, struct ddb_item *const *menus,
                                 size_t count) {
    bool any = true;
    for (size_t i = 0; i < count; i++)
        any = any && ddb_item_int(menus[i], "lunchCount", 0) > 0;
    if (any && !store_put(app, table, menus, count))
        return APP_FAILED;
    for (size_t i = 0; i < count; i++)
        print_menu_line(menus[i]);
    return any ? APP_OK : app_fail(app, "no lunch is right; nothing was stored");
}

enum app_status store_command(struct app *app) {
    char table[MENU_TABLE_SIZE];
    int64_t lifetime_s = MENU_LIFETIME_S;
    size_t count = 0;
    if (!menu_table(app, table) || !duration_option(app, "ttl", &lifetime_s))
        return APP_USAGE;
    struct ddb_item **menus = calloc(FILES_MAX, sizeof(*menus));
    if (menus == NULL)
        abort();
    enum app_status status = APP_OK;
    for (const char *path; status == APP_OK && (path = app_operand(app, (int)count)) != NULL;) {
        if (count == FILES_MAX)
            status = app_fail(app, "there are more than %d files", FILES_MAX);
        else if ((menus[count] = read_menu(app, path, lifetime_s)) == NULL)
            status = APP_FAILED;
        else if (is_twice(app, menus, count++))
            status = APP_FAILED;
    }
    if (status == APP_OK)
        status = store_all(app, table, menus, count);
    while (count > 0)
        ddb_item_free(menus[--count]);
    free(menus);
    return status;
}

/* ---- show and delete ---- */

const struct app_option show_options[] = {
    {"fresh", NULL, "as of now: a strongly consistent read, which costs twice as much", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

static void print_menu(const struct ddb_item *menu) {
    char expiry[TTL_TEXT_SIZE];
    const struct ddb_list *lunches = ddb_item_list(menu, "lunches");
    ttl_describe(menu, expiry);
    printf("%s: ", ddb_item_string(menu, "pk", "?"));
    menu_print_summary(menu);
    printf(", cached %s, %s\n", ddb_item_string(menu, "cachedAt", "?"), expiry);
    for (size_t i = 0; i < ddb_list_count(lunches); i++) {
        const struct ddb_item *lunch = ddb_value_map(ddb_list_at(lunches, i));
        const char *description = ddb_item_string(lunch, "description", "");
        printf("%s: %s, %s kr%s%s\n", ddb_item_string(lunch, "weekday", "?"),
               ddb_item_string(lunch, "name", "?"), ddb_item_number(lunch, "price", "?"),
               *description == '\0' ? "" : ". ", description);
    }
    menu_print_errors(menu);
}

/* RESTAURANT [YEAR] [WEEK] */
static bool take_pk(const struct app *app, char ret_pk[MENU_PK_SIZE]) {
    struct menu_id id = {.restaurant = app_operand(app, 0)};
    if (!menu_check_restaurant(app, id.restaurant) ||
        !menu_take_week(app, app_operand(app, 1), app_operand(app, 2), &id))
        return false;
    menu_pk(&id, ret_pk);
    return true;
}

enum app_status show_command(struct app *app) {
    char table[MENU_TABLE_SIZE], pk[MENU_PK_SIZE];
    struct ddb_item *menu;
    if (!menu_table(app, table) || !take_pk(app, pk))
        return APP_USAGE;
    if (!store_read(app, table, pk, app_flag(app, "fresh"), &menu))
        return APP_FAILED;
    if (menu == NULL)
        return app_fail(app, "there is no menu %s", pk);
    print_menu(menu);
    ddb_item_free(menu);
    return APP_OK;
}

enum app_status delete_command(struct app *app) {
    char table[MENU_TABLE_SIZE], pk[MENU_PK_SIZE];
    bool was_there;
    if (!menu_table(app, table) || !take_pk(app, pk))
        return APP_USAGE;
    if (!store_delete(app, table, pk, &was_there))
        return APP_FAILED;
    if (!was_there)
        return app_fail(app, "there is no menu %s", pk);
    printf("%s deleted\n", pk);
    return APP_OK;
}

/* ---- history and stats ---- */

const struct app_option history_options[] = {
    {"limit", "COUNT", "at most so many; all when not given", false},
    {"errors", NULL, "only menus that something is wrong with", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

static void print_line(const struct ddb_item *menu) {
    char expiry[TTL_TEXT_SIZE];
    ttl_describe(menu, expiry);
    printf("%s %s: ", ddb_item_string(menu, "cachedAt", "?"), ddb_item_string(menu, "pk", "?"));
    menu_print_summary(menu);
    printf(", %s\n", expiry);
}

enum app_status history_command(struct app *app) {
    char table[MENU_TABLE_SIZE];
    struct store_history history = {
        .table = table, .restaurant = app_operand(app, 0), .errors_only = app_flag(app, "errors")};
    if (!menu_table(app, table) || !menu_check_restaurant(app, history.restaurant) ||
        !app_number(app, "limit", 1, 1000000, &history.limit))
        return APP_USAGE;
    struct ddb_cursor *menus = store_history(app, &history);
    for (const struct ddb_item *menu; (menu = ddb_cursor_next(menus)) != NULL;)
        print_line(menu);
    enum app_status status = APP_OK;
    if (ddb_client_error(app_client(app)) != NULL)
        status = app_db_fail(app, "cannot read the menus of %s", history.restaurant);
    ddb_cursor_free(menus);
    return status;
}

static void print_figures(const struct figures *figures) {
    printf("%s: menus %" PRId64 ", lunches %" PRId64 ", errors %" PRId64 ", expired %" PRId64 "\n",
           figures->restaurant, figures->menus, figures->lunches, figures->errors,
           figures->expired);
}

static enum app_status print_all_figures(struct app *app, const char *table) {
    struct figures_list list;
    bool ok = figures_of_all(app, table, &list);
    for (size_t i = 0; ok && i < list.count; i++)
        print_figures(&list.all[i]);
    if (ok)
        print_figures(&list.total);
    figures_list_free(&list);
    return ok ? APP_OK : APP_FAILED;
}

enum app_status stats_command(struct app *app) {
    char table[MENU_TABLE_SIZE];
    const char *restaurant = app_operand(app, 0);
    struct figures figures;
    if (!menu_table(app, table) || (restaurant != NULL && !menu_check_restaurant(app, restaurant)))
        return APP_USAGE;
    if (restaurant == NULL)
        return print_all_figures(app, table);
    if (!figures_of(app, table, restaurant, &figures))
        return APP_FAILED;
    print_figures(&figures);
    return APP_OK;
}

/* ---- upkeep ---- */

enum app_status cleanup_command(struct app *app) {
    char table[MENU_TABLE_SIZE];
    int deleted;
    if (!menu_table(app, table))
        return APP_USAGE;
    if (!upkeep_cleanup(app, table, &deleted))
        return APP_FAILED;
    printf("expired menus deleted: %d\n", deleted);
    return APP_OK;
}

enum app_status grade_command(struct app *app) {
    char table[MENU_TABLE_SIZE];
    int graded;
    if (!menu_table(app, table))
        return APP_USAGE;
    if (!upkeep_grade(app, table, &graded))
        return APP_FAILED;
    printf("menus graded: %d\n", graded);
    return APP_OK;
}

enum app_status health_command(struct app *app) {
    char table[MENU_TABLE_SIZE];
    if (!menu_table(app, table))
        return APP_USAGE;
    if (!upkeep_check(app, table))
        return APP_FAILED;
    printf("healthy: put, get and delete work\n");
    return APP_OK;
}
