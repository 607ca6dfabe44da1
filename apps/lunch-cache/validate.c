/* validate.c - checks lunches, field by field. */
#include "validate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "menu.h"

/* ---- fields: each check returns what is wrong, or NULL ---- */

static const char *check_text(const struct ddb_value *value, int64_t week) {
    (void)week;
    const char *text = ddb_value_string(value, "");
    return text[strspn(text, " ")] == '\0' ? "is not a text with something in it" : NULL;
}

static const char *check_description(const struct ddb_value *value, int64_t week) {
    (void)week;
    return ddb_value_type(value) == DDB_S ? NULL : "is not a text";
}

static const char *check_price(const struct ddb_value *value, int64_t week) {
    (void)week;
    return strtod(ddb_value_number(value, "0"), NULL) > 0 ? NULL : "is not a number above zero";
}

static const char *check_weekday(const struct ddb_value *value, int64_t week) {
    static const char *const weekdays[] = {"måndag", "tisdag", "onsdag", "torsdag",
                                           "fredag", "lördag", "söndag"};
    (void)week;
    for (size_t i = 0; i < sizeof(weekdays) / sizeof(*weekdays); i++)
        if (strcmp(ddb_value_string(value, ""), weekdays[i]) == 0)
            return NULL;
    return "is not a Swedish weekday";
}

static const char *check_week(const struct ddb_value *value, int64_t week) {
    int64_t given = ddb_value_int(value, 0);
    if (given < 1 || given > MENU_WEEK_MAX)
        return "is not a number from 1 to 53";
    return given == week ? NULL : "is not the week of the menu";
}

static const struct field {
    const char *name;
    const char *(*check)(const struct ddb_value *value, int64_t week);
    bool required;
} fields[] = {
    {"name", check_text, true},       {"price", check_price, true},
    {"weekday", check_weekday, true}, {"week", check_week, true},
    {"place", check_text, true},      {"description", check_description, false},
};

enum { FIELD_COUNT = sizeof(fields) / sizeof(*fields) };

/* ---- lunches ---- */

struct validation {
    struct ddb_list *lunches;
    struct ddb_item *menu;
    struct ddb_list *errors; /* NULL as long as there are none */
    int64_t week;
    int given; /* fields that are there */
    int right; /* fields that are there and right */
};

static void add_error(struct validation *v, size_t lunch, const char *field, const char *message) {
    if (v->errors == NULL)
        v->errors = ddb_item_set_list(v->menu, "validationErrors");
    struct ddb_item *error = ddb_list_add_map(v->errors);
    ddb_item_set_int(error, "lunch", (int64_t)lunch);
    ddb_item_set_string(error, "field", field);
    ddb_item_set_string(error, "message", message);
}

/* `number` is the lunch's place in the file, from 1. */
static bool check_lunch(struct validation *v, size_t number, const struct ddb_item *lunch) {
    bool good = true;
    for (int i = 0; i < FIELD_COUNT; i++) {
        const struct ddb_value *value = ddb_item_value(lunch, fields[i].name);
        bool given = value != NULL && ddb_value_type(value) != DDB_NULL;
        const char *message = given                ? fields[i].check(value, v->week)
                              : fields[i].required ? "is missing"
                                                   : NULL;
        v->given += given;
        v->right += given && message == NULL;
        if (message != NULL) {
            add_error(v, number, fields[i].name, message);
            good = false;
        }
    }
    return good;
}

static void set_share(struct ddb_item *quality, const char *name, int part, int whole) {
    char text[16];
    snprintf(text, sizeof(text), "%.2f", whole == 0 ? 0 : (double)part / whole);
    ddb_item_set_number(quality, name, text);
}

void validate_lunches(const struct ddb_list *lunches, int64_t week, struct ddb_item *menu) {
    struct validation v = {.menu = menu, .week = week};
    v.lunches = ddb_item_set_list(menu, "lunches");
    size_t count = ddb_list_count(lunches);
    for (size_t i = 0; i < count; i++) {
        const struct ddb_value *lunch = ddb_list_at(lunches, i);
        /* What is no map has no fields, so all that a lunch needs is missing. */
        if (check_lunch(&v, i + 1, ddb_value_map(lunch)))
            ddb_list_add_value(v.lunches, lunch);
    }
    ddb_item_set_int(menu, "lunchCount", (int64_t)ddb_list_count(v.lunches));
    struct ddb_item *quality = ddb_item_set_map(menu, "dataQuality");
    set_share(quality, "completeness", v.given, (int)count * FIELD_COUNT);
    set_share(quality, "accuracy", v.right, v.given);
}
