/* figures.h - how much is in the cache, for each restaurant and in all. */
#ifndef LUNCH_CACHE_FIGURES_H
#define LUNCH_CACHE_FIGURES_H

#include "menu.h"

struct figures {
    char restaurant[MENU_RESTAURANT_MAX + 1];
    int64_t menus;
    int64_t lunches;
    int64_t errors;
    int64_t expired; /* of the menus: those that DynamoDB has not deleted yet */
};

struct figures_list {
    struct figures *all; /* by name; free with figures_list_free() */
    size_t count;
    struct figures total; /* "all" */
};

/* Of one restaurant, by the index: it costs what the restaurant has, not what the table has. Both
 * say what is wrong. */
bool figures_of(struct app *app, const char *table, const char *restaurant,
                struct figures *ret_figures);
/* Of all restaurants, by a Scan. The list is to be freed in any case. */
bool figures_of_all(struct app *app, const char *table, struct figures_list *ret_list);
void figures_list_free(struct figures_list *list);

#endif
