/* serve.c - routes to the menus, and the tasks that clean up and grade. */
#include "serve.h"

#include <stdlib.h>
#include <string.h>

#include "cache.h"
#include "common/service.h"
#include "common/service_reply.h"
#include "figures.h"
#include "intake.h"
#include "store.h"
#include "upkeep.h"

enum { CLEANUP_S = 60 * 60, GRADE_S = 10 * 60, MENUS_MAX = 100, HISTORY_MAX = 1000 };

const struct app_option serve_options[] = {
    SERVICE_OPTIONS,
    {"cache-for", "DURATION", "how long it and its clients keep a menu; 1h when not given", false},
    {"cleanup-every", "DURATION", "how often it deletes what has expired; 1h when not given",
     false},
    {"grade-every", "DURATION", "how often it grades what others have written; 10m when not given",
     false},
    {"ttl", "DURATION", "how long a menu is good: 45s, 30m, 24h, 14d; 14d when not given", false},
    MENU_ENVIRONMENT_OPTION,
    {0},
};

enum { COUNT_HITS, COUNT_MISSES, COUNT_STORED, COUNT_CLEANED, COUNT_GRADED };

static struct service_counter counters[] = {
    [COUNT_HITS] = {"cache_hits_total", "Menus from this process's memory.", 0, false},
    [COUNT_MISSES] = {"cache_misses_total", "Menus that were asked of the table.", 0, false},
    [COUNT_STORED] = {"menus_stored_total", "Menus that were stored.", 0, false},
    [COUNT_CLEANED] = {"menus_cleaned_total", "Expired menus that were deleted.", 0, false},
    [COUNT_GRADED] = {"menus_graded_total", "Menus of others that were graded.", 0, false},
    {0},
};

static bool is_true(const struct service_call *call, const char *name) {
    return strcmp(service_query(call, name, "false"), "true") == 0;
}

/* ---- reading a menu ---- */

static bool take_pk(const struct service_call *call, char ret_pk[MENU_PK_SIZE]) {
    struct menu_id id = {.restaurant = call->path[0]};
    if (!menu_check_restaurant(call->app, id.restaurant) ||
        !menu_take_week(call->app, call->path[1], call->path[2], &id))
        return false;
    menu_pk(&id, ret_pk);
    return true;
}

/* From memory where it is there, else from the table. False, with a message: it cannot be read. */
static bool read_menu(struct service_call *call, const char *table, const char *pk,
                      struct cache_view *ret_view) {
    bool fresh = is_true(call, "fresh");
    int64_t lifetime_s = CACHE_LIFETIME_S;
    if (!duration_option(call->app, "cache-for", &lifetime_s))
        return false;
    cache_find(pk, ret_view);
    if (ret_view->menu != NULL && !fresh && !ttl_has_passed(ret_view->menu)) {
        service_count(&counters[COUNT_HITS]);
        return true;
    }
    ddb_item_free(ret_view->menu);
    ret_view->menu = NULL;
    service_count(&counters[COUNT_MISSES]);
    if (!store_read(call->app, table, pk, fresh || ret_view->changed, &ret_view->menu))
        return false;
    ret_view->left_s = lifetime_s;
    if (ret_view->menu != NULL)
        cache_keep(ret_view->menu, lifetime_s, ret_view->moment);
    else if (fresh)
        cache_forget(pk); /* somebody else has deleted it */
    return true;
}

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static enum app_status get_menu(struct service_call *call) {
    char table[MENU_TABLE_SIZE], pk[MENU_PK_SIZE];
    struct cache_view view;
    if (!menu_table(call->app, table) || !take_pk(call, pk))
        return APP_USAGE;
    if (!read_menu(call, table, pk, &view))
        return reply_failure(call);
    enum app_status status = APP_OK;
    if (view.menu == NULL) {
        status = reply_missing(call, "menu", pk);
    } else {
        reply_copy(call->reply, view.menu);
        int64_t lives_s = ddb_item_int(view.menu, "ttl", INT64_MAX) - ttl_now();
        call->max_age_s = smaller(view.left_s, lives_s);
        if (call->path[1] == NULL) /* the same path is another menu then */
            call->max_age_s = smaller(call->max_age_s, menu_week_left_s());
    }
    ddb_item_free(view.menu);
    return status;
}

/* ---- storing menus ---- */

/* What is wrong with it, and how good it is; not the lunches again. */
static void add_grades(struct ddb_item *reply, const struct ddb_item *menu) {
    static const char *const names[] = {"pk",          "lunchCount", "cachedAt",        "ttl",
                                        "dataQuality", "metadata",   "validationErrors"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        ddb_item_set_value(reply, names[i], ddb_item_value(menu, names[i]));
}

static enum app_status put_menus(struct service_call *call, struct ddb_item *const *menus,
                                 size_t count) {
    char table[MENU_TABLE_SIZE];
    if (!menu_table(call->app, table))
        return APP_USAGE;
    for (size_t i = 0; i < count; i++) {
        if (ddb_item_int(menus[i], "lunchCount", 0) > 0)
            continue;
        call->status = 422;
        return app_fail(call->app, "no lunch of %s is right; nothing was stored",
                        ddb_item_string(menus[i], "pk", "?"));
    }
    bool ok = store_put(call->app, table, menus, count);
    for (size_t i = 0; i < count; i++)
        cache_forget(ddb_item_string(menus[i], "pk", ""));
    if (!ok)
        return reply_failure(call);
    atomic_fetch_add(&counters[COUNT_STORED].count, count);
    return APP_OK;
}

static bool take_lifetime(const struct service_call *call, int64_t *ret_lifetime_s) {
    *ret_lifetime_s = MENU_LIFETIME_S;
    if (!duration_option(call->app, "ttl", ret_lifetime_s))
        return false;
    *ret_lifetime_s = ddb_item_int(call->body, "ttlSeconds", *ret_lifetime_s);
    if (*ret_lifetime_s >= 1 && *ret_lifetime_s <= DURATION_MAX_S)
        return true;
    app_bad_usage(call->app, "ttlSeconds is from 1 to %d", DURATION_MAX_S);
    return false;
}

/* The path says which menu it is. */
static struct ddb_item *take_menu(const struct service_call *call) {
    struct menu_id id = {.restaurant = call->path[0]};
    int64_t lifetime_s;
    const char *problem;
    if (!menu_check_restaurant(call->app, id.restaurant) ||
        !menu_take_week(call->app, call->path[1], call->path[2], &id) ||
        !take_lifetime(call, &lifetime_s))
        return NULL;
    struct ddb_item *given = ddb_item_copy(call->body);
    ddb_item_remove(given, "ttlSeconds");
    ddb_item_set_string(given, "restaurant", id.restaurant);
    ddb_item_set_int(given, "year", id.year);
    ddb_item_set_int(given, "week", id.week);
    struct ddb_item *menu = intake_menu(given, lifetime_s, &problem);
    if (menu == NULL)
        app_bad_usage(call->app, "the menu %s", problem);
    ddb_item_free(given);
    return menu;
}

static enum app_status put_menu(struct service_call *call) {
    struct ddb_item *menu = take_menu(call);
    if (menu == NULL)
        return APP_USAGE;
    enum app_status status = put_menus(call, &menu, 1);
    add_grades(call->reply, menu);
    ddb_item_free(menu);
    return status;
}

/* All of them are checked before the first one is stored. */
static enum app_status take_menus(const struct service_call *call, struct ddb_item **ret_menus,
                                  size_t *count) {
    const struct ddb_list *given = ddb_item_list(call->body, "menus");
    int64_t lifetime_s;
    if (!take_lifetime(call, &lifetime_s))
        return APP_USAGE;
    if (ddb_list_count(given) < 1 || ddb_list_count(given) > MENUS_MAX)
        return app_bad_usage(call->app, "menus has 1 to %d menus", MENUS_MAX);
    while (*count < ddb_list_count(given)) {
        const char *problem;
        ret_menus[*count] =
            intake_menu(ddb_value_map(ddb_list_at(given, *count)), lifetime_s, &problem);
        if (ret_menus[*count] == NULL)
            return app_bad_usage(call->app, "menu %zu %s", *count + 1, problem);
        size_t before = intake_place(ret_menus, *count, ret_menus[*count]);
        if (before < (*count)++)
            return app_bad_usage(call->app, "menus %zu and %zu are the same one", before + 1,
                                 *count);
    }
    return APP_OK;
}

static enum app_status post_menus(struct service_call *call) {
    struct ddb_item *menus[MENUS_MAX];
    size_t count = 0;
    enum app_status status = take_menus(call, menus, &count);
    if (status == APP_OK)
        status = put_menus(call, menus, count);
    struct ddb_list *stored = ddb_item_set_list(call->reply, "menus");
    for (size_t i = 0; i < count; i++) {
        add_grades(ddb_list_add_map(stored), menus[i]);
        ddb_item_free(menus[i]);
    }
    return status;
}

static enum app_status delete_menu(struct service_call *call) {
    char table[MENU_TABLE_SIZE], pk[MENU_PK_SIZE];
    bool was_there;
    if (!menu_table(call->app, table) || !take_pk(call, pk))
        return APP_USAGE;
    bool ok = store_delete(call->app, table, pk, &was_there);
    cache_forget(pk);
    if (!ok)
        return reply_failure(call);
    if (!was_there)
        return reply_missing(call, "menu", pk);
    ddb_item_set_string(call->reply, "deleted", pk);
    return APP_OK;
}

/* ---- history and figures ---- */

static enum app_status get_history(struct service_call *call) {
    char table[MENU_TABLE_SIZE];
    struct store_history history = {.table = table,
                                    .restaurant = call->path[0],
                                    .limit = strtoll(service_query(call, "limit", "100"), NULL, 10),
                                    .errors_only = is_true(call, "errors")};
    if (!menu_table(call->app, table) || !menu_check_restaurant(call->app, history.restaurant))
        return APP_USAGE;
    if (history.limit < 1 || history.limit > HISTORY_MAX)
        return app_bad_usage(call->app, "limit is from 1 to %d", HISTORY_MAX);
    return reply_items(call, "menus", store_history(call->app, &history), (size_t)history.limit);
}

static void add_figures(struct ddb_item *reply, const struct figures *figures) {
    ddb_item_set_string(reply, "restaurant", figures->restaurant);
    ddb_item_set_int(reply, "menus", figures->menus);
    ddb_item_set_int(reply, "lunches", figures->lunches);
    ddb_item_set_int(reply, "errors", figures->errors);
    ddb_item_set_int(reply, "expired", figures->expired);
}

static enum app_status get_figures(struct service_call *call) {
    char table[MENU_TABLE_SIZE];
    struct figures figures;
    if (!menu_table(call->app, table) || !menu_check_restaurant(call->app, call->path[0]))
        return APP_USAGE;
    if (!figures_of(call->app, table, call->path[0], &figures))
        return reply_failure(call);
    add_figures(call->reply, &figures);
    return APP_OK;
}

static enum app_status get_all_figures(struct service_call *call) {
    char table[MENU_TABLE_SIZE];
    struct figures_list list;
    if (!menu_table(call->app, table))
        return APP_USAGE;
    bool ok = figures_of_all(call->app, table, &list);
    add_figures(ddb_item_set_map(call->reply, "all"), &list.total);
    struct ddb_list *restaurants = ddb_item_set_list(call->reply, "restaurants");
    for (size_t i = 0; i < list.count; i++)
        add_figures(ddb_list_add_map(restaurants), &list.all[i]);
    figures_list_free(&list);
    return ok ? APP_OK : reply_failure(call);
}

/* ---- the tables ---- */

static const struct service_parameter get_parameters[] = {
    {"fresh", SERVICE_QUERY, SERVICE_STRING, false,
     "true: as of now, from the table, strongly consistent"},
    {0},
};
static const struct service_parameter put_parameters[] = {
    {"lunches", SERVICE_BODY, SERVICE_LIST, true,
     "1 to 200 of {name, description, price, weekday, week, place}"},
    {"source", SERVICE_BODY, SERVICE_STRING, false, "who read it"},
    {"lastUpdated", SERVICE_BODY, SERVICE_STRING, false, "when the restaurant changed it"},
    {"ttlSeconds", SERVICE_BODY, SERVICE_NUMBER, false, "how long it is good"},
    {0},
};
static const struct service_parameter post_parameters[] = {
    {"menus", SERVICE_BODY, SERVICE_LIST, true,
     "1 to 100 of {restaurant, year, week, lunches, source, lastUpdated}"},
    {"ttlSeconds", SERVICE_BODY, SERVICE_NUMBER, false, "how long they are good"},
    {0},
};
static const struct service_parameter history_parameters[] = {
    {"limit", SERVICE_QUERY, SERVICE_NUMBER, false, "at most so many; 100"},
    {"errors", SERVICE_QUERY, SERVICE_STRING, false,
     "true: only menus that something is wrong with"},
    {0},
};

static const struct service_route routes[] = {
    {"POST", "/menus", "stores several menus", post_menus, post_parameters},
    {"GET", "/menus/{restaurant}", "this week's menu", get_menu, get_parameters},
    {"GET", "/menus/{restaurant}/{year}/{week}", "a week's menu", get_menu, get_parameters},
    {"PUT", "/menus/{restaurant}/{year}/{week}", "stores a week's menu", put_menu, put_parameters},
    {"DELETE", "/menus/{restaurant}/{year}/{week}", "deletes a week's menu", delete_menu, NULL},
    {"GET", "/restaurants/{restaurant}/history", "the menus of a restaurant, the newest first",
     get_history, history_parameters},
    {"GET", "/restaurants/{restaurant}/stats", "counts what a restaurant has", get_figures, NULL},
    {"GET", "/stats", "counts what all have, by a scan", get_all_figures, NULL},
    {0},
};

static enum app_status clean_up(struct app *app) {
    char table[MENU_TABLE_SIZE];
    int deleted = 0;
    bool ok = menu_table(app, table) && upkeep_cleanup(app, table, &deleted);
    atomic_fetch_add(&counters[COUNT_CLEANED].count, (unsigned)deleted);
    return ok ? APP_OK : APP_FAILED;
}

static enum app_status grade(struct app *app) {
    char table[MENU_TABLE_SIZE];
    int graded = 0;
    bool ok = menu_table(app, table) && upkeep_grade(app, table, &graded);
    if (graded > 0)
        cache_forget_all();
    atomic_fetch_add(&counters[COUNT_GRADED].count, (unsigned)graded);
    return ok ? APP_OK : APP_FAILED;
}

static const struct service_task tasks[] = {
    {"cleanup", "cleanup-every", CLEANUP_S, clean_up},
    {"grade", "grade-every", GRADE_S, grade},
    {0},
};

static bool is_ready(struct app *app) {
    char table[MENU_TABLE_SIZE];
    return menu_table(app, table) && upkeep_check(app, table);
}

enum app_status serve_command(struct app *app) {
    struct service service = {routes, tasks, counters, is_ready};
    char table[MENU_TABLE_SIZE];
    int64_t seconds;
    if (!menu_table(app, table) || !duration_option(app, "cache-for", &seconds) ||
        !duration_option(app, "ttl", &seconds))
        return APP_USAGE;
    enum app_status status = service_run(app, &service);
    cache_forget_all();
    return status;
}
