/* figures.c - counts menus, lunches and errors. */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store.h"

enum { RESTAURANTS_MAX = 10000 };

static void add_menu(struct figures *figures, const struct ddb_item *menu) {
    figures->menus++;
    figures->lunches += ddb_item_int(menu, "lunchCount", 0);
    figures->errors += (int64_t)ddb_list_count(ddb_item_list(menu, "validationErrors"));
    figures->expired += ttl_has_passed(menu);
}

/* The last thing that the client did was to read the cursor. */
static bool was_read(struct app *app, const char *whose) {
    if (ddb_client_error(app_client(app)) == NULL)
        return true;
    app_db_fail(app, "cannot read the menus%s%s", *whose == '\0' ? "" : " of ", whose);
    return false;
}

bool figures_of(struct app *app, const char *table, const char *restaurant,
                struct figures *ret_figures) {
    *ret_figures = (struct figures){.menus = 0};
    snprintf(ret_figures->restaurant, sizeof(ret_figures->restaurant), "%s", restaurant);
    struct ddb_cursor *menus =
        store_history(app, &(struct store_history){.table = table, .restaurant = restaurant});
    for (const struct ddb_item *menu; (menu = ddb_cursor_next(menus)) != NULL;)
        add_menu(ret_figures, menu);
    bool ok = was_read(app, restaurant);
    ddb_cursor_free(menus);
    return ok;
}

/* ---- all restaurants ---- */

/* NULL when there are too many. */
static struct figures *find(struct figures_list *list, const char *restaurant) {
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->all[i].restaurant, restaurant) == 0)
            return &list->all[i];
    if (list->count == RESTAURANTS_MAX)
        return NULL;
    struct figures *figures = &list->all[list->count++];
    snprintf(figures->restaurant, sizeof(figures->restaurant), "%.*s", MENU_RESTAURANT_MAX,
             restaurant);
    return figures;
}

static bool count_menus(struct app *app, struct ddb_cursor *menus, struct figures_list *list) {
    for (const struct ddb_item *menu; (menu = ddb_cursor_next(menus)) != NULL;) {
        const char *restaurant = ddb_item_string(menu, "restaurant", NULL);
        if (restaurant == NULL)
            continue; /* of a health check that is going on */
        struct figures *figures = find(list, restaurant);
        if (figures == NULL)
            return app_fail(app, "there are more than %d restaurants", RESTAURANTS_MAX) == APP_OK;
        add_menu(figures, menu);
        add_menu(&list->total, menu);
    }
    return was_read(app, "");
}

static int by_name(const void *a, const void *b) {
    const struct figures *x = a, *y = b;
    return strcmp(x->restaurant, y->restaurant);
}

bool figures_of_all(struct app *app, const char *table, struct figures_list *ret_list) {
    static const char *const names[] = {"#ttl", "ttl", NULL}; /* a reserved word */
    *ret_list = (struct figures_list){.all = calloc(RESTAURANTS_MAX, sizeof(*ret_list->all)),
                                      .total = {.restaurant = "all"}};
    if (ret_list->all == NULL)
        abort();
    struct ddb_cursor *menus =
        ddb_scan(app_client(app),
                 &(struct ddb_query){.table = table,
                                     .projection = "restaurant, lunchCount, validationErrors, #ttl",
                                     .names = names});
    bool ok = count_menus(app, menus, ret_list);
    ddb_cursor_free(menus);
    qsort(ret_list->all, ret_list->count, sizeof(*ret_list->all), by_name);
    return ok;
}

void figures_list_free(struct figures_list *list) {
    free(list->all);
}
