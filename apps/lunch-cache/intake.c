/* intake.c - the rules for a menu as a whole; validate.c has those for its lunches. */
#include "intake.h"

#include <string.h>

#include "common/timestamp.h"
#include "menu.h"
#include "validate.h"

enum { LUNCHES_MAX = 200, SOURCE_MAX = 200 };

static bool is_known(const char *name) {
    static const char *const names[] = {"restaurant", "year",   "week",
                                        "lunches",    "source", "lastUpdated"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static bool is_within(const struct ddb_item *given, const char *name, int64_t low, int64_t high) {
    int64_t number = ddb_item_int(given, name, low - 1);
    return number >= low && number <= high;
}

/* "" when the member is absent, NULL when it is no text. */
static const char *optional_text(const struct ddb_item *given, const char *name) {
    return ddb_item_value(given, name) == NULL ? "" : ddb_item_string(given, name, NULL);
}

/* What is wrong with it, apart from its lunches; NULL when nothing is. */
static const char *find_problem(const struct ddb_item *given) {
    size_t lunches = ddb_list_count(ddb_item_list(given, "lunches"));
    const char *source = optional_text(given, "source");
    const char *updated = optional_text(given, "lastUpdated");
    int64_t updated_ms;
    if (given == NULL)
        return "is not a JSON object";
    for (size_t i = 0; i < ddb_item_count(given); i++)
        if (!is_known(ddb_item_name_at(given, i)))
            return "has members besides restaurant, year, week, lunches, source and lastUpdated";
    if (!menu_restaurant_is_good(ddb_item_string(given, "restaurant", "")))
        return "has no restaurant of 1 to 64 lower-case letters, digits or '-'";
    if (!is_within(given, "year", MENU_YEAR_MIN, MENU_YEAR_MAX))
        return "has no year from 2000 to 9999";
    if (!is_within(given, "week", 1, MENU_WEEK_MAX))
        return "has no week from 1 to 53";
    if (ddb_item_int(given, "week", 0) > menu_weeks_of(ddb_item_int(given, "year", 0)))
        return "has week 53 of a year of 52 weeks";
    if (lunches < 1 || lunches > LUNCHES_MAX)
        return "has no list of 1 to 200 lunches";
    if (source == NULL || strlen(source) > SOURCE_MAX)
        return "has a source that is not a text of at most 200 bytes";
    if (updated == NULL || (*updated != '\0' && !timestamp_parse(updated, &updated_ms)))
        return "has a lastUpdated that is not a time like 2025-01-20T08:00:00.000Z";
    return NULL;
}

static struct ddb_item *make_menu(const struct ddb_item *given, int64_t lifetime_s) {
    struct menu_id id = {
        .restaurant = ddb_item_string(given, "restaurant", ""),
        .year = ddb_item_int(given, "year", 0),
        .week = ddb_item_int(given, "week", 0),
    };
    const char *source = optional_text(given, "source");
    struct ddb_item *menu = menu_new(&id, *source == '\0' ? "lunch-cache" : source, lifetime_s);
    ddb_item_set_value(menu, "lastUpdated", ddb_item_value(given, "lastUpdated"));
    validate_lunches(ddb_item_list(given, "lunches"), id.week, menu);
    return menu;
}

struct ddb_item *intake_menu(const struct ddb_item *given, int64_t lifetime_s,
                             const char **ret_problem) {
    *ret_problem = find_problem(given);
    return *ret_problem == NULL ? make_menu(given, lifetime_s) : NULL;
}

size_t intake_place(struct ddb_item *const *menus, size_t count, const struct ddb_item *menu) {
    const char *pk = ddb_item_string(menu, "pk", "");
    size_t at = 0;
    while (at < count && strcmp(ddb_item_string(menus[at], "pk", ""), pk) != 0)
        at++;
    return at;
}
